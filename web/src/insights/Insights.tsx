import { NativeSelect } from '@mantine/core';
import { IconChartBar, IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CHANNELS } from '#contract/channels.ts';
import type { Insights as InsightsData } from '#contract/insights.ts';
import { labelOf } from '../otp/channel.ts';
import { pages } from '../pages.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { LoadError } from '../ui/LoadError.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import { Breakdown } from './Breakdown.tsx';
import { figuresOf } from './figures.ts';
import classes from './Insights.module.css';
import { type InsightsSearch, insightsOf, ranges } from './insights.ts';
import { SendsOverTime } from './SendsOverTime.tsx';
import { TimesToVerify } from './TimesToVerify.tsx';

const route = getRouteApi('/_app/insights');

/** Counts, conversion and time to verify over a period, compared with the period before. */
export function Insights() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, isError, isFetching, refetch } = useQuery(insightsOf(search));
  const change = (to: Partial<InsightsSearch>) =>
    void navigate({ search: { ...search, ...to }, replace: true });
  return (
    <>
      <PageHeading
        title={pages.insights.title}
        actions={
          <>
            <Choice
              label="Time period"
              value={search.range}
              options={ranges}
              onChange={(range) => change({ range })}
            />
            <Choice
              label="Channel"
              value={search.channel}
              options={[
                { value: 'all', label: 'All channels' },
                ...CHANNELS.map((value) => ({ value, label: labelOf(value) })),
              ]}
              onChange={(channel) => change({ channel })}
            />
          </>
        }
      >
        How your verifications do, by the time they were sent.
      </PageHeading>
      {data ? <Figures data={data} /> : null}
      {!data && isError ? (
        <LoadError
          title="Insights could not be loaded"
          onRetry={() => void refetch()}
          isRetrying={isFetching}
        />
      ) : null}
      {!data && !isError ? <div className={classes.loading} role="status" aria-label="Loading" /> : null}
    </>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}

const Choice = <V extends string>({ label, value, options, onChange }: ChoiceProps<V>) => (
  <NativeSelect
    aria-label={label}
    value={value}
    data={[...options]}
    onChange={(event) => onChange(event.currentTarget.value as V)}
    rightSection={<IconSelector size={16} aria-hidden />}
  />
);

function Figures({ data }: { data: InsightsData }) {
  return (
    <div className={classes.sections}>
      <dl className={classes.figures}>
        {figuresOf(data.totals, data.before).map(({ label, value, change }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <strong>{value}</strong>
              {change ? (
                <span
                  className={classes.change}
                  data-good={change.isGood ?? undefined}
                  title="Compared with the period before"
                >
                  {change.text}
                </span>
              ) : null}
            </dd>
          </div>
        ))}
      </dl>
      {data.totals.sent === 0 ? (
        <EmptyState icon={<IconChartBar size={28} stroke={1.5} />} title="No sends in this period">
          Choose a longer period, or send your first code.
        </EmptyState>
      ) : (
        <>
          <SendsOverTime series={data.series} interval={data.interval} />
          <div className={classes.columns}>
            <Panel title="Time to verify">
              <TimesToVerify times={data.times} totals={data.totals} />
            </Panel>
            <Breakdown
              title="By channel"
              of="Channel"
              rows={data.by_channel.map((row) => ({ ...row, name: labelOf(row.channel) }))}
            />
            <Breakdown
              title="By country"
              of="Country"
              rows={data.by_country.map((row) => ({ ...row, name: countryName(row.country) }))}
            />
            <Breakdown
              title="By API key"
              of="API key"
              rows={data.by_api_key.map(({ api_key, ...row }) => ({
                ...row,
                id: api_key.id,
                name: api_key.name,
              }))}
            />
          </div>
        </>
      )}
    </div>
  );
}

const names = new Intl.DisplayNames('en-US', { type: 'region' });
const countryName = (country: string | null): string =>
  country === null ? 'No country (email)' : (names.of(country) ?? country);
