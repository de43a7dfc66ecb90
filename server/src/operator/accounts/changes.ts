import * as accounts from '@sixdigit/contract/operator/accounts.ts';
import * as contract from '@sixdigit/contract/operator/email-change.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import {
  type Client,
  clientOf,
  confirmEmailChange,
  type EmailChange,
  type EmailChangeApp,
  endSessionsOf,
  findContact,
  lockSuspension,
  requestEmailChange,
  resume,
  type Suspension,
  selectMembers,
  suspend,
} from '../../accounts/accounts.ts';
import { balanceOf, deduct, deposit, lockBalance, NotEnoughCredits } from '../../credits/credits.ts';
import { formsOf, redactText } from '../../deletion/deletion.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Needs, Platform } from '../../platform/platform.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { isUuid } from '../../platform/security/random.ts';
import { findRole } from '../access/operators.ts';
import { recordAction } from '../audit.ts';
import { requireAccount } from '../reading.ts';
import { accountDetail } from './accounts.ts';

export function changeRoutes(server: Server, app: EmailChangeApp & Platform): void {
  serve(server, accounts.suspendAccount, async ({ caller, params, body }) => {
    await suspendAccountOf(app, caller, params.id, body.reason);
    return accountDetail(app, params.id);
  });
  serve(server, accounts.resumeAccount, async ({ caller, params, body }) => {
    await resumeAccountOf(app, caller, params.id, body.reason);
    return accountDetail(app, params.id);
  });
  serve(server, accounts.adjustCredits, async ({ caller, params, body }) => {
    await adjustCreditsOf(app, caller, params.id, body);
    return accountDetail(app, params.id);
  });
  serve(server, accounts.endAccountSessions, async ({ caller, params, body }) => ({
    ended: await endSessionsOfAccount(app, caller, params.id, body.reason),
  }));
  serve(server, contract.requestEmailChange, ({ caller, params, body, request }) =>
    requestEmailChangeOf(app, caller, { ...params, body, client: clientOf(request) }),
  );
  serve(server, contract.confirmEmailChange, async ({ caller, params, body, request }) => {
    await confirmEmailChangeOf(app, caller, { ...params, body, client: clientOf(request) });
    return accountDetail(app, params.id);
  });
}

/** Changes to one account. Each transaction also writes the audit entry and the mail to the owner. */
export type App = Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups'>;

export async function suspendAccountOf(
  app: App,
  by: OperatorCaller,
  id: string,
  reason: string,
): Promise<void> {
  if (id === by.person_id) throw new FieldErrors({ reason: ['You cannot suspend your own account.'] });
  await change(app, id, async (tx, before) => {
    await suspend(tx, id, reason);
    if (!before.isSuspended) await notifyAccount(tx, app, id, { kind: 'accountSuspended', reason });
    await recordAction(tx, app, by, {
      action: 'account.suspend',
      account_id: id,
      subject: 'Account',
      reason,
      before,
      after: { isSuspended: true, reason },
    });
  });
}

export const resumeAccountOf = (app: App, by: OperatorCaller, id: string, reason: string): Promise<void> =>
  change(app, id, async (tx, before) => {
    if (!before.isSuspended) return;
    await resume(tx, id);
    await notifyAccount(tx, app, id, { kind: 'accountResumed' });
    await recordAction(tx, app, by, {
      action: 'account.resume',
      account_id: id,
      subject: 'Account',
      reason,
      before,
      after: { isSuspended: false, reason: '' },
    });
  });

/**
 * Enters `adjustment:{id}` into the ledger once. Throws a field error if the account has fewer credits than the adjustment
 * removes.
 */
export async function adjustCreditsOf(
  app: App,
  by: OperatorCaller,
  account_id: string,
  { credits, reason, id = app.random.uuid() }: Parsed<typeof accounts.adjustCredits, 'body'>,
): Promise<void> {
  const entry = {
    account_id,
    id: app.random.uuid(),
    kind: 'adjustment',
    reference: `adjustment:${id.toLowerCase()}`,
    credits: Math.abs(credits),
    description: `Adjustment: ${reason}`,
  } as const;
  await change(app, account_id, async (tx) => {
    const before = await lockBalance(tx, account_id);
    const isNew = await (credits > 0 ? deposit(tx, entry) : deduct(tx, entry)).catch(refuse);
    if (!isNew) return;
    const after = await balanceOf(tx, account_id);
    await notifyAccount(tx, app, account_id, {
      kind: 'creditsAdjusted',
      credits,
      balance: after.credits,
      reason,
      creditsUrl: `${app.config.publicUrl}/credits`,
    });
    await recordAction(tx, app, by, {
      action: 'account.adjust_credits',
      account_id,
      subject: `${credits > 0 ? '+' : ''}${credits} credits`,
      reason,
      before,
      after,
    });
  });
}

