import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey, deleteApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { loseAccount, nameAccount } from './account.ts';
import { noteResponse } from './connection.ts';
import { loadDeployment } from './deployment.ts';
import { asPage } from './list.ts';
import { queryClient } from './queries.ts';
import { ApiError, exchange } from './wire.ts';

afterEach(() => {
  loseAccount();
  noteResponse(200);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A service that accepts every call and never responds. */
async function hangingService() {
  vi.stubGlobal('fetch', async () => Response.json({ api_url: '/api/v1' }));
  await loadDeployment();
  vi.useFakeTimers();
  const calls = vi.fn(() => new Promise<Response>(() => undefined));
  vi.stubGlobal('fetch', calls);
  return calls;
}

const LATE = 'The service did not respond in time. Check your connection, then try again.';

test('an error has the message, the reason and the field errors of the response', () => {
  const error = new ApiError(400, {
    error: 'No',
    reason: 'invalid_code',
    email: ['Wrong', 'Long'],
    retry_after: 3,
  });
  expect(error).toMatchObject({ message: 'No', error: 'No', reason: 'invalid_code', status: 400 });
  expect(error.fields).toEqual({ email: ['Wrong', 'Long'] });
  expect(error.facts.retry_after).toBe(3);
});

test.each([undefined, null, 'text', { error: 7 }])(
  'an error from a response without a message has no message: %j',
  (body) => {
    expect(new ApiError(502, body).error).toBeUndefined();
    expect(new ApiError(0, body).message).toBe('The service could not be reached');
  },
);

test('a call has the token of the session, the account of the tab and its idempotency key', async () => {
  const calls: [string, RequestInit?][] = [];
  vi.stubGlobal('fetch', async (...asked: [string, RequestInit?]) => {
    calls.push(asked);
    return Response.json({ api_url: '/api/v1' });
  });
  await loadDeployment();
  nameAccount({ id: '01', slug: 'acme', name: 'Acme', role: 'owner' });
  const password = { email: 'a@example.com', password: 'x' };
  await exchange(signIn, { body: password });
  await exchange(listApiKeys, { query: { page: 2, search: '', ordering: undefined } }, 'token');
  await exchange(deleteApiKey, { params: { id: 'a/b' } }, 'token');
  await exchange(createApiKey, { body: { name: 'Key' }, idempotencyKey: 'one' } as never, 'token');
  const accept = 'application/json';
  const own = { accept, authorization: 'Bearer token', 'x-account': '01' };
  const json = { 'content-type': accept };
  expect(calls.slice(1).map(([url, init]) => [init?.method, url, init?.headers, init?.body])).toEqual([
    ['POST', '/api/v1/auth/signin', { accept, ...json }, JSON.stringify(password)],
    ['GET', '/api/v1/api-keys/?page=2', own, undefined],
    ['DELETE', '/api/v1/api-keys/a%2Fb/', own, undefined],
    ['POST', '/api/v1/api-keys/', { ...own, ...json, 'idempotency-key': 'one' }, '{"name":"Key"}'],
  ]);
});

test('a plain array is split into pages like a paged response', () => {
  const all = Array.from({ length: 25 }, (_, index) => index);
  expect(asPage(all, 3)).toEqual({ results: [20, 21, 22, 23, 24], count: 25 });
  expect(asPage({ results: [7], count: 31 }, 4)).toEqual({ results: [7], count: 31 });
});

test.each([
  ['a read ends after 20 s', 20_000, () => exchange(listApiKeys, {})],
  [
    'a change ends after 30 s',
    30_000,
    () => exchange(signIn, { body: { email: 'a@example.com', password: 'x' } }),
  ],
])('without a response, %s with an error that tells the user what to do', async (_, mostMs, ask) => {
  await hangingService();
  let failed: unknown;
  void ask().catch((cause: unknown) => {
    failed = cause;
  });
  await vi.advanceTimersByTimeAsync(mostMs - 1);
  expect(failed).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toMatchObject({ status: 0, reason: 'timeout', error: LATE });
});

test.each([
  ['a read that used up its time is not repeated', () => new ApiError(0, { reason: 'timeout' }), 1],
  ['a read that failed immediately is repeated once', () => new ApiError(0, undefined), 2],
  ['a read that the service could not answer is repeated once', () => new ApiError(503, undefined), 2],
  ['a read that the service refused is not repeated', () => new ApiError(404, undefined), 1],
])('%s', async (title, cause, tries) => {
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const queryFn = vi.fn(() => Promise.reject(cause()));
  const stop = new QueryObserver(queryClient, { queryKey: [title], queryFn }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  stop();
  expect(queryFn).toHaveBeenCalledTimes(tries);
});
