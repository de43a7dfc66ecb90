import './palette.css';
import { Button, useComputedColorScheme } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Insights as InsightsData } from '#contract/insights.ts';
import { pages } from '../pages.ts';
import { timeZone, useTimeZone } from '../ui/dates.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import { ByApiKey, ByChannel, ByCountry, Failures, Funnel, TimesToVerify } from './Breakdowns.tsx';
import { FigureStrip } from './FigureStrip.tsx';
import { Filters } from './Filters.tsx';
import { figuresOf } from './figures.ts';
import classes from './Insights.module.css';
import { type InsightsSearch, insightsDefaults, insightsOf, isFiltered } from './insights.ts';
import { Loading } from './Loading.tsx';
import { OverTime } from './OverTime.tsx';
import { chartVariables } from './palette.ts';

const route = getRouteApi('/_app/insights');

/** Counts, conversion and time to verify over a period, compared with the period before. */
export function Insights() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  useTimeZone();
  const scheme = useComputedColorScheme('light');
  const query = useQuery(insightsOf(search));
  const { data, isError, isPlaceholderData } = query;
  const change = (to: Partial<InsightsSearch>) =>
    void navigate({ search: { ...search, ...to }, replace: true, resetScroll: false });
  return (
    <>
      <PageHeading title={pages.insights.title}>
        How your verifications perform, by the time of the send, compared with the period before.
      </PageHeading>
      <div className={classes.bar}>
        <Filters search={search} data={data} change={change} />
        <span className={classes.zone}>Times in {timeZone()}</span>
      </div>
      {data ? (
        <div
          className={classes.sections}
          data-stale={isPlaceholderData || undefined}
          style={chartVariables(scheme)}
        >
          <FigureStrip figures={figuresOf(data.totals, data.before)} />
          {data.totals.sent === 0 ? (
            <Nothing search={search} change={change} />
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

interface NothingProps {
  search: InsightsSearch;
  change: (to: Partial<InsightsSearch>) => void;
}

const Nothing = ({ search, change }: NothingProps) => (
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
          <ButtonLink to="/" search={{ dialog: 'test-send' }}>
            Send a Test Code
          </ButtonLink>
        </>
      )
    }
  >
    {isFiltered(search) ? 'No send matches the filters.' : 'Choose a longer period, or send your first code.'}
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
