import {
  exportVerifications,
  getVerification,
  listVerifications,
  type OtpStatus,
  STATUSES,
  type Verification,
  type VerificationDetail,
} from '@sixdigit/contract/otp.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listVerificationWebhooks } from '@sixdigit/contract/webhooks.ts';
import { queryOptions } from '@tanstack/react-query';
import { call, openStream } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { refetchEvery } from '../api/live.ts';
import { keepPrevious } from '../api/queries.ts';
import { countQuery } from '../table/count.ts';
import { LIST_MODES } from '../table/ModeSwitch.tsx';
import { PAGE_SIZE } from '../table/Pager.tsx';
import { rangeEnd, windowOfRange } from '../table/range.ts';
import type { Exporting } from '../table/run-export.ts';
import { anyText, listSearch, oneOf } from '../table/search.ts';
import { zoneName } from '../ui/dates.ts';
import { statusLabel } from '../ui/StatusBadge.tsx';
import { routeFilters, routeQuery } from './route-filters.ts';

/** Queries for the verification list and one verification's detail. Both refetch on a timer. */
export const VERIFICATIONS = ['verifications'] as const;

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
    mode: oneOf(LIST_MODES, 'live'),
    // the test inbox in place of the list, only in test mode
    view: oneOf(['list', 'inbox'], 'list'),
  },
});
type Search = typeof verificationSearch.defaults;

const LIST_REFETCH_MS = 4_000;

/** The filters as the server reads them. */
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
  queryOptions({
    queryKey: [...VERIFICATIONS, 'page', { page, ordering, ...filters }],
    queryFn: async ({ signal }): Promise<Page<Verification>> =>
      asPage(
        await call(listVerifications, {
          query: {
            page,
            page_size: PAGE_SIZE,
            ordering,
            count: 'later',
            ...filtersOf(filters),
          },
          signal,
        }),
        page,
      ),
    refetchInterval: refetchEvery(LIST_REFETCH_MS),
    ...keepPrevious,
  });

/** How many match, for a page that does not say. */
export const verificationCount = ({ page: _, ordering: __, view: ___, ...filters }: Search) =>
  countQuery(['verification-count', filters], (signal) =>
    call(listVerifications, { query: { count: 'only', ...filtersOf(filters) }, signal }),
  );

/** The newest verification and the total count. */
export const newestVerification = (status?: OtpStatus) =>
  queryOptions({
    queryKey: [...VERIFICATIONS, 'newest', status ?? 'all'],
    queryFn: async ({ signal }): Promise<Page<Verification>> =>
      asPage(
        await call(listVerifications, { query: { page_size: 1, ...(status ? { status } : {}) }, signal }),
        1,
        1,
      ),
  });

const OPEN_REFETCH_MS = 2_000;
const CLOSED_REFETCH_MS = 10_000;

/** Always refetched on opening, and on a timer while open. */
export const verificationDetail = (id: string) =>
  queryOptions({
    queryKey: [...VERIFICATIONS, 'detail', id],
    queryFn: ({ signal }) => call(getVerification, { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.status === 'pending' || data.status === 'sent'
        ? OPEN_REFETCH_MS
        : CLOSED_REFETCH_MS,
  });

export const MOST_TRIES = 20;

/** The requests that entered a wrong code, oldest first. Read again when the status changes, and on a timer while it is open. */
export const wrongCodes = ({ id, status }: Pick<VerificationDetail, 'id' | 'status'>) =>
  queryOptions({
    queryKey: [...VERIFICATIONS, 'wrong-codes', id, status],
    queryFn: async ({ signal }) => {
      const { results } = await call(listRequestLogs, {
        query: { search: id, status_code: '400', mode: 'all', ordering: 'created_at', page_size: MOST_TRIES },
        signal,
      });
      return results.filter(({ reason }) => reason === 'invalid_code');
    },
    staleTime: 0,
    gcTime: 0,
    refetchInterval: status === 'sent' ? CLOSED_REFETCH_MS : false,
    placeholderData: (before) => before,
  });

/** The webhook messages about a verification, read again when its status changes, and on a timer. */
export const webhooksOf = ({ id, status }: Pick<VerificationDetail, 'id' | 'status'>) =>
  queryOptions({
    queryKey: [...VERIFICATIONS, 'webhooks', id, status],
    queryFn: async ({ signal }) => (await call(listVerificationWebhooks, { params: { id }, signal })).results,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: CLOSED_REFETCH_MS,
    placeholderData: (before) => before,
  });
