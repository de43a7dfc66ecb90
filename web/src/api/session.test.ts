import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const ORIGIN = 'https://otp.example.com';
type Session = typeof import('./session.ts');

/** The parts of a browser that the session uses, shared by all tabs of one origin. */
function browser(): { stored: Map<string, string>; left: string[] } {
  const stored = new Map<string, string>();
  const left: string[] = [];
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  const location = { origin: ORIGIN, pathname: '/logs', search: '?page=2', hash: '' };
  vi.stubGlobal('window', { location: { ...location, assign: (url: string) => left.push(url) } });
  let last: Promise<unknown> = Promise.resolve();
  const request = (_name: string, { signal }: { signal: AbortSignal }, work: () => Promise<unknown>) =>
    new Promise((resolve, reject) => {
      const end = (): void => reject(signal.reason);
      signal.addEventListener('abort', end);
      last = last.then(async () => {
        if (signal.aborted) return;
        signal.removeEventListener('abort', end);
        const result = work();
        resolve(result);
        await result.catch(() => undefined);
      });
    });
  vi.stubGlobal('navigator', { locks: { request } });
  return { stored, left };
}

/** The service's side: answers each refresh when the test releases it. */
function service() {
  const refreshes: { refresh: string; answer(status: number, body?: object): void; fail(): void }[] = [];
  vi.stubGlobal('fetch', async (url: string, init?: { body: string }) => {
    if (url === '/config.json') return Response.json({ api_url: '/api/v1' });
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { refresh } = JSON.parse(init?.body ?? '{}') as { refresh: string };
    refreshes.push({
      refresh,
      answer: (status, body = {}) => resolve(Response.json(body, { status })),
      fail: () => reject(new TypeError('Failed to fetch')),
    });
    return promise;
  });
  return refreshes;
}

/** The module as another tab loads it: with memory of its own. */
async function tab(): Promise<Session> {
  vi.resetModules();
  await (await import('./deployment.ts')).loadDeployment();
  return import('./session.ts');
}

const first: Tokens = { access: 'access 1', refresh: 'refresh 1' };
const second: Tokens = { access: 'access 2', refresh: 'refresh 2' };

let refreshes: ReturnType<typeof service>;
let shared: ReturnType<typeof browser>;
beforeEach(() => {
  shared = browser();
  refreshes = service();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a refused access token', () => {
  test('a refused access token is refreshed once, however many calls of one tab were refused', async () => {
    const { keepTokens, freshAccessToken } = await tab();
    keepTokens(first);
    const calls = Array.from({ length: 5 }, () => freshAccessToken(first.access));
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    refreshes[0]?.answer(200, second);
    expect(new Set(await Promise.all(calls))).toEqual(new Set([second.access]));
    expect(refreshes).toHaveLength(1);
  });

  test('several tabs refresh a refused access token once: the others use the new tokens of the first', async () => {
    const [here, there] = [await tab(), await tab()];
    here.keepTokens(first);
    const calls = [here.freshAccessToken(first.access), there.freshAccessToken(first.access)];
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    refreshes[0]?.answer(200, second);
    expect(await Promise.all(calls)).toEqual([second.access, second.access]);
    expect(refreshes).toHaveLength(1);
  });

  test('a refused refresh ends the session', async () => {
    const { keepTokens, freshAccessToken, isSignedIn } = await tab();
    keepTokens(first);
    const call = freshAccessToken(first.access).catch((error: Error) => error);
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    refreshes[0]?.answer(401);
    expect(await call).toMatchObject({ status: 401 });
    expect(isSignedIn()).toBe(false);
    expect(shared.left).toEqual(['/sign-in?ended=true&redirect=%2Flogs%3Fpage%3D2']);
  });
});

/** The response to the refresh that is under way, once it is. */
async function answer(status: number, body?: object): Promise<void> {
  const before = answered;
  await vi.waitFor(() => expect(refreshes.length).toBeGreaterThan(before), { interval: 1 });
  answered += 1;
  if (status === 0) refreshes[before]?.fail();
  else refreshes[before]?.answer(status, body);
}
let answered = 0;
beforeEach(() => {
  answered = 0;
});

