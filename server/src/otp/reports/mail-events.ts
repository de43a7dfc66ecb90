import type { SuppressionReason } from '@sixdigit/contract/suppressions.ts';
import type { MailEvent } from '../../messaging/carriers/carriers.ts';
import { endSoftBounces, suppress } from '../../messaging/suppressions/suppressions.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { applyChanges } from '../change.ts';
import { hasNote, type ReportedRow } from '../queries.ts';

/** What the history says. */
const NOTES: Record<MailEvent, string> = {
  delayed: 'Delayed',
  hard_bounce: 'Bounced, so the address is suppressed',
  soft_bounce: 'Bounced',
  blocked: 'Blocked by the mail server',
  complaint: 'Reported as spam, so the address is suppressed',
  suppressed: 'Suppressed by the mail provider',
};

const REASONS: Partial<Record<MailEvent, SuppressionReason>> = {
  hard_bounce: 'hard_bounce',
  soft_bounce: 'soft_bounces',
  complaint: 'complaint',
  suppressed: 'provider',
};

interface Given {
  account_id: string;
  otp_id: string;
  carrier: string;
  mail?: MailEvent | undefined;
  detail?: string | null | undefined;
  by_mail?: boolean | undefined;
}

export const noteOf = (mail: MailEvent, detail: string | null | undefined): string =>
  detail ? `${NOTES[mail]}: ${detail}` : NOTES[mail];

/** Enters an event that changes no status into the history, once. */
export async function noteEvent(tx: Tx, { account_id, otp_id: id, mail, detail }: Given): Promise<void> {
  if (mail === undefined || (await hasNote(tx, { account_id, id, begin: NOTES[mail] }))) return;
  const allowed =
    mail === 'delayed' ? (['sent'] as const) : (['sent', 'verified', 'expired', 'failed'] as const);
  await applyChanges(tx, [{ account_id, id, allowed, note: noteOf(mail, detail) }]);
}

/**
 * Suppresses the address of a message that came back or was complained about. `isNew`: the report changed the verification, so that a
 * repeated soft bounce counts once. Returns whether the account now sends nothing to the address.
 */
export async function suppressAfter(
  tx: Tx,
  app: Needs<'random' | 'vault'>,
  row: Pick<ReportedRow, 'channel' | 'recipient' | 'is_test'>,
  { isNew, ...given }: Given & { isNew: boolean },
): Promise<boolean> {
  const { account_id, otp_id, carrier, mail, detail = null, by_mail } = given;
  const reason = mail && REASONS[mail];
  // An erased or removed recipient has no address.
  if (!reason || row.is_test || !row.recipient.includes('@')) return false;
  if (mail === 'soft_bounce' && !isNew) return false;
  const { recipient } = row;
  const made = await suppress(tx, app, { account_id, otp_id, carrier, recipient, reason, detail, by_mail });
  return made.until === null || Date.parse(made.until) > Date.parse(made.created_at);
}

/** A delivered message ends a row of soft bounces. */
export const deliveredTo = async (
  tx: Tx,
  app: Needs<'vault'>,
  row: Pick<ReportedRow, 'channel' | 'recipient'>,
  { account_id }: Pick<Given, 'account_id'>,
): Promise<void> => {
  if (row.channel === 'email') await endSoftBounces(tx, app, { account_id, recipient: row.recipient });
};
