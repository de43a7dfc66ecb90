import { recipientHash, recipientTag } from '../../../otp/otp.ts';
import type { Tx } from '../../../platform/db/sql.ts';
import type { Needs } from '../../../platform/platform.ts';
import { type CountedEvent, destinationOf, type Protection } from '../../../protection/protection.ts';
import type { SeedRequest } from './history.ts';
import type { SeedSend } from './sends.ts';

/** Counts that the service keeps as it works, for the demo history. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Lets the rules on destinations decide and count the sends in the order of time, as they would have at the time. */
export function countDestinations(
  app: Needs<'vault' | 'clock'> & { protection: Pick<Protection, 'guard'> },
  account_id: string,
  sends: readonly SeedSend[],
): void {
  const { guard } = app.protection;
  const nowMs = app.clock.now().getTime();
  const events = sends.flatMap((send) => {
    const to = send.country === null ? undefined : destinationOf(send.recipient, send.client_ip);
    if (!to) return [];
    const { prefix, country, client } = to;
    const recipient = recipientTag(recipientHash(app, send.recipient));
    const traffic = { account_id, prefix, country, client };
    const has_own_code = send.own_code;
    const asked = { account_id, to, recipient, has_own_code, now_ms: send.sent_ms };
    const { event, at_ms } = endOf(send);
    return [
      {
        at_ms: send.sent_ms,
        count() {
          const decision = guard.decide(asked);
          // Decisions have ids of now, so only those of the last day are kept.
          const isLatest = send.sent_ms > nowMs - DAY_MS;
          guard.note(asked, decision, isLatest ? guard.reasonsOf(asked, decision) : undefined);
          guard.record({ ...traffic, recipient, has_own_code }, 'sent', send.sent_ms);
        },
      },
      // Only its sender knows how an own code ended.
      ...(has_own_code
        ? []
        : [{ at_ms, count: () => guard.record(traffic, event, event === 'void' ? send.sent_ms : at_ms) }]),
    ];
  });
  for (const { count } of events.sort((one, other) => one.at_ms - other.at_ms)) count();
}

/** The recipients whose codes were verified. */
export function knownRecipientsOf(
  app: Needs<'vault'>,
  account_id: string,
  sends: readonly SeedSend[],
): object[] {
  const known = new Map<string, object>();
  for (const { recipient, sent_ms, is_test, own_code, story } of sends) {
    if (story.status !== 'verified' || is_test || own_code) continue;
    const verified_since = new Date(sent_ms).toISOString();
    const hash = `\\x${recipientHash(app, recipient)}`;
    known.set(hash, {
      account_id,
      hash,
      known_on: verified_since.slice(0, 10),
      verified_since,
      is_imported: false,
    });
  }
  return [...known.values()];
}

function endOf({ sent_ms, story: { status, moves } }: SeedSend): { event: CountedEvent; at_ms: number } {
  const at_ms = sent_ms + (moves.at(-1)?.after ?? 0) * 1_000;
  if (status === 'verified') return { event: 'verified', at_ms };
  return { event: moves.some(({ to }) => to === 'sent') ? 'unverified' : 'void', at_ms };
}

interface MinuteCount {
  minute: Date;
  kind: string;
  subject: string;
  entries: number;
  ms: number;
}

const MINUTES_DAYS_MS = 2 * 86_400_000;

/** The counts per minute for the operators’ overview, which are kept for two days. The requests are those without tests. */
export function minutesOf(
  requests: readonly SeedRequest[],
  sends: readonly SeedSend[],
  now: number,
): MinuteCount[] {
  const counts = new Map<string, MinuteCount>();
  const count = (at_ms: number, kind: string, { subject = '', entries = 1, ms = 0 } = {}) => {
    if (at_ms < now - MINUTES_DAYS_MS) return;
    const minute = new Date(at_ms - (at_ms % MINUTE_MS));
    const key = `${minute.getTime()} ${kind} ${subject}`;
    const one = counts.get(key) ?? { minute, kind, subject, entries: 0, ms: 0 };
    one.entries += entries;
    one.ms += ms;
    counts.set(key, one);
  };
  for (const { request_type, response_status_code, created_at, count: entries } of requests) {
    const [succeeded, refused] =
      request_type === 'send_otp' ? ['send', 'send_refused'] : ['verified', 'wrong_code'];
    count(created_at.getTime(), (response_status_code < 300 ? succeeded : refused) as string, { entries });
  }
  for (const { n, sent_ms, channel, is_test, story } of sends) {
    if (is_test) continue;
    for (const { after, from, to, isNote } of story.moves) {
      const at_ms = sent_ms + after * 1_000;
      if (from === 'pending' && to === 'sent')
        count(at_ms, 'accepted', { subject: `sandbox/${channel}`, ms: 20 + (n % 17) });
      if (from === 'sent' && to === 'sent' && !isNote) count(at_ms, 'delivered');
    }
    if (story.refunded && story.status === 'failed')
      count(sent_ms + (story.moves.at(-1)?.after ?? 0) * 1_000, 'undelivered');
  }
  return [...counts.values()];
}

/** A running service counts the same minutes. */
export const addMinutes = (tx: Tx, counts: readonly MinuteCount[]): Promise<number> =>
  tx.run(
    `insert into activity_minutes as m (minute, kind, subject, entries, ms)
     select minute, kind, subject, entries, ms from json_populate_recordset(null::activity_minutes, $1)
     order by minute, kind, subject
     on conflict (minute, kind, subject) do update set entries = m.entries + excluded.entries, ms = m.ms + excluded.ms`,
    [JSON.stringify(counts)],
  );

/** Returns the costs after the sends are counted, because the insights count a refund when a cost changes. */
export const refundCosts = (tx: Tx, account_id: string, ids: readonly string[]): Promise<number> =>
  tx.run('update verifications set cost_credits = 0 where account_id = $1 and id = any ($2)', [
    account_id,
    ids,
  ]);

/** Counts the wrong codes for the insights. */
export const noteWrongCodes = (tx: Tx, requests: readonly SeedRequest[]): Promise<unknown> =>
  tx.run('select note_wrong_codes($1::json)', [
    JSON.stringify(requests.map(({ account_id, otp_id, reason }) => ({ account_id, otp_id, reason }))),
  ]);
