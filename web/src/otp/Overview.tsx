import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { nowMs } from '../api/clock.ts';
import { FigureLabel } from '../insights/FigureLabel.tsx';
import { figuresOf, MEASURES, ownCodesOf, toneOf, trendOf } from '../insights/figures.ts';
import { figuresFor, type InsightsSearch } from '../insights/insights.ts';
import { Refused } from '../insights/Refused.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { Ltr } from '../ui/Ltr.tsx';
import classes from './Overview.module.css';
import { type ListFilters, overviewOf } from './overview-filters.ts';

const REFETCH_MS = 60_000;

/**
 * Five figures above the list, for its period and filters. Each figure links to Insights, unless the list has filters that
 * Insights lacks. Shows only labels until the numbers load.
 */
export function Overview({ filters }: { filters: ListFilters }) {
  const { data: user } = useQuery(currentUser);
  const { query, rows, search, period, compared } = overviewOf(filters, user?.created_at, nowMs());
  const { data, isPending, isPlaceholderData } = useQuery({
    ...figuresFor(query, rows),
    refetchInterval: REFETCH_MS,
  });
  const figures = data && figuresOf(data);
  const ownCodes = data && ownCodesOf(data.totals);
  const isNarrowed = Object.keys(rows).length > 0;
  const hasComparison = compared !== '' && figures?.some(({ change }) => change !== undefined);
  const since = data?.counted_from && data.counted_from > data.from ? data.counted_from : undefined;
  return (
    <section aria-label="Overview" aria-busy={isPending}>
      <div className="mb-1.5 flex min-h-6 flex-wrap gap-x-3 text-13 text-ink-soft max-md:mb-1 max-md:min-h-5">
        <p className="m-0">
          {period}
          {hasComparison ? <span className="max-md:hidden">{compared}</span> : null}
        </p>
        {since ? (
          <p className="m-0 font-550 text-ink">Only sends since {shortDateTime(since)} are counted.</p>
        ) : null}
        {/* Refused sends lack what narrows the figures. */}
        {data && !isNarrowed ? (
          <Refused data={data} search={search} className="m-0 font-550 text-ink" isShort />
        ) : null}
      </div>
      <div
        className={`${classes.overview} mb-5 grid h-25 grid-cols-5 gap-px overflow-hidden rounded-12 border border-line bg-line transition-opacity max-lg:h-22 ${isPlaceholderData ? 'opacity-60' : ''}`}
      >
        {MEASURES.map(({ label, short, of }, n) => {
          // Of the sends with one status, all or none are verified.
          const figure = filters.status !== 'all' && label === 'Conversion' ? undefined : figures?.[n];
          const change = compared === '' ? undefined : figure?.change;
          return (
            <Place
              key={label}
              search={isNarrowed ? undefined : search}
              tip={ownCodes && label === 'Conversion' ? `Without ${ownCodes}` : undefined}
            >
              <span className="col-span-full truncate text-13 text-ink-soft max-md:text-12">
                <FigureLabel label={label} short={short} />
              </span>
              <strong className="col-start-1 text-20 font-650 tracking-[-0.02em] whitespace-nowrap">
                {figure?.value ?? '–'}
              </strong>
              <span
                className={`${classes.change} col-start-1 text-12 whitespace-nowrap ${toneOf(change)}`}
                data-tip={change ? figure?.comparison : undefined}
              >
                <Ltr>{change?.text}</Ltr>
              </span>
              <span className="col-start-2 row-span-2 row-start-2 w-full max-w-24 self-end justify-self-end overflow-hidden leading-0 text-accent max-lg:hidden">
                {data && figure ? <Sparkline {...trendOf(data, of)} /> : null}
              </span>
            </Place>
          );
        })}
      </div>
    </section>
  );
}

const PLACE = `${classes.figure} grid grid-cols-[auto_minmax(0,1fr)] content-center gap-x-4 bg-surface px-4 py-3 text-ink tabular-nums max-lg:px-3.5 max-lg:py-2.5 touch:min-h-11`;

interface PlaceProps {
  search: InsightsSearch | undefined;
  tip: string | undefined;
  children: ReactNode;
}

const Place = ({ search, tip, children }: PlaceProps) =>
  search ? (
    <Link to="/insights" search={search} className={`${PLACE} no-underline hover:bg-sunken`} data-tip={tip}>
      {children}
    </Link>
  ) : (
    <div className={PLACE} data-tip={tip}>
      {children}
    </div>
  );

const WIDTH = 96;
const HEIGHT = 28;
const INSET = 2;

/**
 * A small line without axes, with gaps for missing values. The segment to a slot that has not ended is dashed. Hidden from
 * screen readers, because the figures carry the numbers.
 */
function Sparkline({ values, isLastOpen }: ReturnType<typeof trendOf>) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, 0);
  if (known.length < 2 || top === 0) return null;
  const x = (n: number) => INSET + (n / (values.length - 1)) * (WIDTH - 2 * INSET);
  const y = (value: number) => HEIGHT - INSET - (value / top) * (HEIGHT - 2 * INSET);
  const place = (value: number, n: number) => `${x(n).toFixed(1)} ${y(value).toFixed(1)}`;
  const line = (isLastOpen ? values.slice(0, -1) : values)
    .map((value, n) => (value === null ? '' : `${values[n - 1] == null ? 'M' : 'L'}${place(value, n)}`))
    .join('');
  const last = values.length - 1;
  const [from, to] = [values[last - 1], values[last]];
  const isEnding = isLastOpen && from != null && to != null;
  return (
    <svg className="max-w-full" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <g fill="none" stroke="currentColor" strokeWidth={1.75} strokeLinecap="round" strokeLinejoin="round">
        <path d={line} />
        {isEnding ? (
          <path d={`M${place(from, last - 1)}L${place(to, last)}`} strokeDasharray="2 3.5" />
        ) : null}
      </g>
    </svg>
  );
}
