import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { getWebhookQueue, listWebhookAttempts, listWebhooks } from '@sixdigit/contract/webhooks.ts';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { invalidate, keyOf, read, readPage } from './read.ts';

test("a query's key is its path with the parameters, then what varies the reply", () => {
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

test('a change of a path makes the reads of it and of the paths below it old, and no others', async () => {
  const queryClient = new QueryClient();
  const below = read(getWebhookQueue, { params: { id: 'w1' } }).queryKey;
  const other = read(getMe, {}).queryKey;
  for (const key of [below, other]) queryClient.setQueryData<unknown>(key, {});
  await invalidate(queryClient, listWebhooks);
  expect(queryClient.getQueryState(below)?.isInvalidated).toBe(true);
  expect(queryClient.getQueryState(other)?.isInvalidated).toBe(false);
});
