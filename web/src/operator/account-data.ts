import { queryOptions } from '@tanstack/react-query';
import {
  getAccountSettings,
  listAccountActivity,
  listAccountAttempts,
  listAccountBlocks,
  listAccountRequests,
} from '#contract/operator-account-data.ts';
import { getAccountVerification, listAccountTransactions } from '#contract/operator-accounts.ts';
import type { RequestLog } from '#contract/request-logs.ts';
import { call } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import type { auditSearch } from '../audit/audit-search.ts';
import type { transactionSearch } from '../payments/transaction-search.ts';
import { countQuery } from '../table/count.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import { ACCOUNTS } from './operator.ts';
import type { attemptSearch, requestSearch } from './searches.ts';

/** The owner's lists of an account, for operators. */
export const requestPage = (
  id: string,
  { page, search, ordering, status_code }: typeof requestSearch.defaults,
) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'requests', { page, search, ordering, status_code }],
    queryFn: async ({ signal }): Promise<Page<RequestLog>> =>
      asPage(
        await call(listAccountRequests, {
          params: { id },
          query: {
            page,
            page_size: PAGE_SIZE,
            search,
            ordering,
            status_code,
            mode: 'all',
            count: 'later',
          },
          signal,
        }),
      ),
    ...keepPrevious,
  });

export const requestCount = (id: string, { search, status_code }: typeof requestSearch.defaults) =>
  countQuery([...ACCOUNTS, id, 'request-count', { search, status_code }], (signal) =>
    call(listAccountRequests, {
      params: { id },
      query: { search, status_code, mode: 'all', count: 'only' },
      signal,
    }),
  );

export const verificationOf = (id: string, otp_id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'verification', otp_id],
    queryFn: ({ signal }) => call(getAccountVerification, { params: { id, otp_id }, signal }),
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
