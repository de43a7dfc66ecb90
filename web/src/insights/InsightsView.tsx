import { Ltr } from '../ui/Ltr.tsx';
import './palette.css';
import { Button, Skeleton, useComputedColorScheme } from '@mantine/core';
import type { Insights as InsightsData } from '@sixdigit/contract/insights.ts';
import { IconChartBar } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeZone, useTimeZone } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Folded } from '../ui/Folded.tsx';
import { Placeholder, QueryError } from '../ui/Loaded.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ByApiKey, ByChannel, ByCountry, Failures, Funnel, TimesToVerify } from './Breakdowns.tsx';
import { FigureLabel } from './FigureLabel.tsx';
import { Filters } from './Filters.tsx';
import { type Figure, figuresOf, MEASURES, ownCodesOf, toneOf } from './figures.ts';
import classes from './Insights.module.css';
import { type InsightsSearch, insightsDefaults, isFiltered } from './insights.ts';
import { OverTime } from './OverTime.tsx';
import { chartVariables } from './palette.ts';
import { Refused } from './Refused.tsx';

interface Props {
  search: InsightsSearch;
  change: (to: Partial<InsightsSearch>) => void;
  query: UseQueryResult<InsightsData>;
  /** the keys of the account */
  keys: readonly { id: string; name: string }[];
  /** what the owner can do if the period has no sends */
  action?: ReactNode;
  /** what plans did, below the charts */
  fallback?: ReactNode;
  /** a longer period has no sends either */
  neverSent?: boolean;
}

/** One account's figures and charts. */
export function InsightsView({ search, change, query, keys, action, fallback, neverSent = false }: Props) {
  useTimeZone();
  const scheme = useComputedColorScheme('light');
  const { data, isError, isPlaceholderData } = query;
  const ownCodes = data && ownCodesOf(data.totals);
  return (
    <>
      <div className="mb-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <Filters search={search} data={data} keys={keys} change={change} />
        {!data && isError ? null : <span className="text-13 text-ink-soft">Times in {timeZone()}</span>}
      </div>
      {data ? (
        <div
          className={`${classes.sections} grid grid-cols-1 gap-5`}
          data-stale={isPlaceholderData || undefined}
          style={chartVariables(scheme)}
        >
          {data.totals.sent + data.totals.own_codes === 0 ? (
            <>
              <Refused data={data} search={search} className="m-0 text-14" />
              <Nothing search={search} change={change} action={action} neverSent={neverSent} />
            </>
          ) : (
            <>
              <div>
                <FigureStrip figures={figuresOf(data)} />
                {data.refused.sends === 0 ? (
                  <p className="mt-2.5 mb-0 text-14 text-ink-soft">No send was refused.</p>
                ) : (
                  <Refused data={data} search={search} className="mt-2.5 mb-0 text-14" />
                )}
                {ownCodes ? (
                  <p className="mt-1 mb-0 text-14 text-ink-soft">
                    Sends, Failed and Credits spent above include {ownCodes}. The charts below leave them out,
                    except for credits.
                  </p>
                ) : null}
              </div>
              {data.totals.sent > 0 ? (
                <>
                  <Charts data={data} search={search} />
                  {fallback}
                </>
              ) : null}
            </>
          )}
        </div>
      ) : null}
      {!data && isError ? <QueryError query={query} message="Failed to load the insights" /> : null}
      {!data && !isError ? <Loading /> : null}
    </>
  );
}

const Nothing = ({
  search,
  change,
  action,
  neverSent,
}: Pick<Props, 'search' | 'change' | 'action' | 'neverSent'>) => (
  <EmptyState
    icon={<IconChartBar size={28} stroke={1.5} />}
    title={neverSent ? 'No sends yet' : isFiltered(search) ? 'No matching sends' : 'No sends in this period'}
    action={
      neverSent ? undefined : isFiltered(search) ? (
        <Button
          variant="default"
          onClick={() =>
            change({ ...insightsDefaults, range: search.range, from: search.from, to: search.to })
          }
        >
          Clear Filters
        </Button>
      ) : search.range === '90d' ? undefined : (
        <>
          <Button variant="default" onClick={() => change({ ...insightsDefaults, range: '90d' })}>
            Show 90 Days
          </Button>
          {action}
        </>
      )
    }
  >
    {neverSent
      ? 'This account has not sent anything yet.'
      : isFiltered(search)
        ? 'No send in this period matches the filters.'
        : `Choose a longer period${action ? ', or send your first code' : ''}.`}
  </EmptyState>
);

const Pair = ({ children }: { children: ReactNode }) => (
  <div className={`${classes.pair} grid grid-cols-2 gap-5`}>{children}</div>
);

/** Three breakdowns in a row, then two panels. With less room, four breakdowns in two rows, then the last panel. */
const Groups = ({ children }: { children: ReactNode }) => (
  <div className={`${classes.groups} grid grid-cols-1 gap-5`}>{children}</div>
);

const MORE = { title: 'More charts', about: 'verification times, codes entered and credits' };

