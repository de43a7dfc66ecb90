import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atMost, within } from './waiting.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<never> => new Promise(() => {});

test('a wait times out even if the work ignores its abort signal', async () => {
  let signal: AbortSignal | undefined;
  const wait = within(3_000, (own) => {
    signal = own;
    return never();
  }).catch((cause: Error) => cause);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(signal?.aborted).toBe(true);
  expect(await wait).toMatchObject({ name: 'TimeoutError' });
});

test('a wait ends when its caller aborts it, before or after the start', async () => {
  const ending = new AbortController();
  const wait = within(3_000, never, ending.signal).catch((cause: unknown) => cause);
  ending.abort('left');
  expect(await wait).toBe('left');
  expect(await within(3_000, never, ending.signal).catch((cause: unknown) => cause)).toBe('left');
});

test('work that finishes in time clears the timeout, and its stream can still be aborted', async () => {
  const ending = new AbortController();
  const signal = await within(3_000, async (own) => own, ending.signal);
  expect(vi.getTimerCount()).toBe(0);
  ending.abort();
  expect(signal.aborted).toBe(true);
});

test('a wait for at most some time never fails', async () => {
  await atMost(1_000, Promise.reject(new Error('no')));
  const wait = atMost(1_000, never());
  await vi.advanceTimersByTimeAsync(1_000);
  await wait;
});