const refuse = (error: unknown): never => {
  if (!(error instanceof NotEnoughCredits)) throw error;
  throw new FieldErrors({ credits: [`The account has only ${error.credits} credits.`] });
};

export const endSessionsOfAccount = (
  app: App,
  by: OperatorCaller,
  id: string,
  reason: string,
): Promise<number> =>
  endSessionsOfPeople(app, by, id, {
    subject: 'Sessions',
    reason,
    select: async (tx) => (await selectMembers(tx, id, null)).map(({ person_id }) => person_id),
  });

interface Ending {
  subject: string;
  reason: string;
  /** the members whose sessions end; runs under the lock of the account */
  select: (tx: Tx) => Promise<readonly string[]>;
}

/** Returns the number of ended sessions. */
export async function endSessionsOfPeople(
  app: App,
  by: OperatorCaller,
  id: string,
  { subject, reason, select }: Ending,
): Promise<number> {
  let ended = 0;
  await change(app, id, async (tx) => {
    for (const person_id of await select(tx)) ended += await endSessionsOf(tx, person_id, null);
    await recordAction(tx, app, by, {
      action: 'account.end_sessions',
      account_id: id,
      subject,
      reason,
      before: { sessions: ended },
      after: { sessions: 0 },
    });
  });
  return ended;
}

/** Locks the balance, then the account, in the order that all transactions use. Throws `not_found`. */
export async function change(
  app: App,
  id: string,
  work: (tx: Tx, before: { isSuspended: boolean; reason: string }) => Promise<void>,
): Promise<void> {
  await requireAccount(app.db, id);
  await app.db.transaction(async (tx) => {
    await lockBalance(tx, id);
    const found = await lockSuspension(tx, id);
    if (!found) throw new Failure('not_found');
    await work(tx, stateOf(found));
  });
  app.wakeups.notify('notices');
}

const stateOf = ({ suspended_at, suspended_reason }: Suspension) => ({
  isSuspended: suspended_at !== null,
  reason: suspended_reason,
});

/** Changes an account's e-mail address after a proof of the new one. The audit records the request and the change. */
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
  const person_id = await contactOf(app, id);
  const requested = { person_id, requested_by: by.person_id, client, ...body };
  return requestEmailChange(app, requested, async (tx, change) => {
    await refuseOperator(tx, person_id);
    await recordChange(tx, app, by, 'account.request_email', { ...change, account_id: id });
  });
}

export async function confirmEmailChangeOf(
  app: EmailChangeApp,
  by: OperatorCaller,
  { id, body, client }: Asked<typeof contract.confirmEmailChange>,
): Promise<void> {
  const confirmed = { person_id: await contactOf(app, id), confirmed_by: by.person_id, client, ...body };
  await confirmEmailChange(app, confirmed, async (tx, change) => {
    await refuseOperator(tx, change.person_id);
    await recordChange(tx, app, by, 'account.change_email', { ...change, account_id: id });
  });
}

/** The person whose address is the account's. Throws `not_found`. */
async function contactOf(app: Needs<'db'>, id: string): Promise<string> {
  const person_id = isUuid(id) ? await findContact(app.db, id) : undefined;
  if (person_id === undefined) throw new Failure('not_found');
  return person_id;
}

/**
 * Prevents an admin from signing in as another operator: the audit log would attribute the admin's actions to that operator.
 */
async function refuseOperator(tx: Tx, id: string): Promise<void> {
  if ((await findRole(tx, id)) !== null)
    throw new FieldErrors({ email: ['This account is an operator. Remove its role first.'] });
}

/** The audit is never deleted, so it contains only masked addresses, also in the reason. */
const recordChange = (
  tx: Tx,
  app: EmailChangeApp,
  by: OperatorCaller,
  action: 'account.request_email' | 'account.change_email',
  { account_id, from, to, reason }: EmailChange & { account_id: string },
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
