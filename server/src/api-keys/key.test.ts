import { API_KEY_PATTERN } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/security/random.ts';
import { keyLooksGenuine, newKeyText } from './key.ts';

const random = systemRandom(systemClock);

test('a key is recognised by its shape and its checksum', () => {
  const key = newKeyText(random);
  expect(key).toMatch(API_KEY_PATTERN);
  expect(keyLooksGenuine(key)).toBe(true);
});

test('the checksum is the CRC-32 of what comes before it, in six base62 characters', () => {
  const zeros = newKeyText({ bytes: (count) => Buffer.alloc(count) });
  expect(zeros.slice(0, 40)).toBe(`sd_live_${'0'.repeat(32)}`);
  expect(zeros.slice(40)).toBe(checksumOf(zeros.slice(0, 40)));
});

test('one wrong character anywhere fails the checksum', () => {
  const key = newKeyText(random);
  for (let at = 8; at < key.length; at++) {
    const other = key[at] === 'A' ? 'B' : 'A';
    expect(keyLooksGenuine(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  }
  for (const text of ['', 'sd_live_', key.slice(0, -1), `${key}0`, ` ${key}`, key.replace('live', 'test')])
    expect(keyLooksGenuine(text)).toBe(false);
});

test('biased bytes are discarded', () => {
  let call = 0;
  const bytes = (count: number) => Buffer.alloc(count, call++ === 0 ? 248 : 61);
  expect(newKeyText({ bytes }).slice(8, 40)).toBe('z'.repeat(32));
  expect(call).toBe(2);
});

test('keys do not repeat and use the whole alphabet', () => {
  const keys = Array.from({ length: 500 }, () => newKeyText(random));
  expect(new Set(keys).size).toBe(500);
  expect(new Set(keys.flatMap((key) => [...key.slice(8, 40)])).size).toBe(62);
});

/** Bit by bit, as the standard (ISO 3309) defines it. */
function checksumOf(text: string): string {
  let crc = 0xff_ff_ff_ff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  let rest = (crc ^ 0xff_ff_ff_ff) >>> 0;
  let digits = '';
  for (let n = 0; n < 6; n++) {
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
