import type { Sql } from '../../platform/db/sql.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const LATE_SECONDS = 30;
const TOO_LATE_SECONDS = 120;

interface Work {
  workers: number;
  waiting: number;
  oldest_seconds: number;
  webhook_seconds: number;
}

const readWork = (db: Sql): Promise<Work | undefined> =>
  db
    .maybe<Work>(
      `select (select count(*) from workers where seen_at > clock_timestamp() - interval '5 seconds') as workers,
         (select count(*) from deliveries where worker_id is null and run_at <= clock_now()) as waiting,
         (select coalesce(extract(epoch from clock_now() - min(run_at)), 0) from deliveries
          where worker_id is null and run_at <= clock_now()) as oldest_seconds,
         (select coalesce(extract(epoch from clock_now() - min(run_at)), 0) from webhook_deliveries
          where worker_id is null and run_at <= clock_now()) as webhook_seconds`,
    )
    .catch(() => undefined);

/** Checks for running workers and the delay of the oldest due message. */
export async function checkQueues(db: Sql): Promise<Finding[]> {
  const work = await readWork(db);
  if (!work) return [];
  const { workers, waiting, oldest_seconds, webhook_seconds } = work;
  const found: Finding[] = [];
  if (workers === 0)
    found.push(
      (waiting > 0 ? problem : warning)(
        'workers',
        waiting > 0
          ? `No worker is alive, and ${waiting} messages wait.`
          : 'No worker is alive, so no message would be sent.',
        'Start the service, or npm start -- worker in addition to the API processes.',
      ),
    );
  else found.push(ok('workers', `${workers} ${workers === 1 ? 'is' : 'are'} alive.`));
  const says = `The oldest due message has waited ${Math.round(oldest_seconds)} s.`;
  const advice =
    'Start more workers, and check whether a carrier is slow: sixdigit_carrier_outcomes_total at /metrics.';
  if (oldest_seconds > TOO_LATE_SECONDS) found.push(problem('queue', says, advice));
  else if (oldest_seconds > LATE_SECONDS) found.push(warning('queue', says, advice));
  else found.push(ok('queue', says));
  if (webhook_seconds > TOO_LATE_SECONDS)
    found.push(
      warning(
        'webhooks',
        `The oldest due message has waited ${Math.round(webhook_seconds)} s.`,
        'Start more workers.',
      ),
    );
  return found;
}
