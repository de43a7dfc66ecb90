import { type Counts, conversionOf, type Insights } from '@sixdigit/contract/insights.ts';
import { labelOf } from '../ui/channel.ts';
import { percent } from '../ui/numbers.ts';
import { BarList, type BarRow } from './BarList.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { bySends, duration, groupCountry, hasReports, whole } from './figures.ts';
import type { InsightsSearch } from './insights.ts';
import { type Behind, useBehind } from './list-address.ts';

interface Props {
  data: Insights;
  search: InsightsSearch;
}

interface Group extends Counts {
  id: string;
  name: string;
  /** the filter that selects the group in the list; absent for groups that no filter selects */
  filter?: Partial<Behind>;
}

/** Sends and conversion per channel, country or key, largest first. */
function Breakdown({
  title,
  of,
  groups: all,
  data,
  search,
}: Props & { title: string; of: string; groups: Group[] }) {
  const groups = bySends(all);
  const { from, to } = data;
  const behind = useBehind(search);
  return (
    <ChartPanel
      title={title}
      table={{
        head: [of, 'Sends', 'Verified', 'Expired', 'Failed', 'Conversion'],
        rows: groups.map((group) => [
          group.name,
          group.sent,
          group.verified,
          group.expired,
          group.failed,
          percent(conversionOf(group)),
        ]),
      }}
    >
      <BarList
        headings={[of, 'Sends', 'Conversion']}
        unit="sent"
        most={data.totals.sent}
        rows={groups.map((group) => ({
          id: group.id,
          name: group.name,
          value: group.sent,
          note: percent(conversionOf(group)),
          ...(group.filter && { address: behind({ ...group.filter, from, to }) }),
        }))}
      />
    </ChartPanel>
  );
}

export const ByChannel = (props: Props) => (
  <Breakdown
    {...props}
    title="By channel"
    of="Channel"
    groups={props.data.by_channel.map((row) => ({
      ...row,
      id: row.channel,
      name: labelOf(row.channel),
      filter: { channel: row.channel },
    }))}
  />
);

export const ByCountry = (props: Props) => (
  <Breakdown
    {...props}
    title="By country"
    of="Country"
    groups={props.data.by_country.map((row) => ({
      ...row,
      id: row.country ?? '',
      name: groupCountry(row.country),
      filter: row.country ? { country: row.country } : { channel: 'email' },
    }))}
  />
);

export const ByApiKey = (props: Props) => (
  <Breakdown
    {...props}
    title="By API key"
    of="API key"
    groups={props.data.by_api_key.map(({ api_key, ...row }) => ({
      ...row,
      id: api_key.id,
      name: api_key.name,
      filter: { api_key: api_key.id },
    }))}
  />
);

/**
 * From the send to the correct code. Each step is a share of all sends, not of the previous step, because some carriers do not
 * report deliveries.
 */
