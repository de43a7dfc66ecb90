/** An account's lists, for operators. */

import {
  getAccountInsights,
  getAccountSettings,
  listAccountActivity,
  listAccountBlocks,
  listAccountMessages,
  listAccountRequests,
  listAccountTestMessages,
  listAccountVerificationWebhooks,
} from '@sixdigit/contract/operator/account-data.ts';
import {
  getAccountVerification,
  listAccountTransactions,
  listAccountVerifications,
} from '@sixdigit/contract/operator/accounts.ts';
import { call } from '../../api/call.ts';
import { keepPrevious, read, readPage } from '../../api/read.ts';
import { auditFilter, type auditSearch } from '../../audit/audit.ts';
import { type InsightsSearch, inKnownZone, queryOf, REFETCH_MS } from '../../insights/insights.ts';
import { failedRequestsOf, onlyWrongCodes } from '../../otp/verification-detail.ts';
import { filtersOf, type verificationSearch } from '../../otp/verifications.ts';
import type { transactionSearch } from '../../payments/payments.ts';
import { filtersOf as requestFiltersOf, type requestLogSearch } from '../../request-logs/request-logs.ts';
import { countQuery } from '../../table/count.ts';
import { zoneName } from '../../ui/dates.ts';
import type { messageSearch } from '../searches.ts';

type Requests = typeof requestLogSearch.defaults;
export const requestPage = (id: string, { page, ordering, ...filters }: Requests) =>
  readPage(
    listAccountRequests,
    { params: { id }, query: { page, ordering, count: 'later', ...requestFiltersOf(filters) } },
    { key: { page, ordering, ...filters } },
  );

export const requestCount = (id: string, { page: _, ordering: __, ...filters }: Requests) =>
  countQuery(
    listAccountRequests,
    { params: { id }, query: { count: 'only', ...requestFiltersOf(filters) } },
    filters,
  );

/** Support watches a customer's actions during a call. */
const LIVE_MS = 5_000;

type Verifications = typeof verificationSearch.defaults;
export const verificationPage = (id: string, { page, ordering, view: _, ...filters }: Verifications) =>
  readPage(
    listAccountVerifications,
    { params: { id }, query: { page, ordering, count: 'later', ...filtersOf(filters) } },
    { refetchInterval: LIVE_MS },
  );

export const verificationCount = (
  id: string,
  { page: _, ordering: __, view: ___, ...filters }: Verifications,
) =>
  countQuery(listAccountVerifications, { params: { id }, query: { count: 'only', ...filtersOf(filters) } });

export const verificationOf = (id: string, otp_id: string) =>
  read(getAccountVerification, { params: { id, otp_id } }, { staleTime: 0, refetchInterval: LIVE_MS });

/** A new status reads the list again. */
type Changing = { id: string; status: string };

export const webhooksOf = (id: string, { id: otp_id, status }: Changing) =>
  read(
    listAccountVerificationWebhooks,
    { params: { id, otp_id } },
    { key: status, select: ({ results }) => results, ...keepPrevious },
  );

/** The requests that entered a wrong code, oldest first. */
export const wrongCodesOf = (id: string, { id: otp_id, status }: Changing) =>
  read(
    listAccountRequests,
    { params: { id }, query: failedRequestsOf(otp_id) },
    { key: { wrongCodesOf: otp_id, status }, select: onlyWrongCodes, ...keepPrevious },
  );

export const testMessagePage = (id: string, { page, search }: Pick<Verifications, 'page' | 'search'>) =>
  readPage(
    listAccountTestMessages,
    { params: { id }, query: { page, search } },
    { refetchInterval: LIVE_MS },
  );

export const insightsOfAccount = (id: string, search: InsightsSearch) =>
  read(
    getAccountInsights,
    { params: { id }, query: queryOf(search, zoneName()) },
    {
      queryFn: ({ signal }) =>
        inKnownZone(queryOf(search, zoneName()), (query) =>
          call(getAccountInsights, { params: { id }, query, signal }),
        ),
      refetchInterval: REFETCH_MS,
      ...keepPrevious,
    },
  );

export const messagePage = (
  id: string,
  webhook_id: string,
  { page, search, ordering, failing }: typeof messageSearch.defaults,
) =>
  readPage(
    listAccountMessages,
    {
      params: { id, webhook_id },
      query: { page, search, ordering, ...(failing === 'all' ? {} : { failing }) },
    },
    { refetchInterval: LIVE_MS },
  );

export const transactionPage = (id: string, { page, search, ordering }: typeof transactionSearch.defaults) =>
  readPage(listAccountTransactions, { params: { id }, query: { page, search, ordering } });

export const settingsOf = (id: string) => read(getAccountSettings, { params: { id } });

export const blocksOf = (id: string) => read(listAccountBlocks, { params: { id } });

export const activityPage = (id: string, search: typeof auditSearch.defaults) =>
  readPage(listAccountActivity, {
    params: { id },
    query: { page: search.page, ordering: search.ordering, ...auditFilter(search) },
  });
