import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { lockBalance } from '../../credits/credits.ts';
import type { MailEvent } from '../../messaging/carriers/carriers.ts';
import { optOut, optOutFingerprint } from '../../messaging/opt-outs/opt-outs.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Needs } from '../../platform/platform.ts';
import { ageMs, isUuid } from '../../platform/security/random.ts';
import type { Protection } from '../../protection/protection.ts';
import {
  applyChanges,
  type Change,
  type Changed,
  countEnds,
  countedEventOf,
  type EndedSend,
  storableId,
} from '../change.ts';
import { holdPlan } from '../plans/queries.ts';
import { findReported, lockVerifications, type ReportedRow } from '../queries.ts';
import { TEST_CARRIER } from '../test-mode/test-mode.ts';
import { noteUnreachable } from '../unreachable.ts';
import { deliveredTo, noteEvent, noteOf, suppressAfter } from './mail-events.ts';
import { type CarrierCost, noteFacts, type ReportedFacts } from './report-facts.ts';

/** Counts reports for the operators' overview, and shows operators those that nobody understands. */
export interface ReportActivity {
  count(kind: 'delivered' | 'undelivered'): void;
  paid(cost: CarrierCost): void;
  unknownStatus(report: { carrier: string; channel: Channel; status: string }): void;
}

/** A carrier's delivery report for a message that it accepted. */
export interface DeliveryReport extends ReportedFacts {
  state: 'delivered' | 'undelivered' | 'sent' | 'other' | 'unknown';
  provider_message_id: string | null;
  reason: string | null;
  /** The carrier reports deliveries within seconds, so a plan can wait for them. */
  is_quick?: boolean;
  /** The status as the carrier writes it. */
  status?: string | null;
  /** Of an e-mail: what the report says besides, and the mail server's words. */
  mail?: MailEvent | undefined;
  detail?: string | null | undefined;
  /** The report is a mail, which a reader of the message can make up. */
  by_mail?: boolean;
  /** The address that a bounce is about; absent if the carrier names none. */
  bounced?: string | null;
}

/**
 * Records a delivery report. Late, repeated and out-of-order reports never move a verification backwards. Any report ends
 * the wait for an uncertain dispatch. False if the report matches no verification.
 */
export async function report(
  app: Needs<'db' | 'clock' | 'random' | 'wakeups' | 'vault'> & {
    protection: Pick<Protection, 'guard'>;
    activity: ReportActivity;
    metrics: Pick<Metrics, 'messageReached'>;
  },
  received: DeliveryReport,
): Promise<boolean> {
  if (!isUuid(received.account_id) || !isUuid(received.otp_id)) return false;
  const given = { ...received, provider_message_id: storableId(received.provider_message_id) };
  const ended: EndedSend[] = [];
  let isNew = false;
  let channel: Channel | null = null;
  let costs: CarrierCost[] = [];
  const known = await app.db.transaction(async (tx) => {
    const seen = await findReported(tx, given.account_id, given.otp_id);
    if (!seen) return false;
    // Lock order: the balance before the verification. A repeated report does not wait for the account's sends.
    const mayEnd = given.state === 'undelivered' && isEndedBy(seen);
    if (mayEnd) await lockBalance(tx, given.account_id);
    await lockVerifications(tx, [given.otp_id]);
    const row = await findReported(tx, given.account_id, given.otp_id);
    if (!row) return false;
    channel = row.channel;
    // A status of unknown meaning must neither confirm a delivery nor return a credit.
    if (given.state === 'unknown') return true;
    if (isOfThisDispatch(row, given)) costs = await noteFacts(tx, row, given);
    const told = { ...given, mail: eventOf(row, given) };
    const isMailEvent = told.mail !== undefined && isOfThisDispatch(row, given);
    if (given.state === 'undelivered') {
      const [changed] = await undelivered(app, tx, row, { ...told, mayEnd });
      isNew = changed !== undefined;
      const event = changed && countedEventOf(changed, true);
      if (event) ended.push({ account_id: given.account_id, id: given.otp_id, ...row, event });
    } else {
      isNew = await accepted(tx, row, given);
      if (isNew && given.mail === undefined) await deliveredTo(tx, app, row, given);
    }
    const isNoted = isNew && given.state === 'undelivered';
    if (isMailEvent && !isNoted) await noteEvent(tx, told);
    if (isMailEvent) await suppressAfter(tx, app, row, { ...told, isNew });
    return true;
  });
  countEnds(app.protection.guard, app.clock.now().getTime(), ended);
  if (given.state === 'unknown' && channel)
    app.activity.unknownStatus({ carrier: given.carrier, channel, status: given.status ?? '' });
  if (isNew && given.carrier !== TEST_CARRIER) {
    app.activity.count(given.state === 'undelivered' ? 'undelivered' : 'delivered');
    if (given.state === 'delivered' && channel)
      app.metrics.messageReached('delivered', channel, ageMs(app.clock, given.otp_id));
  }
  if (given.carrier !== TEST_CARRIER) for (const cost of costs) app.activity.paid(cost);
  if (known) app.wakeups.notify('webhooks');
  if (isNew && given.state === 'undelivered') app.wakeups.notify('plans');
  return known;
}

