import * as contract from '@sixdigit/contract/operator/accounts.ts';
import { endSessionsOf, findMemberOf, nameOf, updateRole } from '../../accounts/accounts.ts';
import { record } from '../../audit/audit.ts';
import { notifyMembers } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { recordAction } from '../audit.ts';
import { accountDetail } from './accounts.ts';
import { type App, change } from './changes.ts';

/** What an admin can do about one member of an account. */
export function memberRoutes(server: Server, app: Platform): void {
  serve(server, contract.endMemberSessions, async ({ caller, params, body }) => ({
    ended: await endSessionsOfMember(app, caller, { ...params, reason: body.reason }),
  }));
  serve(server, contract.makeOwner, async ({ caller, params, body }) => {
    await makeOwnerOf(app, caller, { id: params.id, ...body });
    return accountDetail(app, params.id);
  });
}

export async function endSessionsOfMember(
  app: App,
  by: OperatorCaller,
  { id, person_id, reason }: { id: string; person_id: string; reason: string },
): Promise<number> {
  let ended = 0;
  await change(app, id, async (tx) => {
    await memberOf(tx, id, person_id);
    ended = await endSessionsOf(tx, person_id, null);
    await recordAction(tx, app, by, {
      action: 'account.end_sessions',
      account_id: id,
      subject: `Sessions of member ${person_id}`,
      reason,
      before: { sessions: ended },
      after: { sessions: 0 },
    });
  });
  return ended;
}

/** Throws a field error unless the person is a member, and for the operator's own person. */
export async function makeOwnerOf(
  app: App,
  by: OperatorCaller,
  { id, person_id, reason }: { id: string; person_id: string; reason: string },
): Promise<void> {
  if (person_id === by.person_id)
    throw new FieldErrors({ person_id: ['You cannot make yourself the owner of an account.'] });
  await change(app, id, async (tx) => {
    const member = await findMemberOf(tx, id, person_id);
    if (!member) throw new FieldErrors({ person_id: ['Choose a member of the account.'] });
    const { email, role } = member;
    if (role === 'owner') return;
    await updateRole(tx, id, person_id, 'owner');
    const [before, after] = [{ role }, { role: 'owner' }];
    await recordAction(tx, app, by, {
      action: 'account.make_owner',
      account_id: id,
      subject: `Member ${person_id}`,
      reason,
      before,
      after,
    });
    await record(tx, app, {
      account_id: id,
      actor: 'operator',
      action: 'member.role',
      subject: email,
      before,
      after,
    });
    await notifyMembers(tx, app, id, {
      kind: 'ownerMade',
      account: await nameOf(tx, id),
      email,
      membersUrl: `${app.config.publicUrl}/settings/members`,
    });
  });
}

/** Throws `not_found`. */
async function memberOf(tx: Tx, id: string, person_id: string): Promise<void> {
  if (!isUuid(person_id) || !(await findMemberOf(tx, id, person_id))) throw new Failure('not_found');
}
