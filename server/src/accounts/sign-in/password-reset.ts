import { WRONG_PASSWORD } from '@sixdigit/contract/accounts/passwords.ts';
import { recordOfPerson } from '../../audit/audit.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import { type App, codeRoute, personOf } from '../account.ts';
import {
  count,
  FORGOT_BY_ADDRESS,
  RESET_CODES,
  RESET_CODES_OF_NETWORK,
  reserve,
  throttle,
} from '../limits.ts';
import { placeOfStranger } from '../passwords/password-check.ts';
import { refuseCommonPassword } from '../passwords/passwords.ts';
import { proveByCurrentPassword } from '../profile/profile.ts';
import { deleteChallengesOf, findChallenge, lockCodeEntry } from '../proofs/challenge-queries.ts';
import { openChallenge, startChallenge, type Waiting } from '../proofs/challenges.ts';
import { type Entry, enterCode } from '../proofs/code-entry.ts';
import { consumeResetLink, deleteResetLinksOf, findResetLink } from '../proofs/reset-links.ts';
import { paceOfResetMails } from '../proofs/reset-mails.ts';
import { findPersonByEmail, type Person, updatePassword } from '../queries.ts';
import { type Client, knownHome } from '../sessions/client.ts';
import { endSessionsOf } from '../sessions/sessions.ts';
import { hashOfToken } from '../sessions/tokens.ts';

/**
 * Sends a mail with a link and a code. The response and its timing are the same for an address that no person has. Requests
 * beyond the pace get the same response but send no mail. Every earlier link stays valid until it expires.
 */
export async function forgotPasswordOf(
  app: App,
  { email, client }: { email: string; client: Client },
): Promise<{ session_token: string }> {
  const fallback = app.carriers.has('email') ? 'email' : 'sms';
  const person = await findPersonByEmail(app.db, email);
  const home = await knownHome(app.db, person?.id ?? null, client);
  if (home === null) await reserve(app, [throttle(FORGOT_BY_ADDRESS, client.network)]);

  const isSent = (await paceOfResetMails(app, email, home)) !== undefined;
  const codes = home === null ? throttle(RESET_CODES, email) : throttle(RESET_CODES_OF_NETWORK, email, home);
  const hasCode = isSent && (await count(app, codes));
  const route = person && (await resetRoute(app, person));
  const waiting: Waiting = {
    addressee: email,
    channel: route?.channel ?? fallback,
    // A text message contains no link, so it would be useless without a code.
    recipient: isSent && (hasCode || route?.channel === 'email') ? (route?.recipient ?? null) : null,
    letter: hasCode ? 'passwordResetCode' : 'passwordResetLink',
  };
  const person_id = route ? person.id : null;
  const session_token = await app.db.transaction((tx) =>
    startChallenge(tx, app, { purpose: 'reset_password', person_id, client, waiting }),
  );
  app.wakeups.notify('notices');
  return { session_token };
}

/** Sends by e-mail, regardless of the two-factor method, and by SMS only if the service cannot send e-mail. */
const resetRoute = async (app: App, person: Person) =>
  app.carriers.has('email')
    ? ({ channel: 'email', recipient: person.email } as const)
    : codeRoute(app, person);

/**
 * Resets the password with the code. Ends every session and every pending code. Returns no tokens, so that two-factor still
 * applies.
 */
export async function resetPasswordWith(app: App, entry: Entry & { password: string }): Promise<void> {
  await refuseCommonPassword(entry.password);
  const { session_token, client } = entry;
  // Checks the token before the expensive hashing.
  const challenge = await findChallenge(app.db, hashOfToken(session_token), ['reset_password']);
  if (!challenge) throw new Failure('invalid_session_token');
  const { person_id } = challenge;
  const isKnown = (await knownHome(app.db, person_id, client)) !== null;
  const { addressee } = openChallenge(app, challenge);
  const place = await placeOfStranger(app, { email: addressee, person_id, client, isKnown });
  const password_hash = await app.passwords.hash(entry.password, place);
  await enterCode(app, ['reset_password'], entry, async (tx, { challenge: { person_id } }) => {
    if (!person_id || !(await updatePassword(tx, person_id, { was: null, password_hash })))
      throw new Failure('invalid_session_token');
    await afterPasswordChange(tx, app, { person_id, session_id: null, client, action: 'password.reset' });
  });
  app.wakeups.notify('notices');
}

/** Resets the password with the token from the mail's link. Its 256 random bits need no attempt limit. */
export async function resetPasswordByLinkWith(
  app: App,
  { token, password, client }: { token: string; password: string; client: Client },
): Promise<void> {
  await refuseCommonPassword(password);
  const { person_id } = await aliveLink(app, token);
  const password_hash = await app.passwords.hash(password, { room: 'signed_in', person_id, client });
  await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, person_id);
    if (!(await consumeResetLink(tx, token))) throw new Failure('invalid_reset_link');
    if (!(await updatePassword(tx, person_id, { was: null, password_hash })))
      throw new Failure('invalid_reset_link');
    await afterPasswordChange(tx, app, { person_id, session_id: null, client, action: 'password.reset' });
  });
  app.wakeups.notify('notices');
}

/** Throws `invalid_reset_link` if the link was used, has expired or never existed. */
export async function aliveLink(app: Pick<App, 'db'>, token: string): Promise<{ person_id: string }> {
  const link = await findResetLink(app.db, token);
  if (!link) throw new Failure('invalid_reset_link');
  return link;
}

/** Ends all sessions except the current one. */
export async function changePasswordOf(
  app: App,
  caller: PersonCaller,
  given: { current_password: string; password: string; client: Client },
): Promise<void> {
  const { person_id, session_id } = caller;
  const { current_password, password, client } = given;
  await refuseCommonPassword(password);
  const person = await personOf(app.db, person_id);
  await proveByCurrentPassword(app, caller, person, { current_password, client });
  const password_hash = await app.passwords.hash(password, { room: 'signed_in', person_id, client });
  await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, person_id);
    if (!(await updatePassword(tx, person_id, { was: person.password_hash, password_hash })))
      throw new FieldErrors({ current_password: [WRONG_PASSWORD] });
    await afterPasswordChange(tx, app, { person_id, session_id, client, action: 'password.change' });
  });
  app.wakeups.notify('notices');
}

interface PasswordChange {
  person_id: string;
  /** the session that stays */
  session_id: string | null;
  client: Client;
  action: 'password.change' | 'password.reset';
}

/** Ends the other sessions and invalidates every pending code and link. */
async function afterPasswordChange(
  tx: Tx,
  app: App,
  { person_id, session_id, client, action }: PasswordChange,
): Promise<void> {
  const ended_sessions = await endSessionsOf(tx, person_id, session_id);
  await deleteChallengesOf(tx, person_id);
  await deleteResetLinksOf(tx, person_id);
  await notifyPerson(tx, app, person_id, { kind: 'passwordChanged' });
  const after = { ended_sessions };
  await recordOfPerson(tx, app, { person_id, actor: 'owner', origin: client, action, after });
}
