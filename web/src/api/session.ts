import { refreshTokens, type Tokens } from '#contract/sign-in.ts';
import { ApiError, exchange } from './wire.ts';

/**
 * Stores the tokens; no other module accesses them. A user is signed in if local storage holds an access token. Concurrent failed
 * calls in any number of tabs cause one refresh.
 */
const ACCESS = 'access_token';
const REFRESH = 'refresh_token';

export const accessToken = (): string | null => localStorage.getItem(ACCESS);
export const refreshToken = (): string | null => localStorage.getItem(REFRESH);
export const isSignedIn = (): boolean => accessToken() !== null;

export function keepTokens(tokens: Tokens): void {
  localStorage.setItem(REFRESH, tokens.refresh);
  localStorage.setItem(ACCESS, tokens.access);
}

export function dropTokens(): void {
  localStorage.removeItem(ACCESS);
  localStorage.removeItem(REFRESH);
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
    // '/.//host' is of this origin, but its path '//host' would name another one.
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

let refreshing: Promise<string> | undefined;

/** Returns a new access token in place of the refused one. Rejects after the session has ended. */
export function freshAccessToken(refused: string): Promise<string> {
  refreshing ??= acrossTabs(() => renewed(refused))
    .catch((cause: unknown) => {
      leaveForSignIn();
      throw cause;
    })
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

/** Web Locks exist only in secure contexts. Without them, the server accepts parallel tabs for ten seconds. */
const acrossTabs = (work: () => Promise<string>): Promise<string> =>
  'locks' in navigator ? navigator.locks.request('sixdigit-refresh', work) : work();

async function renewed(refused: string): Promise<string> {
  const current = accessToken();
  if (current !== null && current !== refused) return current;
  const refresh = refreshToken();
  if (refresh === null) throw new ApiError(401, undefined);
  const tokens = await patiently(() => exchange(refreshTokens, { body: { refresh } }));
  // The user has signed out or in again since, so the refreshed session must not be restored.
  if (refreshToken() !== refresh) {
    const replaced = accessToken();
    if (replaced === null) throw new ApiError(401, undefined);
    return replaced;
  }
  keepTokens(tokens);
  return tokens.access;
}

/** A refusal ends the session at once. A service that is unavailable gets two retries. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const pauseMs of [500, 1500]) {
    try {
      return await ask();
    } catch (cause) {
      const refused = cause instanceof ApiError && cause.status >= 400 && cause.status < 500;
      if (refused && cause.status !== 429) throw cause;
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }
  return ask();
}
