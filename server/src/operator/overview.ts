import type { Overview } from '#contract/operator-overview.ts';
import { accountTotals } from '../accounts/accounts.ts';
import { type Minute, selectMinutes } from '../activity/activity.ts';
import { openDisputes, unmatchedPayments } from '../payments/payments.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { selectWorkers } from '../platform/queue/work.ts';
import { type CarriersApp, carriersOf } from './carriers.ts';
import { version } from './version.ts';

/** The state of the deployment now, from small tables that every process keeps up to date. */
export async function overviewOf(app: CarriersApp): Promise<Overview> {
  const { db } = app;
  const [carriers, minutes, workers, queues, database, accounts, disputes, unmatched] = await Promise.all([
    carriersOf(app),
    selectMinutes(db),
    selectWorkers(db),
    selectWaiting(db),
    selectDatabase(db),
    accountTotals(db),
    openDisputes(db),
    unmatchedPayments(db),
  ]);
  return {
    ...carriers,
    version,
    // The current minute has just begun, so the last whole minute counts.
    last_minute: sumOf(minutes.slice(-2, -1)),
    last_hour: sumOf(minutes),
    minutes: minutes.map(({ at, sends, verified }) => ({ at, sends, verified })),
    workers,
    webhooks: { waiting: queues.webhooks, oldest_seconds: queues.webhook_seconds },
    notices_waiting: queues.notices,
    database,
    accounts,
    open_disputes: disputes.open,
    unmatched_payments: unmatched.waiting,
  };
}

const sumOf = (minutes: readonly Minute[]): Omit<Minute, 'at'> => {
  const sum = (name: Exclude<keyof Minute, 'at'>) =>
    minutes.reduce((total, minute) => total + minute[name], 0);
  return {
    sends: sum('sends'),
    refused_sends: sum('refused_sends'),
    verified: sum('verified'),
    wrong_codes: sum('wrong_codes'),
  };
};

// ── statements ──

const selectWaiting = (
  sql: Queryable,
): Promise<{ webhooks: number; webhook_seconds: number; notices: number }> =>
  sql.one(
    `select count(*) as webhooks,
       coalesce(greatest(0, extract(epoch from clock_now() - min(run_at) filter (where worker_id is null))), 0)::float8
         as webhook_seconds,
       (select count(*) from notices) as notices
     from webhook_deliveries`,
  );

const selectDatabase = (sql: Queryable): Promise<Overview['database']> =>
  sql.one(
    `select pg_database_size(current_database()) as bytes,
       (select bytes from database_sizes where day < (clock_now() at time zone 'UTC')::date order by day desc limit 1)
         as bytes_a_day_ago,
       (select count(*) from pg_stat_activity where datname = current_database()) as connections`,
  );
