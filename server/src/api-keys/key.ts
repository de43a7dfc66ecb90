import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_PATTERN, type KeyMode } from '@sixdigit/contract/api-keys.ts';
import type { Random } from '../platform/security/random.ts';

const PREFIX = 'sd_live_';

export const prefixOfMode = (mode: KeyMode): string => (mode === 'test' ? 'sd_test_' : PREFIX);

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/**
 * The largest multiple of 62 that fits in a byte. Bytes from here on are discarded, because they would favour the first
 * characters.
 */
const FAIR_BYTES = 248;

/** Format: the prefix, 32 uniform base62 characters (190 bits), 6 characters of checksum. */
export function newKeyText(random: Pick<Random, 'bytes'>, prefix = PREFIX): string {
  let secret = '';
  while (secret.length < RANDOM_CHARACTERS)
    for (const byte of random.bytes(RANDOM_CHARACTERS + 8))
      if (byte < FAIR_BYTES && secret.length < RANDOM_CHARACTERS) secret += ALPHABET[byte % ALPHABET.length];
  return prefix + secret + checksum(prefix + secret);
}

/** Checks the checksum, so that a mistyped key costs no query. */
export const keyLooksGenuine = (text: string, pattern: RegExp = API_KEY_PATTERN): boolean =>
  pattern.test(text) && checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);

/** The stored hash. 190 random bits need no slow hash. */
export const hashOfKey = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The visible prefix by which users recognise a key. */
export const prefixOfKey = (text: string): string => text.slice(0, 12);

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_CHARACTERS) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
