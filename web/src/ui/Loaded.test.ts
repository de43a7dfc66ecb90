import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { tryAgain } from './Loaded.tsx';

/** A failed query. Each further fetch waits until it is answered. */
async function failedQuery() {
  const fetches: PromiseWithResolvers<string>[] = [];
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const observer = new QueryObserver(client, {
    queryKey: ['verifications'],
    queryFn: () => {
      const fetch = Promise.withResolvers<string>();
      fetches.push(fetch);
      return fetch.promise;
    },
  });
  const stop = observer.subscribe(() => undefined);
  fetches[0]?.reject(new Error('500'));
  await expect.poll(() => observer.getCurrentResult().isError).toBe(true);
  return { observer, fetches, stop };
}

test('a retry during a fetch that then fails fetches once more', async () => {
  const { observer, fetches, stop } = await failedQuery();
  void observer.refetch();
  const tried = tryAgain(observer.getCurrentResult());
  expect(fetches).toHaveLength(2);
  fetches[1]?.reject(new Error('500'));
  await expect.poll(() => fetches.length).toBe(3);
  fetches[2]?.resolve('rows');
  await tried;
  expect(observer.getCurrentResult().data).toBe('rows');
  stop();
});

test('a failed retry is not repeated', async () => {
  const { observer, fetches, stop } = await failedQuery();
  const tried = tryAgain(observer.getCurrentResult());
  fetches[1]?.reject(new Error('500'));
  await tried;
  expect(fetches).toHaveLength(2);
  stop();
});
