import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { requireRole, type UserCaller } from '../../platform/http/serve.ts';
import { holdPeople } from '../queries.ts';
import { lockSuspension, type Suspension } from '../sessions/access.ts';
import { findCallerAgain } from '../sessions/memberships.ts';

interface Locked {
  /** the caller's role, read under the lock */
  role: Role;
  suspension: Suspension;
}

/**
 * Locks the members, invitations and single sign-on of the caller's account until the transaction ends, and reads the caller's
 * rights again. Throws `not_found` for a deleted account, and as `requireStill` does. Every transaction that adds, changes or
 * deletes a membership locks the account's row. `others`: people, besides the caller, that the transaction's rows reference.
 */
export async function lockMembers(
  tx: Tx,
  caller: Waiting & Pick<UserCaller, 'person_id'>,
  needed: Role,
  others: readonly string[] = [],
): Promise<Locked> {
  await holdPeople(tx, [caller.person_id, ...others]);
  const suspension = await lockSuspension(tx, caller.account_id);
  if (!suspension) throw new Failure('not_found');
  return { role: await requireStill(tx, caller, needed), suspension };
}

type Waiting = Pick<UserCaller, 'account_id' | 'session_id'>;

/**
 * The caller's role, read again under the lock of the account's row, because another member may have changed it since the request
 * began. Throws `unauthenticated` if the session has ended since, `not_found` for a former member, `sso_required` and
 * `role_too_low`.
 */
export async function requireStill(tx: Tx, caller: Waiting, needed: Role): Promise<Role> {
  const found = await findCallerAgain(tx, caller);
  if (!found) throw new Failure('unauthenticated');
  const { role, must_use_sso } = found;
  if (role === null) throw new Failure('not_found');
  if (must_use_sso) throw new Failure('sso_required');
  requireRole({ role }, needed);
  return role;
}

/** The higher of two roles: what it takes to turn one into the other. */
export const higherOf = (one: Role, other: Role): Role => (isAtLeast(one, other) ? one : other);