/** Lets pauses and limits pass without waiting. */
const fast = () =>
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
const settled = (call: Promise<string>): Promise<string | Error> => call.catch((error: Error) => error);

describe('a session', () => {
  test('a session survives any number of refreshes, each with the token of the previous one', async () => {
    const { keepTokens, freshAccessToken, accessToken } = await tab();
    keepTokens({ access: 'access 0', refresh: 'refresh 0' });
    for (let n = 0; n < 5; n++) {
      const call = freshAccessToken(`access ${n}`);
      await answer(200, { access: `access ${n + 1}`, refresh: `refresh ${n + 1}` });
      expect(await call).toBe(`access ${n + 1}`);
      expect(accessToken()).toBe(`access ${n + 1}`);
    }
    expect(refreshes.map(({ refresh }) => refresh)).toEqual(
      Array.from({ length: 5 }, (_, n) => `refresh ${n}`),
    );
  });

  test.each([
    ['a limit', 429],
    ['an outage', 503],
    ['a gateway', 502],
    ['a timeout of a proxy', 408],
    ['a lost connection', 0],
  ])('a session survives %s (%i) and is refreshed later', async (_, status) => {
    fast();
    const { keepTokens, freshAccessToken, isSignedIn } = await tab();
    keepTokens(first);
    const call = freshAccessToken(first.access);
    await answer(status);
    await vi.advanceTimersByTimeAsync(500);
    await answer(status);
    await vi.advanceTimersByTimeAsync(1_000);
    await answer(200, second);
    expect(await call).toBe(second.access);
    expect(isSignedIn()).toBe(true);
    expect(shared.left).toEqual([]);
  });

  test.each([429, 500, 503, 0])(
    'a session survives when every refresh fails with %i, and a later call refreshes it',
    async (status) => {
      fast();
      const { keepTokens, freshAccessToken, refreshToken } = await tab();
      keepTokens(first);
      const call = settled(freshAccessToken(first.access));
      for (const pauseMs of [500, 1_000, 0]) {
        await answer(status);
        await vi.advanceTimersByTimeAsync(pauseMs);
      }
      expect(await call).toMatchObject({ status });
      expect(refreshToken()).toBe(first.refresh);
      expect(shared.left).toEqual([]);
      // at once, it would only add to the load
      expect(await settled(freshAccessToken(first.access))).toMatchObject({ status });
      expect(refreshes).toHaveLength(3);
      await vi.advanceTimersByTimeAsync(2_000);
      const later = freshAccessToken(first.access);
      await answer(200, second);
      expect(await later).toBe(second.access);
    },
  );

  test('a rate-limited refresh is retried after the time that the response states', async () => {
    fast();
    const { keepTokens, freshAccessToken } = await tab();
    keepTokens(first);
    const call = settled(freshAccessToken(first.access));
    await answer(429, { error: 'Too many', retry_after: 30 });
    expect(await call).toMatchObject({ status: 429 });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(await settled(freshAccessToken(first.access))).toMatchObject({ status: 429 });
    expect(refreshes).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_500);
    const later = freshAccessToken(first.access);
    await answer(200, second);
    expect(await later).toBe(second.access);
  });

  test('a session survives an error response that comes from a proxy', async () => {
    fast();
    const { keepTokens, freshAccessToken, accessToken } = await tab();
    keepTokens(first);
    const call = freshAccessToken(first.access);
    await answer(200, { page: 'Accept the terms of this network' });
    await vi.advanceTimersByTimeAsync(500);
    await answer(200, second);
    expect(await call).toBe(second.access);
    expect(accessToken()).toBe(second.access);
  });

  test('a session continues with the tokens of another tab when its own are refused', async () => {
    const [here, there] = [await tab(), await tab()];
    here.keepTokens(first);
    const call = here.freshAccessToken(first.access);
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    there.keepTokens(second);
    await answer(401);
    expect(await call).toBe(second.access);
    expect(shared.left).toEqual([]);
  });
});

