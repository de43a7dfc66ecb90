import { WRONG_PASSWORD } from '#contract/accounts.ts';
import type { Sql } from '../db/sql.ts';
import { Failure, FieldErrors } from '../http/failure.ts';
import type { Person } from '../http/serve.ts';
import { notifyAccount } from '../notices/notices.ts';
import { deleteChallengesOf, findChallenge, lockCodeEntry } from './challenge-queries.ts';
import { claimSending, type Entry, enterCode, startChallenge, type Waiting } from './challenges.ts';
import type { Client } from './client.ts';
import { FORGOT_BY_ADDRESS } from './limits.ts';
import { refuseCommonPassword } from './passwords.ts';
import { type App, accountOf, type CodeRoute, codeRoute, provePassword } from './person.ts';
import { type Account, findAccountByEmail, updatePassword } from './queries.ts';
import { endSessionsOf } from './sessions.ts';
import { claim, throttle } from './throttle.ts';
import { hashOfToken } from './tokens.ts';

/** The answer, and the work for it, are the same whoever exists. */
export async function forgotPasswordOf(
  app: App,
  { email, client }: { email: string; client: Client },
): Promise<{ session_token: string }> {
  const fallback = app.carriers.has('email') ? 'email' : 'sms';
  await claim(app, [throttle(FORGOT_BY_ADDRESS, client.network)]);
  const sending = { purpose: 'reset_password' } as const;
  await claimSending(app, {
    ...sending,
    account_id: null,
    client,
    waiting: { addressee: email, channel: fallback },
  });
  const account = await findAccountByEmail(app.db, email);
  const route = account && (await resetRoute(app, account));
  const waiting: Waiting = {
    addressee: email,
    channel: route?.channel ?? fallback,
    recipient: route?.recipient ?? null,
    letter: 'passwordResetCode',
  };
  const account_id = route ? account.id : null;
  const session_token = await app.db.transaction((tx) =>
    startChallenge(tx, app, { ...sending, account_id, waiting }),
  );
  app.pulse.ring('notices');
  return { session_token };
}

/** By e-mail, without a look at anything else; by SMS only where nothing carries e-mail. */
const resetRoute = async (app: App, account: Account): Promise<CodeRoute | undefined> =>
  app.carriers.has('email') ? { channel: 'email', recipient: account.email } : codeRoute(app, account);

/** Ends every session and whatever waits for a code; gives no tokens, so two-factor is still asked for. */
export async function resetPasswordWith(app: App, entry: Entry & { password: string }): Promise<void> {
  refuseCommonPassword(entry.password);
  // Before the work of hashing.
  if (!(await findChallenge(app.db, hashOfToken(entry.session_token), ['reset_password'])))
    throw new Failure('invalid_session_token');
  const password_hash = await app.passwords.hash(entry.password, entry.client.network);
  await enterCode(app, ['reset_password'], entry, async (tx, { challenge: { account_id } }) => {
    if (!account_id || !(await updatePassword(tx, account_id, { was: null, password_hash })))
      throw new Failure('invalid_session_token');
    await afterPasswordChange(tx, app, { account_id, session_id: null });
  });
  app.pulse.ring('notices');
}

/** Keeps the session it comes from and ends all others. */
export async function changePasswordOf(
  app: App,
  { account_id, session_id }: Person,
  given: { current_password: string; password: string; client: Client },
): Promise<void> {
  const { current_password, password, client } = given;
  refuseCommonPassword(password);
  const account = await accountOf(app.db, account_id);
  await provePassword(app, account, { field: 'current_password', password: current_password, client });
  const password_hash = await app.passwords.hash(password, client.network);
  await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, account_id);
    if (!(await updatePassword(tx, account_id, { was: account.password_hash, password_hash })))
      throw new FieldErrors({ current_password: [WRONG_PASSWORD] });
    await afterPasswordChange(tx, app, { account_id, session_id });
  });
  app.pulse.ring('notices');
}

async function afterPasswordChange(
  tx: Sql,
  app: App,
  { account_id, session_id }: { account_id: string; session_id: string | null },
): Promise<void> {
  await endSessionsOf(tx, account_id, session_id);
  await deleteChallengesOf(tx, account_id);
  await notifyAccount(tx, app, account_id, { kind: 'passwordChanged' });
}
