import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Tokens } from '#contract/sign-in.ts';

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
  const request = (_name: string, work: () => Promise<unknown>) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  vi.stubGlobal('navigator', { locks: { request } });
  return { stored, left };
}

/** The service's side: answers each refresh when the test releases it. */
function service() {
  const refreshes: { refresh: string; answer(status: number, body?: Tokens): void }[] = [];
  vi.stubGlobal('fetch', async (url: string, init?: { body: string }) => {
    if (url === '/config.json') return Response.json({ api_url: '/api/v1' });
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { refresh } = JSON.parse(init?.body ?? '{}') as { refresh: string };
    refreshes.push({ refresh, answer: (status, body) => resolve(Response.json(body ?? {}, { status })) });
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
afterEach(() => vi.unstubAllGlobals());

describe('a refused access token', () => {
  test('is refreshed once, however many calls of one tab were refused', async () => {
    const { keepTokens, freshAccessToken } = await tab();
    keepTokens(first);
    const calls = Array.from({ length: 5 }, () => freshAccessToken(first.access));
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    refreshes[0]?.answer(200, second);
    expect(new Set(await Promise.all(calls))).toEqual(new Set([second.access]));
    expect(refreshes).toHaveLength(1);
  });

  test('is refreshed once, however many tabs were refused: a second tab takes what the first one got', async () => {
    const [here, there] = [await tab(), await tab()];
    here.keepTokens(first);
    const calls = [here.freshAccessToken(first.access), there.freshAccessToken(first.access)];
    await vi.waitFor(() => expect(refreshes).toHaveLength(1));
    refreshes[0]?.answer(200, second);
    expect(await Promise.all(calls)).toEqual([second.access, second.access]);
    expect(refreshes).toHaveLength(1);
  });

  test('ends the session where the service refuses to refresh it', async () => {
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

describe('signing out while a refresh is in flight', () => {
  test.each(['this tab', 'another tab'])(
    'in %s is final: the answer brings no session back',
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

  test('and in again keeps the new session', async () => {
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
  ])('to %j leads home', async (target) => {
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
  ])('to %s stays on this origin', async (target, path) => {
    const { pathOfThisOrigin } = await tab();
    expect(pathOfThisOrigin(target)).toBe(path);
    expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
  });
});
