import './palette.css';
import { Button, useComputedColorScheme } from '@mantine/core';
import type { Insights as InsightsData } from '@sixdigit/contract/insights.ts';
import { IconChartBar } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeZone, useTimeZone } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import { ByApiKey, ByChannel, ByCountry, Failures, Funnel, TimesToVerify } from './Breakdowns.tsx';
import { FigureStrip } from './FigureStrip.tsx';
import { Filters } from './Filters.tsx';
import { figuresOf } from './figures.ts';
import classes from './Insights.module.css';
import { type InsightsSearch, insightsDefaults, isFiltered } from './insights.ts';
import { Loading } from './Loading.tsx';
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
