import { record } from '../audit/audit.ts';
import type { Tx } from '../platform/db/sql.ts';
import type { App } from './account.ts';
import { findAccountByEmail, insertAccount } from './queries.ts';
import { createResetLink } from './reset-links.ts';
import { usernames } from './sign-up.ts';
import { welcome } from './welcome.ts';

export type InvitationApp = Pick<App, 'config' | 'random' | 'vault' | 'carriers'>;

/** Whether the service can deliver its own codes, without which nobody can sign up. */
export const canDeliverCodes = ({ carriers }: Pick<App, 'carriers'>): boolean =>
  carriers.has('email') || carriers.has('sms');

/**
 * Opens an account for the first operator of a deployment without carriers, who cannot get a code to sign up. Returns a link with
 * which the owner chooses a password, valid once and for thirty minutes. Undefined for an account that has a password.
 */
export async function inviteAccount(tx: Tx, app: InvitationApp, email: string): Promise<string | undefined> {
  const known = await findAccountByEmail(tx, email);
  if (known?.password_hash) return undefined;
  const id = known?.id ?? (await openAccount(tx, app, email));
  return (await createResetLink(tx, app, id)).url;
}

async function openAccount(tx: Tx, app: InvitationApp, email: string): Promise<string> {
  const id = app.random.uuid();
  const account = { id, email, password_hash: null, phone_number: '', is_phone_proven: false };
  for (const username of usernames(app, email)) {
    if (!(await insertAccount(tx, { ...account, username }))) continue;
    await welcome(tx, app, id);
    await record(tx, app, { account_id: id, actor: 'operator', action: 'account.create' });
    return id;
  }
  throw new Error('No username was free');
}
