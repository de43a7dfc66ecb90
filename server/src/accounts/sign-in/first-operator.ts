import { record } from '../../audit/audit.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { App } from '../account.ts';
import { createResetLink } from '../proofs/reset-links.ts';
import { findPersonByEmail } from '../queries.ts';
import { openAccount } from './sign-up.ts';

export type FirstOperatorApp = Pick<App, 'config' | 'random' | 'vault' | 'carriers'>;

/** Whether the service can deliver its own codes. Signing up and signing in need them. */
export const canDeliverCodes = ({ carriers }: Pick<App, 'carriers'>): boolean =>
  carriers.has('email') || carriers.has('sms');

/**
 * Opens an account for the first operator of a deployment without carriers, who cannot get a code to sign up. Returns a link with
 * which the owner chooses a password, valid once and for thirty minutes. Undefined for an account that has a password.
 */
export async function openFirstOperator(
  tx: Tx,
  app: FirstOperatorApp,
  email: string,
): Promise<string | undefined> {
  const known = await findPersonByEmail(tx, email);
  if (known?.password_hash) return undefined;
  const nothing = { password_hash: null, phone_number: '', is_phone_proven: false };
  const id = known?.id ?? (await openAccount(tx, app, { email, ...nothing }));
  if (id === undefined) return undefined;
  if (!known) await record(tx, app, { account_id: id, actor: 'operator', action: 'account.create' });
  return (await createResetLink(tx, app, id)).url;
}
