import type { Db } from '../db/sql.ts';
import type { Needs } from '../ground.ts';
import { isUuid } from '../random.ts';
import { applyChanges, type Change } from './change.ts';

/** What a carrier reports of a message it took. */
export interface DeliveryReport {
  account_id: string;
  otp_id: string;
  state: 'delivered' | 'undelivered' | 'sent' | 'other';
  provider_message_id: string | null;
  reason: string | null;
}

/**
 * Books a delivery report. Late, repeated and disordered ones never move a verification backwards; any of them ends the
 * wait for an uncertain hand-over. False where it names nothing of ours.
 */
export async function report(app: Needs<'db' | 'pulse'>, given: DeliveryReport): Promise<boolean> {
  const { account_id, otp_id, state } = given;
  if (!isUuid(account_id) || !isUuid(otp_id)) return false;
  const found = await app.db.maybe('select 1 from verifications where account_id = $1 and id = $2', [
    account_id,
    otp_id,
  ]);
  if (!found) return false;
  if (state === 'delivered') await delivered(app.db, given);
  else if (state === 'undelivered') await undelivered(app.db, given);
  else if (state === 'sent') await app.db.transaction((tx) => applyChanges(tx, [acceptance(given)]));
  app.pulse.ring('webhooks');
  return true;
}

/** The carrier has it, whatever became of the answer that should have told us. */
const acceptance = ({ account_id, otp_id, provider_message_id }: DeliveryReport): Change => ({
  account_id,
  id: otp_id,
  allowed: ['pending'],
  to: 'sent',
  sent: true,
  event: 'sent',
  dequeue: true,
  provider_message_id,
  note: 'Accepted, as the carrier reports',
});

const delivered = (db: Db, given: DeliveryReport): Promise<unknown> =>
  db.transaction(async (tx) => {
    await applyChanges(tx, [acceptance(given)]);
    await applyChanges(tx, [
      {
        account_id: given.account_id,
        id: given.otp_id,
        allowed: ['sent', 'verified', 'expired', 'failed'],
        delivered: true,
        event: 'delivered',
        note: 'Delivered',
      },
    ]);
  });

/** The credit comes back, once; after the code was used it does not. Nothing that was delivered fails any more. */
const undelivered = (
  db: Db,
  { account_id, otp_id, reason, provider_message_id }: DeliveryReport,
): Promise<unknown> =>
  db.transaction(async (tx) => {
    const row = await tx.maybe(
      'select 1 from verifications where account_id = $1 and id = $2 and delivered_at is null',
      [account_id, otp_id],
    );
    if (!row) return;
    const why = `Not delivered${reason ? `: ${reason.replaceAll('_', ' ')}` : ''}`;
    const base = { account_id, id: otp_id, refund: true, note: why, provider_message_id } as const;
    const [moved] = await applyChanges(tx, [
      { ...base, allowed: ['pending', 'sent'], to: 'failed', event: 'failed', failure: why, dequeue: true },
    ]);
    if (!moved) await refundExpired(tx, { ...base, note: `${why}; credit returned` });
  });

/** A report that comes after the time has ended it changes no status; the credit still comes back, once. */
async function refundExpired(
  tx: Parameters<typeof applyChanges>[0],
  change: Omit<Change, 'allowed'>,
): Promise<void> {
  const row = await tx.maybe(
    'select 1 from verifications where account_id = $1 and id = $2 and cost_credits > 0 and closed_by is null',
    [change.account_id, change.id],
  );
  if (row) await applyChanges(tx, [{ ...change, allowed: ['expired'] }]);
}
