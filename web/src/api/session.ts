/**
 * Stores the tokens; no other module accesses them. A user is signed in if local storage holds an access token. Concurrent failed
 * calls in any number of tabs cause one refresh.
 */

import { refreshTokens, type Tokens } from '@sixdigit/contract/accounts/tokens.ts';
import { forgetAccounts } from './account.ts';
import { elapsedMs } from './clock.ts';
import { signal } from './signal.ts';
import { siteData } from './site-data.ts';
import { pause } from './waiting.ts';
import { ApiError, exchange } from './wire.ts';

const ACCESS = 'access_token';
const REFRESH = 'refresh_token';

export const accessToken = (): string | null => siteData.get(ACCESS);
export const refreshToken = (): string | null => siteData.get(REFRESH);
export const isSignedIn = (): boolean => accessToken() !== null;

export function keepTokens(tokens: Tokens): void {
  siteData.set(REFRESH, tokens.refresh);
  siteData.set(ACCESS, tokens.access);
}

export function dropTokens(): void {
  siteData.set(ACCESS, null);
  siteData.set(REFRESH, null);
  forgetAccounts();
}

/** Calls back when another tab signs in or out, but not for changes of this tab. */
export function onSignInElsewhere(listener: (isSignedIn: boolean) => void): void {
  let before = isSignedIn();
  window.addEventListener('storage', (event) => {
    // key is null when everything was cleared
    if (event.key !== ACCESS && event.key !== null) return;
    if (isSignedIn() === before) return;
    before = isSignedIn();
    listener(before);
  });
}

/** Accepts only a path of this origin; everything else becomes the home page. */
export function pathOfThisOrigin(target: unknown): string {
  if (typeof target !== 'string' || !target.startsWith('/')) return '/';
  try {
    const url = new URL(target, window.location.origin);
    const path = `${url.pathname}${url.search}${url.hash}`;
    // '/.//host' has this origin, but its path '//host' would lead to another one.
    return url.origin === window.location.origin && !path.startsWith('//') ? path : '/';
  } catch {
    return '/';
  }
}

/** Navigates with a full page load, so that no data of the ended session stays in memory. */
function leaveForSignIn(): void {
  dropTokens();
  const here = `${window.location.pathname}${window.location.search}${window.location.hash}`;
  if (window.location.pathname === '/sign-in') return;
  const back = here === '/' ? '' : `&redirect=${encodeURIComponent(here)}`;
  window.location.assign(`/sign-in?ended=true${back}`);
}

/**
 * If the response with the new token is lost, the service accepts the old token for ten seconds. The three attempts start
 * within that time.
 */
const ATTEMPTS_MS = [3_500, 3_500, 15_000];
const PAUSES_MS = [500, 1_000];
/** The longest wait within one call, even if the service asks for a longer one. */
const LONGEST_PAUSE_MS = 5_000;
const REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;
/** How long to wait for another tab's refresh. That tab may be frozen, or its connection may hang. */
const LOCK_MS = 5_000;

const refreshing = signal<Promise<string>>();
/** The last failure that did not end the session, and when the next refresh may begin. */
const rest = signal<{ untilMs: number; cause: unknown }>();

/**
 * Returns a new access token in place of the refused one. If the session has ended, it leads to the sign-in and rejects. If the
 * service cannot refresh it now, it only rejects: the session stays, and a later call tries again.
 */
export function freshAccessToken(refused: string): Promise<string> {
  const fresh =
    refreshing.get() ?? acrossTabs(() => renewed(refused)).finally(() => refreshing.set(undefined));
  refreshing.set(fresh);
  return fresh;
}

/**
 * Tabs refresh one after the other, but none waits for long. Web Locks exist only in secure contexts with site data. Without
 * them, parallel refreshes are safe because the service accepts a replaced token for ten seconds.
 */
async function acrossTabs(work: () => Promise<string>): Promise<string> {
  if (!('locks' in navigator)) return work();
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), LOCK_MS);
  let working: Promise<string> | undefined;
  try {
    return await navigator.locks.request('sixdigit-refresh', { signal: waiting.signal }, () => {
      clearTimeout(timer);
      working = work();
      return working;
    });
  } catch {
    return working ?? work();
  }
}

async function renewed(refused: string): Promise<string> {
  const current = accessToken();
  if (current !== null && current !== refused) return current;
  const refresh = refreshToken();
  if (refresh === null) return endSession(new ApiError(401, undefined));
  const tokens = await exchangedPatiently(refresh).catch((cause: unknown) => {
    if (!isRefusal(cause)) throw cause;
    return undefined;
  });
  // The user has signed out or in again since, or another tab was faster, so the refreshed session must not be restored.
  if (refreshToken() !== refresh) {
    const replaced = accessToken();
    return replaced ?? endSession(new ApiError(401, undefined));
  }
  if (!tokens) return endSession(new ApiError(401, undefined));
  keepTokens(tokens);
  return tokens.access;
}

function endSession(cause: ApiError): never {
  leaveForSignIn();
  throw cause;
}

/** Whether the service rejected the token. A rate limit, a timeout or an outage does not count. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof ApiError &&
  cause.status >= 400 &&
  cause.status < 500 &&
  ![408, 425, 429].includes(cause.status);

async function exchangedPatiently(refresh: string): Promise<Tokens> {
  const resting = rest.get();
  if (resting && elapsedMs() < resting.untilMs) throw resting.cause;
  for (let attempt = 0; ; attempt += 1)
    try {
      const tokens = await exchange(refreshTokens, { body: { refresh } }, undefined, ATTEMPTS_MS[attempt]);
      // A captive portal answers every address with its own page.
      if (!tokens?.access || !tokens.refresh) throw new ApiError(0, undefined);
      rest.set(undefined);
      return tokens;
    } catch (cause) {
      if (isRefusal(cause)) throw cause;
      const asked = cause instanceof ApiError ? Number(cause.facts.retry_after ?? 0) * 1_000 : 0;
      const pauseMs = Math.max(PAUSES_MS[attempt] ?? Number.POSITIVE_INFINITY, asked);
      if (pauseMs > LONGEST_PAUSE_MS) {
        const restMs = Math.min(Math.max(asked, REST_MS), LONGEST_REST_MS);
        rest.set({ untilMs: elapsedMs() + restMs, cause });
        throw cause;
      }
      await pause(pauseMs);
    }
}
