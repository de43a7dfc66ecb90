import { auditRetention } from '../../audit/audit.ts';
import { twilioRetention } from '../../compat/compat.ts';
import { insightRetention } from '../../insights/insights.ts';
import { limitRetention } from '../../limits/limits.ts';
import { lookupRetention } from '../../lookups/lookups.ts';
import { noticeClaimHolders } from '../../messaging/notices/notices.ts';
import { sandboxRetention } from '../../messaging/sandbox/sandbox.ts';
import { suppressionRetention } from '../../messaging/suppressions/suppressions.ts';
import { operatorRetention } from '../../operator/operator.ts';
import { idempotencyRetention } from '../../otp/idempotency/idempotency.ts';
import { dispatchClaimHolders, otpRetention, planClaimHolders } from '../../otp/otp.ts';
import { testModeRetention } from '../../otp/test-mode/test-mode.ts';
import { tryLock } from '../../platform/db/advisory-locks.ts';
import { countNextDays, forgetCountsBefore, sumNextDays } from '../../platform/db/count-days.ts';
import { type KeptDays, keptDays, shrunkSettings, shrunkText } from '../../platform/db/kept-days.ts';
import type { RecipientTable } from '../../platform/db/removed-recipients.ts';
import {
  daysOf,
  deleteOld,
  type MonthlyTable,
  type OldRows,
  type RowRule,
} from '../../platform/db/retention.ts';
import type { Sql, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job, Worker } from '../../platform/queue/job.ts';
import { workerRule } from '../../platform/queue/work.ts';
import { oldKeyHolders } from '../../platform/security/key-rotation.ts';
import { protectionRetention } from '../../protection/protection.ts';
import { requestLogRetention } from '../../request-logs/request-logs.ts';
import { webhookClaimHolders, webhookRetention } from '../../webhooks/webhooks.ts';
import { limitOf } from './limit.ts';
import { recipientJob } from './recipients.ts';
import { searchIndexJob } from './search-indexes.ts';

/**
 * Limits the lock timeout, because other queries queue behind the creation or removal of a partition while it waits for its
 * lock.
 */
const waitBriefly = (tx: Tx): Promise<number> => tx.run(`set local lock_timeout = '300ms'`);

/** The first days of the current month and those after it. */
const monthsAhead = async (sql: Sql, months: number): Promise<string[]> =>
  (
    await sql.rows<{ month: string }>(
      `select to_char(date_trunc('month', clock_now() at time zone 'UTC') + make_interval(months => n), 'YYYY-MM-DD')
         as month from generate_series(0, $1::integer - 1) n`,
      [months],
    )
  ).map(({ month }) => month);

const ensurePartitions = (tx: Tx, month: string): Promise<number> =>
  tx.run('select ensure_partitions($1::date, 1)', [month]);

