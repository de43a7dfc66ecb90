/**
 * Changes to the second factors by their owner. Each change first locks the person, because the recovery codes depend on all
 * factors. It is announced by e-mail and recorded in the audit log.
 */

import { byPerson, recordOfPerson } from '../../audit/audit.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { confirmEnrolment, deleteAuthenticator, enrol } from './authenticator.ts';
import type { LocksPeople } from './passkey-proof.ts';
import {
  deleteRecoveryCodes,
  isAsked,
  type OwnedFactors,
  ownedFactors,
  replaceRecoveryCodes,
} from './recovery-codes.ts';

export type App = Platform &
  LocksPeople & {
    emailOf(person_id: string): Promise<string>;
  };

/** Throws `authenticator_exists`. */
export async function startEnrolment(
  app: App,
  { person_id }: PersonCaller,
): Promise<{ secret: string; uri: string }> {
  const email = await app.emailOf(person_id);
  const begun = await app.db.transaction(async (tx) => {
    await app.lockPerson(tx, person_id);
    return enrol(tx, app, { person_id, email });
  });
  if (!begun) throw new Failure('authenticator_exists');
  return begun;
}

/** Throws `invalid_verification_code` if the code is wrong or no enrolment is pending. */
export async function confirmAuthenticatorOf(
  app: App,
  caller: PersonCaller,
  code: string,
): Promise<{ recovery_codes: string[] | null }> {
  const { person_id } = caller;
  const recovery_codes = await app.db.transaction(async (tx) => {
    await app.lockPerson(tx, person_id);
    const before = await ownedFactors(tx, person_id);
    if (!(await confirmEnrolment(tx, app, { person_id, code })))
      throw new Failure('invalid_verification_code');
    await recordOfPerson(tx, app, { ...byPerson(caller), action: 'authenticator.add' });
    await notifyPerson(tx, app, person_id, { kind: 'secondFactorAdded', factor: 'authenticator app' });
    return createFirstCodes(tx, app, { person_id, before });
  });
  app.wakeups.notify('notices');
  return { recovery_codes };
}

/** Creates the recovery codes when a person adds their first app or passkey. Null if they already have one. */
export const createFirstCodes = async (
  tx: Tx,
  app: App,
  { person_id, before }: { person_id: string; before: OwnedFactors },
): Promise<string[] | null> => (isAsked(before) ? null : replaceRecoveryCodes(tx, app, person_id));

/** Throws `not_found` if the person has none. */
export async function removeAuthenticatorOf(app: App, caller: PersonCaller): Promise<void> {
  const { person_id } = caller;
  await app.db.transaction(async (tx) => {
    await app.lockPerson(tx, person_id);
    if ((await deleteAuthenticator(tx, person_id)) === 0) throw new Failure('not_found');
    await recordOfPerson(tx, app, { ...byPerson(caller), action: 'authenticator.remove' });
    await notifyPerson(tx, app, person_id, { kind: 'secondFactorRemoved', factor: 'authenticator app' });
    await dropUnneededCodes(tx, person_id);
  });
  app.wakeups.notify('notices');
}

/** Recovery codes replace an app or a passkey, so they are deleted with the last one. */
export async function dropUnneededCodes(tx: Tx, person_id: string): Promise<void> {
  if (!isAsked(await ownedFactors(tx, person_id))) await deleteRecoveryCodes(tx, person_id);
}

/** Throws `no_second_factor` if the person has no app or passkey. */
export async function createRecoveryCodesOf(
  app: App,
  caller: PersonCaller,
): Promise<{ recovery_codes: string[] }> {
  const { person_id } = caller;
  const recovery_codes = await app.db.transaction(async (tx) => {
    await app.lockPerson(tx, person_id);
    if (!isAsked(await ownedFactors(tx, person_id))) throw new Failure('no_second_factor');
    await recordOfPerson(tx, app, { ...byPerson(caller), action: 'recovery_codes.create' });
    await notifyPerson(tx, app, person_id, { kind: 'recoveryCodesReplaced' });
    return replaceRecoveryCodes(tx, app, person_id);
  });
  app.wakeups.notify('notices');
  return { recovery_codes };
}
