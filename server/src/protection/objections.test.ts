import { expect, test } from 'vitest';
import { objectionStore } from './decision.ts';

const subject = (prefix: string) => ({
  account_id: '01a205ca-4eae-76ec-a8ec-60f877f1a7d8',
  hour: 498_720,
  rule: 'prefix_velocity' as const,
  scope: 'account' as const,
  prefix,
  country: 'US',
  client: '',
});
const now_ms = Date.UTC(2026, 10, 23);

test('sends to one prefix add up to one objection, which is due after 3 seconds if it blocked and after 15 if not', () => {
  const store = objectionStore();
  const atMs = performance.now();
  store.add(subject('+1415200'), { now_ms, isBlocked: false });
  store.add(subject('+1415201'), { now_ms, isBlocked: false });
  store.add(subject('+1415201'), { now_ms: now_ms + 1, isBlocked: true });
  expect(store.take({ atMs: atMs + 2_999 })).toEqual([]);
  expect(store.take({ atMs: performance.now() + 3_000 })).toEqual([
    { ...subject('+1415201'), blocked: 1, monitored: 1, first_ms: now_ms, last_ms: now_ms + 1 },
  ]);
  expect(store.take({ atMs: atMs + 14_999 })).toEqual([]);
  expect(store.take({ atMs: performance.now() + 15_000 })).toMatchObject([
    { prefix: '+1415200', blocked: 0, monitored: 1 },
  ]);
  expect(store.take('all')).toEqual([]);
});

test('an attack on many prefixes is written in parts, blocked sends first', () => {
  const store = objectionStore();
  for (let n = 0; n < 400; n++) store.add(subject(`+1415${n}`), { now_ms, isBlocked: n >= 300 });
  const atMs = performance.now() + 15_000;
  const first = store.take({ atMs });
  expect(first).toHaveLength(250);
  expect(first.slice(0, 100).every(({ blocked }) => blocked === 1)).toBe(true);
  expect(first[100]).toMatchObject({ prefix: '+14150', blocked: 0 });
  expect(store.take({ atMs })).toHaveLength(150);
});

test('the objections of a long outage of the database take bounded memory', () => {
  const store = objectionStore();
  for (let n = 0; n < 20_001; n++) store.add(subject(`+1415${n}`), { now_ms, isBlocked: true });
  expect(store.take('all')).toHaveLength(20_000);
});
