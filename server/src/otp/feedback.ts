import {
  type Breakers,
  type Carriers,
  createBreakers,
  type FeedbackCarrier,
} from '../messaging/carriers/carriers.ts';
import type { Queryable, Sql } from '../platform/db/sql.ts';
import { jsonLiteral } from '../platform/db/sql.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { leasedQueue } from '../platform/queue/leased-queue.ts';
import { stillDead } from '../platform/queue/work.ts';
import { hex } from '../platform/security/vault.ts';

/**
 * Tells companies about right codes. The transaction that verifies a code writes a row if the carrier of its message gives feedback, and
 * this queue makes the request. Feedback is worth little, so a row is dropped after a few tries.
 */

/** A right code of a live verification, of which the batch writes a row. */
export interface NotedCode {
  account_id: string;
  id: string;
  digits: string;
}

const sealOf = (otp_id: string): string => `feedback:${otp_id}`;

/** Part of the script that verifies the codes. Empty if there is nothing to write. */
export function noteFeedback(
  app: Needs<'vault'>,
  codes: readonly NotedCode[],
  carriers: readonly FeedbackCarrier[],
): string {
  if (codes.length === 0 || carriers.length === 0) return '';
  const isSealed = carriers.some(({ needs_code }) => needs_code);
  const rows = codes.map(({ account_id, id, digits }) => ({
    account_id,
    id,
    ...(isSealed && { sealed: hex(app.vault.seal(digits, sealOf(id))) }),
  }));
  return `SELECT note_feedback(${jsonLiteral(rows)}, ${jsonLiteral(carriers)}); `;
}

type App = Needs<'db' | 'clock' | 'random' | 'vault' | 'log' | 'wakeups'> & {
  carriers: Pick<Carriers, 'find' | 'feedback'>;
  metrics: Pick<Metrics, 'feedbackEnded'>;
};

const MAX_IN_FLIGHT = 16;
/** Slow companies hold sockets but do not block the queue. */
const SLOW = { afterMs: 1_000, most: 64 };
/** After each try. Then the row is dropped. */
const PAUSES_SECONDS = [5, 30, 120];
/** After an error in Sixdigit itself. */
const RESTING_SECONDS = 10;
const LIFE = "interval '10 minutes'";

type Next = { ended: 'given' | 'dropped'; carrier: string } | { seconds: number };

export function feedbackQueue(app: App): Job {
  // Apart from those of messages: a failure here says nothing about dispatch.
  const breakers = createBreakers();
  return leasedQueue<Claimed, Next>(app, {
    name: 'feedback',
    everyMs: 1_000,
    idField: 'otp_id',
    slots: { all: MAX_IN_FLIGHT },
    yields: SLOW,
    claim: async ({ worker_id, claim, free }) =>
      app.carriers.feedback().length === 0 ? [] : claimFeedback(app.db, { worker_id, claim, most: free.all }),
    process: (claimed) => give(app, breakers, claimed),
    async finish(claimed, next) {
      if ('seconds' in next) await putBack(app.db, claimed, next);
      else if (await deleteClaimed(app.db, claimed)) app.metrics.feedbackEnded(next.carrier, next.ended);
    },
    release: (claimed) => putBack(app.db, claimed, { seconds: RESTING_SECONDS }),
    releaseOrphans: (worker_id, held) =>
      app.db.run(`update feedback set ${FREED} where worker_id = $1 and claim <> all ($2)`, [
        worker_id,
        held,
      ]),
    releaseDead: (worker_ids) =>
      app.db.run(`update feedback set ${FREED} where worker_id = any (${stillDead('$1')})`, [worker_ids]),
  });
}

async function give(app: App, breakers: Breakers, claimed: Claimed): Promise<Next> {
  const { id, message, sealed, tries } = claimed;
  // Erased meanwhile, or older than feedback is worth.
  if (!message?.provider_message_id || claimed.is_old)
    return { ended: 'dropped', carrier: message?.carrier ?? 'unknown' };
  const { provider_message_id, recipient, channel } = message;
  const carrier = app.carriers.find(message.carrier);
  const call = carrier?.feedback && breakers.admit(carrier, channel, app.clock.now());
  const seconds = PAUSES_SECONDS[tries - 1];
  const again: Next = seconds ? { seconds } : { ended: 'dropped', carrier: message.carrier };
  // The company rests, this process does not know the carrier yet, or an operator has turned its feedback off. A try too: otherwise the
  // rows of an outage would be claimed again and again.
  if (!carrier?.feedback || !call) return again;
  const code = sealed ? app.vault.open(sealed, sealOf(id)) : '';
  const outcome = await carrier.feedback.give({ id: message.id, recipient, provider_message_id, code });
  call.report(outcome, app.clock.now());
  if (outcome.kind === 'accepted') return { ended: 'given', carrier: carrier.name };
  const { reason, detail } = outcome;
  app.log.warn({ otp_id: id, carrier: carrier.name, reason, detail }, 'the company did not accept feedback');
  const mayAccept = outcome.kind === 'uncertain' || outcome.temporary;
  return mayAccept ? again : { ended: 'dropped', carrier: carrier.name };
}

// ── statements ──

interface Claimed {
  /** of the verification */
  id: string;
  claim: string;
  sealed: Buffer | null;
  tries: number;
  is_old: boolean;
  message: {
    id: string;
    carrier: string;
    channel: FeedbackCarrier['channel'];
    recipient: string;
    provider_message_id: string | null;
  } | null;
}

const claimFeedback = (
  sql: Sql,
  { worker_id, claim, most }: { worker_id: string; claim: string; most: number },
): Promise<Claimed[]> =>
  sql.rows(
    `update feedback f set worker_id = $1, claim = $2, tries = tries + 1
     where f.otp_id = any (array(
       select otp_id from feedback where worker_id is null and run_at <= clock_now()
       order by run_at limit $3 for update skip locked))
     returning f.otp_id as id, f.claim, f.sealed, f.tries, f.created_at < clock_now() - ${LIFE} as is_old,
       (select json_build_object('id', m.id, 'carrier', m.carrier, 'channel', m.channel, 'recipient', m.recipient,
          'provider_message_id', m.provider_message_id)
        from verifications m where m.account_id = f.account_id and m.id = f.message_id) as message`,
    [worker_id, claim, most],
  );

const FREED = 'worker_id = null, claim = null';

const putBack = (sql: Sql, { id, claim }: Claimed, { seconds }: { seconds: number }): Promise<number> =>
  sql.run(
    `update feedback set ${FREED}, run_at = clock_now() + make_interval(secs => $3) where otp_id = $1 and claim = $2`,
    [id, claim, seconds],
  );

const deleteClaimed = async (sql: Sql, { id, claim }: Claimed): Promise<boolean> =>
  (await sql.run('delete from feedback where otp_id = $1 and claim = $2', [id, claim])) === 1;

/** Rows that no worker takes, because feedback was turned off. */
export const oldFeedback = { table: 'feedback', where: `created_at < clock_now() - ${LIFE}` };

/** Of an erased recipient. */
export const deleteFeedback = (sql: Queryable, ids: readonly string[]): Promise<number> =>
  sql.run('delete from feedback where otp_id = any ($1::uuid[]) or message_id = any ($1::uuid[])', [ids]);
