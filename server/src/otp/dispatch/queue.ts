import { CHANNELS, type Channel, perChannel } from '@sixdigit/contract/channels.ts';
import { isDatabaseUnavailable, type Queryable, type Sql } from '../../platform/db/sql.ts';
import type { DatabaseGauges } from '../../platform/metrics.ts';
import type { Needs } from '../../platform/platform.ts';
import { batcher } from '../../platform/queue/batcher.ts';
import type { Job } from '../../platform/queue/job.ts';
import { leasedQueue } from '../../platform/queue/leased-queue.ts';
import type { Protection } from '../../protection/protection.ts';
import { type Change, countEnds, selectUndispatched } from '../change.ts';
import { TEST_CARRIER } from '../test-mode/test-mode.ts';
import type { DirectDispatch } from './direct.ts';
import { type DispatchApp, type Dispatched, dispatch, SETTLED } from './dispatch.ts';
import { capacityOf } from './policy.ts';
import {
  type Claimed,
  claimDeliveries,
  finishDeliveries,
  freeClaim,
  freeClaimsOf,
  freeUnknownClaims,
  type Wanted,
} from './queries.ts';

/**
 * Dispatches queued messages to carriers. A claim names the first carrier to try. An uncertain outcome waits for a report and
 * is then retried once at the same carrier. A message that no carrier accepted is retried until shortly before its code
 * expires, and never after that.
 */
type App = DispatchApp & Needs<'wakeups'> & { protection: Pick<Protection, 'guard'> };

/** The job that dispatches messages. Sends can reserve its free slots for direct dispatch. */
export type Deliveries = Job & DirectDispatch;

interface Finished {
  id: string;
  claim: string;
  change: Change | undefined;
}

/** Messages in flight per channel in one process, so that a slow channel does not delay the others. */
const MAX_IN_FLIGHT = 128;
/** How many outcomes may wait to be stored in a batch. Further dispatches do not wait for them. */
const MAX_UNSTORED = 512;
/** Test messages have a separate lane, so that they do not delay live ones. */
const MAX_TESTS = 32;

/** Removes messages that no carrier accepted from the counts: they cost nothing and show nothing about their recipients. */
async function countUndispatched(app: App, changes: readonly Change[]): Promise<void> {
  const failed = changes.filter(({ to, refund }) => to === 'failed' && refund);
  if (failed.length === 0) return;
  const undispatched = await selectUndispatched(app.db, failed);
  const ended = undispatched.map((one) => ({ ...one, event: 'void' as const }));
  countEnds(app.protection.guard, app.clock.now().getTime(), ended);
}

export function deliveryQueue(app: App): Deliveries {
  const finishing = batcher<Finished, void>({
    run: async (items) => {
      const changes = items.flatMap(({ change }) => (change ? [change] : []));
      await finishDeliveries(app.db.reserve, items, changes);
      await countUndispatched(app, changes);
      if (items.some(({ change }) => change?.event)) app.wakeups.notify('webhooks');
      if (items.some(({ change }) => change?.event === 'failed')) app.wakeups.notify('plans');
      return items.map(() => undefined);
    },
    most: 256,
    // Outcomes are stored some milliseconds later, in exchange for far fewer commits.
    pace: { ms: 40, enough: 48 },
    isOutage: isDatabaseUnavailable,
  });

  const queue = leasedQueue<Claimed, Dispatched, Channel | typeof TEST_CARRIER>(app, {
    name: 'deliveries',
    everyMs: 100,
    idField: 'otp_id',
    slots: { ...perChannel(() => MAX_IN_FLIGHT), [TEST_CARRIER]: MAX_TESTS },
    mostUnstored: MAX_UNSTORED,
    laneOf: ({ carrier, channel }) => (carrier === TEST_CARRIER ? TEST_CARRIER : channel),
    async claim({ worker_id, claim, free }) {
      const wanted = CHANNELS.flatMap((channel) => capacityOf(app, channel, free[channel]) ?? []);
      const tests: Wanted = { channel: TEST_CARRIER, most: free[TEST_CARRIER], carriers: [TEST_CARRIER] };
      return claimDeliveries(app.db.reserve, { worker_id, claim, wanted: [...wanted, tests] });
    },
    process: (claimed) => dispatch(app, claimed),
    async finish({ id, claim }, change) {
      if (change !== SETTLED) await finishing.submit({ id, claim, change });
    },
    // After an interrupted dispatch, a carrier may have the message, so the message waits for a report.
    release: (claimed) => freeClaim(app.db, claimed),
    releaseOrphans: (worker_id, held) => freeUnknownClaims(app.db, worker_id, held),
    releaseDead: (worker_ids) => freeClaimsOf(app.db, worker_ids),
  });
  return {
    ...queue,
    reserve(channel, most) {
      const capacity = capacityOf(app, channel, most);
      const carrier = capacity?.carriers[0];
      const reservation = carrier && queue.reserve(channel, capacity.most);
      return reservation ? { ...reservation, carrier } : undefined;
    },
  };
}

export interface QueueStats {
  channel: string;
  /** messages on their way to a carrier */
  messages: number;
  /** messages that are due and not claimed */
  due: number;
  /** how long the oldest of these has waited */
  oldest_seconds: number;
}

/** The state of the dispatch queue, one row per channel. */
export const queueStats = (sql: Sql): Promise<QueueStats[]> =>
  sql.rows<QueueStats>(
    `select c.channel, count(d.id) as messages,
       count(d.id) filter (where d.worker_id is null and d.run_at <= clock_now()) as due,
       coalesce(greatest(0, extract(epoch from clock_now() - min(d.run_at) filter (where d.worker_id is null))), 0)
         as oldest_seconds
     from unnest($1::text[]) as c (channel) left join deliveries d on d.channel = c.channel
     group by c.channel`,
    [CHANNELS],
  );

export const queueGauges: DatabaseGauges = {
  gauges: [
    { name: 'queue_messages', help: 'Messages on their way to a carrier.', labelNames: ['channel'] },
    {
      name: 'queue_oldest_seconds',
      help: 'How long the oldest due message has waited.',
      labelNames: ['channel'],
    },
  ],
  read: async (sql) =>
    (await queueStats(sql)).flatMap(({ channel, messages, oldest_seconds }) => [
      { name: 'queue_messages', labels: { channel }, value: messages },
      { name: 'queue_oldest_seconds', labels: { channel }, value: oldest_seconds },
    ]),
};

/** The number of waiting messages per channel, and how long the oldest due one has waited. */
export const selectQueues = (
  sql: Queryable,
): Promise<{ channel: Channel; waiting: number; oldest_seconds: number }[]> =>
  sql.rows(
    `select channel, count(*) as waiting, coalesce(greatest(0, extract(epoch from clock_now() - min(run_at)
       filter (where worker_id is null))), 0)::float8 as oldest_seconds
     from deliveries group by channel`,
  );
