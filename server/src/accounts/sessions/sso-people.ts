/** The statements on people, members and sessions that only single sign-on needs. */

import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { ownedFactors } from '../second-factors/second-factors.ts';
import { LIVES } from './sessions.ts';

export interface MemberKey {
  account_id: string;
  person_id: string;
}

/**
 * Locks the account against deletion, before the lock of a membership: a deletion locks the account and then deletes its
 * memberships. False if it was deleted.
 */
export const holdAccount = async (tx: Tx, account_id: string): Promise<boolean> =>
  (await tx.maybe('select 1 from accounts where id = $1 and deleted_at is null for key share', [
    account_id,
  ])) !== undefined;

/** Whether the person is a member. Who removes them waits until the transaction ends, and then ends the session that it began. */
export const holdMembership = async (tx: Tx, { account_id, person_id }: MemberKey): Promise<boolean> =>
  (await tx.maybe('select 1 from memberships where account_id = $1 and person_id = $2 for key share', [
    account_id,
    person_id,
  ])) !== undefined;

/** Whether the person is an owner of the account who can sign in without its identity provider. */
export async function isOwnerWithProof(
  sql: Queryable,
  { account_id, person_id }: MemberKey,
): Promise<boolean> {
  const owner = await sql.maybe<{ has_password: boolean }>(
    `select p.password_hash is not null as has_password from memberships m join people p on p.id = m.person_id
     where m.account_id = $1 and m.person_id = $2 and m.role = 'owner' and p.deleted_at is null`,
    [account_id, person_id],
  );
  return owner !== undefined && (owner.has_password || (await ownedFactors(sql, person_id)).has_passkey);
}

/** The session of a step-up, unless it has ended. */
export const findSsoSession = (
  sql: Queryable,
  id: string,
): Promise<{ person_id: string; sso_account_id: string | null } | undefined> =>
  sql.maybe(`select person_id, sso_account_id from sessions where id = $1 and ${LIVES}`, [id]);

/** Ends the account's SSO sessions when they are this old, unless they end earlier. */
export const shortenSsoSessionsOf = (tx: Tx, account_id: string, hours: number): Promise<number> =>
  tx.run(
    `update sessions set ends_at = created_at + $2 * interval '1 hour'
     where sso_account_id = $1 and ended_at is null and (ends_at is null or ends_at > created_at + $2 * interval '1 hour')`,
    [account_id, hours],
  );

/** Ends the account's SSO sessions, but for one. */
export const endSsoSessionsOf = (tx: Tx, account_id: string, except: string | null): Promise<number> =>
  tx.run(
    `update sessions set ended_at = clock_now()
     where sso_account_id = $1 and ended_at is null and id is distinct from $2::uuid`,
    [account_id, except],
  );
