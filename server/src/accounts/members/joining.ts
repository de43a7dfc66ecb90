import { MEMBERS_MAX } from '@sixdigit/contract/accounts/members.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { record } from '../../audit/audit.ts';
import { notifyOwners } from '../../messaging/notices/notices.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Origin } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { insertMembership } from '../sessions/memberships.ts';
import { type Identity, isFormerMember } from '../sso/sso.ts';
import { revokeInvitationsTo } from './invitation-queries.ts';
import { giveSlugs } from './own-accounts.ts';
import { countMembers, findRole, nameOf } from './queries.ts';

interface Joining {
  account_id: string;
  person_id: string;
  email: string;
  role: Role;
  /** the member who invited the person, or the identity with which the person joins by SSO */
  by: { invited_by: string } | { identity: Identity };
  origin: Origin;
}

/**
 * Makes a person a member, records it and tells the owners. Returns their role, which for a member is the one that they have.
 * First, in this order: lock the person, call `requireRoom` and `lockAccountsOf`, and refuse a deleted or suspended account. Send
 * the wake-up `notices` after the commit. Throws `member_limit_reached` and, for a former member who has not been invited,
 * `sso_not_a_member`.
 */
export async function becomeMember(
  tx: Tx,
  app: Needs<'random' | 'vault' | 'config'>,
  { account_id, person_id, email, role, by, origin }: Joining,
): Promise<Role> {
  const { invited_by, identity } = { invited_by: null, identity: undefined, ...by };
  if (identity && (await isFormerMember(tx, app, { identity, person_id, email })))
    throw new Failure('sso_not_a_member');
  if ((await insertMembership(tx, { account_id, person_id, role, invited_by })) === 0)
    return (await findRole(tx, account_id, person_id)) ?? role;
  // Nobody keeps an invitation to an earlier role.
  await revokeInvitationsTo(tx, account_id, email);
  if ((await countMembers(tx, account_id)) > MEMBERS_MAX) throw new Failure('member_limit_reached');
  await giveSlugs(tx, app, person_id);
  await record(tx, app, {
    account_id,
    person_id,
    actor: 'owner',
    origin,
    action: 'member.join',
    subject: email,
    after: { role },
  });
  const account = await nameOf(tx, account_id);
  const membersUrl = pageUrl(app, '/team');
  await notifyOwners(tx, app, account_id, { kind: 'memberJoined', account, email, role, membersUrl });
  return role;
}
