/**
 * The door of this module: it decides whether a destination may get a code. Fraudsters earn from the messages that they cause,
 * so the rules compare sends with verified codes, by prefix, country and client.
 */

import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { createExchange } from './exchange.ts';
import { createGuard, type Guard } from './guard.ts';

export { allowNumber, isNumberAllowed, removeAllowedNumber } from './allowed-numbers.ts';
export { backTest, historyStart, type PastSend, type PastSends, planBackTest } from './back-test.ts';
export { blocksOf } from './blocks.ts';
export { explained } from './check.ts';
export type { CountedEvent } from './counters.ts';
export type { Asked, Decision } from './decision.ts';
export { deleteDecisionsOf } from './decision-queries.ts';
export type { Reasons } from './decision-store.ts';
export { readDeploymentRules, writeDeploymentRules } from './deployment-rules.ts';
export { type Destination, destinationOf } from './destination.ts';
export type { Guard } from './guard.ts';
export {
  isKnown,
  type Known,
  type KnownRecipient,
  mergedKnown,
  passingRecipient,
  recipientHash,
  recipientHashes,
} from './known.ts';
export { deleteKnownOf, eraseKnown } from './known-queries.ts';
export { blockedSendsOf, forgetProtectionOf } from './queries.ts';
export type { AskedLookup, LookupNeed } from './question.ts';
export { protectionOf } from './settings.ts';
export { eraseRecipientFromLists, protectionRetention } from './upkeep.ts';
export { OWN } from './worst-day/events.ts';
export { DEFAULT_SHAPE, shapeOf } from './worst-day/shape.ts';
export type { Gate } from './worst-day/traffic.ts';
export {
  rulesOf,
  type StoredRules,
  storedRules,
  type WorstDayPlan,
  worstDay,
} from './worst-day/worst-day.ts';

export interface Protection {
  guard: Guard;
  /** Reads the counts from before this process started, then exchanges counts every second until `close`. */
  start(): Promise<void>;
  /** Writes and reads counts now: all, or only those that cannot wait some seconds. */
  exchange(what?: 'all' | 'due'): Promise<void>;
  /** Writes the remaining counts. */
  close(): Promise<void>;
}

const EVERY_MS = 1_000;

export function createProtection(
  app: Needs<'db' | 'clock' | 'random' | 'config' | 'log' | 'vault' | 'wakeups'>,
  options: { isTrusted?: (account_id: string) => boolean } = {},
): Protection {
  const guard = createGuard({ sandbox: app.config.sandbox, newId: () => app.random.uuid(), ...options });
  const shared = createExchange({ ...app, guard });
  let isLoaded = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const once = async (what: 'all' | 'due'): Promise<void> => {
    if (!isLoaded) await shared.load();
    isLoaded = true;
    await shared.write(what);
    await shared.read();
  };
  const exchange = async (what: 'all' | 'due' = 'all'): Promise<void> => {
    await running;
    running ??= once(what).finally(() => {
      running = undefined;
    });
    await running;
  };
  const quietly = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!isDatabaseUnavailable(error)) app.log.error({ err: error }, 'counts of sends were not exchanged');
    });

  return {
    guard,
    exchange,
    async start() {
      await quietly(exchange());
      timer ??= setInterval(() => {
        if (!running) void quietly(exchange('due'));
      }, EVERY_MS);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      await running?.catch(() => undefined);
      await quietly(shared.write('all'));
    },
  };
}
