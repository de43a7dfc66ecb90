/** Which people may open an account, and their roles in it. */

import type { Role } from '@sixdigit/contract/roles.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import { LIVES, PROVEN } from './sessions.ts';
import type { Access } from './tokens.ts';

interface Found {
  /** null if the person is not a member of the wanted account, or of any */
  account_id: string | null;
  role: Role | null;
  is_proven: boolean;
  /** the membership was noted as used in the last ten minutes */
  is_seen: boolean;
  /** the account that began the SSO session */
  sso_account_id: string | null;
  /** the account requires single sign-on of this person, and the session began otherwise */
  must_use_sso: boolean;
}

/** Whether the session `s` may open the account of the membership `m`, as far as single sign-on goes. */
const IS_ACCOUNT_OF_SESSION = '(s.sso_account_id is null or s.sso_account_id = m.account_id)';
const MUST_USE_SSO = '(s.sso_account_id is null and sso_bars(m.account_id, m.person_id))';

const SEEN = "last_seen_at > clock_now() - interval '10 minutes'";

/**
 * The session of an access token that is still valid, by the database's clock, with the membership of the wanted account. Null
 * stands for the account that the person's sign-up made, or else the one that they joined first.
 */
export const findMember = (
  sql: Sql,
  { session_id, person_id, expires_at }: Access,
  wanted: string | null,
): Promise<Found | undefined> =>
  sql.maybe(
    `select m.account_id, m.role, coalesce(m.${SEEN}, false) as is_seen, ${PROVEN} as is_proven, s.sso_account_id,
       ${MUST_USE_SSO} as must_use_sso
     from sessions s left join lateral (
       select * from memberships m
       where person_id = $2 and ($4::uuid is null or account_id = $4) and ${IS_ACCOUNT_OF_SESSION}
       order by account_id = $2 desc, joined_at, account_id limit 1) m on true
     where s.id = $1 and s.person_id = $2 and ${LIVES} and clock_now() < $3::timestamptz`,
    [session_id, person_id, expires_at, wanted],
  );

export const noteSeen = (sql: Sql, account_id: string, person_id: string): Promise<number> =>
  sql.run(
    `update memberships set last_seen_at = clock_now()
     where account_id = $1 and person_id = $2 and not coalesce(${SEEN}, false)`,
    [account_id, person_id],
  );

/**
 * The session of a request that has waited for a lock, with the person's membership of the account. Undefined if the session has
 * ended meanwhile.
 */
export const findCallerAgain = (
  tx: Tx,
  { session_id, account_id }: MemberSession,
): Promise<Pick<Found, 'role' | 'must_use_sso'> | undefined> =>
  tx.maybe(
    `select m.role, ${MUST_USE_SSO} as must_use_sso
     from sessions s left join memberships m
       on m.account_id = $2 and m.person_id = s.person_id and ${IS_ACCOUNT_OF_SESSION}
     where s.id = $1 and ${LIVES}`,
    [session_id, account_id],
  );

interface MemberSession {
  session_id: string;
  account_id: string;
}

interface OpenMemberSession extends MemberSession {
  person_id: string;
  role: Role;
}

/**
 * Whether a session is open, regardless of its access token, and may still open the account, and its person has the same role
 * there. An export that began with a higher role shows more.
 */
export const isMemberSessionOpen = async (
  sql: Sql,
  { session_id, person_id, account_id, role }: OpenMemberSession,
): Promise<boolean> =>
  (await selectOpenMemberSessions(sql, [{ session_id, account_id }])).some(
    (one) => one.person_id === person_id && one.role === role,
  );

/** Those of these sessions that are open and may still open the account. */
export const selectOpenMemberSessions = (
  sql: Sql,
  asked: readonly MemberSession[],
): Promise<OpenMemberSession[]> =>
  sql.rows(
    `select s.id as session_id, m.account_id, m.person_id, m.role
     from unnest($1::uuid[], $2::uuid[]) asked (session_id, account_id)
     join sessions s on s.id = asked.session_id and ${LIVES}
     join memberships m on m.account_id = asked.account_id and m.person_id = s.person_id
     where ${IS_ACCOUNT_OF_SESSION} and not ${MUST_USE_SSO}`,
    [asked.map(({ session_id }) => session_id), asked.map(({ account_id }) => account_id)],
  );

export const insertMembership = (
  tx: Tx,
  {
    account_id,
    person_id,
    role,
    invited_by = null,
  }: { account_id: string; person_id: string; role: Role; invited_by?: string | null },
): Promise<number> =>
  tx.run(
    `insert into memberships (account_id, person_id, role, invited_by, joined_at) values ($1, $2, $3, $4, clock_now())
     on conflict do nothing`,
    [account_id, person_id, role, invited_by],
  );

export const hasMemberships = async (sql: Queryable, person_id: string): Promise<boolean> =>
  (
    await sql.one<{ found: boolean }>(
      'select exists (select from memberships where person_id = $1) as found',
      [person_id],
    )
  ).found;

/** The ids of the accounts of which a person is a member. */
export const accountIdsOf = async (sql: Queryable, person_id: string): Promise<string[]> =>
  (
    await sql.rows<{ account_id: string }>('select account_id from memberships where person_id = $1', [
      person_id,
    ])
  ).map(({ account_id }) => account_id);

export const deleteMembershipsOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from memberships where account_id = $1', [account_id]);
