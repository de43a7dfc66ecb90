import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import {
  getFallback,
  getInsights,
  getVerificationFigures,
  INSIGHT_RANGES,
  type InsightRange,
  type Insights,
} from '@sixdigit/contract/insights.ts';
import { dayAfter, isDay, startOfDay } from '@sixdigit/contract/local-time.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { UseQueryOptions } from '@tanstack/react-query';
import { ApiError, call } from '../api/call.ts';
import { keepPrevious, read } from '../api/read.ts';
import { replaceZone, zoneName } from '../ui/dates.ts';
import type { Figured } from './figures.ts';

export const ranges: readonly { value: InsightRange | 'custom'; label: string }[] = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '15d', label: 'Last 15 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: 'custom', label: 'Custom range' },
];

/** The screen's state in the URL. */
export interface InsightsSearch {
  range: InsightRange | 'custom';
  /** first and last day of a custom range: '2026-11-21' */
  from: string;
  to: string;
  channel: Channel | '';
  /** ISO 3166-1 alpha-2 */
  country: string;
  api_key: string;
}
export const insightsDefaults: InsightsSearch = {
  range: '15d',
  from: '',
  to: '',
  channel: '',
  country: '',
  api_key: '',
};

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Replaces invalid values with defaults. A custom range needs two days in order. */
export function readInsightsSearch(given: Partial<Record<keyof InsightsSearch, unknown>>): InsightsSearch {
  const [from, to] = [String(given.from ?? ''), String(given.to ?? '')];
  const isCustom = isDay(from) && isDay(to) && from <= to;
  const range = INSIGHT_RANGES.find((one) => one === given.range) ?? insightsDefaults.range;
  const country = String(given.country ?? '');
  const api_key = String(given.api_key ?? '');
  return {
    range: given.range === 'custom' && isCustom ? 'custom' : range,
    from: isCustom ? from : '',
    to: isCustom ? to : '',
    channel: CHANNELS.find((one) => one === given.channel) ?? '',
    country: /^[A-Z]{2}$/.test(country) ? country : '',
    api_key: UUID.test(api_key) ? api_key : '',
  };
}

export const isFiltered = ({ channel, country, api_key }: InsightsSearch): boolean =>
  channel !== '' || country !== '' || api_key !== '';

/** The service updates the counts every five seconds. */
export const REFETCH_MS = 10_000;

export const insightsOf = (search: InsightsSearch) => insightsFor(queryOf(search, zoneName()));

/** The counts for a query in the server's format. */
export const insightsFor = (query: InsightsQuery) =>
  read(
    getInsights,
    { query },
    {
      queryFn: ({ signal }) => inKnownZone(query, (known) => call(getInsights, { query: known, signal })),
      refetchInterval: REFETCH_MS,
      ...keepPrevious,
    },
  );

/** What each step of plans did in the period. Loaded once, because every call reads the sends themselves. */
export function fallbackOf(search: InsightsSearch) {
  const query = queryOf(search, zoneName());
  return read(
    getFallback,
    { query },
    {
      queryFn: ({ signal }) => inKnownZone(query, (known) => call(getFallback, { query: known, signal })),
      ...keepPrevious,
    },
  );
}

/** The filters of the list of verifications that insights do not count by. Absent ones match all. */
export interface RowFilters {
  search?: string;
  status?: OtpStatus;
  carrier?: string;
}

/** The figures above a list, counted from its rows if it is filtered by more than insights count by. */
export function figuresFor(query: InsightsQuery, filters: RowFilters): UseQueryOptions<OverviewFigures> {
  const narrowed = { ...query, ...filters };
  const found =
    Object.keys(filters).length === 0
      ? insightsFor(query)
      : read(
          getVerificationFigures,
          { query: narrowed },
          {
            queryFn: ({ signal }) =>
              inKnownZone(narrowed, (known) => call(getVerificationFigures, { query: known, signal })),
            ...keepPrevious,
          },
        );
  return found as never;
}
export interface OverviewFigures extends Figured, Pick<Insights, 'refused' | 'to'> {
  /** later than `from` if the figures cover only the newest sends */
  counted_from?: string;
}

/** Falls back to UTC if the server does not know the zone, because browsers can have a newer zone list. */
export async function inKnownZone<Q extends InsightsQuery, T>(
  query: Q,
  load: (query: Q) => Promise<T>,
): Promise<T> {
  try {
    return await load(query);
  } catch (cause) {
    if (!(cause instanceof ApiError) || !('time_zone' in cause.fields)) throw cause;
    replaceZone(query.time_zone);
    return load({ ...query, time_zone: 'UTC' });
  }
}

/** The filters in the server's format. */
export const queryOf = (search: InsightsSearch, time_zone: string): InsightsQuery => ({
  ...(search.range === 'custom'
    ? {
        from: startOfDay(search.from, time_zone).toISOString(),
        to: startOfDay(dayAfter(search.to), time_zone).toISOString(),
      }
    : { range: search.range }),
  ...groupsOf(search, time_zone),
});

/** A subset of the account's sends, in the server's format. */
export const groupsOf = (
  { channel, country, api_key }: Pick<InsightsSearch, 'channel' | 'country' | 'api_key'>,
  time_zone: string,
) => ({
  time_zone,
  ...(channel !== '' && { channel }),
  ...(country !== '' && { country }),
  ...(api_key !== '' && { api_key }),
});

export type InsightsQuery = ({ from: string; to: string } | { range: InsightRange }) &
  ReturnType<typeof groupsOf>;
