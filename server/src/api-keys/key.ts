import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_KEY_PATTERN, type KeyMode } from '@sixdigit/contract/api-keys.ts';
import type { ModeFilter } from '@sixdigit/contract/list.ts';
import type { Config } from '../platform/config.ts';
import type { ListFilter } from '../platform/db/list-filter.ts';
import type { Needs } from '../platform/platform.ts';
import type { Random } from '../platform/security/random.ts';
import { selectTestKeys } from './queries.ts';

const PREFIX = 'sd_live_';

export const prefixOfMode = (mode: KeyMode): string => (mode === 'test' ? 'sd_test_' : PREFIX);

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/**
 * The largest multiple of 62 that fits in a byte. Bytes from here on are discarded, because they would favor the first
 * characters.
 */
const FAIR_BYTES = 248;

/**
 * Format: prefix, the cell's 2 base62 characters (`CELL`), 30 uniformly random base62 characters (178 bits), 6-character
 * checksum. A router reads the cell from a key without a look-up.
 */
export function newKeyText(
  { config, random }: { config: Pick<Config, 'cell'>; random: Pick<Random, 'bytes'> },
  prefix = PREFIX,
): string {
  let secret = config.cell;
  while (secret.length < SECRET_CHARACTERS)
    for (const byte of random.bytes(SECRET_CHARACTERS + 8))
      if (byte < FAIR_BYTES && secret.length < SECRET_CHARACTERS) secret += ALPHABET[byte % ALPHABET.length];
  return prefix + secret + checksum(prefix + secret);
}

/** Verifies the checksum, so that a mistyped key is rejected without a query. */
export const keyLooksGenuine = (text: string, pattern: RegExp = API_KEY_PATTERN): boolean =>
  pattern.test(text) && checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);

/** The stored hash. A fast hash suffices, because the secret has 178 random bits. */
export const hashOfKey = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The visible prefix by which users recognize a key: its mode, its cell and four random characters. */
export const prefixOfKey = (text: string): string => text.slice(0, 14);

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_CHARACTERS) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** Which rows a list shows: those of the account's test keys, or all others. Null shows all rows. */
export type KeysOfMode = { test_keys: string[]; are: boolean } | null;

/** Without a mode, a list shows live rows, or all of a key's rows if it is filtered by key. */
export async function keysOfMode(
  { db }: Needs<'db'>,
  account_id: string,
  { mode, api_key }: { mode: ModeFilter; api_key: string | null },
): Promise<KeysOfMode> {
  const chosen = mode ?? (api_key === null ? 'live' : 'all');
  if (chosen === 'all') return null;
  const test_keys = await selectTestKeys(db, account_id);
  if (chosen === 'live' && test_keys.length === 0) return null;
  return { test_keys, are: chosen === 'test' };
}

/** Limits a list to the rows of a key and a mode. Returns whether it added a condition. */
export function narrowToKeys(
  filter: ListFilter,
  { api_key_id, mode }: { api_key_id: string | null; mode: KeysOfMode },
): boolean {
  if (api_key_id !== null) {
    const its = filter.params.add(api_key_id);
    filter.andColumn('api_key_id', (column) => `${column} = ${its}`);
  }
  if (mode) {
    const keys = `${filter.params.add(mode.test_keys)}::uuid[]`;
    filter.andColumn('api_key_id', (column) =>
      mode.are ? `${column} = any (${keys})` : `${column} <> all (${keys})`,
    );
  }
  return api_key_id !== null || mode !== null;
}
