import type * as contract from '@sixdigit/contract/operator/email-change.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import {
  type Client,
  confirmEmailChange,
  type EmailChange,
  type EmailChangeApp,
  requestEmailChange,
} from '../../accounts/accounts.ts';
import { formsOf, redactText } from '../../accounts/erasure/erasure.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { recordAction } from '../audit.ts';
import { findRole } from '../queries.ts';

/** The e-mail address of an account changes after a proof of the new one. The audit has the request and the change. */
interface Asked<R extends typeof contract.requestEmailChange | typeof contract.confirmEmailChange> {
  id: string;
  body: Parsed<R, 'body'>;
  client: Client;
}

export async function requestEmailChangeOf(
  app: EmailChangeApp,
  by: OperatorCaller,
  { id, body, client }: Asked<typeof contract.requestEmailChange>,
): Promise<Reply<typeof contract.requestEmailChange>> {
  if (!isUuid(id)) throw new Failure('not_found');
  const requested = { account_id: id, requested_by: by.account_id, client, ...body };
  return requestEmailChange(app, requested, async (tx, change) => {
    await refuseOperator(tx, id);
    await recordChange(tx, app, by, 'account.request_email', change);
  });
}

export async function confirmEmailChangeOf(
  app: EmailChangeApp,
  by: OperatorCaller,
  { id, body, client }: Asked<typeof contract.confirmEmailChange>,
): Promise<void> {
  const confirmed = { account_id: id, confirmed_by: by.account_id, client, ...body };
  await confirmEmailChange(app, confirmed, async (tx, change) => {
    await refuseOperator(tx, id);
    await recordChange(tx, app, by, 'account.change_email', change);
  });
}

/** Otherwise an admin could sign in as another one, and the audit would name the wrong person. */
async function refuseOperator(tx: Tx, id: string): Promise<void> {
  if ((await findRole(tx, id)) !== null)
    throw new FieldErrors({ email: ['This account is an operator. Remove its role first.'] });
}

/** The audit is kept for ever, so it names the addresses masked, also in the reason. */
const recordChange = (
  tx: Tx,
  app: EmailChangeApp,
  by: OperatorCaller,
  action: 'account.request_email' | 'account.change_email',
  { account_id, from, to, reason }: EmailChange,
): Promise<void> =>
  recordAction(tx, app, by, {
    action,
    account_id,
    subject: `${maskedRecipient(from)} → ${maskedRecipient(to)}`,
    reason: [from, to].reduce((text, address) => {
      const forms = formsOf(app, address);
      return forms ? redactText(forms, text) : text;
    }, reason),
    before: { email: maskedRecipient(from) },
    after: { email: maskedRecipient(to) },
  });
