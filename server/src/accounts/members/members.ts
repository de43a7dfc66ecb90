/** The members of an account and their roles. An account always has an owner, also under concurrent changes. */

import type { Member } from '@sixdigit/contract/accounts/members.ts';
import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import { byOwner, record } from '../../audit/audit.ts';
import { forgetNoticesOfMember, notifyMember, notifyMembers } from '../../messaging/notices/notices.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { requireRole, type UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { mustNotBeExempt } from '../sso/sso.ts';
import { higherOf, lockMembers } from './authority.ts';
import { revokeInvitationsAbove } from './invitation-queries.ts';
import { findMemberOf, nameOf, selectMembers, updateRole, updateServiceNotices } from './queries.ts';

type App = Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups'>;

export async function membersOf(
  { db }: Needs<'db'>,
  { account_id, person_id }: Pick<UserCaller, 'account_id' | 'person_id'>,
): Promise<{ results: Member[] }> {
  const members = await selectMembers(db, account_id, person_id);
  return { results: members.map(withoutOthersChoice) };
}

const withoutOthersChoice = ({ service_notices, ...member }: Member): Member => ({
  ...member,
  ...(typeof service_notices === 'boolean' ? { service_notices } : {}),
});

/** Throws `not_found`, `role_too_low`, `last_owner` and `sso_exempt_owner`. */
export async function changeRoleOf(
  app: App,
  caller: UserCaller,
  { person_id, role }: { person_id: string; role: Role },
): Promise<Member> {
  const { account_id } = caller;
  const isOwn = person_id === caller.person_id;
  const member = await app.db.transaction(async (tx) => {
    const own = await lockMembers(tx, caller, 'admin');
    const before = isUuid(person_id) ? await findMemberOf(tx, account_id, person_id) : undefined;
    if (!before) throw new Failure('not_found');
    requireRole(own, higherOf(before.role, role));
    if (before.role === role) return before;
    if (before.role === 'owner') await mustNotBeExempt(tx, { account_id, person_id });
    if ((await updateRole(tx, account_id, person_id, role)) === 0) throw new Failure('last_owner');
    await record(tx, app, {
      ...byOwner(caller),
      action: 'member.role',
      subject: before.email,
      before: { role: before.role },
      after: { role },
    });
    await revokeInvitationsAbove(tx, { account_id, person_id, role });
    // What waits for owners and admins is not for a lower role.
    if (!isAtLeast(role, 'admin')) await forgetNoticesOfMember(tx, account_id, person_id);
    if (!isOwn) {
      const account = await nameOf(tx, account_id);
      await notifyMember(
        tx,
        app,
        { account_id, person_id },
        { kind: 'roleChanged', account, role, dashboardUrl: pageUrl(app, '/') },
      );
    }
    return { ...before, role };
  });
  app.wakeups.notify('notices');
  return member;
}

/**
 * Makes a member an owner on behalf of an operator, and tells all members. Returns the role before, undefined for a person who is
 * not a member. Lock the account first; send the wake-up `notices` after the commit.
 */
export async function makeOwner(
  tx: Tx,
  app: Needs<'random' | 'vault' | 'config'>,
  { account_id, person_id }: Pick<UserCaller, 'account_id' | 'person_id'>,
): Promise<Role | undefined> {
  const member = await findMemberOf(tx, account_id, person_id);
  if (!member || member.role === 'owner') return member?.role;
  const { email, role } = member;
  await updateRole(tx, account_id, person_id, 'owner');
  const [before, after] = [{ role }, { role: 'owner' }];
  await record(tx, app, {
    account_id,
    actor: 'operator',
    action: 'member.role',
    subject: email,
    before,
    after,
  });
  const account = await nameOf(tx, account_id);
  const membersUrl = pageUrl(app, '/team');
  await notifyMembers(tx, app, account_id, { kind: 'ownerMade', account, email, membersUrl });
  return role;
}

export async function chooseNotices(
  { db }: Needs<'db'>,
  { account_id, person_id }: UserCaller,
  service_notices: boolean,
): Promise<{ service_notices: boolean }> {
  if ((await updateServiceNotices(db, account_id, person_id, service_notices)) === 0)
    throw new Failure('not_found');
  return { service_notices };
}
