import type { ShownInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import type { AuthReply } from '@sixdigit/contract/accounts/sign-in.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { isPlainName } from '@sixdigit/contract/text/plain-name.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { Origin, PersonCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import type { App } from '../account.ts';
import { reserve, uncount } from '../limits.ts';
import {
  consumeInvitation,
  findInvitationByToken,
  type InvitationRow,
} from '../members/invitation-queries.ts';
import { becomeMember } from '../members/joining.ts';
import { lockAccountsOf, requireRoom } from '../members/own-accounts.ts';
import { nameOf } from '../members/queries.ts';
import { refuseCommonPassword } from '../passwords/passwords.ts';
import { enteredPhone } from '../profile/profile.ts';
import { lockPerson } from '../queries.ts';
import { lockSuspension } from '../sessions/access.ts';
import type { Client } from '../sessions/client.ts';
import { startSession } from '../sessions/sessions.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import { countsCompletedSignUps, openPerson, signUpThrottle } from '../sign-in/sign-up.ts';

/**
 * How an invited person becomes a member. An invitation works once, until it is revoked or expires, and only for its address.
 * Otherwise the response is that of an invitation that does not exist.
 */
export async function showInvitationOf({ db }: Needs<'db'>, token: string): Promise<ShownInvitation> {
  const found = await openInvitation({ db }, token);
  const { account_id, email, role, invited_by, expires_at } = found;
  const name = await nameOf(db, account_id);
  return { account_name: isPlainName(name) ? name : '', email, role, invited_by, expires_at };
}

async function openInvitation({ db }: Needs<'db'>, token: string): Promise<InvitationRow> {
  const found = await findInvitationByToken(db, hashOfToken(token));
  if (!found) throw new Failure('not_found');
  return found;
}

/** Throws `not_found`, `account_suspended`, `account_limit_reached` and `member_limit_reached`. */
export async function acceptInvitationOf(
  app: Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups'>,
  caller: PersonCaller,
  token: string,
): Promise<{ account_id: string; role: Role }> {
  const { person_id } = caller;
  const { account_id, email: invited } = await openInvitation(app, token);
  const joined = await app.db.transaction(async (tx) => {
    const { email } = await lockPerson(tx, person_id);
    if (email !== invited) throw new Failure('not_found');
    await requireRoom(tx, person_id);
    await lockAccountsOf(tx, person_id, account_id);
    return { account_id, role: await join(tx, app, { account_id, person_id, email, token, origin: caller }) };
  });
  app.wakeups.notify('notices');
  return joined;
}

interface Joining {
  account_id: string;
  person_id: string;
  email: string;
  token: string;
  origin: Origin;
}

/** Uses the invitation up. Lock the person first. */
async function join(
  tx: Tx,
  app: Needs<'random' | 'vault' | 'config'>,
  { account_id, person_id, email, token, origin }: Joining,
): Promise<Role> {
  const suspension = await lockSuspension(tx, account_id);
  const invitation = await consumeInvitation(tx, { token_hash: hashOfToken(token), email });
  if (!suspension || !invitation) throw new Failure('not_found');
  if (suspension.suspended_at !== null) throw new Failure('account_suspended');
  const { role, invited_by } = invitation;
  return becomeMember(tx, app, { account_id, person_id, email, role, by: { invited_by }, origin });
}

interface InvitedSignUp {
  email: string;
  /** empty: none */
  phone_number: string;
  password: string;
  invitation: string;
  client: Client;
}

/**
 * Signs an invited person up. The link reached them by mail, so it proves the address as a code would, and the reply has tokens at
 * once. The person has no account of their own; they can create one. Throws `not_found`, `account_suspended`,
 * `member_limit_reached`, and a field error for an address that is not the invitation's or belongs to a person.
 */
export async function signUpInvited(
  app: App,
  { email, password, invitation, client, ...given }: InvitedSignUp,
): Promise<AuthReply> {
  const phone_number = given.phone_number && enteredPhone(app, given.phone_number);
  await refuseCommonPassword(password);
  await reserve(app, [signUpThrottle(client)]);
  const { account_id, email: invited } = await openInvitation(app, invitation);
  if (email !== invited) throw refused(`This invitation is for ${invited}.`);
  const password_hash = await app.passwords.hash(password, { room: 'open', client });
  const tokens = await app.db.transaction(async (tx) => {
    const person_id = await openPerson(tx, app, {
      email,
      phone_number,
      password_hash,
      is_phone_proven: false,
    });
    if (person_id === undefined)
      throw refused('This address is already registered. Sign in, then open the invitation again.');
    await join(tx, app, { account_id, person_id, email, token: invitation, origin: client });
    return startSession(tx, app, person_id, client);
  });
  if (!countsCompletedSignUps(app)) await uncount(app, signUpThrottle(client));
  app.wakeups.notify('notices');
  return { ...tokens, requires_2fa: false };
}

const refused = (text: string): FieldErrors => new FieldErrors({ email: [text] });
