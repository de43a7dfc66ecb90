import {
  getOperatorAccount,
  listAccountTransactions,
  listOperatorAccounts,
} from '@sixdigit/contract/operator/accounts.ts';
import { listAnnouncements } from '@sixdigit/contract/operator/announcements.ts';
import { getOperatorCarriers } from '@sixdigit/contract/operator/carriers.ts';
import { listRecipientErasures } from '@sixdigit/contract/operator/erasures.ts';
import { getAccountLimits } from '@sixdigit/contract/operator/limits.ts';
import { getOperator, listOperatorActions, listOperatorKeys } from '@sixdigit/contract/operator/operator.ts';
import { examineDeployment, getOverview } from '@sixdigit/contract/operator/overview.ts';
import { getOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { ListSearch } from '../table/search.ts';
import type { accountSearch, announcementSearch, auditSearch, keySearch } from './searches.ts';

/** Prefix of all queries of the operator console. */
export const OPERATOR = ['operator'] as const;
export const ACCOUNTS = [...OPERATOR, 'accounts'] as const;
export const ERASURES = [...OPERATOR, 'erasures'] as const;
export const KEYS = [...OPERATOR, 'keys'] as const;
export const ANNOUNCEMENTS = [...OPERATOR, 'announcements'] as const;

/** The calling operator, or why the console is closed to it. */
export const operatorSelf = queryOptions({
  queryKey: [...OPERATOR, 'me'],
  queryFn: ({ signal }) => call(getOperator, { signal }),
});

/** Fresh enough to watch an incident. */
const LIVE_MS = 5_000;

export const overview = queryOptions({
  queryKey: [...OPERATOR, 'overview'],
  queryFn: ({ signal }) => call(getOverview, { signal }),
  refetchInterval: LIVE_MS,
});
export const findings = queryOptions({
  queryKey: [...OPERATOR, 'doctor'],
  queryFn: ({ signal }) => call(examineDeployment, { signal }),
  staleTime: 60_000,
  refetchOnWindowFocus: false,
});
export const carriers = queryOptions({
  queryKey: [...OPERATOR, 'carriers'],
  queryFn: ({ signal }) => call(getOperatorCarriers, { signal }),
  refetchInterval: LIVE_MS,
});

export const operatorProtection = queryOptions({
  queryKey: [...OPERATOR, 'protection'],
  queryFn: ({ signal }) => call(getOperatorProtection, { signal }),
});

// ── accounts ──

type AccountSearch = typeof accountSearch.defaults;
export const accountPage = ({ page, search, ordering, state }: AccountSearch) =>
  queryOptions({
    queryKey: [...ACCOUNTS, 'page', { page, search, ordering, state }],
    queryFn: ({ signal }) =>
      call(listOperatorAccounts, { query: { page, page_size: PAGE_SIZE, search, ordering, state }, signal }),
    ...keepPrevious,
  });
export const accountOf = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id],
    queryFn: ({ signal }) => call(getOperatorAccount, { params: { id }, signal }),
  });

export const latestTransactions = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'transactions'],
    queryFn: ({ signal }) => call(listAccountTransactions, { params: { id }, query: {}, signal }),
  });

export const limitsOf = (id: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, id, 'limits'],
    queryFn: ({ signal }) => call(getAccountLimits, { params: { id }, signal }),
  });

const ERASING_MS = 2_000;

/** The newest ten, and again while one of them runs. */
export const erasures = queryOptions({
  queryKey: ERASURES,
  queryFn: ({ signal }) => call(listRecipientErasures, { query: {}, signal }),
  refetchInterval: ({ state }) =>
    state.data?.results.some(({ ended_at }) => ended_at === null) ? ERASING_MS : false,
});

// ── audit, announcements ──

type Plain = ListSearch<(typeof auditSearch.defaults)['ordering'], Record<never, never>>;
export const auditPage = ({ page, search, ordering }: Plain) =>
  queryOptions({
    queryKey: [...OPERATOR, 'audit', { page, search, ordering }],
    queryFn: ({ signal }) =>
      call(listOperatorActions, { query: { page, page_size: PAGE_SIZE, search, ordering }, signal }),
    ...keepPrevious,
  });

export const announcementPage = ({ page, search, ordering }: typeof announcementSearch.defaults) =>
  queryOptions({
    queryKey: [...ANNOUNCEMENTS, { page, search, ordering }],
    queryFn: ({ signal }) =>
      call(listAnnouncements, { query: { page, page_size: PAGE_SIZE, search, ordering }, signal }),
    ...keepPrevious,
  });

export const keyPage = ({ page, search, ordering }: typeof keySearch.defaults) =>
  queryOptions({
    queryKey: [...KEYS, { page, search, ordering }],
    queryFn: ({ signal }) =>
      call(listOperatorKeys, { query: { page, page_size: PAGE_SIZE, search, ordering }, signal }),
    ...keepPrevious,
  });
