import {
  getAccountInsights,
  getAccountSettings,
  listAccountActivity,
  listAccountAttempts,
  listAccountBlocks,
  listAccountRequests,
  listAccountTestMessages,
  listAccountVerificationWebhooks,
  type OperatorTestMessage,
} from '@sixdigit/contract/operator/account-data.ts';
import {
  getAccountVerification,
  listAccountTransactions,
  listAccountVerifications,
  type OperatorVerification,
} from '@sixdigit/contract/operator/accounts.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { asPage, type Page } from '../../api/list.ts';
import { keepPrevious } from '../../api/queries.ts';
import type { auditSearch } from '../../audit/audit-search.ts';
import { type InsightsSearch, inKnownZone, queryOf, REFETCH_MS } from '../../insights/insights.ts';
import { filtersOf, MOST_TRIES, type verificationSearch } from '../../otp/verifications.ts';
import type { transactionSearch } from '../../payments/transaction-search.ts';
import { filtersOf as requestFiltersOf, type requestLogSearch } from '../../request-logs/request-logs.ts';
import { countQuery } from '../../table/count.ts';
import { PAGE_SIZE } from '../../table/Pager.tsx';
import { zoneName } from '../../ui/dates.ts';
import { ACCOUNTS } from '../operator.ts';
import type { attemptSearch } from '../searches.ts';

/** The owner's lists of an account, for operators. */
type Requests = typeof requestLogSearch.defaults;
export const requestPage = (id: string, { page, ordering, ...filters }: Requests) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'requests', { page, ordering, ...filters }],
    queryFn: async ({ signal }): Promise<Page<RequestLog>> =>
      asPage(
        await call(listAccountRequests, {
          params: { id },
          query: { page, page_size: PAGE_SIZE, ordering, count: 'later', ...requestFiltersOf(filters) },
          signal,
        }),
        page,
      ),
    ...keepPrevious,
  });

export const requestCount = (id: string, { page: _, ordering: __, ...filters }: Requests) =>
  countQuery([...ACCOUNTS, id, 'request-count', filters], (signal) =>
    call(listAccountRequests, {
      params: { id },
      query: { count: 'only', ...requestFiltersOf(filters) },
      signal,
    }),
  );

/** While support talks to a customer, what the customer does shows soon. */
const LIVE_MS = 5_000;

type Verifications = typeof verificationSearch.defaults;
export const verificationPage = (id: string, { page, ordering, view: _, ...filters }: Verifications) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'verifications', { page, ordering, ...filters }],
    queryFn: async ({ signal }): Promise<Page<OperatorVerification>> =>
      asPage(
        await call(listAccountVerifications, {
          params: { id },
          query: { page, page_size: PAGE_SIZE, ordering, count: 'later', ...filtersOf(filters) },
          signal,
        }),
        page,
      ),
    refetchInterval: LIVE_MS,
    ...keepPrevious,
  });

export const verificationCount = (
  id: string,
  { page: _, ordering: __, view: ___, ...filters }: Verifications,
) =>
  countQuery([...ACCOUNTS, id, 'verification-count', filters], (signal) =>
    call(listAccountVerifications, {
      params: { id },
      query: { count: 'only', ...filtersOf(filters) },
      signal,
    }),
  );

export const verificationOf = (id: string, otp_id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'verification', otp_id],
    queryFn: ({ signal }) => call(getAccountVerification, { params: { id, otp_id }, signal }),
    staleTime: 0,
    refetchInterval: LIVE_MS,
  });

/** Read again when the status changes. */
type Changing = { id: string; status: string };

export const webhooksOf = (id: string, { id: otp_id, status }: Changing) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'verification-webhooks', otp_id, status],
    queryFn: async ({ signal }) =>
      (await call(listAccountVerificationWebhooks, { params: { id, otp_id }, signal })).results,
    placeholderData: (before) => before,
  });

/** The requests that entered a wrong code, oldest first. */
export const wrongCodesOf = (id: string, { id: otp_id, status }: Changing) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'wrong-codes', otp_id, status],
    queryFn: async ({ signal }) => {
      const { results } = await call(listAccountRequests, {
        params: { id },
        query: {
          search: otp_id,
          status_code: '400',
          mode: 'all',
          ordering: 'created_at',
          page_size: MOST_TRIES,
        },
        signal,
      });
      return results.filter(({ reason }) => reason === 'invalid_code');
    },
    placeholderData: (before) => before,
  });

export const testMessagePage = (id: string, { page, search }: Pick<Verifications, 'page' | 'search'>) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'test-inbox', { page, search }],
    queryFn: async ({ signal }): Promise<Page<OperatorTestMessage>> =>
      asPage(
        await call(listAccountTestMessages, {
          params: { id },
          query: { page, page_size: PAGE_SIZE, search },
          signal,
        }),
        page,
      ),
    refetchInterval: LIVE_MS,
    ...keepPrevious,
  });

export const insightsOfAccount = (id: string, search: InsightsSearch) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'insights', search, zoneName()],
    queryFn: ({ signal }) =>
      inKnownZone(queryOf(search, zoneName()), (query) =>
        call(getAccountInsights, { params: { id }, query, signal }),
      ),
    refetchInterval: REFETCH_MS,
    ...keepPrevious,
  });

export const attemptPage = (
  id: string,
  webhook_id: string,
  { page, search, ordering, outcome }: typeof attemptSearch.defaults,
) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'attempts', webhook_id, { page, search, ordering, outcome }],
    queryFn: ({ signal }) =>
      call(listAccountAttempts, {
        params: { id, webhook_id },
        query: {
          page,
          page_size: PAGE_SIZE,
          search,
          ordering,
          ...(outcome === 'all' ? {} : { succeeded: outcome }),
        },
        signal,
      }),
    ...keepPrevious,
  });

export const transactionPage = (id: string, { page, search, ordering }: typeof transactionSearch.defaults) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'transactions', { page, search, ordering }],
    queryFn: ({ signal }) =>
      call(listAccountTransactions, {
        params: { id },
        query: { page, page_size: PAGE_SIZE, search, ordering },
        signal,
      }),
    ...keepPrevious,
  });

export const settingsOf = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'settings'],
    queryFn: ({ signal }) => call(getAccountSettings, { params: { id }, signal }),
  });

export const blocksOf = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'blocks'],
    queryFn: ({ signal }) => call(listAccountBlocks, { params: { id }, signal }),
  });

export const activityPage = (
  id: string,
  { page, search, ordering, group, actor, days }: typeof auditSearch.defaults,
) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'activity', { page, search, ordering, group, actor, days }],
    queryFn: ({ signal }) =>
      call(listAccountActivity, {
        params: { id },
        query: {
          page,
          page_size: PAGE_SIZE,
          search,
          ordering,
          ...(group === 'all' ? {} : { group }),
          ...(actor === 'all' ? {} : { actor }),
          ...(days === 'all' ? {} : { created_after: days }),
        },
        signal,
      }),
    ...keepPrevious,
  });