describe('a refresh that hangs', () => {
  test('a refresh that hangs is retried while the service still accepts the token', async () => {
    fast();
    const { keepTokens, freshAccessToken } = await tab();
    keepTokens(first);
    const call = freshAccessToken(first.access);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(refreshes.map(({ refresh }) => refresh)).toEqual([first.refresh, first.refresh, first.refresh]);
    refreshes[2]?.answer(200, second);
    expect(await call).toBe(second.access);
  });

  test('a refresh that hangs ends after a limit and keeps the session', async () => {
    fast();
    const { keepTokens, freshAccessToken, refreshToken } = await tab();
    keepTokens(first);
    const call = settled(freshAccessToken(first.access));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await call).toMatchObject({ status: 0 });
    expect(refreshToken()).toBe(first.refresh);
  });

  test('a refresh that hangs in one tab does not block another tab', async () => {
    fast();
    const [here, there] = [await tab(), await tab()];
    here.keepTokens(first);
    // frozen with the lock: it never ends
    void navigator.locks.request(
      'sixdigit-refresh',
      { signal: new AbortController().signal },
      () => new Promise(() => {}),
    );
    const call = there.freshAccessToken(first.access);
    await vi.advanceTimersByTimeAsync(5_000);
    await answer(200, second);
    expect(await call).toBe(second.access);
  });
});

describe('signing out while a refresh is in flight', () => {
  test.each(['this tab', 'another tab'])(
    'signing out in %s while a refresh is in flight is final',
    async (where) => {
      const [here, there] = [await tab(), await tab()];
      here.keepTokens(first);
      const call = here.freshAccessToken(first.access).catch((error: Error) => error);
      await vi.waitFor(() => expect(refreshes).toHaveLength(1));
      (where === 'this tab' ? here : there).dropTokens();
      refreshes[0]?.answer(200, second);
      expect(await call).toMatchObject({ status: 401 });
      expect(here.isSignedIn()).toBe(false);
      expect(shared.stored.size).toBe(0);
    },
  );

  test('signing out and in again while a refresh is in flight keeps the new session', async () => {
    const { keepTokens, dropTokens, freshAccessToken, accessToken, refreshToken } = await tab();
    keepTokens(first);
    const call = freshAccessToken(first.access);
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    dropTokens();
    keepTokens({ access: 'access of Bob', refresh: 'refresh of Bob' });
    refreshes[0]?.answer(200, second);
    expect(await call).toBe('access of Bob');
    expect([accessToken(), refreshToken()]).toEqual(['access of Bob', 'refresh of Bob']);
  });
});

describe('a redirect', () => {
  test.each([
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/.//evil',
    '/..//evil',
    '/a/..//evil.test',
    '/.\\/evil.test',
    '/./\\evil.test',
    '/%2e//evil.test',
    '/%2E%2e//evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    '/\r\\evil.test',
    '\t//evil.test',
    ' //evil.test',
    '\u0000//evil.test',
    '/.\t//evil.test',
    'https://evil.test/',
    'https:evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    `${ORIGIN}.evil.test/`,
    `//${ORIGIN.slice(8)}@evil.test/`,
    'evil.test',
    '',
    undefined,
    ['/logs'],
  ])('a redirect to %j leads to the home page', async (target) => {
    const { pathOfThisOrigin } = await tab();
    expect(pathOfThisOrigin(target)).toBe('/');
  });

  test.each([
    ['/logs?page=2&search=a%2Fb#top', '/logs?page=2&search=a%2Fb#top'],
    ['/a/../logs', '/logs'],
    ['/%2F/evil.test', '/%2F/evil.test'],
    ['/%5Cevil.test', '/%5Cevil.test'],
    ['/docs#//evil.test', '/docs#//evil.test'],
    ['/?next=//evil.test', '/?next=//evil.test'],
  ])('a redirect to %s stays on this origin', async (target, path) => {
    const { pathOfThisOrigin } = await tab();
    expect(pathOfThisOrigin(target)).toBe(path);
    expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
  });
});
