/**
 * Encryption and fingerprints under the server key. scrypt (RFC 7914) derives a root key once, and HKDF (RFC 5869) derives a key
 * per purpose from it. Sealed bytes are `version(1) | key id(4) | nonce(12) | tag(16) | ciphertext`, AES-256-GCM, with the
 * context as additional data: bytes copied to another account or recipient do not open.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto';
import type { Random } from './random.ts';

export interface Vault {
  seal(plain: string, context: string): Buffer;
  /** Throws if the key or the context differs. */
  open(sealed: Uint8Array, context: string): string;
  /** Keyed HMAC-SHA-256, 32 bytes, under the key that this process writes under. */
  fingerprint(purpose: string, text: string): Buffer;
  /** Fingerprints under the key that this process writes under and then all others, to compare with stored ones. */
  fingerprints(purpose: string, text: string): Buffer[];
  /** Identifies SECRET_KEY, so that the service can refuse to start with another one. */
  readonly keyId: string;
  readonly previousKeyIds: readonly string[];
  /**
   * Writes under the key that the database names, which all processes share, from now on. If this process lacks that key,
   * `lacksKey` is its id: what the others write cannot be read here, so this process must not serve or work.
   */
  writeUnder(keyId: string): void;
  readonly lacksKey: string | undefined;
}

/** A value was sealed under a server key that this process lacks. */
export class UnknownServerKey extends Error {}

/** The other processes write under a server key that this process lacks, so it must not do anything. */
export class MissingServerKey extends Error {}

/** `named`: the key that the database names, if it was just read. */
export function requireKey({ vault }: { vault: Vault }, named?: string | null): void {
  if (named) vault.writeUnder(named);
  if (vault.lacksKey !== undefined)
    throw new MissingServerKey('The other processes use a SECRET_KEY that this process does not have');
}

const VERSION = 1;
const HEADER = 1 + 4 + 12 + 16;

/** The scrypt parameters N and r, which make guessing a server key expensive. */
export interface KeyCost {
  N: number;
  r: number;
}

/** 64 MB and about 150 ms per guess. All processes of a deployment must use the same cost. */
export const SERVICE_KEY_COST: KeyCost = { N: 2 ** 16, r: 8 };

interface Ring {
  id: Buffer;
  derive(purpose: string): KeyObject;
}

function ring(secret: string, { N, r }: KeyCost): Ring {
  const root = scryptSync(secret, 'sixdigit key', 32, { N, r, p: 1, maxmem: 2 ** 28 });
  // Caches key objects, because creating one from bytes takes several times as long as the HMAC.
  const keys = new Map<string, KeyObject>();
  const derive = (purpose: string): KeyObject => {
    const known = keys.get(purpose);
    if (known) return known;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', root, 'sixdigit', purpose, 32)));
    keys.set(purpose, key);
    return key;
  };
  return { id: derive('key id').export().subarray(0, 4), derive };
}

/** Derives the root keys, which is slow, so a process creates one vault. Tests may lower the cost. */
export function createVault(
  secretKey: string,
  previous: readonly string[],
  random: Random,
  cost: KeyCost = SERVICE_KEY_COST,
): Vault {
  const current = ring(secretKey, cost);
  const older = previous.map((key) => ring(key, cost));
  const known = [current, ...older];
  /** The key that this process writes under, then the others. */
  let all = known;
  let lacksKey: string | undefined;
  const hmac = (keys: Ring, purpose: string, text: string) =>
    createHmac('sha256', keys.derive(`fingerprint ${purpose}`))
      .update(text)
      .digest();
  return {
    keyId: current.id.toString('hex'),
    previousKeyIds: older.map((keys) => keys.id.toString('hex')),
    writeUnder(keyId) {
      const writing = known.find(({ id }) => id.toString('hex') === keyId);
      lacksKey = writing ? undefined : keyId;
      if (writing && writing !== all[0]) all = [writing, ...known.filter((keys) => keys !== writing)];
    },
    get lacksKey() {
      return lacksKey;
    },
    seal(plain, context) {
      const [writing = current] = all;
      const nonce = random.bytes(12);
      const cipher = createCipheriv('aes-256-gcm', writing.derive('seal'), nonce);
      cipher.setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), writing.id, nonce, cipher.getAuthTag(), text]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      if (bytes.length < HEADER || bytes[0] !== VERSION) throw new Error('Not sealed by this service');
      const keys = all.find((some) => some.id.equals(bytes.subarray(1, 5)));
      if (!keys) throw new UnknownServerKey('Sealed under a server key that is not known here');
      const decipher = createDecipheriv('aes-256-gcm', keys.derive('seal'), bytes.subarray(5, 17));
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(17, HEADER));
      return Buffer.concat([decipher.update(bytes.subarray(HEADER)), decipher.final()]).toString('utf8');
    },
    fingerprint: (purpose, text) => hmac(all[0] ?? current, purpose, text),
    fingerprints: (purpose, text) => all.map((keys) => hmac(keys, purpose, text)),
  };
}

/** Compares secrets of any length in constant time. */
export function equalSecrets(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

/** Bytes in PostgreSQL's hex format, for JSON. */
export const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
export const fromHex = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');
