/**
 * Second factors that belong to the user: passkeys, authenticator apps and recovery codes. `accounts` requires them at sign-ins
 * and step-ups and limits the attempts; it also owns codes by e-mail and SMS.
 */

import type { Tx } from '../../platform/db/sql.ts';
import { deleteAuthenticator } from './authenticator.ts';
import { deletePasskeyChallengesOf } from './passkey-challenges.ts';
import { deletePasskeysOf } from './passkey-queries.ts';
import { deleteRecoveryCodes } from './recovery-codes.ts';

export { acceptAuthenticatorCode, oldEnrolments } from './authenticator.ts';
export { oldPasskeyChallenges } from './passkey-challenges.ts';
export { assertionOptions, preparePasskeys, proveByPasskey } from './passkey-proof.ts';
export {
  consumeRecoveryCode,
  countRecoveryCodes,
  isAsked,
  ownedFactors,
  ownsFactor,
  secondFactorsOf,
} from './recovery-codes.ts';

/**
 * Deletes everything when the person is deleted. A registration in progress locks its challenge, so passkeys are deleted after
 * challenges.
 */
export async function forgetSecondFactorsOf(tx: Tx, person_id: string): Promise<void> {
  await deletePasskeyChallengesOf(tx, person_id);
  await deletePasskeysOf(tx, person_id);
  await deleteAuthenticator(tx, person_id);
  await deleteRecoveryCodes(tx, person_id);
}
