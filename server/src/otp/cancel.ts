import { byOwner, record } from '../audit/audit.ts';
import { lockBalance } from '../credits/credits.ts';
import { Failure } from '../platform/http/failure.ts';
import type { UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import type { Protection } from '../protection/protection.ts';
import { applyChanges, type Change, countEnds, countedEventOf } from './change.ts';
import { stateRecipient, stateRecipientsOf } from './code.ts';
import { closeForRecipient, findCancelable, lockRecipients, selectOpen, takeFromQueue } from './queries.ts';

export type CancelApp = Needs<'db' | 'clock' | 'random' | 'wakeups'> & {
  protection: Pick<Protection, 'guard'>;
};

interface CancelOf {
  account_id: string;
  otp_id: string;
  ip: string | null;
  /** undefined: either mode */
  is_test?: boolean;
  /** the signed-in user, for the audit log; absent if an API key cancels */
  owner?: UserCaller;
  /** The sender knows the recipient without the code. Rules learn nothing from such a verification. */
  is_approved?: boolean;
}

/**
 * Cancels a verification at its owner's request. Refunds the credit if no carrier can have the message yet. Throws a failure
 * if the verification can no longer be canceled.
 */
export async function cancel(
  app: CancelApp,
  { account_id, is_test, otp_id, ip, owner, is_approved = false }: CancelOf,
): Promise<void> {
  const ended = await app.db.transaction(async (tx) => {
    const seen = await findCancelable(tx, account_id, otp_id);
    if (!seen || seen.is_test !== (is_test ?? seen.is_test)) throw new Failure('otp_not_found');
    await lockBalance(tx, account_id);
    await lockRecipients(tx, account_id, stateRecipientsOf(seen));
    const now = await findCancelable(tx, account_id, otp_id);
    if (!now) throw new Failure('otp_not_found');
    if (now.status === 'verified') throw new Failure('otp_already_verified');
    if (now.closed_by === 'attempts') throw new Failure('max_attempts_reached');
    if (now.closed_by) throw new Failure('otp_closed');
    if (now.is_expired || now.status === 'expired') throw new Failure('otp_expired');
    const note = is_approved ? 'Approved by the sender' : 'Canceled';
    const messages = [{ id: otp_id, ...now }, ...(await selectOpen(tx, account_id, now.resend_ids ?? []))];
    const changes: Change[] = [];
    const unsent = new Set<string>();
    for (const { id, status } of messages) {
      if (await takeFromQueue(tx, id)) unsent.add(id);
      const base = { account_id, id, closed_by: 'canceled', wipe: true, note, ip } as const;
      changes.push(
        status === 'failed'
          ? { ...base, allowed: ['failed'] }
          : {
              ...base,
              allowed: ['pending', 'sent'],
              to: 'expired',
              event: 'expired',
              dequeue: true,
              ...(unsent.has(id) ? { refund: true } : {}),
            },
      );
    }
    const changed = await applyChanges(tx, changes);
    for (const { id } of messages) await closeForRecipient(tx, account_id, stateRecipient(seen), id);
    if (owner) await record(tx, app, { ...byOwner(owner), action: 'verification.cancel', subject: otp_id });
    return changed.flatMap((one) => {
      const event = countedEventOf(one, !unsent.has(one.id));
      const message = messages.find(({ id }) => id === one.id);
      const isCounted = event !== undefined && !(is_approved && event !== 'void');
      return message && isCounted ? [{ account_id, ...message, event }] : [];
    });
  });
  countEnds(app.protection.guard, app.clock.now().getTime(), ended);
  app.wakeups.notify('webhooks');
}