/** Partitions that end before the limit. */
const monthsBefore = async (sql: Sql, table: string, limit: string): Promise<string[]> =>
  (
    await sql.rows<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::text::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
         and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= $2::timestamptz`,
      [table, limit],
    )
  ).map(({ name }) => name);

/** `name` must come from `monthsBefore`, because it is not escaped. */
const dropMonth = (tx: Tx, name: string): Promise<number> => tx.run(`drop table "${name}"`);

const deleteRowsBefore = (
  tx: Tx,
  { table, id, key }: MonthlyTable,
  limit: string,
  most: number,
): Promise<number> =>
  tx.run(
    `delete from ${table} where ${id} < uuid_floor($1) and (${key}) in (
       select ${key} from ${table} where ${id} < uuid_floor($1) limit $2)`,
    [limit, most],
  );

type App = Needs<'db' | 'config' | 'log' | 'vault'>;

const EVERY_MS = 10 * 60_000;
const MONTHS_AHEAD = 4;
const COUNTS_EVERY_MS = 5 * 60_000;
const BATCH_SIZE = 2_000;

const RULES = [
  otpRetention,
  requestLogRetention,
  webhookRetention,
  idempotencyRetention,
  sandboxRetention,
  insightRetention,
  testModeRetention,
  protectionRetention,
  auditRetention,
  operatorRetention,
  twilioRetention,
  limitRetention,
  suppressionRetention,
  lookupRetention,
];
const MONTHLY: readonly MonthlyTable[] = RULES.flatMap(({ monthly = [] }) => monthly);
const WITH_RECIPIENTS: readonly RecipientTable[] = MONTHLY.flatMap(({ table, recipients }) =>
  recipients ? [{ table, ...recipients }] : [],
);
const ROWS: readonly (OldRows | RowRule)[] = [
  ...RULES.flatMap(({ rows = [] }) => rows),
  oldKeyHolders,
  workerRule([dispatchClaimHolders, planClaimHolders, webhookClaimHolders, noticeClaimHolders]),
];

/**
 * Deletes old data: verifications with their history after RETENTION_DAYS, request logs after LOG_RETENTION_DAYS, webhook
 * messages and attempts after 30 days, entries of the audit log after 400 days, idempotency keys and recipients' counts after one day. Data is deleted in
 * whole days. Months that are entirely past the cutoff are dropped as partitions; in the month that contains the cutoff, rows are
 * deleted in small batches. Also creates future partitions. The ledger is never deleted. Each module declares its tables' rules.
 */
export const retentionJobs = (app: App): Job[] => [
  { name: 'retention', everyMs: EVERY_MS, run: (worker) => applyRules(app, worker) },
  { name: 'daily-counts', everyMs: COUNTS_EVERY_MS, run: () => countDays(app) },
  recipientJob(app, WITH_RECIPIENTS),
  searchIndexJob(app, MONTHLY),
];

/** Counts the days that are due. Returns true if more may be due. */
async function countDays(app: Needs<'db'>): Promise<boolean> {
  let isMore = false;
  for (const { table, counted = [] } of MONTHLY)
    for (const list of counted) {
      if (await countNextDays(app, table, list)) isMore = true;
      if (await sumNextDays(app, list)) isMore = true;
    }
  return isMore;
}

/** Returns true if more may be due. */
async function applyRules(app: App, worker: Pick<Worker, 'signal'>): Promise<boolean> {
  let isMore = false;
  for (const step of await stepsOf(app)) {
    if (worker.signal.aborted) return false;
    // A locked or failing table must not block the others.
    const removed = await alone(app, step.run).catch((error: unknown) => {
      app.log.warn(
        { err: error, step: step.name },
        'retention step failed; it will be retried in the next round',
      );
      return 0;
    });
    isMore ||= step.batch !== undefined && removed >= step.batch;
  }
  return isMore;
}

/** Runs one step in a separate transaction, unless another process is running retention. Returns 0 if it is. */
const alone = (app: App, work: (tx: Tx) => Promise<number>): Promise<number> =>
  app.db.transaction(async (tx) => ((await tryLock(tx, 'retention')) ? work(tx) : 0));

interface Step {
  name: string;
  run: (tx: Tx) => Promise<number>;
  /** batch size; a full batch means that there may be more */
  batch?: number;
}

/** The days in force. Logs the settings that an operator has to confirm first. */
async function daysInForce(app: App): Promise<KeptDays> {
  for (const shrunk of await shrunkSettings(app.db, app.config))
    app.log.warn(shrunk, `${shrunkText(shrunk)} Run \`npm start -- retention confirm\`.`);
  return await keptDays(app.db, app.config);
}

async function stepsOf(app: App): Promise<Step[]> {
  const days = await daysInForce(app);
  const months = await monthsAhead(app.db, MONTHS_AHEAD);
  const limits = new Map<MonthlyTable, string>();
  for (const table of MONTHLY) limits.set(table, await limitOf(app.db, daysOf(table, days)));
  const limitFor = (table: MonthlyTable): string => limits.get(table) as string;
  const counts = MONTHLY.flatMap((table) =>
    (table.counted ?? []).map(({ list }) => ({ list, before: dayOf(limitFor(table)) })),
  );
  const deletions = await Promise.all(MONTHLY.map((table) => deletionsFrom(app, table, limitFor(table))));
  return [
    ...months.map((month) => ({
      name: `partitions of ${month}`,
      run: (tx: Tx) => preparedMonth(tx, month),
    })),
    ...counts.map(({ list, before }) => ({
      name: `counts of ${list}`,
      run: (tx: Tx) => forgetCountsBefore(tx, list, before),
    })),
    ...deletions.flat(),
    ...ROWS.map(rowStep),
  ];
}

const rowStep = (rule: OldRows | RowRule): Step =>
  'where' in rule
    ? { name: rule.table, run: (tx) => deleteOld(tx, rule, BATCH_SIZE), batch: BATCH_SIZE }
    : { name: rule.table, ...rule };

const dayOf = (limit: string): string => limit.slice(0, 10);

/** Call it before the first write, because rows of a month without a partition would go to the default partition. */
export async function prepareMonths(app: App): Promise<void> {
  for (const month of await monthsAhead(app.db, MONTHS_AHEAD))
    await alone(app, (tx) => preparedMonth(tx, month)).catch((error: unknown) => {
      app.log.warn({ err: error, month }, 'could not create the partitions of a month');
    });
}

async function preparedMonth(tx: Tx, month: string): Promise<number> {
  await waitBriefly(tx);
  return ensurePartitions(tx, month);
}

async function deletionsFrom(app: App, table: MonthlyTable, limit: string): Promise<Step[]> {
  const months = await monthsBefore(app.db, table.table, limit);
  return [
    ...months.map((month) => ({
      name: month,
      run: async (tx: Tx) => {
        await waitBriefly(tx);
        return dropMonth(tx, month);
      },
    })),
    {
      name: table.table,
      run: (tx) => deleteRowsBefore(tx, table, limit, BATCH_SIZE),
      batch: BATCH_SIZE,
    },
  ];
}
