import {
  exportVerifications,
  listVerifications,
  type OtpStatus,
  STATUSES,
} from '@sixdigit/contract/verifications.ts';
import { openStream } from '../api/call.ts';
import { asPage } from '../api/list.ts';
import { refetchEvery } from '../api/live.ts';
import { read, readPage } from '../api/read.ts';
import { countQuery } from '../table/count.ts';
import { LIST_MODES } from '../table/ModeSwitch.tsx';
import { rangeEnd, windowOfRange } from '../table/range.ts';
import type { Exporting } from '../table/run-export.ts';
import { anyText, listSearch, oneOf } from '../table/search.ts';
import { statusLabel } from '../ui/Badge.tsx';
import { zoneName } from '../ui/dates.ts';
import { routeFilters, routeQuery } from './route-filters.ts';

export const periods = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '15', label: 'Last 15 days' },
  { value: '30', label: 'Last 30 days' },
  { value: 'all', label: 'All time' },
  { value: 'custom', label: 'Custom range' },
] as const;

export const statusChoices: readonly { value: 'all' | OtpStatus; label: string }[] = [
  { value: 'all', label: 'All Status' },
  ...STATUSES.map((status) => ({ value: status, label: statusLabel(status) })),
];

export const verificationSearch = listSearch({
  orderings: ['created_at'],
  ordering: '-created_at',
  filters: {
    days: oneOf(['1', '7', '15', '30', 'all', 'custom'], '15'),
    from: rangeEnd,
    to: rangeEnd,
    ...routeFilters,
    status: oneOf(['all', ...STATUSES], 'all'),
    api_key: anyText,
  },
  views: {
    mode: oneOf(LIST_MODES, 'live'),
    // 'inbox': the test inbox instead of the list, only in test mode
    view: oneOf(['list', 'inbox'], 'list'),
  },
});
type Search = typeof verificationSearch.defaults;

const LIST_REFETCH_MS = 4_000;

/** The filters in the server's format. */
type Filters = Omit<Search, 'page' | 'ordering' | 'view'>;
export const filtersOf = ({ search, days, from, to, status, api_key, mode, ...route }: Filters) => ({
  search,
  ...(days === 'custom'
    ? windowOfRange({ from, to }, zoneName())
    : days === 'all'
      ? {}
      : { created_after: days }),
  ...routeQuery(route),
  ...(status === 'all' ? {} : { status }),
  ...(api_key === '' ? {} : { api_key }),
  ...(mode === 'test' ? { mode } : {}),
});

export const verificationExport = (search: Search): Exporting => ({
  name: 'verifications',
  open: (signal) => openStream(exportVerifications, { query: filtersOf(search), signal }),
});

export const verificationPage = ({ page, ordering, view: _, ...filters }: Search) =>
  readPage(
    listVerifications,
    { query: { page, ordering, count: 'later', ...filtersOf(filters) } },
    { refetchInterval: refetchEvery(LIST_REFETCH_MS) },
  );

/** The number of matches, for pages without a count. */
export const verificationCount = ({ page: _, ordering: __, view: ___, ...filters }: Search) =>
  countQuery(listVerifications, { query: { count: 'only', ...filtersOf(filters) } });

/** The newest verification and the total count. */
export const newestVerification = (status?: OtpStatus) =>
  read(
    listVerifications,
    { query: { page_size: 1, ...(status ? { status } : {}) } },
    { select: (reply) => asPage(reply) },
  );
