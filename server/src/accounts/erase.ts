import { forgetNoticesOfPerson, postNotice } from '../messaging/notices/notices.ts';
import type { FreeTexts } from '../platform/db/erasure.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { PersonCaller, UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { type App, personOf } from './account.ts';
import { requireStill } from './members/authority.ts';
import { deleteInvitationsOf } from './members/invitation-queries.ts';
import { selectMembers } from './members/queries.ts';
import { provePassword } from './passwords/password-check.ts';
import { deleteChallengesOf, forgetWrongCodes, lockCodeEntry } from './proofs/challenge-queries.ts';
import { deleteResetLinksOf } from './proofs/reset-links.ts';
import { lockContact, lockPeople } from './queries.ts';
import { forgetSecondFactorsOf } from './second-factors/second-factors.ts';
import { type Client, deleteNetworksOf } from './sessions/client.ts';
import { deleteDevicesOf } from './sessions/known-devices.ts';
import { accountIdsOf, deleteMembershipsOf, hasMemberships } from './sessions/memberships.ts';
import { forgetIdentitiesOf, forgetSsoOf, rememberAddress } from './sso/sso.ts';

/** Deletes the caller. Throws `still_member`, and a field error for a wrong password. */
export async function deletePerson(
  app: App,
  caller: PersonCaller,
  { password, client }: { password: string; client: Client },
): Promise<void> {
  const { person_id } = caller;
  const person = await personOf(app.db, person_id);
  if (await hasMemberships(app.db, person_id)) throw new Failure('still_member');
  await provePassword(app, caller, person, { field: 'password', password, client });
  await app.db.transaction(async (tx) => {
    await lockCodeEntry(tx, person_id);
    // The lock of a person prevents that they join an account meanwhile.
    await lockPeople(tx, [person_id]);
    if (await hasMemberships(tx, person_id)) throw new Failure('still_member');
    await erasePerson(tx, app, person);
    const recipient = person.email;
    await postNotice(tx, app, { channel: 'email', recipient, contents: { kind: 'personDeleted' } });
  });
  app.wakeups.notify('notices');
}

export interface Erasing {
  account_id: string;
  /** the owner who deletes it; refused if they are no longer one */
  caller?: UserCaller | undefined;
  email?: string | undefined;
}

/**
 * Erases what this module stores of an account and of its members who have no other account. Returns the members' addresses, or
 * undefined if the account is already deleted, or if its address is not `email`.
 */
export async function eraseMembersOf(
  tx: Tx,
  app: Needs<'vault'>,
  { account_id, caller, email }: Erasing,
): Promise<string[] | undefined> {
  // Locked in the order of their ids, like in every transaction.
  const members = (await selectMembers(tx, account_id, null)).toSorted((one, other) =>
    one.person_id < other.person_id ? -1 : 1,
  );
  for (const member of members) await lockCodeEntry(tx, member.person_id);
  // The lock of a person prevents that they join another account meanwhile, that of the account that a person joins it.
  await lockPeople(
    tx,
    members.map((member) => member.person_id),
  );
  const found = await lockContact(tx, account_id);
  if (!found || (email !== undefined && email !== found.email)) return undefined;
  if (caller) await requireStill(tx, caller, 'owner');
  await deleteMembershipsOf(tx, account_id);
  await deleteInvitationsOf(tx, account_id);
  for (const member of members)
    if (!(await hasMemberships(tx, member.person_id)))
      await erasePerson(tx, app, { id: member.person_id, email: member.email });
  await erasePersonalData(tx, account_id);
  await forgetSsoOf(tx, account_id);
  return members.map((member) => member.email).filter((address) => address !== '');
}

/** Erases what identifies a person and everything that signs them in. Lock their code entry and their row first. */
async function erasePerson(
  tx: Tx,
  app: Needs<'vault'>,
  { id: person_id, email }: { id: string; email: string },
): Promise<void> {
  await rememberAddress(tx, app, { person_id, email, accounts: await accountIdsOf(tx, person_id) });
  await erasePersonRow(tx, person_id);
  // Passkeys are deleted before sessions: a sign-in in progress locks its passkey until it has inserted its session, which the
  // next statement then deletes.
  await forgetSecondFactorsOf(tx, person_id);
  await deleteSessionsOf(tx, person_id);
  await deleteNetworksOf(tx, person_id);
  await deleteDevicesOf(tx, person_id);
  await deleteResetLinksOf(tx, person_id);
  await deleteChallengesOf(tx, person_id);
  await forgetWrongCodes(tx, person_id);
  await forgetIdentitiesOf(tx, person_id);
  await forgetNoticesOfPerson(tx, person_id);
}

const erasePersonRow = (tx: Tx, id: string): Promise<number> =>
  tx.run(
    `update people set email = null, username = null, password_hash = null, first_name = '', last_name = '',
       phone_number = '', phone_verified_at = null, time_zone = null, two_factor_phone = '', two_factor_enabled = false,
       deleted_at = clock_now()
     where id = $1 and deleted_at is null`,
    [id],
  );

const erasePersonalData = (tx: Tx, id: string): Promise<number> =>
  tx.run(
    `update accounts set name = '', slug = null, email = null, username = null, password_hash = null, first_name = '',
       last_name = '', phone_number = '', phone_verified_at = null, time_zone = null, two_factor_phone = '',
       two_factor_enabled = false, sender_name = '', reply_to_email = '', default_subject = '', default_message = '',
       auto_purchase_enabled = false, low_balance_threshold = null, default_language = 'en', language_by_country = false, welcome_credits_due = 0,
       deleted_at = clock_now()
     where id = $1 and deleted_at is null`,
    [id],
  );

const deleteSessionsOf = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from sessions where person_id = $1', [person_id]);

/** Requests in flight at the time of the deletion have ended by then. */
const SETTLED = "interval '1 minute'";

/** A deleted account whose sends are not yet erased. */
export const findDeletedAccount = (sql: Sql): Promise<{ id: string } | undefined> =>
  sql.maybe<{ id: string }>(
    `select id from accounts where erased_at is null and deleted_at < clock_now() - ${SETTLED} limit 1`,
  );

export const noteErased = (sql: Sql, account_id: string): Promise<number> =>
  sql.run('update accounts set erased_at = clock_now() where id = $1', [account_id]);

export const accountTexts: readonly FreeTexts[] = [
  {
    table: 'accounts',
    key: ['id'],
    columns: ['sender_name', 'default_subject', 'default_message'],
    counts: 'texts_of_others',
  },
];
