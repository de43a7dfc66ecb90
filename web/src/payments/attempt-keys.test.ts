import { expect, test } from 'vitest';
import { attemptKeys, newCard } from './attempt-keys.ts';

const offer = { credits: 1_000, price_usd_cents: 1_800, price_display: '$18.00' };

function counted() {
  let count = 0;
  return attemptKeys(() => `key ${++count}`);
}

test('a repeated attempt keeps its idempotency key', () => {
  const keys = counted();
  expect(keys.keyOf(offer, 'pm_1')).toBe(keys.keyOf({ ...offer }, 'pm_1'));
});

test('a change of price, amount, card or saving starts a new attempt', () => {
  const keys = counted();
  const all = [
    keys.keyOf(offer, 'pm_1'),
    keys.keyOf({ ...offer, price_usd_cents: 1_900 }, 'pm_1'),
    keys.keyOf({ ...offer, credits: 1_001 }, 'pm_1'),
    keys.keyOf(offer, 'pm_2'),
    keys.keyOf(offer, newCard(true)),
    keys.keyOf(offer, newCard(false)),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test('an ended attempt gets a new idempotency key, and other attempts keep theirs', () => {
  const keys = counted();
  const [first, second] = [keys.keyOf(offer, 'pm_1'), keys.keyOf(offer, 'pm_2')];
  keys.forget(offer, 'pm_1');
  expect(keys.keyOf(offer, 'pm_1')).not.toBe(first);
  expect(keys.keyOf(offer, 'pm_2')).toBe(second);
  keys.forgetAll();
  expect(keys.keyOf(offer, 'pm_2')).not.toBe(second);
});

test('idempotency keys are random UUIDs', () => {
  const keys = attemptKeys();
  const [first, second] = [keys.keyOf(offer, 'pm_1'), keys.keyOf(offer, 'pm_2')];
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).not.toBe(first);
});
