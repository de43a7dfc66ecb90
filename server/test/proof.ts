import { createHash } from 'node:crypto';
import type { Challenge } from '@sixdigit/contract/proof.ts';

/** The number that a challenge asks for. */
export function numberOf({ challenge, maxnumber, salt }: Challenge): number {
  for (let number = 0; number <= maxnumber; number += 1)
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') === challenge) return number;
  throw new Error('The challenge has no solution');
}

/** A solution as ALTCHA's widget posts it, with changes. */
export const proofWith = (challenge: Challenge, changes: object = {}): string =>
  Buffer.from(JSON.stringify({ ...challenge, number: 0, took: 12, ...changes })).toString('base64');

export const solved = (challenge: Challenge): string => proofWith(challenge, { number: numberOf(challenge) });
