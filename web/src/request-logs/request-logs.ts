import { exportRequestLogs, listRequestLogs, STATUS_CODE_FILTERS } from '@sixdigit/contract/request-logs.ts';
import { openStream } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { asPage } from '../api/list.ts';
import { refetchEvery } from '../api/live.ts';
import { read, readPage } from '../api/read.ts';
import { routeFilters, routeQuery } from '../otp/route-filters.ts';
import { countQuery } from '../table/count.ts';
import { LIST_MODES } from '../table/ModeSwitch.tsx';
import { rangeEnd, windowOfRange } from '../table/range.ts';
import type { Exporting } from '../table/run-export.ts';
import { anyText, listSearch, oneOf } from '../table/search.ts';
import { zoneName } from '../ui/dates.ts';

export const periods = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '15', label: 'Last 15 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: 'all', label: 'All time' },
  { value: 'custom', label: 'Custom range' },
] as const;

type StatusCodeFilter = (typeof STATUS_CODE_FILTERS)[number];
const kinds: Partial<Record<StatusCodeFilter, string>> = {
  all: 'All Status Codes',
  success: 'Success (2xx)',
  client_error: 'Client Error (4xx)',
  refused_send: 'Refused Sends',
  server_error: 'Server Error (5xx)',
};
export const statusCodeChoices = STATUS_CODE_FILTERS.map((value) => ({
  value,
  label: kinds[value] ?? value,
}));

export const requestLogSearch = listSearch({
  orderings: [
    'created_at',
    'request_type',
    'otp__status',
    'response_status_code',
    'response_time_ms',
    'credits_used',
  ],
  ordering: '-created_at',
  filters: {
    days: oneOf(['1', '7', '15', '30', '90', 'all', 'custom'], '15'),
    from: rangeEnd,
    to: rangeEnd,
    status_code: oneOf(STATUS_CODE_FILTERS, 'all'),
    ...routeFilters,
    api_key: anyText,
  },
  views: { mode: oneOf(LIST_MODES, 'live') },
});
type Search = typeof requestLogSearch.defaults;

const DAY_MS = 86_400_000;
const REFETCH_MS = 5_000;

/** Rounded to minutes, so that a refetch a second later uses the same query key. */
const daysAgo = (days: number): string =>
  new Date(Math.floor((nowMs() - days * DAY_MS) / 60_000) * 60_000).toISOString();

/** The filters in the server's format. */
type Filters = Omit<Search, 'page' | 'ordering'>;
export const filtersOf = ({ search, days, from, to, status_code, api_key, mode, ...route }: Filters) => ({
  search,
  status_code,
  ...routeQuery(route),
  ...(days === 'custom'
    ? windowOfRange({ from, to }, zoneName())
    : days === 'all'
      ? {}
      : { created_after: daysAgo(Number(days)) }),
  ...(api_key === '' ? {} : { api_key }),
  ...(mode === 'test' ? { mode } : {}),
});

export const requestLogExport = (search: Search): Exporting => ({
  name: 'requests',
  open: (signal) => openStream(exportRequestLogs, { query: filtersOf(search), signal }),
});

export const requestLogPage = ({ page, ordering, ...filters }: Search) =>
  readPage(
    listRequestLogs,
    { query: { page, ordering, count: 'later', ...filtersOf(filters) } },
    { key: { page, ordering, ...filters }, refetchInterval: refetchEvery(REFETCH_MS) },
  );

/** The number of matches, for pages without a count. */
export const requestLogCount = ({ page: _, ordering: __, ...filters }: Search) =>
  countQuery(listRequestLogs, { query: { count: 'only', ...filtersOf(filters) } }, filters);

/** One request by its id, through the list's search. */
export const requestLogById = (request_id: string) =>
  read(
    listRequestLogs,
    { query: { page_size: 1, search: request_id, mode: 'all' } },
    { select: (reply) => asPage(reply).results[0] ?? null },
  );
