import * as contract from '@sixdigit/contract/operator/accounts.ts';
import { findMemberOf, makeOwner } from '../../accounts/accounts.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { recordAction } from '../audit.ts';
import { accountDetail } from './accounts.ts';
import { type App, change, endSessionsOfPeople } from './changes.ts';

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

export const endSessionsOfMember = (
  app: App,
  by: OperatorCaller,
  { id, person_id, reason }: { id: string; person_id: string; reason: string },
): Promise<number> =>
  endSessionsOfPeople(app, by, id, {
    subject: `Sessions of member ${person_id}`,
    reason,
    async select(tx) {
      await memberOf(tx, id, person_id);
      return [person_id];
    },
  });

/** Throws a field error unless the person is a member, and for the operator's own person. */
export async function makeOwnerOf(
  app: App,
  by: OperatorCaller,
  { id, person_id, reason }: { id: string; person_id: string; reason: string },
): Promise<void> {
  if (person_id === by.person_id)
    throw new FieldErrors({ person_id: ['You cannot make yourself the owner of an account.'] });
  await change(app, id, async (tx) => {
    const role = await makeOwner(tx, app, { account_id: id, person_id });
    if (!role) throw new FieldErrors({ person_id: ['Choose a member of the account.'] });
    if (role === 'owner') return;
    await recordAction(tx, app, by, {
      action: 'account.make_owner',
      account_id: id,
      subject: `Member ${person_id}`,
      reason,
      before: { role },
      after: { role: 'owner' },
    });
  });
}

/** Throws `not_found`. */
async function memberOf(tx: Tx, id: string, person_id: string): Promise<void> {
  if (!isUuid(person_id) || !(await findMemberOf(tx, id, person_id))) throw new Failure('not_found');
}
