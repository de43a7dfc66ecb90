import { readFileSync } from 'node:fs';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORD } from '#contract/accounts.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { createHashQueue, type HashQueue, type Place } from './hash-queue.ts';

/** Passwords as argon2id (OWASP: 19 MiB, two passes, one lane), on the thread pool, each in its turn. */
export interface Passwords extends HashQueue {
  hash(password: string, place: Place): Promise<string>;
  /** To be called in turn. Takes as long where there is no hash to compare with; then the answer is false. */
  compare(stored: string | null | undefined, password: string): Promise<boolean>;
}

const COST = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: 19 * 1024,
  timeCost: 2,
  parallelism: 1,
};
/** Of a password that nobody knows. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$ESxx/GtxPlxfqZD+6SKR6w$RPPlefyturzS2tx2wmb7+tqjHZXcomo8oB49gB3vBBE';

export function createPasswords(queue: HashQueue = createHashQueue()): Passwords {
  return {
    ...queue,
    hash: (password, place) => queue.inTurn(place, () => hash(normalised(password), COST)),
    async compare(stored, password) {
      const isRight = await verify(stored ?? NOBODYS_HASH, normalised(password));
      return isRight && stored !== null && stored !== undefined;
    },
  };
}

/** NIST SP 800-63B-4, 3.1.1.2: the same password however the keyboard composed it. */
const normalised = (password: string): string => password.toWellFormed().normalize('NFKC');

const common = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

/** ASVS 6.2.4: not one of those that are tried first. */
export function refuseCommonPassword(password: string): void {
  if (common.has(normalised(password).toLowerCase())) throw new FieldErrors({ password: [COMMON_PASSWORD] });
}
