import './palette.css';
import { Button, Skeleton, useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import type { Insights as InsightsData } from '@sixdigit/contract/insights.ts';
import { IconChartBar } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeZone, useTimeZone } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryError } from '../ui/Loaded.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ByApiKey, ByChannel, ByCountry, Failures, Funnel, TimesToVerify } from './Breakdowns.tsx';
import strip from './FigureStrip.module.css';
import { FigureStrip } from './FigureStrip.tsx';
import { Filters } from './Filters.tsx';
import { figuresOf, MEASURES } from './figures.ts';
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
  /** what the owner can do about a period without sends */
  action?: ReactNode;
}

/** The figures and charts of one account. */
export function InsightsView({ search, change, query, keys, action }: Props) {
  useTimeZone();
  const scheme = useComputedColorScheme('light');
  const { data, isError, isPlaceholderData } = query;
  return (
    <>
      <div className={classes.bar}>
        <Filters search={search} data={data} keys={keys} change={change} />
        <span className={classes.zone}>Times in {timeZone()}</span>
      </div>
      {data ? (
        <div
          className={classes.sections}
          data-stale={isPlaceholderData || undefined}
          style={chartVariables(scheme)}
        >
          <div>
            <FigureStrip figures={figuresOf(data.totals, data.before)} />
            <Refused data={data} search={search} className={classes.refused ?? ''} />
          </div>
          {data.totals.sent === 0 ? (
            <Nothing search={search} change={change} action={action} />
          ) : (
            <Charts data={data} search={search} />
          )}
        </div>
      ) : null}
      {!data && isError ? <QueryError query={query} title="Insights could not be loaded" /> : null}
      {!data && !isError ? <Loading /> : null}
    </>
  );
}

const Nothing = ({ search, change, action }: Pick<Props, 'search' | 'change' | 'action'>) => (
  <EmptyState
    icon={<IconChartBar size={28} stroke={1.5} />}
    title="No sends in this period"
    action={
      isFiltered(search) ? (
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
    {isFiltered(search)
      ? 'No send matches the filters.'
      : `Choose a longer period${action ? ', or send your first code' : ''}.`}
  </EmptyState>
);

const Charts = (props: { data: InsightsData; search: InsightsSearch }) => (
  <>
    <OverTime what="sends" {...props} />
    <div className={classes.pair}>
      <OverTime what="conversion" {...props} />
      <Funnel {...props} />
      <OverTime what="times" {...props} />
      <TimesToVerify {...props} />
    </div>
    <div className={classes.trio}>
      <ByChannel {...props} />
      <ByCountry {...props} />
      <ByApiKey {...props} />
    </div>
    <div className={classes.pair}>
      <Failures {...props} />
      <OverTime what="attempts" {...props} />
    </div>
    <OverTime what="credits" {...props} />
  </>
);

const BARS = [34, 52, 45, 68, 58, 88, 72];
const STEPS = [100, 96, 80, 68];

/** Names and frames as they will be, so that nothing moves when the numbers arrive. */
const Loading = () => (
  <div role="status" aria-busy="true">
    <VisuallyHidden>Loading...</VisuallyHidden>
    <div className={classes.sections} aria-hidden>
      <dl className={strip.figures}>
        {MEASURES.map(({ label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={strip.waiting}>
              <Skeleton height="1.25rem" width="4.5rem" />
            </dd>
          </div>
        ))}
      </dl>
      <Waiting title="Sends over time" description="By status, at the time of the send." />
      <div className={classes.pair}>
        <Waiting title="Conversion over time" description="Verified sends among those that ended." />
        <Panel title="Funnel" description="From the send to the right code.">
          <div className={classes.lines}>
            {STEPS.map((percent) => (
              <div key={percent}>
                <Skeleton height={12} width="7rem" radius="xl" />
                <Skeleton height={6} width={`${percent}%`} radius="xl" />
              </div>
            ))}
          </div>
        </Panel>
      </div>
    </div>
  </div>
);

const Waiting = (panel: { title: string; description: string }) => (
  <Panel {...panel}>
    <div className={classes.bars}>
      {BARS.map((percent) => (
        <Skeleton key={percent} height={`${percent}%`} radius="sm" />
      ))}
    </div>
  </Panel>
);
