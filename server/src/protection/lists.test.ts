import type { ListEntry, ListKind } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import type { Destination } from './destination.ts';
import { destinationList, kindOfCover, normaliseEntry } from './lists.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const entry = (kind: ListKind, value: string, expires_at: string | null = null): ListEntry => ({
  kind,
  value,
  note: null,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at,
});
const cover = (entries: readonly ListEntry[], to: Partial<Destination>) =>
  kindOfCover(
    destinationList(entries),
    { number: '+14155550101', country: 'US', prefix: '+1415555', address: null, client: null, ...to },
    NOW,
  );

test('the most specific entry of a list covers a destination', () => {
  const all = [
    entry('country', 'US'),
    entry('address', '203.0.113.7'),
    entry('prefix', '+1415'),
    entry('number', '+14155550101'),
  ];
  const from = { address: '203.0.113.7' };
  expect(cover(all, from)).toBe('number');
  expect(cover(all.slice(0, 3), from)).toBe('prefix');
  expect(cover(all.slice(0, 2), from)).toBe('address');
  expect(cover(all.slice(0, 1), from)).toBe('country');
  expect(cover(all, { number: '+442079460000', country: 'GB' })).toBeUndefined();
  expect(cover([], from)).toBeUndefined();
});

test('a network covers its own addresses of its own kind', () => {
  const networks = [entry('address', '203.0.113.0/24'), entry('address', '2001:db8::/32')];
  const isCovered = (address: string) => cover(networks, { address }) === 'address';
  expect(isCovered('203.0.113.255')).toBe(true);
  expect(isCovered('203.0.114.0')).toBe(false);
  expect(isCovered('2001:db8:ffff::1')).toBe(true);
  expect(isCovered('2001:db9::1')).toBe(false);
  expect(isCovered('::ffff:203.0.113.9')).toBe(true);
});

test('an entry counts until the moment at which it expires', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  for (const [kind, value] of [
    ['number', '+14155550101'],
    ['prefix', '+1415'],
    ['address', '203.0.113.7'],
    ['address', '203.0.113.0/24'],
    ['country', 'US'],
  ] as const) {
    const from = { address: '203.0.113.7' };
    expect(cover([entry(kind, value, at(1))], from), value).toBe(kind);
    expect(cover([entry(kind, value, at(0))], from), value).toBeUndefined();
    expect(cover([entry(kind, value, at(-1))], from), value).toBeUndefined();
  }
});

test.each([
  ['number', '(+1) 415-555-0101', '+14155550101'],
  ['prefix', '+1 (415) 555', '+1415555'],
  ['address', '203.0.113.7', '203.0.113.7'],
  ['address', '::ffff:203.0.113.7', '203.0.113.7'],
  ['address', '203.0.113.7/24', '203.0.113.0/24'],
  ['address', '2001:db8::1/32', '2001:db8::/32'],
  ['country', 'us', 'US'],
] as const)('an entry of the kind %s is stored from %s as %s', (kind, text, value) => {
  expect(normaliseEntry(kind, text)).toEqual({ value });
});

test.each([
  ['number', '4155550101'],
  ['prefix', '1415'],
  ['prefix', '+0415'],
  ['address', '203'],
  ['address', '203.0.113.7/33'],
  ['country', 'ZZ'],
] as const)('an entry of the kind %s is never %s', (kind, text) => {
  expect(normaliseEntry(kind, text)).toHaveProperty('problem');
});
