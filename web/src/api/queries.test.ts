import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { noneFetching } from './queries.ts';

test('the first screen waits for its data', async () => {
  const queryClient = new QueryClient();
  let answer = (_: string): void => undefined;
  const queryFn = () => new Promise<string>((resolve) => (answer = resolve));
  const fetched = queryClient.fetchQuery({ queryKey: ['rows'], queryFn });
  let isDone = false;
  const waited = noneFetching(queryClient, 60_000).then(() => {
    isDone = true;
  });
  await Promise.resolve();
  expect(isDone).toBe(false);
  answer('rows');
  await fetched;
  await waited;
});

test('the first screen appears without its data if the data is slow', async () => {
  const queryClient = new QueryClient();
  void queryClient.prefetchQuery({ queryKey: ['rows'], queryFn: () => new Promise(() => undefined) });
  await noneFetching(queryClient, 1);
  expect(queryClient.isFetching()).toBe(1);
});

test('a screen without data does not wait', async () => {
  await noneFetching(new QueryClient(), 60_000);
});
