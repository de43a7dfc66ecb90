import { expect, test } from 'vitest';
import { blockedPrefixStore } from './blocked-prefixes.ts';

const OF = 'account';
const NOW = 29_000_000;
const country = (first: number, count: number, until = NOW + 720) =>
  Array.from({ length: count }, (_, n) => ({ of: OF, prefix: `+1415${first + n}`, country: 'US', until }));

function counting() {
  const store = blockedPrefixStore();
  let additions = 0;
  const sum = (now: number) =>
    store.share(OF, 'US', now, (share) => {
      additions += 1;
      share.day += 1;
    }).day;
  return { store, sum, additions: () => additions };
}

test('each blocked prefix is added once a minute and when it is blocked, not for every send', () => {
  const { store, sum, additions } = counting();
  for (const block of country(1_000, 500)) store.set(block);
  for (let send = 0; send < 1_000; send += 1) expect(sum(NOW)).toBe(500);
  expect(additions()).toBe(500);
  for (const block of country(5_000, 3)) {
    store.set(block);
    sum(NOW);
  }
  expect(sum(NOW)).toBe(503);
  expect(additions()).toBe(503);
  expect(sum(NOW + 1)).toBe(503);
  expect(additions()).toBe(1_006);
});

test('a block that ends, is repeated or is over counts right', () => {
  const { store, sum } = counting();
  for (const block of country(1_000, 4)) store.set(block);
  expect(sum(NOW)).toBe(4);
  for (const block of country(1_000, 4)) store.set(block);
  expect(sum(NOW)).toBe(4);
  for (const block of country(1_000, 1, 0)) store.set(block);
  expect(sum(NOW)).toBe(3);
  for (const block of country(1_001, 1, NOW + 2)) store.set(block);
  expect(sum(NOW)).toBe(3);
  expect(sum(NOW + 2)).toBe(2);
  store.clean(NOW + 720);
  expect(sum(NOW + 720)).toBe(0);
});
