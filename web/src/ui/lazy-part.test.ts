import { expect, test } from 'vitest';
import { loadWhenReachable } from './lazy-part.ts';

/** Resolves to these values in turn, or throws those that are errors. */
function inTurn<T>(...values: (T | Error)[]): () => Promise<T> {
  return async () => {
    const next = values.shift();
    if (next === undefined) throw new Error('Asked too often');
    if (next instanceof Error) throw next;
    return next;
  };
}
const lost = new Error('Failed to fetch dynamically imported module');

test('code that failed to load during an outage loads once the service is back', async () => {
  const reachable = inTurn(false, false, true);
  expect(await loadWhenReachable(inTurn('code', lost), reachable, 0)).toBe('code');
  expect(await loadWhenReachable(inTurn<string>(lost, 'code'), reachable, 0)).toBe('code');
});

test('code that failed to load during an outage loads if the service is back before the check', async () => {
  expect(await loadWhenReachable(inTurn<string>(lost, 'code'), inTurn(true), 0)).toBe('code');
});

test('a lazy part whose code cannot be loaded throws if the service is available', async () => {
  await expect(loadWhenReachable(inTurn<string>(lost, lost), inTurn(true, true), 0)).rejects.toBe(lost);
  await expect(
    loadWhenReachable(inTurn<string>(lost, lost, lost), inTurn(false, true, true, true), 0),
  ).rejects.toBe(lost);
});
