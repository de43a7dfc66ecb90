/**
 * How a person stops being a member. Every request reads the membership, and open streams and exports look for it, so the change
 * takes effect at once on every process. What the member made stays.
 */

import { keysMadeBy } from '../../api-keys/api-keys.ts';
import { byOwner, record } from '../../audit/audit.ts';
import { forgetNoticesOfMember, notifyOwners, notifyPerson } from '../../messaging/notices/notices.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import { requireRole, type UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { mustNotBeExempt, rememberMember } from '../sso/sso.ts';
import { lockMembers } from './authority.ts';
import { revokeInvitationsOf, revokeInvitationsTo } from './invitation-queries.ts';
import { deleteMembership, findMemberOf, nameOf } from './queries.ts';

type App = Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups'>;

/** Throws `not_found`, `role_too_low`, `last_owner` and `sso_exempt_owner`. */
export async function removeMemberOf(app: App, caller: UserCaller, person_id: string): Promise<void> {
  if (person_id === caller.person_id) return leaveAccountOf(app, caller);
  if (!isUuid(person_id)) throw new Failure('not_found');
  const { account_id } = caller;
  await app.db.transaction(async (tx) => {
    const own = await lockMembers(tx, caller, 'admin', [person_id]);
    const member = await findMemberOf(tx, account_id, person_id);
    if (!member) throw new Failure('not_found');
    requireRole(own, member.role);
    await endMembership(tx, app, { account_id, person_id, email: member.email });
    const { email, role } = member;
    await record(tx, app, {
      ...byOwner(caller),
      action: 'member.remove',
      subject: email,
      before: { role },
    });
    const account = await nameOf(tx, account_id);
    await notifyPerson(tx, app, person_id, { kind: 'removedFromAccount', account });
  });
  app.wakeups.notify('notices');
}

/** Throws `last_owner` and `sso_exempt_owner`. */
export async function leaveAccountOf(app: App, caller: UserCaller): Promise<void> {
  const { account_id, person_id } = caller;
  await app.db.transaction(async (tx) => {
    const { role } = await lockMembers(tx, caller, 'viewer');
    const { email = '' } = (await findMemberOf(tx, account_id, person_id)) ?? {};
    await endMembership(tx, app, { account_id, person_id, email });
    await record(tx, app, { ...byOwner(caller), action: 'member.leave', subject: email, before: { role } });
  });
  app.wakeups.notify('notices');
}

interface Leaving {
  account_id: string;
  person_id: string;
  email: string;
}

/**
 * Deletes the membership, what waits for the member, and the invitations that only the member answers for or that an earlier
 * invitation has left for the member's address, and tells the owners which live keys the member knows. The account remembers the
 * member, who comes back only by a later invitation. Lock the members first. Throws `last_owner` and `sso_exempt_owner`.
 */
async function endMembership(tx: Tx, app: App, { account_id, person_id, email }: Leaving): Promise<void> {
  await mustNotBeExempt(tx, { account_id, person_id });
  await rememberMember(tx, app, { account_id, person_id, email });
  if ((await deleteMembership(tx, account_id, person_id)) === 0) throw new Failure('last_owner');
  await forgetNoticesOfMember(tx, account_id, person_id);
  await revokeInvitationsOf(tx, account_id, person_id);
  await revokeInvitationsTo(tx, account_id, email);
  const keys = await keysMadeBy(tx, account_id, person_id);
  if (keys.length > 0)
    await notifyOwners(tx, app, account_id, {
      kind: 'keysOfFormerMember',
      account: await nameOf(tx, account_id),
      email,
      keys: keys.slice(0, NAMED_MOST).map(({ name }) => name),
      more: Math.max(0, keys.length - NAMED_MOST),
      keysUrl: pageUrl(app, '/api-keys'),
    });
}

/** The number of keys that the mail to the owners names. */
const NAMED_MOST = 20;
