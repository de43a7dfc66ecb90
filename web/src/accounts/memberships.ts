import { listAccounts, type OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import {
  addressIn,
  isWithoutAccount,
  nameAccount,
  onTabChange,
  rememberAccounts,
  setWithoutAccount,
  tabAccount,
} from '../api/account.ts';
import { ApiError, call } from '../api/call.ts';
import { pause } from '../api/waiting.ts';
import { whenIdle } from '../ui/when-idle.ts';
import { currentUser } from './current-user.ts';
import { openAccount, ownAccounts } from './own-accounts.ts';

/**
 * `must_use_sso`: the account requires single sign-on, and the session began otherwise; `gone`: the user is not a member of the tab's
 * account any more; `none`: the user has no account at all.
 */
type Membership = 'here' | 'must_use_sso' | 'gone' | 'none';

/** Follows the user's memberships while a tab is open. */
export function useMembership(): Membership {
  const router = useRouter();
  const { data: user, error } = useQuery(currentUser);
  const isWithout = useSyncExternalStore(onTabChange, isWithoutAccount);
  const isGone = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isGone && !isWithout) void leave();
  }, [isGone, isWithout]);

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
  if (error instanceof ApiError && error.reason === 'sso_required') return 'must_use_sso';
  return isGone ? 'gone' : 'here';
}

const RETRY_MS = 3_000;

/** Not a query, which other parts could cancel: until the reply arrives, the page is empty. */
async function accountsNow(): Promise<readonly OwnAccount[]> {
  for (;;)
    try {
      const { results } = await call(listAccounts);
      rememberAccounts(results);
      return results;
    } catch {
      await pause(RETRY_MS);
    }
}

/** Leads to the account that the user still has, or makes the address of the lost one unknown. */
async function leave(): Promise<void> {
  const lost = tabAccount();
  const results = await accountsNow();
  const [first] = results;
  if (!first) {
    setWithoutAccount();
    return;
  }
  if (!lost) {
    openAccount(first.slug);
    return;
  }
  if (results.some(({ id }) => id === lost.id)) return;
  // A navigation may be under way, and nothing of the lost account must stay in memory.
  window.location.reload();
}
