import { WRONG_PASSWORD } from '@sixdigit/contract/accounts/passwords.ts';
import { record } from '../audit/audit.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Tx } from '../platform/db/sql.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { UserCaller } from '../platform/http/serve.ts';
import { type App, accountOf } from './account.ts';
import { deleteChallengesOf, lockCodeEntry } from './challenge-queries.ts';
import type { Client } from './client.ts';
import { proveByCurrentPassword } from './current-password.ts';
import { refuseCommonPassword } from './passwords.ts';
import { updatePassword } from './queries.ts';
import { deleteResetLinksOf } from './reset-links.ts';
import { endSessionsOf } from './sessions.ts';

/** Ends all sessions except the current one. */
export async function changePasswordOf(
  app: App,
  caller: UserCaller,
  given: { current_password: string; password: string; client: Client },
): Promise<void> {
  const { account_id, session_id } = caller;
  const { current_password, password, client } = given;
  await refuseCommonPassword(password);
  const account = await accountOf(app.db, account_id);
  await proveByCurrentPassword(app, caller, account, { current_password, client });
  const password_hash = await app.passwords.hash(password, { room: 'signed_in', account_id, client });
  await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, account_id);
    if (!(await updatePassword(tx, account_id, { was: account.password_hash, password_hash })))
      throw new FieldErrors({ current_password: [WRONG_PASSWORD] });
    await afterPasswordChange(tx, app, { account_id, session_id, client, action: 'password.change' });
  });
  app.wakeups.notify('notices');
}

interface PasswordChange {
  account_id: string;
  /** the session that stays */
  session_id: string | null;
  client: Client;
  action: 'password.change' | 'password.reset';
}

/** Ends the other sessions and invalidates every pending code and link. */
export async function afterPasswordChange(
  tx: Tx,
  app: App,
  { account_id, session_id, client, action }: PasswordChange,
): Promise<void> {
  const ended_sessions = await endSessionsOf(tx, account_id, session_id);
  await deleteChallengesOf(tx, account_id);
  await deleteResetLinksOf(tx, account_id);
  await notifyAccount(tx, app, account_id, { kind: 'passwordChanged' });
  const after = { ended_sessions };
  await record(tx, app, { account_id, actor: 'owner', origin: client, action, after });
}
