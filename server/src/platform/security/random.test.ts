import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { systemRandom, uuidFloor } from './random.ts';

const random = systemRandom(systemClock);

test('digits take every value, leading zeros included, and always have the full length', () => {
  // The chance that one of the hundred values is missing is below one in a billion.
  const drawn = new Set(Array.from({ length: 4_000 }, () => random.digits(2)));
  expect([...drawn].sort()).toEqual(Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0')));
});

test('codes of four to eight digits have their length', () => {
  for (const length of [4, 5, 6, 7, 8])
    for (let n = 0; n < 200; n++) expect(random.digits(length)).toMatch(new RegExp(`^[0-9]{${length}}$`));
});

test('tokens and bytes from the shared pool do not repeat', () => {
  const tokens = Array.from({ length: 1_000 }, () => random.token());
  expect(new Set(tokens).size).toBe(1_000);
  expect(tokens.every((token) => Buffer.from(token, 'base64url').length === 32)).toBe(true);
  const bytes = Array.from({ length: 1_000 }, () => random.bytes(12).toString('hex'));
  expect(new Set(bytes).size).toBe(1_000);
});

test('returned bytes do not change when more are drawn', () => {
  const first = random.bytes(16);
  const before = Buffer.from(first);
  for (let n = 0; n < 1_000; n++) random.bytes(64);
  expect(first.equals(before)).toBe(true);
});

test('ids of one process sort by creation', () => {
  const ids = Array.from({ length: 10_000 }, () => random.uuid());
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(uuidFloor(new Date(systemClock.now().getTime() + 60_000)) > (ids.at(-1) ?? '')).toBe(true);
});
