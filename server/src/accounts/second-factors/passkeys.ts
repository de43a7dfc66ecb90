/** The passkeys of a person, changed by their owner. */

import {
  type NewCredential,
  PASSKEYS_MAX,
  type Passkey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { byPerson, recordOfPerson } from '../../audit/audit.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import { isUuid } from '../../platform/security/random.ts';
import { type App, createFirstCodes, dropUnneededCodes } from './changes.ts';
import type { ChallengeOwner } from './passkey-challenges.ts';
import { register, registrationOptions } from './passkey-proof.ts';
import { countPasskeys, deletePasskey, insertPasskey, updateName } from './passkey-queries.ts';
import { ownedFactors } from './recovery-codes.ts';

const ownerOf = ({ person_id, session_id }: PersonCaller): ChallengeOwner & { person_id: string } => ({
  purpose: 'register',
  person_id,
  subject: session_id,
});

export async function startPasskeyOf(
  app: App,
  caller: PersonCaller,
): Promise<{ options: { challenge: string } }> {
  if ((await countPasskeys(app.db, caller.person_id)) >= PASSKEYS_MAX) throw tooMany();
  const email = await app.emailOf(caller.person_id);
  return { options: await registrationOptions(app, ownerOf(caller), email) };
}

const tooMany = () => new FieldErrors({ name: [`An account has at most ${PASSKEYS_MAX} passkeys.`] });

export async function addPasskeyOf(
  app: App,
  caller: PersonCaller,
  { name, credential }: { name: string; credential: NewCredential },
): Promise<Passkey & { recovery_codes: string[] | null }> {
  const { person_id } = caller;
  const added = await register(app, ownerOf(caller), credential, async (tx, registered) => {
    const before = await ownedFactors(tx, person_id);
    const passkey = await insertPasskey(tx, { id: app.random.uuid(), person_id, name, ...registered });
    // Browsers do not register a passkey twice for one person, so this credential belongs to another person.
    if (!passkey) throw new Failure('invalid_passkey');
    if ((await countPasskeys(tx, person_id)) > PASSKEYS_MAX) throw tooMany();
    await recordOfPerson(tx, app, { ...byPerson(caller), action: 'passkey.add', subject: name });
    await notifyPerson(tx, app, person_id, { kind: 'secondFactorAdded', factor: 'passkey' });
    return { ...passkey, recovery_codes: await createFirstCodes(tx, app, { person_id, before }) };
  });
  app.wakeups.notify('notices');
  return added;
}

export async function renamePasskeyOf(
  app: App,
  caller: PersonCaller,
  { id, name }: { id: string; name: string },
): Promise<Passkey> {
  if (!isUuid(id)) throw new Failure('not_found');
  return app.db.transaction(async (tx) => {
    const renamed = await updateName(tx, { person_id: caller.person_id, id }, name);
    if (!renamed) throw new Failure('not_found');
    const { old_name, ...passkey } = renamed;
    await recordOfPerson(tx, app, {
      ...byPerson(caller),
      action: 'passkey.change',
      subject: name,
      before: { name: old_name },
      after: { name },
    });
    return passkey;
  });
}

export async function removePasskeyOf(app: App, caller: PersonCaller, id: string): Promise<void> {
  if (!isUuid(id)) throw new Failure('not_found');
  const { person_id } = caller;
  await app.db.transaction(async (tx) => {
    await app.lockPerson(tx, person_id);
    const removed = await deletePasskey(tx, { person_id, id });
    if (!removed) throw new Failure('not_found');
    await recordOfPerson(tx, app, { ...byPerson(caller), action: 'passkey.remove', subject: removed.name });
    await notifyPerson(tx, app, person_id, { kind: 'secondFactorRemoved', factor: 'passkey' });
    await dropUnneededCodes(tx, person_id);
  });
  app.wakeups.notify('notices');
}
