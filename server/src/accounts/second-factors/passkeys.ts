import {
  type NewCredential,
  PASSKEYS_MAX,
  type Passkey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { byOwner, record } from '../../audit/audit.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import { isUuid } from '../../platform/security/random.ts';
import { type App, createFirstCodes, dropUnneededCodes } from './changes.ts';
import type { ChallengeOwner } from './passkey-challenges.ts';
import { register, registrationOptions } from './passkey-proof.ts';
import { countPasskeys, deletePasskey, insertPasskey, updateName } from './passkey-queries.ts';
import { ownedFactors } from './recovery-codes.ts';

/** The passkeys of an account, changed by their owner. */
const ownerOf = ({ account_id, session_id }: UserCaller): ChallengeOwner & { account_id: string } => ({
  purpose: 'register',
  account_id,
  subject: session_id,
});

export async function startPasskeyOf(
  app: App,
  caller: UserCaller,
): Promise<{ options: { challenge: string } }> {
  if ((await countPasskeys(app.db, caller.account_id)) >= PASSKEYS_MAX) throw tooMany();
  const email = await app.emailOf(caller.account_id);
  return { options: await registrationOptions(app, ownerOf(caller), email) };
}

const tooMany = () => new FieldErrors({ name: [`An account has at most ${PASSKEYS_MAX} passkeys.`] });

export async function addPasskeyOf(
  app: App,
  caller: UserCaller,
  { name, credential }: { name: string; credential: NewCredential },
): Promise<Passkey & { recovery_codes: string[] | null }> {
  const { account_id } = caller;
  const added = await register(app, ownerOf(caller), credential, async (tx, registered) => {
    const before = await ownedFactors(tx, account_id);
    const passkey = await insertPasskey(tx, { id: app.random.uuid(), account_id, name, ...registered });
    // Browsers do not register a passkey twice for one account, so this credential belongs to another account.
    if (!passkey) throw new Failure('invalid_passkey');
    if ((await countPasskeys(tx, account_id)) > PASSKEYS_MAX) throw tooMany();
    await record(tx, app, { ...byOwner(caller), action: 'passkey.add', subject: name });
    await notifyAccount(tx, app, account_id, { kind: 'secondFactorAdded', factor: 'passkey' });
    return { ...passkey, recovery_codes: await createFirstCodes(tx, app, { account_id, before }) };
  });
  app.wakeups.notify('notices');
  return added;
}

export async function renamePasskeyOf(
  app: App,
  caller: UserCaller,
  { id, name }: { id: string; name: string },
): Promise<Passkey> {
  if (!isUuid(id)) throw new Failure('not_found');
  return app.db.transaction(async (tx) => {
    const renamed = await updateName(tx, { account_id: caller.account_id, id }, name);
    if (!renamed) throw new Failure('not_found');
    const { old_name, ...passkey } = renamed;
    await record(tx, app, {
      ...byOwner(caller),
      action: 'passkey.change',
      subject: name,
      before: { name: old_name },
      after: { name },
    });
    return passkey;
  });
}

export async function removePasskeyOf(app: App, caller: UserCaller, id: string): Promise<void> {
  if (!isUuid(id)) throw new Failure('not_found');
  const { account_id } = caller;
  await app.db.transaction(async (tx) => {
    await app.lockAccount(tx, account_id);
    const removed = await deletePasskey(tx, { account_id, id });
    if (!removed) throw new Failure('not_found');
    await record(tx, app, { ...byOwner(caller), action: 'passkey.remove', subject: removed.name });
    await notifyAccount(tx, app, account_id, { kind: 'secondFactorRemoved', factor: 'passkey' });
    await dropUnneededCodes(tx, account_id);
  });
  app.wakeups.notify('notices');
}
