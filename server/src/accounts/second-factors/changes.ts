import { byOwner, record } from '../../audit/audit.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { confirmEnrolment, deleteAuthenticator, enrol } from './authenticator.ts';
import type { LocksAccounts } from './passkey-proof.ts';
import {
  deleteRecoveryCodes,
  isAsked,
  type OwnedFactors,
  ownedFactors,
  replaceRecoveryCodes,
} from './recovery-codes.ts';

/**
 * Changes to the second factors by their owner. Each change first locks the account, because the recovery codes depend on all
 * factors. It is announced by e-mail and recorded in the audit log.
 */
export type App = Platform &
  LocksAccounts & {
    emailOf(account_id: string): Promise<string>;
  };

/** Throws `authenticator_exists`. */
export async function startEnrolment(
  app: App,
  { account_id }: UserCaller,
): Promise<{ secret: string; uri: string }> {
  const email = await app.emailOf(account_id);
  const begun = await app.db.transaction(async (tx) => {
    await app.lockAccount(tx, account_id);
    return enrol(tx, app, { account_id, email });
  });
  if (!begun) throw new Failure('authenticator_exists');
  return begun;
}

/** Throws `invalid_verification_code` if the code is wrong or no enrolment is pending. */
export async function confirmAuthenticatorOf(
  app: App,
  caller: UserCaller,
  code: string,
): Promise<{ recovery_codes: string[] | null }> {
  const { account_id } = caller;
  const recovery_codes = await app.db.transaction(async (tx) => {
    await app.lockAccount(tx, account_id);
    const before = await ownedFactors(tx, account_id);
    if (!(await confirmEnrolment(tx, app, { account_id, code })))
      throw new Failure('invalid_verification_code');
    await record(tx, app, { ...byOwner(caller), action: 'authenticator.add' });
    await notifyAccount(tx, app, account_id, { kind: 'secondFactorAdded', factor: 'authenticator app' });
    return createFirstCodes(tx, app, { account_id, before });
  });
  app.wakeups.notify('notices');
  return { recovery_codes };
}

/** Creates the recovery codes when an account adds its first app or passkey. Null if the account already has one. */
export const createFirstCodes = async (
  tx: Tx,
  app: App,
  { account_id, before }: { account_id: string; before: OwnedFactors },
): Promise<string[] | null> => (isAsked(before) ? null : replaceRecoveryCodes(tx, app, account_id));

/** Throws `not_found` if the account has none. */
export async function removeAuthenticatorOf(app: App, caller: UserCaller): Promise<void> {
  const { account_id } = caller;
  await app.db.transaction(async (tx) => {
    await app.lockAccount(tx, account_id);
    if ((await deleteAuthenticator(tx, account_id)) === 0) throw new Failure('not_found');
    await record(tx, app, { ...byOwner(caller), action: 'authenticator.remove' });
    await notifyAccount(tx, app, account_id, { kind: 'secondFactorRemoved', factor: 'authenticator app' });
    await dropUnneededCodes(tx, account_id);
  });
  app.wakeups.notify('notices');
}

/** Recovery codes replace an app or a passkey, so they are deleted with the last one. */
export async function dropUnneededCodes(tx: Tx, account_id: string): Promise<void> {
  if (!isAsked(await ownedFactors(tx, account_id))) await deleteRecoveryCodes(tx, account_id);
}

/** Throws `no_second_factor` if the account has no app or passkey. */
export async function createRecoveryCodesOf(
  app: App,
  caller: UserCaller,
): Promise<{ recovery_codes: string[] }> {
  const { account_id } = caller;
  const recovery_codes = await app.db.transaction(async (tx) => {
    await app.lockAccount(tx, account_id);
    if (!isAsked(await ownedFactors(tx, account_id))) throw new Failure('no_second_factor');
    await record(tx, app, { ...byOwner(caller), action: 'recovery_codes.create' });
    await notifyAccount(tx, app, account_id, { kind: 'recoveryCodesReplaced' });
    return replaceRecoveryCodes(tx, app, account_id);
  });
  app.wakeups.notify('notices');
  return { recovery_codes };
}
