/**
 * The account that this tab shows. From a person's second account on, the address names it (`/a/<slug>/logs`), and so does every
 * call (`X-Account`). Another account is another page load, so that the data of two accounts never meet in memory.
 */

import type { OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { signal } from './signal.ts';
import { siteData } from './site-data.ts';

export type KnownAccount = Pick<OwnAccount, 'id' | 'slug' | 'name' | 'role'>;

/** The person's accounts as this browser last saw them, the one used last first. */
const KNOWN = 'accounts';

export function knownAccounts(): readonly KnownAccount[] {
  try {
    const known: unknown = JSON.parse(siteData.get(KNOWN) ?? '[]');
    return Array.isArray(known) ? known : [];
  } catch {
    return [];
  }
}

/** Keeps the order of use. Accounts that are new to this browser come last. */
export function rememberAccounts(accounts: readonly KnownAccount[]): void {
  const order = knownAccounts().map(({ id }) => id);
  const rank = ({ id }: KnownAccount): number => (order.includes(id) ? order.indexOf(id) : order.length);
  const known = accounts
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ id, slug, name, role }) => ({ id, slug, name, role }));
  siteData.set(KNOWN, JSON.stringify(known));
  // A lost account stays the tab's: without it, calls would be about another account.
  tab.set({ ...tab.get(), account: known.find(isOfTab) ?? tabAccount() });
}

export const forgetAccounts = (): void => void siteData.set(KNOWN, null);

/** Puts the tab's account first, so that plain addresses lead to it. */
export function noteUse(): void {
  const account = tabAccount();
  if (!account) return;
  const others = knownAccounts().filter(({ id }) => id !== account.id);
  siteData.set(KNOWN, JSON.stringify([account, ...others]));
}

interface Tab {
  /** in the address; undefined for the only account of a person */
  slug: string | undefined;
  account: KnownAccount | undefined;
  /** the signed-in person has no account */
  isWithout: boolean;
}

const PREFIX = /^\/a\/([^/]+)(?=\/|$)/;
/** Pages of a person, of the operators and of everybody. */
const OF_NO_ACCOUNT =
  /^\/(a|sign-in|sign-up|forgot-password|reset-password|protection\/unblock|sandbox|terms|privacy|invitations|sso|operator)(\/|$)/;

export const namesAccount = (path: string): boolean => PREFIX.test(path);
const isOfAccount = (path: string): boolean => !OF_NO_ACCOUNT.test(path);

const tab = signal<Tab>({ slug: undefined, account: undefined, isWithout: false });

const isOfTab = ({ slug }: KnownAccount): boolean => slug === tab.get().slug;

export const tabAccount = (): KnownAccount | undefined => tab.get().account;
export const isWithoutAccount = (): boolean => tab.get().isWithout;
/** The address names an account, and this browser has not seen it yet. */
export const isAccountUnknown = (): boolean => tab.get().slug !== undefined && tabAccount() === undefined;

/** Calls back when the tab's account changes, or the person turns out to have none. Returns a function that unsubscribes. */
export const onTabChange = tab.follow;

export const setWithoutAccount = (): void => tab.set({ ...tab.get(), isWithout: true });

/** The tab stops showing its account. Its address is then like one that does not exist. */
export function loseAccount(): void {
  tab.set({ ...tab.get(), slug: undefined, account: undefined });
}

/** From now on, the addresses of this tab name the account that it shows already. */
export function nameAccount(account: KnownAccount): void {
  tab.set({ ...tab.get(), slug: account.slug, account });
}

/** The address of a page of an account: `addressIn('acme', '/logs')` is `/a/acme/logs`. A person's only account may have no slug. */
export const addressIn = (slug: string, path: string): string =>
  slug !== '' && isOfAccount(path) ? `/a/${slug}${path === '/' ? '' : path}` : path;

/** Where a person with several accounts gets from an address without one: to the account used last. */
export function leadingToAccount(path: string): string {
  const [last, other] = knownAccounts();
  if (!last || !other || !isOfAccount(new URL(path, 'http://path').pathname)) return path;
  const [, pathname = '/', rest = ''] = /^([^?#]*)(.*)$/.exec(path) ?? [];
  return addressIn(last.slug, pathname) + rest;
}

/** Reads the account from the address, before the router does. */
export function beginTab(isSignedIn: boolean): void {
  const { pathname, search, hash } = window.location;
  const here = pathname + search + hash;
  const leading = isSignedIn ? leadingToAccount(here) : here;
  if (leading !== here) window.history.replaceState(window.history.state, '', leading);
  const slug = PREFIX.exec(window.location.pathname)?.[1];
  tab.set({ slug, account: knownAccounts().find((known) => known.slug === slug), isWithout: false });
  noteUse();
  window.addEventListener('focus', noteUse);
}

/** For the router: one route tree serves `/logs` and `/a/<slug>/logs`. */
export const accountRewrite = {
  input: ({ url }: { url: URL }): URL => {
    const [prefix = '', slug] = PREFIX.exec(url.pathname) ?? [];
    const rest = url.pathname.slice(prefix.length) || '/';
    if (slug !== undefined && slug === tab.get().slug && isOfAccount(rest)) url.pathname = rest;
    return url;
  },
  output: ({ url }: { url: URL }): URL => {
    const { slug } = tab.get();
    if (slug !== undefined) url.pathname = addressIn(slug, url.pathname);
    return url;
  },
};

/** The name of something that this browser stores for each account. */
export const ofAccount = (name: string): string => {
  const account = tabAccount();
  return account ? `${name}_${account.id}` : name;
};
