import type { eraseAccount } from '@sixdigit/contract/operator/erasures.ts';
import * as contract from '@sixdigit/contract/operator/erasures.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { eraseAccount as erase } from '../../accounts/accounts.ts';
import { formsOf, redactText } from '../../accounts/erasure/erasure.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Needs, Platform } from '../../platform/platform.ts';
import { recordAction } from '../audit.ts';
import { findRole } from '../queries.ts';
import type { Readers } from '../reading.ts';
import { accountDetail } from './accounts.ts';
import { erasuresOf, requestErasure } from './recipient-erasures.ts';

export function erasureRoutes(server: Server, app: Platform, { read }: Readers): void {
  serve(server, contract.eraseAccount, async ({ caller, params, body }) => {
    await eraseAccountOf(app, caller, params.id, body);
    return accountDetail(app, params.id);
  });
  serve(server, contract.eraseRecipient, ({ caller, body }) => requestErasure(app, caller, body));
  read(contract.listRecipientErasures, ({ db, query }) => erasuresOf(db, query));
}

type App = Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups' | 'placeOf'>;

/** Throws `not_found`, and a field error for an address that is not the account's, or for the account of an operator. */
async function eraseAccountOf(
  app: App,
  by: OperatorCaller,
  id: string,
  { email, reason }: Parsed<typeof eraseAccount, 'body'>,
): Promise<void> {
  const { state, credits, debt, api_keys, webhooks, sessions } = await accountDetail(app, id);
  if (state === 'deleted') throw new FieldErrors({ email: ['This account is already deleted.'] });
  const forms = formsOf(app, email);
  await app.db.transaction(async (tx) => {
    if ((await findRole(tx, id)) !== null)
      throw new FieldErrors({ email: ['This account is an operator. Remove its role first.'] });
    if (!(await erase(tx, app, { account_id: id, actor: 'operator', email })))
      throw new FieldErrors({ email: ['This is not the email address of the account.'] });
    await recordAction(tx, app, by, {
      action: 'account.erase',
      account_id: id,
      subject: 'Account',
      // The audit is kept for ever, so it must not name the person.
      reason: forms ? redactText(forms, reason) : reason,
      before: {
        state,
        credits,
        debt,
        api_keys: api_keys.length,
        webhooks: webhooks.length,
        sessions: sessions.length,
      },
      after: { state: 'deleted', credits, debt, api_keys: 0, webhooks: 0, sessions: 0 },
    });
  });
  app.wakeups.notify('notices');
}
