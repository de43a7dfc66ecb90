import { tryLock } from '../platform/db/advisory-locks.ts';
import type { Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job, Worker } from '../platform/queue/job.ts';
import { dailyCountJob, forgetCountsBefore } from './daily-counts.ts';
import {
  deleteDeadWorkers,
  deleteIdempotencyKeys,
  deleteIdleRecipientSends,
  deleteIdleRecipients,
  deleteRowsBefore,
  deleteSandboxMessages,
  dropMonth,
  ensurePartitions,
  limitOf,
  type Monthly,
  monthsAhead,
  monthsBefore,
  waitBriefly,
} from './queries.ts';
import { searchIndexJob } from './search-indexes.ts';

export { forgetCounts } from './daily-counts.ts';

/**
 * Deletes old data: verifications with their history and request logs after RETENTION_DAYS, webhook messages and attempts after
 * 30 days, idempotency keys and recipients' counts after one day. Whole days are deleted. Expired months are dropped as
 * partitions; in the month that contains the limit, rows are deleted in small batches. Also creates future partitions. The ledger
 * is never deleted.
 */
type App = Needs<'db' | 'config' | 'log'>;

const EVERY_MS = 10 * 60_000;
const MONTHS_AHEAD = 4;
const WEBHOOK_DAYS = 30;
const BATCH = 2_000;
const INBOX_MESSAGES = 1_000;

export const retentionJobs = (app: App): Job[] => [
  { name: 'retention', everyMs: EVERY_MS, run: (worker) => keepInBounds(app, worker) },
  dailyCountJob(app),
  searchIndexJob(app),
];

/** Returns true if more may be due. */
async function keepInBounds(app: App, worker: Pick<Worker, 'signal'>): Promise<boolean> {
  let isMore = false;
  for (const step of await stepsOf(app)) {
    if (worker.signal.aborted) return false;
    // A locked or failing table must not block the others.
    const removed = await alone(app, step.run).catch((error: unknown) => {
      app.log.warn({ err: error, step: step.name }, 'retention step failed, retrying in the next round');
      return 0;
    });
    isMore ||= step.batch !== undefined && removed >= step.batch;
  }
  return isMore;
}

/** Runs in a separate transaction, unless another process is running it. */
const alone = (app: App, work: (tx: Tx) => Promise<number>): Promise<number> =>
  app.db.transaction(async (tx) => ((await tryLock(tx, 'retention')) ? work(tx) : 0));

interface Step {
  name: string;
  run: (tx: Tx) => Promise<number>;
  /** batch size; a full batch means that there may be more */
  batch?: number;
}

async function stepsOf(app: App): Promise<Step[]> {
  const months = await monthsAhead(app.db, MONTHS_AHEAD);
  const kept = await limitOf(app.db, app.config.retentionDays);
  const webhooksKept = await limitOf(app.db, WEBHOOK_DAYS);
  return [
    ...months.map((month) => ({
      name: `partitions of ${month}`,
      run: (tx: Tx) => preparedMonth(tx, month),
    })),
    { name: 'counts of verifications', run: (tx) => forgetCountsBefore(tx, 'verifications', dayOf(kept)) },
    { name: 'counts of requests', run: (tx) => forgetCountsBefore(tx, 'requests', dayOf(kept)) },
    // History goes first, so that no verification is left without its history.
    ...(await leaving(app, 'status_history', kept)),
    ...(await leaving(app, 'verifications', kept)),
    ...(await leaving(app, 'request_logs', kept)),
    ...(await leaving(app, 'webhook_attempts', webhooksKept)),
    ...(await leaving(app, 'webhook_messages', webhooksKept)),
    { name: 'idempotency_keys', run: (tx) => deleteIdempotencyKeys(tx, BATCH), batch: BATCH },
    { name: 'recipients', run: (tx) => deleteIdleRecipients(tx, BATCH), batch: BATCH },
    { name: 'recipient_sends', run: (tx) => deleteIdleRecipientSends(tx, BATCH), batch: BATCH },
    { name: 'sandbox_messages', run: (tx) => deleteSandboxMessages(tx, INBOX_MESSAGES) },
    { name: 'workers', run: deleteDeadWorkers },
  ];
}

const dayOf = (limit: string): string => limit.slice(0, 10);

/** Call it before the first write: rows of a month without a partition would go to the default partition. */
export async function prepareMonths(app: App): Promise<void> {
  for (const month of await monthsAhead(app.db, MONTHS_AHEAD))
    await alone(app, (tx) => preparedMonth(tx, month)).catch((error: unknown) => {
      app.log.warn({ err: error, month }, 'a month has no partition yet');
    });
}

async function preparedMonth(tx: Tx, month: string): Promise<number> {
  await waitBriefly(tx);
  return ensurePartitions(tx, month);
}

async function leaving(app: App, table: Monthly, limit: string): Promise<Step[]> {
  const months = await monthsBefore(app.db, table, limit);
  return [
    ...months.map((month) => ({
      name: month,
      run: async (tx: Tx) => {
        await waitBriefly(tx);
        return dropMonth(tx, month);
      },
    })),
    { name: table, run: (tx) => deleteRowsBefore(tx, table, limit, BATCH), batch: BATCH },
  ];
}
