import { endSessionsOf, lockSuspension, resume, type Suspension, suspend } from '../../accounts/accounts.ts';
import { balanceOf, deduct, deposit, lockBalance, NotEnoughCredits } from '../../credits/credits.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { recordAction } from '../audit.ts';
import { requireAccount } from '../reading.ts';
import type { Adjustment } from './accounts.ts';

/** Changes of one account. Each is a transaction with its entry in the audit and its mail to the owner. */
type App = Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups'>;

export async function suspendAccountOf(
  app: App,
  by: OperatorCaller,
  id: string,
  reason: string,
): Promise<void> {
  if (id === by.account_id) throw new FieldErrors({ reason: ['You cannot suspend your own account.'] });
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

/** Enters `adjustment:{id}` into the ledger once. Throws a field error if the account has fewer credits than are removed. */
export async function adjustCreditsOf(
  app: App,
  by: OperatorCaller,
  account_id: string,
  { credits, reason, id = app.random.uuid() }: Adjustment,
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

export async function endSessionsOfAccount(
  app: App,
  by: OperatorCaller,
  id: string,
  reason: string,
): Promise<number> {
  let ended = 0;
  await change(app, id, async (tx) => {
    ended = await endSessionsOf(tx, id, null);
    await recordAction(tx, app, by, {
      action: 'account.end_sessions',
      account_id: id,
      subject: 'Sessions',
      reason,
      before: { sessions: ended },
      after: { sessions: 0 },
    });
  });
  return ended;
}

/** Locks the balance, then the account: the order of all transactions. Throws `not_found`. */
async function change(
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
