import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { requireRole, type UserCaller } from '../../platform/http/serve.ts';
import { lockSuspension, type Suspension } from '../access.ts';
import { findRole } from './queries.ts';

interface Locked {
  /** the caller's role, read under the lock */
  role: Role;
  suspension: Suspension;
}

/**
 * Locks the members and invitations of the caller's account until the transaction ends, and reads the caller's role again, which
 * another member may have changed since the request began. Throws `not_found` for a former member or a deleted account, and
 * `role_too_low`. Every transaction that adds, changes or deletes a membership locks the account's row.
 */
export async function lockMembers(
  tx: Tx,
  { account_id, person_id }: Pick<UserCaller, 'account_id' | 'person_id'>,
  needed: Role,
): Promise<Locked> {
  const suspension = await lockSuspension(tx, account_id);
  const role = suspension && (await findRole(tx, account_id, person_id));
  if (!suspension || !role) throw new Failure('not_found');
  requireRole({ role }, needed);
  return { role, suspension };
}

/** The higher of two roles: what it takes to turn one into the other. */
export const higherOf = (one: Role, other: Role): Role => (isAtLeast(one, other) ? one : other);
