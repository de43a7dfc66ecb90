import { type Insights, openOf } from '@sixdigit/contract/insights.ts';
import { format, timeOfDay } from '../ui/dates.ts';
import { percent } from '../ui/numbers.ts';
import { ChartPanel } from './ChartPanel.tsx';
import { compact, DURATION_STEPS, duration, isUnfinished, shortDuration, whole } from './figures.ts';
import type { InsightsSearch } from './insights.ts';
import { useBehind } from './list-address.ts';
import type { Series } from './Marks.tsx';
import { SeriesChart } from './SeriesChart.tsx';

type Point = Insights['series'][number];

/** The statuses in a bar, from the bottom up. `open`: not ended yet. */
const STATUSES: readonly Series<Point>[] = [
  { name: 'verified', label: 'Verified', value: ({ verified }) => verified },
  { name: 'expired', label: 'Expired', value: ({ expired }) => expired },
  { name: 'failed', label: 'Failed', value: ({ failed }) => failed },
  {
    name: 'open',
    label: 'Open',
    value: openOf,
  },
];
const CONVERSION: readonly Series<Point>[] = [
  { name: 'first', label: 'Conversion', value: ({ conversion }) => conversion },
];
const TIMES: readonly Series<Point>[] = [
  { name: 'first', label: 'Median', value: ({ median_seconds }) => median_seconds },
  { name: 'second', label: '95th percentile', value: ({ p95_seconds }) => p95_seconds },
];
const ATTEMPTS: readonly Series<Point>[] = [
  { name: 'verified', label: 'Correct codes', value: ({ verified }) => verified },
  { name: 'expired', label: 'Wrong codes', value: ({ wrong_codes }) => wrong_codes },
];
const CREDITS: readonly Series<Point>[] = [
  { name: 'first', label: 'Spent', value: ({ credits }) => credits },
  { name: 'second', label: 'Refunded', value: ({ refunded }) => refunded },
];

interface OfKind {
  title: string;
  description: string;
  kind: 'bars' | 'lines';
  series: readonly Series<Point>[];
  show: (value: number | null) => string;
  most?: number;
  hasTotal?: boolean;
}

const KINDS = {
  sends: {
    title: 'Sends over time',
    description: 'By status, at the time of the send.',
    kind: 'bars',
    series: STATUSES,
    show: (value) => whole(value ?? 0),
    hasTotal: true,
  },
  conversion: {
    title: 'Conversion over time',
    description:
      'Share of finished sends that were verified, without those canceled or replaced by a newer code.',
    kind: 'lines',
    series: CONVERSION,
    show: percent,
    most: 1,
  },
  times: {
    title: 'Time to verify',
    description: 'From the send to the correct code.',
    kind: 'lines',
    series: TIMES,
    show: duration,
  },
  attempts: {
    title: 'Codes entered',
    description: 'Correct and wrong codes, at the time of the send.',
    kind: 'bars',
    series: ATTEMPTS,
    show: (value) => whole(value ?? 0),
  },
  credits: {
    title: 'Credits',
    description: 'Credits spent after refunds, and credits refunded.',
    kind: 'bars',
    series: CREDITS,
    show: (value) => whole(value ?? 0),
  },
} as const satisfies Record<string, OfKind>;

interface Props {
  what: keyof typeof KINDS;
  data: Insights;
  search: InsightsSearch;
}

/** One quantity over time. A click on a slot opens its verifications. */
export function OverTime({ what, data, search }: Props) {
  const { title, description, kind, series, show, ...more }: OfKind = KINDS[what];
  const { series: points, interval } = data;
  const behind = useBehind(search);
  const last = points.at(-1);
  const unfinished = last && isUnfinished(data, last.at) ? last : undefined;
  // The first slot can start before the period.
  const cut = points.find(({ at }) => at < data.from);
  const nameOf = (point: Point) => {
    const part = point === unfinished ? ' (so far)' : point === cut ? ` (from ${timeOfDay(data.from)})` : '';
    return `${slotName(interval, point.at)}${part}`;
  };
  const partial = partialText(kind, { cut, unfinished, interval });
  const share = (value: number | null) => (what === 'conversion' && value !== null ? percent(value) : value);
  return (
    <ChartPanel
      title={title}
      description={partial ? `${description} ${partial}` : description}
      table={{
        head: ['Time', ...(more.hasTotal ? ['Sends'] : []), ...series.map(({ label }) => label)],
        rows: points.map((point) => [
          nameOf(point),
          ...(more.hasTotal ? [point.sent] : []),
          ...series.map(({ value }) => share(value(point))),
        ]),
      }}
    >
      <SeriesChart
        label={title}
        kind={kind}
        points={points}
        series={series}
        isPartial={(point) => point === unfinished || point === cut}
        show={show}
        {...(what === 'times' && { steps: DURATION_STEPS })}
        showTick={what === 'conversion' ? percent : what === 'times' ? shortDuration : compact}
        nameOf={nameOf}
        tickOf={({ at }) => slotTick(interval, at)}
        {...(more.most !== undefined && { most: more.most })}
        addressOf={(point) =>
          behind({
            from: point.at < data.from ? data.from : point.at,
            to: points[points.indexOf(point) + 1]?.at ?? data.to,
          })
        }
      />
    </ChartPanel>
  );
}

type Interval = Insights['interval'];

const NAMES: Record<Interval, Pick<Intl.DateTimeFormat, 'format'>> = {
  five_minutes: format({ hour: 'numeric', minute: '2-digit' }),
  hour: format({ weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric' }),
  day: format({ weekday: 'short', month: 'short', day: 'numeric' }),
};
const TICKS: Record<Interval, Pick<Intl.DateTimeFormat, 'format'>> = {
  five_minutes: NAMES.five_minutes,
  hour: format({ weekday: 'short', hour: 'numeric' }),
  day: format({ month: 'short', day: 'numeric' }),
};

/** 'Sat, Nov 21, 3 PM' */
const slotName = (interval: Interval, at: string): string => NAMES[interval].format(new Date(at));

const SLOTS: Record<Interval, string> = { five_minutes: 'five minutes', hour: 'an hour', day: 'a day' };

/** Explains dashed bars, which are short because they cover less time, and dashed lines. */
function partialText(
  kind: OfKind['kind'],
  {
    cut,
    unfinished,
    interval,
  }: { cut: Point | undefined; unfinished: Point | undefined; interval: Interval },
): string | undefined {
  if (!cut && !unfinished) return undefined;
  const areSeveral = kind === 'lines' || (cut && unfinished && cut !== unfinished);
  const marks = areSeveral ? `Dashed ${kind} cover` : 'The dashed bar covers';
  return `${marks} only part of ${SLOTS[interval]}.`;
}

/** Short enough for an axis: 'Nov 21' */
const slotTick = (interval: Interval, at: string): string => TICKS[interval].format(new Date(at));
