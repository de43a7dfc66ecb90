import { queueStats } from '../../../otp/otp.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Finding, ok, problem, warning } from '../../../platform/finding.ts';
import { countLiveWorkers } from '../../../platform/queue/work.ts';
import { webhookQueueStats } from '../../../webhooks/webhooks.ts';

const LATE_SECONDS = 30;
const TOO_LATE_SECONDS = 120;

/** Undefined for a database that has not been migrated yet. */
async function readQueues(db: Sql) {
  try {
    const queues = await queueStats(db);
    return {
      workers: await countLiveWorkers(db),
      waiting: queues.reduce((sum, { due }) => sum + due, 0),
      oldest_seconds: Math.max(...queues.map(({ oldest_seconds }) => oldest_seconds)),
      webhook_seconds: (await webhookQueueStats(db)).oldest_seconds,
    };
  } catch {
    return undefined;
  }
}

/** Checks for running workers and the delay of the oldest due message. */
export async function checkQueues(db: Sql): Promise<Finding[]> {
  const queues = await readQueues(db);
  if (!queues) return [];
  const { workers, waiting, oldest_seconds, webhook_seconds } = queues;
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
