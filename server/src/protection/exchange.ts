import { monotonicMs } from '../platform/clock.ts';
import type { Needs } from '../platform/platform.ts';
import { type Delta, minuteOf } from './counters.ts';
import type { Objection } from './decision.ts';
import { addDecisions } from './decision-queries.ts';
import type { DecisionRow } from './decision-store.ts';
import {
  addObjections,
  type DeltasRow,
  deltaOf,
  insertBlockedPrefixes,
  insertDeltas,
  readHistory,
  selectBlockedPrefixes,
  selectDeltas,
} from './exchange-queries.ts';
import type { Guard, NewBlock } from './guard.ts';
import { mailBlocks } from './mails.ts';
import { selectSettings } from './queries.ts';
import { restore } from './restore.ts';
import { use } from './settings.ts';

type App = Needs<'db' | 'clock' | 'random' | 'config' | 'log' | 'vault' | 'wakeups'> & { guard: Guard };

/**
 * Shares counters, blocks and settings with the other processes through the database, about once a second. A process adds its
 * own counts to its memory immediately, so only sends that other processes accept within that second can exceed a limit.
 */
export interface Exchange {
  /** Reads the counts of earlier processes. */
  load(): Promise<void>;
  /** Writes this process's counts. Also writes all objections, or only those that are due. */
  write(what: 'all' | 'due'): Promise<void>;
  /** Reads the other processes' counts. */
  read(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** Re-reads the last seconds, because a row can be committed after another row with a later time. */
const OVERLAP_MS = 15_000;
/** Deltas kept during a database outage; beyond this number the oldest are dropped. */
const UNWRITTEN_MAX = 200_000;
/** The sums that a process loads at startup. */
const HISTORY_MAX = 400_000;

export function createExchange(app: App): Exchange {
  const { db, guard, log } = app;
  const process_id = app.random.uuid();
  const seen: Record<string, number> = {};
  let seq = 0;
  let unwritten:
    | { deltas: Delta[]; blocks: NewBlock[]; objections: Objection[]; decisions: DecisionRow[] }
    | undefined;
  let sinceMs: number | undefined;

  const take = (what: 'all' | 'due'): NonNullable<typeof unwritten> => ({
    deltas: guard.counters.takeDeltas(),
    blocks: guard.takeNewBlocks(),
    objections: guard.takeObjections(what === 'all' ? 'all' : { atMs: monotonicMs() }),
    decisions: guard.takeReasons(what === 'all' ? 'all' : { atMs: monotonicMs() }),
  });

  const noteSeen = ({ process_id, seq }: DeltasRow): void => {
    seen[process_id] = Math.max(seen[process_id] ?? 0, seq);
  };
  const applyRow = (row: DeltasRow, nowMinute: number): void => {
    noteSeen(row);
    for (const stored of row.deltas) guard.counters.apply(deltaOf(stored), nowMinute);
  };

  const readSettings = async (since: string | null): Promise<void> => {
    for (const row of await selectSettings(db, since)) use(app, row);
    const nowMinute = minuteOf(app.clock.now().getTime());
    for (const { account_id, prefix, country, until_ms } of await selectBlockedPrefixes(db, since))
      guard.blockedPrefixes.set({ of: account_id, prefix, country, until: Math.floor(until_ms / MINUTE_MS) });
    guard.blockedPrefixes.clean(nowMinute);
  };

  return {
    async load() {
      sinceMs = app.clock.now().getTime();
      const nowMinute = minuteOf(sinceMs);
      // An earlier attempt may have failed halfway.
      guard.counters.restart(nowMinute);
      const { counts, deltas } = restore(guard.counters, nowMinute);
      await db.transaction((tx) =>
        readHistory(tx, HISTORY_MAX, {
          counts,
          deltas(rows) {
            deltas(rows);
            for (const row of rows) noteSeen(row);
          },
        }),
      );
      await readSettings(null);
    },
    async write(what) {
      // A failed write is retried with the same seq before any later write.
      if (!unwritten) {
        const fresh = take(what);
        const { decisions } = fresh;
        if (fresh.deltas.length + fresh.blocks.length + fresh.objections.length + decisions.length === 0)
          return;
        if (fresh.deltas.length > UNWRITTEN_MAX) {
          log.warn({ dropped: fresh.deltas.length - UNWRITTEN_MAX }, 'counts of sends were dropped');
          fresh.deltas = fresh.deltas.slice(-UNWRITTEN_MAX);
        }
        unwritten = fresh;
        seq += 1;
      }
      const { deltas, blocks, objections, decisions } = unwritten;
      let hasMailed = false;
      await db.transaction(async (tx) => {
        // The row of this seq exists if an earlier attempt was committed.
        if ((await insertDeltas(tx, { process_id, seq, deltas })) === 0) return;
        if (blocks.length > 0) await insertBlockedPrefixes(tx, blocks);
        if (objections.length > 0) await addObjections(tx, objections);
        if (decisions.length > 0) await addDecisions(tx, decisions);
        hasMailed = await mailBlocks(tx, app, objections);
      });
      unwritten = undefined;
      if (hasMailed) app.wakeups.notify('notices');
    },
    async read() {
      const nowMs = app.clock.now().getTime();
      const since = new Date((sinceMs ?? nowMs) - OVERLAP_MS).toISOString();
      for (const row of await selectDeltas(db, { process_id, since, seen })) applyRow(row, minuteOf(nowMs));
      await readSettings(since);
      sinceMs = nowMs;
    },
  };
}
