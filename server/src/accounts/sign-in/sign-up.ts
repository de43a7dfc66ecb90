import type { AuthReply } from '@sixdigit/contract/accounts/sign-in.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import type { App } from '../account.ts';
import { reserve, SIGN_UPS_BY_NETWORK, type Throttle, throttle } from '../limits.ts';
import { masked } from '../masked.ts';
import { refuseCommonPassword } from '../passwords/passwords.ts';
import { enteredPhone, reachablePhone } from '../profile/profile.ts';
import { giveWelcomeCredits, welcome } from '../profile/welcome.ts';
import { type Opened, reserveSending, startChallenge, type Waiting } from '../proofs/challenges.ts';
import { findPersonByEmail, insertAccount, insertPerson, type Person } from '../queries.ts';
import type { Client } from '../sessions/client.ts';
import { insertMembership } from '../sessions/memberships.ts';

interface SignUp {
  email: string;
  phone_number: string;
  password: string;
  client: Client;
}

/**
 * The challenge stores the sign-up sealed until the code arrives. It reserves neither the address nor the username. For an
 * address that a person has, the response and its timing are the same, and the owner receives a notice instead of a code.
 */
export async function signUpWith(
  app: App,
  { email, password, client, ...given }: SignUp,
): Promise<AuthReply> {
  // SMS proves the phone number, not the e-mail address, so it is used only without e-mail.
  const channel = app.carriers.has('email') ? 'email' : 'sms';
  if (!app.carriers.has(channel)) throw new FieldErrors({ email: [NO_CARRIER] });
  const phone_number =
    channel === 'sms'
      ? await reachablePhone(app.db, app, given.phone_number)
      : enteredPhone(app, given.phone_number);
  await refuseCommonPassword(password);
  const addressee = channel === 'email' ? email : phone_number;
  await reserve(app, [signUpThrottle(client)]);
  const sending = { purpose: 'sign_up', person_id: null, client } as const;
  await reserveSending(app, { ...sending, home: null, waiting: { addressee } });

  const password_hash = await app.passwords.hash(password, { room: 'open', client });
  const owner = await findPersonByEmail(app.db, email);
  const waiting: Waiting = {
    addressee,
    channel,
    ...(owner ? tellOwner(app, channel, owner) : { recipient: addressee, letter: 'signUpCode' }),
    sign_up: { email, phone_number, password_hash },
  };
  const session_token = await app.db.transaction((tx) => startChallenge(tx, app, { ...sending, waiting }));
  app.wakeups.notify('notices');
  const sent_to = masked({ channel, recipient: addressee });
  return { requires_2fa: true, session_token, two_factor_method: channel, sent_to, is_signup: true };
}

const NO_CARRIER =
  'This service cannot send codes yet, so you cannot sign up. Its operator must set up a carrier first.';

/** Counts sign-ups by the network in which one customer of an internet provider can choose addresses. */
export const signUpThrottle = ({ home }: Pick<Client, 'home'>): Throttle =>
  throttle(SIGN_UPS_BY_NETWORK, home ?? 'unknown');

/** A sandbox that only the local machine reaches does not limit completed sign-ups. */
export const countsCompletedSignUps = ({ config }: Needs<'config'>): boolean =>
  config.isPublic || !config.sandbox;

function tellOwner(app: App, channel: 'email' | 'sms', owner: Person): Pick<Waiting, 'recipient' | 'letter'> {
  const phone = owner.two_factor_phone || (owner.phone_verified_at ? owner.phone_number : '') || null;
  return {
    recipient: channel === 'email' ? owner.email : phone,
    letter: { withoutCode: { kind: 'alreadyRegistered', signInUrl: pageUrl(app, '/sign-in') } },
  };
}

/** Creates the person of a proven sign-up, unless another sign-up proved the same address first. */
export async function completeSignUp(
  tx: Tx,
  app: Needs<'config' | 'random' | 'vault'> & Pick<App, 'carriers'>,
  { sign_up, channel }: Opened,
): Promise<string> {
  if (!sign_up) throw new Failure('invalid_session_token');
  const { email, phone_number, password_hash } = sign_up;
  const is_phone_proven = channel === 'sms';
  const id = await openAccount(tx, app, { email, phone_number, password_hash, is_phone_proven });
  if (id === undefined) throw new Failure('invalid_session_token');
  if (is_phone_proven) await giveWelcomeCredits(tx, app, { person_id: id, phone: phone_number });
  return id;
}

/**
 * Creates a person under a free username, and an account of the same id that they own. Returns the id. Undefined if another person
 * has the address.
 */
export async function openAccount(
  tx: Tx,
  app: Needs<'config' | 'random' | 'vault'> & Pick<App, 'carriers'>,
  person: Omit<Parameters<typeof insertPerson>[1], 'id' | 'username'>,
): Promise<string | undefined> {
  const id = await openPerson(tx, app, person);
  if (id === undefined) return undefined;
  await foundAccount(tx, app, id);
  return id;
}

/** Creates the account of a person's sign-up, with the person's id, and its balance. */
export async function foundAccount(tx: Tx, app: Parameters<typeof welcome>[1], id: string): Promise<void> {
  await insertAccount(tx, { id, name: '' });
  await insertMembership(tx, { account_id: id, person_id: id, role: 'owner' });
  await welcome(tx, app, id);
}

/** Creates a person under a free username. Undefined if another person has the address. */
export async function openPerson(
  tx: Tx,
  app: Needs<'random'>,
  person: Omit<Parameters<typeof insertPerson>[1], 'id' | 'username'>,
): Promise<string | undefined> {
  const id = app.random.uuid();
  for (const username of usernames(app, person.email)) {
    if (await findPersonByEmail(tx, person.email)) return undefined;
    if (await insertPerson(tx, { ...person, id, username })) return id;
  }
  throw new Error('No username was free');
}

/** Yields the local part of the address, then the same with a number. */
function* usernames(app: Needs<'random'>, email: string): Generator<string> {
  const local = email.slice(0, email.lastIndexOf('@'));
  const name = local.replace(/[^\p{L}\p{N}._-]/gu, '').slice(0, 40) || 'user';
  yield name;
  for (let n = 2; n < 6; n += 1) yield `${name}${n}`;
  for (let n = 0; n < 20; n += 1) yield `${name}${app.random.digits(8)}`;
}
