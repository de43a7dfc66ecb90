import type { Tokens } from '@sixdigit/contract/accounts/sign-in.ts';
import type { SsoReply } from '@sixdigit/contract/accounts/sso.ts';
import { record } from '../../audit/audit.ts';
import { notifyPerson } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { PersonCaller } from '../../platform/http/serve.ts';
import type { App } from '../account.ts';
import { becomeMember } from '../members/joining.ts';
import { lockAccountsOf, requireRoom } from '../members/own-accounts.ts';
import { nameOf } from '../members/queries.ts';
import { findPersonByEmail, holdPeople, lockPerson } from '../queries.ts';
import { lockSuspension, type Suspension } from '../sessions/access.ts';
import type { Client } from '../sessions/client.ts';
import { isSessionOpen, startSsoSession } from '../sessions/sessions.ts';
import { holdAccount, holdMembership } from '../sessions/sso-people.ts';
import { hashOfToken } from '../sessions/tokens.ts';
import {
  type Claims,
  consumeLink,
  findIdentity,
  findSso,
  type Identity,
  insertIdentity,
  insertLink,
  noteSignIn,
  type SsoRow,
  touchIdentity,
} from '../sso/sso.ts';
import { openPerson } from './sign-up.ts';

/** The members that sign in with SSO: the first sign-in of an identity, later ones, and links to people who already exist. */

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

interface FirstSignIn {
  sso: SsoRow;
  identity: Identity;
  claims: Claims;
  email: string;
  client: Client;
}

/** The first sign-in of an identity. Undefined if another one ran at once and was first. */
export async function signInFirstTime(
  tx: Tx,
  app: App,
  { sso, identity, claims, email, client }: FirstSignIn,
): Promise<SsoReply | undefined> {
  const { account_id } = identity;
  const person = await findPersonByEmail(tx, email);
  if (person)
    return (await findIdentity(tx, identity))
      ? undefined
      : offerLink(tx, app, { identity, person_id: person.id, email });
  const person_id = await openPerson(tx, app, {
    email,
    password_hash: null,
    phone_number: '',
    is_phone_proven: false,
    first_name: claims.firstName,
    last_name: claims.lastName,
  });
  // Another sign-in or a sign-up has taken the address since.
  if (person_id === undefined) return undefined;
  const suspension = await lockSuspension(tx, account_id);
  // The default role may have changed since the sign-in began.
  const settings = await findSso(tx, account_id);
  if (!suspension || !settings) throw new Failure('invalid_sso_login');
  mustNotBeSuspended(suspension);
  await join(tx, app, { sso: settings, identity, person_id, email, client });
  return { ...(await signInMember(tx, app, { sso, identity, person_id, client })), joined: true };
}

interface MemberSignIn {
  sso: SsoRow;
  identity: Identity;
  person_id: string;
  client: Client;
}

/** The person keeps their address here, whatever address the provider names now. */
export async function signInMember(
  tx: Tx,
  app: App,
  { sso, identity, person_id, client }: MemberSignIn,
): Promise<SsoReply & Tokens> {
  const { account_id } = identity;
  await holdPeople(tx, [person_id]);
  if (!(await holdAccount(tx, account_id))) throw new Failure('invalid_sso_login');
  if (!(await holdMembership(tx, { account_id, person_id }))) throw new Failure('sso_not_a_member');
  const session_hours = await noteSignInOrRefuse(tx, sso);
  // The person was removed since, and has joined again.
  if ((await touchIdentity(tx, { ...identity, person_id })) === 0) throw new Failure('invalid_sso_login');
  const tokens = await startSsoSession(tx, app, {
    person_id,
    sso_account_id: account_id,
    session_hours,
    client,
  });
  return { account_id, ...tokens };
}

/**
 * Locks the settings until the transaction ends, so that a change of the provider ends this sign-in's session too. Returns how
 * many hours the session lasts, which may have changed since the sign-in began. Throws `invalid_sso_login` if the provider or the
 * domain has changed.
 */
async function noteSignInOrRefuse(tx: Tx, sso: SsoRow): Promise<number> {
  const noted = await noteSignIn(tx, sso);
  if (!noted) throw new Failure('invalid_sso_login');
  return noted.session_hours;
}

/** The address belongs to somebody whom this provider cannot vouch for. */
async function offerLink(
  tx: Tx,
  app: App,
  { identity, person_id, email }: { identity: Identity; person_id: string; email: string },
): Promise<SsoReply> {
  if ((await holdPeople(tx, [person_id])) === 0) throw new Failure('invalid_sso_login');
  const link_token = app.random.token();
  await insertLink(tx, { ...identity, person_id, token_hash: hashOfToken(link_token) });
  return { account_id: identity.account_id, link_token, email };
}

/**
 * The session that links must belong to the person whose address the provider named, and must have begun by that person's own
 * proof.
 */
export async function linkSsoOf(
  app: App,
  caller: PersonCaller,
  { link_token, client }: { link_token: string; client: Client },
): Promise<Tokens & { account_id: string; joined?: true }> {
  const { person_id } = caller;
  if (caller.sso_account_id !== null) throw new Failure('invalid_sso_link');
  const reply = await app.db.transaction(async (tx) => {
    const { email } = await lockPerson(tx, person_id);
    const link = await consumeLink(tx, { token_hash: hashOfToken(link_token), person_id });
    if (!link) throw new Failure('invalid_sso_link');
    const { account_id, issuer, subject } = link;
    const identity = { account_id, issuer, subject };
    await lockAccountsOf(tx, person_id, account_id);
    const suspension = await lockSuspension(tx, account_id);
    const sso = await findSso(tx, account_id);
    if (!suspension || !sso?.is_proven || domainOf(email) !== sso.domain)
      throw new Failure('invalid_sso_link');
    // The session may have ended while this call waited for the locks.
    if (!(await isSessionOpen(tx, caller))) throw new Failure('unauthenticated');
    const isMember = await holdMembership(tx, { account_id, person_id });
    if (!isMember) {
      mustNotBeSuspended(suspension);
      await requireRoom(tx, person_id);
      await join(tx, app, { sso, identity, person_id, email, client });
    } else {
      await linkIdentity(tx, identity, person_id);
    }
    const by = { account_id, person_id, actor: 'owner', origin: client } as const;
    await record(tx, app, { ...by, action: 'sso.link', subject: issuer });
    await notifyPerson(tx, app, person_id, {
      kind: 'ssoLinked',
      account: await nameOf(tx, account_id),
      domain: sso.domain,
    });
    const session_hours = await noteSignInOrRefuse(tx, sso);
    const session = { person_id, sso_account_id: account_id, session_hours, client };
    const tokens = await startSsoSession(tx, app, session);
    return { account_id, ...tokens, ...(!isMember && { joined: true as const }) };
  });
  app.wakeups.notify('notices');
  return reply;
}

async function join(
  tx: Tx,
  app: App,
  { sso, identity, person_id, email, client }: MemberSignIn & { email: string },
): Promise<void> {
  const { account_id } = identity;
  const role = sso.default_role;
  await becomeMember(tx, app, { account_id, person_id, email, role, by: { identity }, origin: client });
  await linkIdentity(tx, identity, person_id);
}

async function linkIdentity(tx: Tx, identity: Identity, person_id: string): Promise<void> {
  // Another person was linked to the identity since.
  if ((await insertIdentity(tx, { ...identity, person_id })) === 0) throw new Failure('invalid_sso_link');
}

/** Nobody joins a suspended account. Its members can sign in. */
function mustNotBeSuspended({ suspended_at }: Suspension): void {
  if (suspended_at !== null) throw new Failure('account_suspended');
}
