import { listAccounts, type OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { addressIn, isAccountUnknown, loseAccount, noteUse, rememberAccounts } from '../api/account.ts';
import { ApiError, call } from '../api/call.ts';
import { read } from '../api/read.ts';
import { isSignedIn } from '../api/session.ts';

/** The accounts of the signed-in person. */
export const ownAccounts = read(
  listAccounts,
  {},
  {
    queryFn: async ({ signal }) => {
      const reply = await call(listAccounts, { signal });
      rememberAccounts(reply.results);
      return reply;
    },
    staleTime: 60_000,
  },
);

/** Finds out which account the address names, if this browser has not seen it yet. */
export async function resolveTab(): Promise<void> {
  if (!isSignedIn() || !isAccountUnknown()) return;
  const results = await call(listAccounts).then(
    (reply) => reply.results,
    (cause: unknown) => {
      // Undefined after a session that has ended: the page is about to be replaced by the sign-in.
      if (cause instanceof ApiError && cause.status >= 400 && cause.status < 500) return undefined;
      throw cause;
    },
  );
  rememberAccounts(results ?? []);
  if (isAccountUnknown()) loseAccount();
  noteUse();
}

/** The name in lists of accounts. */
export const nameOf = ({ name, slug }: Pick<OwnAccount, 'name' | 'slug'>): string => name || slug;

/** Loads the page again, so that nothing of this account stays in memory. */
export const openAccount = (slug: string, path = '/'): void => window.location.assign(addressIn(slug, path));

/** Opens an account that the person has just created or joined. `replaces`: "Back" does not return to this page. */
export async function openNewAccount({ id, replaces }: { id: string; replaces?: boolean }): Promise<void> {
  const { results } = await call(listAccounts);
  rememberAccounts(results);
  const slug = results.find((account) => account.id === id)?.slug;
  const path = slug !== undefined && results.length > 1 ? addressIn(slug, '/') : '/';
  if (replaces) window.location.replace(path);
  else window.location.assign(path);
}
