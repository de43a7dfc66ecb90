import { readFileSync } from 'node:fs';
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORD } from '#contract/accounts.ts';
import { Failure, FieldErrors } from '../http/failure.ts';

/**
 * Passwords as argon2id (OWASP: 19 MiB, two passes, one lane), on the thread pool. At most two are hashed at once and
 * twenty wait, so that a flood of sign-ins cannot stop the API; a crowd from one network gives way to others.
 */
export interface Passwords {
  /** Throws `too_many_requests` where too many wait. `network` is whose turn it is. */
  hash(password: string, network: string): Promise<string>;
  /** Takes as long where there is no hash to compare with; then the answer is false. */
  matches(stored: string | null | undefined, password: string, network: string): Promise<boolean>;
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
const AT_ONCE = 2;
const WAITING = 20;

export function createPasswords(): Passwords {
  const inTurn = createQueue();
  return {
    hash: (password, network) => inTurn(network, () => hash(normalised(password), COST)),
    async matches(stored, password, network) {
      const isRight = await inTurn(network, () => verify(stored ?? NOBODYS_HASH, normalised(password)));
      return isRight && stored !== null && stored !== undefined;
    },
  };
}

/** NIST SP 800-63B-4, 3.1.1.2: the same password however the keyboard composed it. */
const normalised = (password: string): string => password.toWellFormed().normalize('NFKC');

interface Waiting {
  network: string;
  start(): void;
  refuse(failure: Failure): void;
}

export function createQueue(): <T>(network: string, work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: Waiting[] = [];
  const countOf = (network: string) => waiting.filter((one) => one.network === network).length;

  /** Room for one more of this network, if need be at the expense of the network that has most. */
  const makeRoom = (network: string): boolean => {
    if (waiting.length < WAITING) return true;
    const greediest = waiting.reduce((a, b) => (countOf(b.network) > countOf(a.network) ? b : a)).network;
    if (countOf(greediest) <= countOf(network) + 1) return false;
    const last = waiting.findLastIndex((one) => one.network === greediest);
    waiting.splice(last, 1)[0]?.refuse(tooMany());
    return true;
  };
  /** The turn passes on to the first that waits, so that no newcomer slips in between. */
  const passOn = () => {
    const first = waiting.shift();
    if (first) first.start();
    else running -= 1;
  };

  return async (network, work) => {
    if (running < AT_ONCE) running += 1;
    else if (!makeRoom(network)) throw tooMany();
    else await new Promise<void>((start, refuse) => waiting.push({ network, start, refuse }));
    try {
      return await work();
    } finally {
      passOn();
    }
  };
}

const tooMany = () => new Failure('too_many_requests', { retry_after: 1 });

const common = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean),
);

/** ASVS 6.2.4: not one of those that are tried first. */
export function refuseCommonPassword(password: string): void {
  if (common.has(normalised(password).toLowerCase())) throw new FieldErrors({ password: [COMMON_PASSWORD] });
}
