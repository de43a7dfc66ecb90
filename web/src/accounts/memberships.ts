import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnyRouter, useRouter } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import {
  addressIn,
  isWithoutAccount,
  loseAccount,
  nameAccount,
  onTabChange,
  setWithoutAccount,
  tabAccount,
} from '../api/account.ts';
import { ApiError } from '../api/call.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { currentUser } from './current-user.ts';
import { openAccount, ownAccounts } from './own-accounts.ts';

/** `gone`: the user is not a member of the tab's account any more; `none`: the user has no account at all. */
type Membership = 'here' | 'gone' | 'none';

/** Follows the user's memberships while a tab is open. */
export function useMembership(): Membership {
  const router = useRouter();
  const queryClient = useQueryClient();
  const { data: user, error } = useQuery(currentUser);
  const isWithout = useSyncExternalStore(onTabChange, isWithoutAccount);
  const isGone = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isGone && !isWithout) void leave(queryClient, router);
  }, [isGone, isWithout, queryClient, router]);

  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  const isListed = isIdle && user?.role !== undefined;
  const { data: accounts } = useQuery({ ...ownAccounts, enabled: isListed });
  useEffect(() => {
    const shown = accounts?.results.find(({ id }) => id === user?.account_id);
    if (!shown || accounts?.results.length === 1 || tabAccount()) return;
    // A second account: from now on, addresses name theirs.
    const { pathname, href } = router.latestLocation;
    nameAccount(shown);
    router.history.replace(addressIn(shown.slug, pathname) + href.slice(href.search(/[?#]|$/)));
  }, [accounts, user, router]);

  if (isWithout) return 'none';
  return isGone ? 'gone' : 'here';
}

/** Leads to the account that the user still has, or makes the address of the lost one unknown. */
async function leave(queryClient: QueryClient, router: AnyRouter): Promise<void> {
  const lost = tabAccount();
  const reply = await queryClient.fetchQuery({ ...ownAccounts, staleTime: 0 }).catch(() => undefined);
  if (!reply) return;
  const [first] = reply.results;
  if (!first) {
    setWithoutAccount();
    return;
  }
  if (!lost) {
    openAccount(first.slug);
    return;
  }
  if (reply.results.some(({ id }) => id === lost.id)) return;
  const { pathname, search, hash } = window.location;
  loseAccount();
  queryClient.clear();
  router.history.replace(pathname + search + hash);
}
