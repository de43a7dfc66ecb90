import {
  getOperatorAccount,
  listAccountTransactions,
  listOperatorAccounts,
  type OperatorAccount,
} from '@sixdigit/contract/operator/accounts.ts';
import { listAnnouncements } from '@sixdigit/contract/operator/announcements.ts';
import { listCarrierSetups } from '@sixdigit/contract/operator/carrier-setups.ts';
import { getOperatorCarriers, listCarrierCosts } from '@sixdigit/contract/operator/carriers.ts';
import { listRecipientErasures } from '@sixdigit/contract/operator/erasures.ts';
import { getAccountLimits } from '@sixdigit/contract/operator/limits.ts';
import { getOperator, listOperatorActions, listOperatorKeys } from '@sixdigit/contract/operator/operator.ts';
import { examineDeployment, getOverview } from '@sixdigit/contract/operator/overview.ts';
import { getOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';
import type { Page } from '../api/list.ts';
import { read, readPage } from '../api/read.ts';
import { ApiError } from '../api/wire.ts';
import type { ListSearch } from '../table/search.ts';
import type { accountSearch, announcementSearch, auditSearch, keySearch } from './searches.ts';

/** Only admins may make changes. The server checks it too. */
export const useIsAdmin = (): boolean => useQuery(currentUser).data?.operator_role === 'admin';

/** The current operator, or the reason why access to the console is refused. */
export const operatorSelf = read(getOperator, {});

/** Whether the console was refused because the operator has no second factor. */
export const needsSecondFactor = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'operator_two_factor_required';

/** Fresh enough to watch an incident. */
export const LIVE_MS = 5_000;

export const overview = read(getOverview, {}, { refetchInterval: LIVE_MS });
export const findings = read(examineDeployment, {}, { staleTime: 60_000, refetchOnWindowFocus: false });
export const carriers = read(getOperatorCarriers, {}, { refetchInterval: LIVE_MS });
export const carrierSetups = read(listCarrierSetups, {}, { refetchInterval: LIVE_MS });
export const carrierCosts = read(listCarrierCosts, {});
export const operatorProtection = read(getOperatorProtection, {});

// ── accounts ──

export const accountPage = ({ page, search, ordering, state }: typeof accountSearch.defaults) =>
  readPage(listOperatorAccounts, { query: { page, search, ordering, state } });
export const accountOf = (id: string) => read(getOperatorAccount, { params: { id } });

/** The account or, while it loads, its row of a list that was read before. */
export function useKnownAccount(id: string | undefined): OperatorAccount | undefined {
  const queryClient = useQueryClient();
  const { data } = useQuery({ ...accountOf(id ?? ''), enabled: id !== undefined });
  return (
    data ??
    queryClient
      // Lists below an account match too, but no other row has the account's id.
      .getQueriesData<Page<OperatorAccount>>({ queryKey: accountOf('').queryKey.slice(0, -1) })
      .flatMap(([, page]) => page?.results ?? [])
      .find((row) => row.id === id)
  );
}
export const latestTransactions = (id: string) =>
  read(listAccountTransactions, { params: { id }, query: { page_size: 8 } });
export const limitsOf = (id: string) => read(getAccountLimits, { params: { id } });

const ERASING_MS = 2_000;

/** The newest ten. Polls while one is running. */
export const erasures = read(
  listRecipientErasures,
  {},
  {
    refetchInterval: ({ state }) =>
      state.data?.results.some(({ ended_at }) => ended_at === null) ? ERASING_MS : false,
  },
);

// ── audit, announcements ──

type Plain = ListSearch<(typeof auditSearch.defaults)['ordering'], Record<never, never>>;
export const auditPage = ({ page, search, ordering }: Plain) =>
  readPage(listOperatorActions, { query: { page, search, ordering } });

export const announcementPage = ({ page, search, ordering }: typeof announcementSearch.defaults) =>
  readPage(listAnnouncements, { query: { page, search, ordering } });

export const keyPage = ({ page, search, ordering }: typeof keySearch.defaults) =>
  readPage(listOperatorKeys, { query: { page, search, ordering } });