const Charts = (props: { data: InsightsData; search: InsightsSearch }) => (
  <>
    <OverTime what="sends" {...props} />
    <Pair>
      <OverTime what="conversion" {...props} />
      <Funnel {...props} />
    </Pair>
    <Groups>
      <ByChannel {...props} />
      <ByCountry {...props} />
      <ByApiKey {...props} />
      <Failures {...props} />
      <OverTime what="times" {...props} />
    </Groups>
    <Folded {...MORE} hasPanels>
      {(isOpen) =>
        isOpen ? (
          <>
            <Pair>
              <TimesToVerify {...props} />
              <OverTime what="attempts" {...props} />
            </Pair>
            <OverTime what="credits" {...props} />
          </>
        ) : null
      }
    </Folded>
  </>
);

/** Placeholders of the final size, so that nothing moves when the numbers arrive. */
const Loading = () => (
  <Placeholder>
    <div className="grid grid-cols-1 gap-5" aria-hidden>
      <div>
        <FigureStrip />
        <Skeleton className="mt-4 mb-1" height={12} width="12rem" radius="xl" />
      </div>
      <Waiting title="Sends over time" />
      <Pair>
        <Waiting title="Conversion over time" isLine isLong />
        <Waiting title="Funnel" rows={3} isLong />
      </Pair>
      <Groups>
        <Waiting title="By channel" rows={3} isBare />
        <Waiting title="By country" rows={3} isBare />
        <Waiting title="By API key" rows={3} isBare />
        <Waiting title="Failures by reason" rows={4} isLong />
        <Waiting title="Time to verify" isLine />
      </Groups>
      <Folded {...MORE} hasPanels>
        {() => null}
      </Folded>
    </div>
  </Placeholder>
);

const BARS = [34, 52, 45, 68, 58, 88, 72];

interface WaitingProps {
  title: string;
  rows?: number;
  isLine?: boolean;
  /** The description has two lines. */
  isLong?: boolean;
  /** without a description */
  isBare?: boolean;
}

const Line = ({ width, className = '' }: { width: string; className?: string | undefined }) => (
  <Skeleton component="span" className={`my-1.5 block ${className}`} height={10} width={width} radius="xl" />
);

/** A panel with a list of `rows`, or with a chart. */
const Waiting = ({ title, rows, isLine, isLong, isBare }: WaitingProps) => (
  <Panel
    title={title}
    description={
      isBare ? undefined : (
        <span className="grid">
          <Line width={isLong ? '90%' : '60%'} />
          {isLong ? <Line width="40%" /> : null}
          {rows ? null : <Line width="30%" className={classes.wrapped} />}
        </span>
      )
    }
  >
    <Line width="7rem" className={rows ? classes.waitingHead : ''} />
    {rows ? (
      Array.from({ length: rows }, (_, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <div key={n} className={`${classes.waitingRow} grid gap-2.5`}>
          <Skeleton height={12} width="7rem" radius="xl" />
          <Skeleton height={6} width={`${100 - 14 * n}%`} radius="xl" />
        </div>
      ))
    ) : isLine ? (
      <svg
        className={`${classes.waitingPlot} block w-full text-line`}
        viewBox="0 0 6 10"
        preserveAspectRatio="none"
        aria-hidden
      >
        <path
          d={BARS.map((percent, n) => `${n === 0 ? 'M' : 'L'}${n} ${10 - percent / 10}`).join('')}
          fill="none"
          stroke="currentColor"
          strokeWidth={2}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    ) : (
      <div className={`${classes.waitingPlot} flex items-end justify-around gap-2`}>
        {BARS.map((percent) => (
          <Skeleton key={percent} height={`${percent}%`} width={48} radius="sm" />
        ))}
      </div>
    )}
  </Panel>
);

/** Figures side by side, each with its change since the previous period. Without `figures`, placeholders while they load. */
const FigureStrip = ({ figures = [] }: { figures?: readonly Figure[] }) => (
  <dl className="m-0 grid grid-cols-5 gap-px overflow-hidden rounded-12 border border-line bg-line max-md:grid-cols-2">
    {MEASURES.map(({ label, short }, n) => (
      <div
        key={label}
        className="flex flex-col justify-between bg-surface px-5 py-4 max-lg:px-3.5 max-lg:py-3 max-md:last:col-span-full"
      >
        <dt className="text-13 text-ink-soft">
          <FigureLabel label={label} short={short} />
        </dt>
        {figures[n] ? <Value figure={figures[n]} /> : <WaitingValue />}
      </div>
    ))}
  </dl>
);

const Value = ({ figure: { value, change, comparison } }: { figure: Figure }) => (
  <dd className="mx-0 mt-[0.15rem] mb-0 flex flex-wrap items-baseline gap-x-2 max-lg:flex-col max-md:flex-row">
    <strong className="text-24 font-650 tracking-[-0.02em] max-lg:text-20">{value}</strong>
    {change ? (
      <span className={`text-13 ${toneOf(change)}`} data-tip={comparison}>
        <Ltr>{change.text}</Ltr>
      </span>
    ) : null}
  </dd>
);

/** Has the height of a figure. Between phones and desktops, its change has a line of its own. */
const WaitingValue = () => (
  <dd className="mx-0 mt-[0.15rem] mb-0 flex min-h-9 items-center max-lg:min-h-13 max-md:min-h-8">
    <Skeleton height="1.25rem" width="4.5rem" />
  </dd>
);
