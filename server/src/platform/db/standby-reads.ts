/**
 * Lists, insights and exports can read from a standby (READ_DATABASE_URL), so that they take no resources of the primary. Each
 * read asks the primary for its WAL position and waits, in its own transaction on the standby, until the standby has replayed
 * it. So it sees every write that any process acknowledged before the read began, and a pooler or a proxy in front of several
 * standbys cannot come between. The question costs the primary one round trip and reads no table; remembering positions per
 * account would save it, but a process does not know what others wrote.
 *
 * If the standby is behind or unavailable, the read runs on the primary, and all reads do until a probe succeeds.
 */

import { monotonicMs } from '../clock.ts';
import { Failure } from '../http/failure.ts';
import type { Logger } from '../log.ts';
import { type Db, isDatabaseUnavailable, openDb, type Sql, type Tx, throughTransactions } from './sql.ts';
import { settleTls } from './tls.ts';

export interface StandbyReads {
  /** Runs reads on the standby, or on the primary. Runs them again on the primary if the standby fails. */
  read<T>(primary: Db, work: (db: Db) => Promise<T>): Promise<T>;
  /** Calls `listener` after each read. */
  follow(listener: (source: ReadSource) => void): void;
  /** How far the standby is behind the primary; undefined if it is unavailable or not a standby. */
  lagBytes(primary: Sql): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Where a read ran; on the primary with the reason. */
export type ReadSource = 'standby' | 'primary_behind' | 'primary_unavailable' | 'primary_failed';

/** How long a read waits for the standby. Streaming replication is usually behind by milliseconds. */
const WAIT_MS = 500;
const POLL_MS = 3;
const PROBE_EVERY_MS = 1_000;
/** Above the statement timeout of lists and exports. */
const PATIENCE_MS = 6_000;
const CONNECT_MS = 1_000;
/** Eight statements of lists and exports run at a time. */
const CONNECTIONS = 10;

class Behind extends Error {}
class NotAStandby extends Error {}

interface StandbyOptions {
  url: string;
  log: Pick<Logger, 'warn' | 'info'>;
  waitMs?: number;
}

export function openStandby({ url, log, waitMs = WAIT_MS }: StandbyOptions): StandbyReads {
  const listeners: ((source: ReadSource) => void)[] = [];
  let opening: Promise<Db> | undefined;
  let probing: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** The standby may be unavailable when the process starts. */
  const open = (): Promise<Db> => {
    opening ??= settleTls(url).then((settled) =>
      openDb({
        url: settled,
        log,
        max: CONNECTIONS,
        applicationName: 'sixdigit lists',
        patienceMs: PATIENCE_MS,
        connectMs: CONNECT_MS,
      }),
    );
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };

  const attempt = async <T>(primary: Db, work: (db: Db) => Promise<T>): Promise<T> => {
    const [standby, position] = await Promise.all([open(), positionOf(primary)]);
    const transaction: Db['transaction'] = (inside, options) =>
      standby.transaction(async (tx) => {
        await untilReplayed(tx, position, waitMs);
        return inside(tx);
      }, options);
    return work(throughTransactions(standby, transaction));
  };

  const rest = (primary: Db, reason: ReadSource, err: unknown): void => {
    if (probing || isClosed) return;
    log.warn({ err, reason }, 'lists are read from the primary');
    probing = setInterval(() => {
      attempt(primary, (db) => db.rows('select 1')).then(
        () => {
          if (probing) log.info({}, 'lists are read from the standby again');
          clearInterval(probing);
          probing = undefined;
        },
        () => undefined,
      );
    }, PROBE_EVERY_MS);
    probing.unref();
  };

  let resting: ReadSource = 'standby';
  const noted = (source: ReadSource): void => {
    for (const listener of listeners) listener(source);
  };

  return {
    async read(primary, work) {
      if (probing) {
        noted(resting);
        return work(primary);
      }
      try {
        const found = await attempt(primary, work);
        noted('standby');
        return found;
      } catch (error) {
        // A refusal, such as a list that took too long.
        if (error instanceof Failure) {
          noted('standby');
          throw error;
        }
        const source = sourceAfter(error);
        if (source !== 'primary_failed') {
          resting = source;
          rest(primary, source, error);
        }
        noted(source);
        return work(primary);
      }
    },
    follow: (listener) => void listeners.push(listener),
    async lagBytes(primary) {
      const position = await positionOf(primary);
      return open()
        .then((standby) => bytesBehind(standby, position))
        .catch(() => undefined);
    },
    async close() {
      isClosed = true;
      clearInterval(probing);
      await opening?.then((db) => db.close()).catch(() => undefined);
    },
  };
}

/**
 * A statement that fails only on the standby does not stop other reads from using it, such as one that a conflict with
 * replication canceled.
 */
function sourceAfter(error: unknown): ReadSource {
  if (error instanceof Behind) return 'primary_behind';
  if (error instanceof NotAStandby) return 'primary_unavailable';
  const { code } = error as { code?: unknown };
  const isRefused = code === '25006' || code === '57014';
  return !isRefused && isDatabaseUnavailable(error) ? 'primary_unavailable' : 'primary_failed';
}

/** The primary's WAL position. Every acknowledged commit is flushed, so it ends at or before this position. */
export const positionOf = async (primary: Sql): Promise<string> =>
  (await primary.one<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')).lsn;

/** How many bytes of WAL before this position a server has not replayed; undefined if it is not a standby. */
export async function bytesBehind(standby: Sql, position: string): Promise<number | undefined> {
  const { lag } = await standby.one<{ lag: number | null }>(
    `select case when pg_is_in_recovery()
       then greatest(0, pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn())) end as lag`,
    [position],
  );
  return lag ?? undefined;
}

async function untilReplayed(tx: Tx, position: string, waitMs: number): Promise<void> {
  const untilMs = monotonicMs() + waitMs;
  for (;;) {
    const { replayed } = await tx.one<{ replayed: boolean | null }>(
      `select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= $1::pg_lsn end as replayed`,
      [position],
    );
    if (replayed === null) throw new NotAStandby('READ_DATABASE_URL does not lead to a standby');
    if (replayed) return;
    if (monotonicMs() >= untilMs)
      throw new Behind(`The standby has not replayed ${position} in ${waitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const standbys = new WeakMap<Db['pool'], StandbyReads>();

/** Makes the lists, insights and exports of this database read from a standby. */
export const useStandby = (db: Db, standby: StandbyReads): void => {
  standbys.set(db.pool, standby);
};

export const standbyOf = ({ pool }: Pick<Db, 'pool'>): StandbyReads | undefined => standbys.get(pool);

/** Runs a read of a list, insights or an export. No other read may use a standby. */
export const readForLists = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> => {
  const standby = standbyOf(db);
  return standby ? standby.read(db, work) : work(db);
};