/** A bounce of an address to which the recipient forwards mail does not say that the recipient's mailbox does not exist. */
const eventOf = ({ recipient }: ReportedRow, { mail, bounced }: DeliveryReport): MailEvent | undefined =>
  mail === 'hard_bounce' && bounced !== undefined && bounced !== recipient ? 'soft_bounce' : mail;

/** Whether the report belongs to the current dispatch. Another carrier, or a retry, may have the message by now. */
const isOfThisDispatch = (row: ReportedRow, given: DeliveryReport): boolean =>
  agree(row.carrier, given.carrier) && agree(row.provider_message_id, given.provider_message_id);

const agree = (known: string | null, reported: string | null): boolean =>
  known === null || reported === null || known === reported;

/**
 * Records that the carrier has the message, even if its response was lost. Returns whether this is the first report about its
 * delivery.
 */
async function accepted(tx: Tx, row: ReportedRow, given: DeliveryReport): Promise<boolean> {
  const base = { account_id: given.account_id, id: given.otp_id };
  const isDelivered = given.state === 'delivered';
  // A retry at the same carrier has another id there.
  if (!agree(row.carrier, given.carrier)) return false;
  if (isDelivered || isOfThisDispatch(row, given))
    await applyChanges(tx, [
      {
        ...base,
        allowed: ['pending'],
        to: 'sent',
        sent: true,
        event: 'sent',
        dequeue: true,
        carrier: given.carrier,
        provider_message_id: given.provider_message_id,
        note: `Accepted, as ${given.carrier} reports`,
      },
    ]);
  if (!isDelivered) return false;
  const delivered = await applyChanges(tx, [
    {
      ...base,
      allowed: ['sent', 'verified', 'expired', 'failed'],
      delivered: true,
      event: 'delivered',
      note: 'Delivered',
      usual: true,
    },
  ]);
  if (given.is_quick && row.plan_of && delivered.length > 0) await holdPlan(tx, row.plan_of);
  return delivered.length > 0;
}

/**
 * Whether a report that the message was not delivered fails the verification or refunds its credit. Never true again once it is not.
 * After expiry, a report changes no status, but the credit is still refunded once.
 */
const isEndedBy = ({ status, delivered_at, cost_credits, closed_by }: ReportedRow): boolean =>
  delivered_at === null &&
  (status === 'pending' ||
    status === 'sent' ||
    (status === 'expired' && cost_credits > 0 && closed_by === null));

/** Refunds the credit once, unless the code was used. A delivered message can no longer fail. */
async function undelivered(
  app: Needs<'vault'>,
  tx: Tx,
  row: ReportedRow,
  { mayEnd, ...given }: DeliveryReport & { mayEnd: boolean },
): Promise<Changed[]> {
  const { account_id, otp_id, reason, provider_message_id } = given;
  if (reason === 'unsubscribed' && factsOf(row.channel).obeysOptOut)
    await optOut(tx, optOutFingerprint(app, row.recipient));
  await noteUnreachable(tx, app, { ...row, reason });
  if (!mayEnd || !isEndedBy(row) || !isOfThisDispatch(row, given)) return [];
  const why = given.mail
    ? noteOf(given.mail, given.detail ?? reason?.replaceAll('_', ' '))
    : `Not delivered${reason ? `: ${reason.replaceAll('_', ' ')}` : ''}`;
  const base = { account_id, id: otp_id, refund: true, provider_message_id } as const;
  const change: Change =
    row.status === 'expired'
      ? { ...base, allowed: ['expired'], note: `${why}; credit returned` }
      : {
          ...base,
          allowed: ['pending', 'sent'],
          to: 'failed',
          event: 'failed',
          failure: why,
          note: why,
          dequeue: true,
        };
  return applyChanges(tx, [change]);
}
