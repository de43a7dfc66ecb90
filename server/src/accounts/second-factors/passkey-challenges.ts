/** Challenges for passkeys: 256 random bits, stored as a hash, valid once and for five minutes. */

import { createHash } from 'node:crypto';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';

export type Purpose = 'register' | 'sign_in' | 'second_step' | 'step_up';

export interface ChallengeOwner {
  purpose: Purpose;
  /** null for a sign-in, where the passkey names the person */
  person_id: string | null;
  /** the session that registers or proves, or the pending sign-in */
  subject: string | null;
}

const LIFETIME = "interval '5 minutes'";

export async function createPasskeyChallenge(
  app: Needs<'db' | 'random'>,
  { purpose, person_id, subject }: ChallengeOwner,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = Uint8Array.from(app.random.bytes(32));
  await app.db.run(
    `insert into passkey_challenges (hash, purpose, person_id, subject, expires_at)
     values ($1, $2, $3, $4, clock_now() + ${LIFETIME})`,
    [hashOf(Buffer.from(challenge).toString('base64url')), purpose, person_id, subject],
  );
  return challenge;
}

const MATCHES = `hash = $1 and purpose = $2 and person_id is not distinct from $3::uuid
  and subject is not distinct from $4::uuid and expires_at > clock_now()`;

export const isPasskeyChallenge = async (
  sql: Queryable,
  challenge: string,
  { purpose, person_id, subject }: ChallengeOwner,
): Promise<boolean> =>
  (await sql.maybe(`select 1 from passkey_challenges where ${MATCHES}`, [
    hashOf(challenge),
    purpose,
    person_id,
    subject,
  ])) !== undefined;

/** True for the one caller that consumes the challenge. */
export const consumePasskeyChallenge = async (
  tx: Queryable,
  challenge: string,
  { purpose, person_id, subject }: ChallengeOwner,
): Promise<boolean> =>
  (await tx.run(`delete from passkey_challenges where ${MATCHES}`, [
    hashOf(challenge),
    purpose,
    person_id,
    subject,
  ])) === 1;

export const deletePasskeyChallengesOf = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from passkey_challenges where person_id = $1', [person_id]);

export const oldPasskeyChallenges = { table: 'passkey_challenges', where: 'expires_at <= clock_now()' };

const hashOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();
