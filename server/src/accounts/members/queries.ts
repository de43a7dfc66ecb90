import type { Member } from '@sixdigit/contract/accounts/members.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { WANTS_SERVICE_NOTICES } from '../../messaging/notices/notices.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';

const MEMBER = `m.person_id, coalesce(p.email, '') as email, trim(p.first_name || ' ' || p.last_name) as name, m.role, m.joined_at,
  m.last_seen_at`;

/** `viewer`: the person who gets the choice of mails in their own row. */
export const selectMembers = (sql: Queryable, account_id: string, viewer: string | null): Promise<Member[]> =>
  sql.rows<Member>(
    `select ${MEMBER}, case when m.person_id = $2 then ${WANTS_SERVICE_NOTICES} end as service_notices
     from memberships m join people p on p.id = m.person_id
     where m.account_id = $1 order by m.joined_at, m.person_id`,
    [account_id, viewer],
  );

export const findMemberOf = (
  sql: Queryable,
  account_id: string,
  person_id: string,
): Promise<Member | undefined> =>
  sql.maybe<Member>(
    `select ${MEMBER} from memberships m join people p on p.id = m.person_id
     where m.account_id = $1 and m.person_id = $2`,
    [account_id, person_id],
  );

export const findRole = async (
  sql: Queryable,
  account_id: string,
  person_id: string | null,
): Promise<Role | undefined> =>
  (
    await sql.maybe<{ role: Role }>('select role from memberships where account_id = $1 and person_id = $2', [
      account_id,
      person_id,
    ])
  )?.role;

export const isMemberAddress = async (sql: Queryable, account_id: string, email: string): Promise<boolean> =>
  (await sql.maybe(
    'select 1 from memberships join people on people.id = person_id where account_id = $1 and email = $2',
    [account_id, email],
  )) !== undefined;

export const countMembers = async (sql: Queryable, account_id: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from memberships where account_id = $1', [account_id]))
    .n;

/** The account has an owner besides the person. Lock the members first. */
const ANOTHER_OWNS = `exists (
  select from memberships other where other.account_id = $1 and other.person_id <> $2 and other.role = 'owner')`;

/** Returns 0 if the person is not a member, or the last owner and would not stay one. Lock the members first. */
export const updateRole = (tx: Tx, account_id: string, person_id: string, role: Role): Promise<number> =>
  tx.run(
    `update memberships set role = $3
     where account_id = $1 and person_id = $2 and (role <> 'owner' or $3 = 'owner' or ${ANOTHER_OWNS})`,
    [account_id, person_id, role],
  );

/** Returns 0 if the person is not a member, or the last owner. Lock the members first. */
export const deleteMembership = (tx: Tx, account_id: string, person_id: string): Promise<number> =>
  tx.run(
    `delete from memberships where account_id = $1 and person_id = $2 and (role <> 'owner' or ${ANOTHER_OWNS})`,
    [account_id, person_id],
  );

export const updateServiceNotices = (
  sql: Queryable,
  account_id: string,
  person_id: string,
  wanted: boolean,
): Promise<number> =>
  sql.run('update memberships set service_notices = $3 where account_id = $1 and person_id = $2', [
    account_id,
    person_id,
    wanted,
  ]);

/** The name of an account in mails and on the page of an invitation: its own, or the address of its owner. */
export const nameOf = async (sql: Queryable, account_id: string): Promise<string> =>
  (
    await sql.one<{ name: string }>(
      `select coalesce(nullif(name, ''), email, '') as name from accounts where id = $1`,
      [account_id],
    )
  ).name;