export function Funnel({ data, search }: Props) {
  const { from, to, totals } = data;
  const behind = useBehind(search);
  const areReported = hasReports(totals);
  const steps: BarRow[] = [
    { id: 'sent', name: 'Sends', value: totals.sent, address: behind({ from, to }) },
    { id: 'dispatched', name: 'Accepted by a carrier', value: totals.dispatched },
    ...(areReported
      ? [{ id: 'delivered', name: 'Delivered, according to carriers', value: totals.delivered }]
      : []),
    {
      id: 'verified',
      name: 'Verified',
      value: totals.verified,
      address: behind({ status: 'verified', from, to }),
    },
  ];
  return (
    <ChartPanel
      title="Funnel"
      description={
        areReported || totals.dispatched === 0
          ? 'From the send to the correct code, as shares of all sends.'
          : `From the send to the correct code, as shares of all sends. Delivery is omitted: ${
              totals.delivered === 0
                ? 'carriers reported none'
                : `carriers reported it for only ${whole(totals.delivered)} of ${whole(totals.dispatched)} messages`
            }.`
      }
      table={{
        head: ['Step', 'Sends', 'Share'],
        rows: steps.map(({ name, value }) => [name, value, percent(shareOf(value, totals.sent))]),
      }}
    >
      <BarList
        headings={['Step', 'Sends', 'Share']}
        unit="sends"
        most={totals.sent}
        rows={steps.map((step) => ({
          ...step,
          part: 'verified',
          note: percent(shareOf(step.value, totals.sent)),
        }))}
      />
    </ChartPanel>
  );
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Why sends were not verified. */
export function Failures({ data, search }: Props) {
  const { from, to, totals } = data;
  const { sent, failed, expired, rejected, exhausted, canceled, superseded } = totals;
  const behind = useBehind(search);
  const failures = { address: behind({ status: 'failed', from, to }) };
  const ends = { address: behind({ status: 'expired', from, to }) };
  const reasons = [
    { id: 'rejected', name: 'No carrier accepted it', value: rejected, ...failures },
    {
      id: 'undelivered',
      name: 'Not delivered',
      value: Math.max(0, failed - rejected - exhausted),
      ...failures,
    },
    { id: 'exhausted', name: 'Too many wrong codes', value: exhausted, ...failures },
    {
      id: 'expired',
      name: 'No code entered in time',
      value: Math.max(0, expired - canceled - superseded),
      ...ends,
    },
    { id: 'superseded', name: 'Another send was verified', value: superseded, ...ends },
    { id: 'canceled', name: 'Canceled', value: canceled, ...ends },
  ].sort((a, b) => b.value - a.value);
  return (
    <ChartPanel
      title="Failures by reason"
      description="Why sends ended without a correct code, with their share of all sends."
      table={{
        head: ['Reason', 'Sends', 'Share'],
        rows: reasons.map(({ name, value }) => [name, value, percent(shareOf(value, sent))]),
      }}
    >
      <BarList
        headings={['Reason', 'Sends', 'Share of all']}
        unit="sends"
        most={Math.max(1, sent)}
        rows={reasons
          .filter(({ value }) => value > 0)
          .map((reason) => ({ ...reason, part: 'failed', note: percent(shareOf(reason.value, sent)) }))}
      />
      {failed + expired === 0 ? 'Every send that ended was verified.' : null}
    </ChartPanel>
  );
}

/** How long verification took. */
export function TimesToVerify({ data }: Props) {
  const rows = shareOfTimes(data);
  const { median_seconds, p95_seconds, verified, wrong_codes } = data.totals;
  const tries = verified === 0 ? null : (verified + wrong_codes) / verified;
  return (
    <ChartPanel
      title="Verification times"
      description={
        verified === 0
          ? 'No code was verified in this period.'
          : `Median ${duration(median_seconds)}, 95th percentile ${duration(p95_seconds)}, ${tries?.toFixed(2)} attempts per correct code.`
      }
      table={{
        head: ['Time', 'Correct codes', 'Share'],
        rows: rows.map(({ name, value }) => [name, value, percent(shareOf(value, verified))]),
      }}
    >
      <BarList
        headings={['Time', 'Correct codes', 'Share']}
        unit="correct codes"
        most={Math.max(1, verified)}
        rows={rows.map((row) => ({ ...row, id: row.name, note: percent(shareOf(row.value, verified)) }))}
      />
    </ChartPanel>
  );
}

/** Upper bounds of the rows, in seconds. */
const ENDS = [5, 10, 20, 60, 300, Number.POSITIVE_INFINITY] as const;

/** Verified sends by time to verify. */
const shareOfTimes = ({ times }: Pick<Insights, 'times'>): { name: string; value: number }[] =>
  ENDS.map((end, n) => {
    const start = ENDS[n - 1] ?? 0;
    const name =
      start === 0
        ? `Under ${duration(end)}`
        : Number.isFinite(end)
          ? `${duration(start)} to ${duration(end)}`
          : `${duration(start)} or more`;
    const within = times.filter(({ from_seconds }) => from_seconds >= start && from_seconds < end);
    return { name, value: within.reduce((sum, { verified }) => sum + verified, 0) };
  });
