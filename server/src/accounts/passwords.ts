import { readFileSync } from 'node:fs';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORD } from '@sixdigit/contract/accounts/passwords.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { isBreached } from './breached-passwords.ts';
import { createHashQueue, type HashQueue, type Place } from './hash-queue.ts';

/** Hashes passwords with argon2id (OWASP: 19 MiB, two passes, one lane) on the thread pool, in the order of the hash queue. */
export interface Passwords extends HashQueue {
  hash(password: string, place: Place): Promise<string>;
  /** Call it within `inTurn`. Without a stored hash it takes as long and returns false. */
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

/** Throws for a commonly used password or one of a published breach (ASVS 6.2.4, 6.2.12). */
export async function refuseCommonPassword(password: string): Promise<void> {
  const text = normalised(password).toLowerCase();
  if (common.has(text) || (await isBreached(text))) throw new FieldErrors({ password: [COMMON_PASSWORD] });
}
