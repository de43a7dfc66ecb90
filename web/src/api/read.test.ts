import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { previewBranding } from '@sixdigit/contract/accounts/branding.ts';
import { getWebhookQueue, listWebhookAttempts, listWebhooks } from '@sixdigit/contract/webhooks.ts';
import { QueryClient, QueryObserver, queryOptions } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { call } from './call.ts';
import { loadDeployment } from './deployment.ts';
import { NotSent, queryClient, SIGN_OUT } from './queries.ts';
import { invalidate, keyOf, read, readPage, store } from './read.ts';

test("a query's key is its path with parameters, then whatever else varies the response", () => {
  expect(keyOf(getMe, {})).toEqual(['users', 'me']);
  expect(keyOf(getWebhookQueue, { params: { id: 'w1' } })).toEqual(['webhooks', 'w1', 'queue']);
  const query = { page: 2, ordering: 'attempted_at' } as const;
  const attempts = readPage(listWebhookAttempts, { params: { id: 'w1' }, query });
  expect(attempts.queryKey).toEqual(['webhooks', 'w1', 'attempts', query]);
  expect(read(listWebhooks, { query: { page_size: 1 } }, { key: 'count' }).queryKey).toEqual([
    'webhooks',
    'count',
  ]);
});

test('changing a path invalidates the reads of that path and the paths below it, and no others', async () => {
  const queryClient = new QueryClient();
  const below = read(getWebhookQueue, { params: { id: 'w1' } }).queryKey;
  const other = read(getMe, {}).queryKey;
  for (const key of [below, other]) queryClient.setQueryData<unknown>(key, {});
  await invalidate(queryClient, listWebhooks);
  expect(queryClient.getQueryState(below)?.isInvalidated).toBe(true);
  expect(queryClient.getQueryState(other)?.isInvalidated).toBe(false);
});

test('a read that begins while the user signs out is not sent', async () => {
  const fetch = vi.fn(async () => Response.json({ api_url: '/api/v1' }));
  vi.stubGlobal('fetch', fetch);
  await loadDeployment();
  fetch.mockClear();
  const { promise, resolve } = Promise.withResolvers<void>();
  const ending = queryClient
    .getMutationCache()
    .build(queryClient, { mutationKey: SIGN_OUT, mutationFn: () => promise })
    .execute(undefined);
  await expect(call(getMe)).rejects.toBeInstanceOf(NotSent);
  const preview = read(previewBranding, { body: {} });
  await expect(queryClient.fetchQuery(preview)).rejects.toBeInstanceOf(NotSent);
  expect(fetch).not.toHaveBeenCalled();
  resolve();
  await ending;
  await call(getMe);
  expect(fetch).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test('a read that began before a change and arrives after it does not overwrite the stored reply', async () => {
  const queryClient = new QueryClient();
  let arrive = (_: 'before') => {};
  const settings = queryOptions({
    queryKey: ['settings'],
    queryFn: () =>
      new Promise<'before' | 'after'>((resolve) => {
        arrive = resolve;
      }),
  });
  const first = queryClient.fetchQuery(settings);
  arrive('before');
  await first;

  const late = queryClient.fetchQuery(settings);
  await store(queryClient, settings, 'after');
  arrive('before');
  await late;
  expect(queryClient.getQueryData(settings.queryKey)).toBe('after');
});

test('a discarded read starts again, because another change may have caused it', async () => {
  const queryClient = new QueryClient();
  const replies = ['first', 'second', 'third'];
  const entries = queryOptions({
    queryKey: ['entries'],
    queryFn: async ({ signal }) => {
      const reply = replies.shift() ?? '';
      // The second read is in flight until it is discarded.
      if (reply === 'second') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return reply;
    },
  });
  const stored = () => queryClient.getQueryData(entries.queryKey);
  const observer = new QueryObserver(queryClient, entries);
  const close = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(stored()).toBe('first'));
  void observer.refetch();
  await store(queryClient, entries, 'saved');
  expect(stored()).toBe('saved');
  await vi.waitFor(() => expect(stored()).toBe('third'));
  close();
});
