import { Socket } from 'node:net';
import pg from 'pg';
import { monotonicMs } from '../clock.ts';
import type { Logger } from '../log.ts';
import { connectionOf } from './tls.ts';

const { types } = pg;
const TIMESTAMPTZ = 1184;
const INT8 = 20;
const NUMERIC = 1700;
// Times are returned in the API's format: ISO 8601 UTC with milliseconds. Credits, counts and sums fit into a double.
types.setTypeParser(TIMESTAMPTZ, (text: string) => new Date(text).toISOString());
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);

/** Runs statements, on the pool or in a transaction. */
export interface Queryable {
  rows<T>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /** The first row, if any. */
  maybe<T>(text: string, params?: readonly unknown[]): Promise<T | undefined>;
  /** The only row; throws if there is none. */
  one<T>(text: string, params?: readonly unknown[]): Promise<T>;
  /** Returns the number of changed rows. */
  run(text: string, params?: readonly unknown[]): Promise<number>;
}

/** The pool. Each statement commits separately, so a later error of the caller does not undo it. */
export interface Sql extends Queryable {
  readonly isTransaction: false;
}

/** A transaction. Its statements commit or roll back together, at the end of `Db.transaction`. */
export interface Tx extends Queryable {
  readonly isTransaction: true;
}

export interface Db extends Sql {
  /**
   * Commits when `work` returns and rolls back when it throws. Do not make network calls inside. With `timeoutMs`, the server
   * cancels each slower statement with error code 57014.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { timeoutMs?: number }): Promise<T>;
  /** A dedicated connection for batched work, from the reserve. Dispose of it to return it. */
  connection(): Promise<Connection>;
  /**
   * Connections for the work that every send needs: batches, authentication and dispatch. They never wait for statements of
   * dashboards and jobs, because one account can cause many of these.
   */
  readonly reserve: Sql;
  /**
   * Closes the connections that were opened before this `monotonicMs()` time. Their statements fail as if the database were
   * unavailable.
   */
  endOlder(thanMs: number): void;
  readonly pool: pg.Pool;
  connections(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface Connection extends Queryable, AsyncDisposable {
  /** Runs several statements in one round trip, without parameters. Interpolate only `literal()`s. */
  script(text: string): Promise<pg.QueryResult[]>;
  /** Closes the connection instead of returning it to the pool. */
  destroy(): void;
}

type Asker = (text: string, params?: readonly unknown[]) => Promise<pg.QueryResult>;

/** Connections whose last commit was not confirmed by a standby. */
const unreplicated = new WeakSet<pg.PoolClient>();

/**
 * If the wait for a standby is canceled, the server reports a successful commit with only a warning (syncrep.c; the wording
 * depends on the server's language). A failover may lose such a commit.
 */
function watchReplication(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unreplicated.add(client);
  });
}

/**
 * Uses a callback and its own timer. The promises and the `query_timeout` of pg assign a new function to a property of each
 * query. V8 allocates such functions in the old generation, where each one retains its query, with the text and the rows, until
 * the next full garbage collection.
 */
const responseTo = (
  client: pg.PoolClient,
  { text, params, patienceMs }: { text: string; params: readonly unknown[] | undefined; patienceMs: number },
) =>
  new Promise<pg.QueryResult>((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoResponse(patienceMs)), patienceMs);
    client.query(text, params as unknown[], (error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });

/** Runs a statement. A commit that no standby has confirmed fails like a commit whose response was lost. */
const askerOf =
  (client: pg.PoolClient, patienceMs: number): Asker =>
  async (text, params) => {
    const result = await responseTo(client, { text, params, patienceMs }).catch((error: Error) => {
      // Replaces the socket's stack trace with the caller's.
      Error.captureStackTrace(error);
      throw error;
    });
    if (unreplicated.delete(client)) throw new Unreplicated();
    return result;
  };

function queryableOn(ask: Asker): Queryable {
  return {
    async rows<T>(text: string, params?: readonly unknown[]) {
      return (await ask(text, params)).rows as T[];
    },
    async maybe<T>(text: string, params?: readonly unknown[]) {
      return (await ask(text, params)).rows[0] as T | undefined;
    },
    async one<T>(text: string, params?: readonly unknown[]) {
      const row = (await ask(text, params)).rows[0] as T | undefined;
      if (row === undefined) throw new Error(`No row where one must exist: ${text.slice(0, 120)}`);
      return row;
    },
    async run(text, params) {
      return (await ask(text, params)).rowCount ?? 0;
    },
  };
}

export interface DbOptions {
  url: string;
  log: Pick<Logger, 'warn'>;
  /** maximum number of connections */
  max?: number;
  /** The number of these connections that form the reserve. Without a reserve, all statements share all connections. */
  reserved?: number;
  applicationName?: string;
  /** A statement that takes longer counts as lost. Lists have a shorter timeout. */
  patienceMs?: number;
  connectMs?: number;
}

/**
 * Two for batches (sends, verifies), two for authentication, one for claims and one for ending claims. Heartbeats use whichever
 * is free.
 */
export const RESERVED_CONNECTIONS = 6;

export function openDb({
  url,
  log,
  max = 20,
  reserved = 0,
  applicationName = 'sixdigit',
  patienceMs = 30_000,
  connectMs = 5_000,
}: DbOptions): Db {
  /** sockets with their creation times */
  const sockets = new Map<Socket, number>();
  const openPool = (most: number): pg.Pool => {
    const opened = new pg.Pool({
      ...connectionOf(url),
      stream: () => {
        const socket = new Socket();
        sockets.set(socket, monotonicMs());
        return socket.once('close', () => sockets.delete(socket));
      },
      max: most,
      application_name: applicationName,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    });
    // Without this listener, a restart of the database would end the process.
    opened.on('error', (error) => {
      if (!opened.ending) log.warn({ err: error }, 'idle database connection lost');
    });
    opened.on('connect', (client) => {
      client.on('error', () => undefined);
      watchReplication(client);
    });
    return opened;
  };
  const pool = openPool(max - reserved);
  const reserve = reserved > 0 ? openPool(reserved) : pool;

  const askOn = (client: pg.PoolClient): Asker => askerOf(client, patienceMs);
  const connection = async (): Promise<Connection> => {
    const client = await reserve.connect();
    let ended = false;
    const end = (error?: Error) => {
      if (!ended) client.release(error);
      ended = true;
    };
    return {
      ...queryableOn(askOn(client)),
      async script(text) {
        const result = (await askOn(client)(text)) as pg.QueryResult | pg.QueryResult[];
        return Array.isArray(result) ? result : [result];
      },
      destroy: () => end(new Error('destroyed')),
      async [Symbol.asyncDispose]() {
        end();
      },
    };
  };

  const askerFrom =
    (from: pg.Pool): Asker =>
    async (text, params) => {
      const client = await from.connect();
      let broken: Error | undefined;
      try {
        return await askOn(client)(text, params ?? []);
      } catch (error) {
        if (isDatabaseUnavailable(error)) broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    };

  return {
    ...queryableOn(askerFrom(pool)),
    isTransaction: false,
    pool,
    reserve: { ...queryableOn(askerFrom(reserve)), isTransaction: false },
    connections: () => {
      const pools = [...new Set([pool, reserve])];
      const sum = (of: (one: pg.Pool) => number) => pools.reduce((total, one) => total + of(one), 0);
      return {
        open: sum((one) => one.totalCount),
        idle: sum((one) => one.idleCount),
        waiting: sum((one) => one.waitingCount),
      };
    },
    connection,
    async transaction(work, { timeoutMs } = {}) {
      const client = await pool.connect();
      const ask = askOn(client);
      let broken: Error | undefined;
      try {
        await ask(timeoutMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL statement_timeout = ${timeoutMs}`);
        const result = await work({ ...queryableOn(ask), isTransaction: true });
        await ask('COMMIT');
        return result;
      } catch (error) {
        // An unavailable database would not respond to a rollback either.
        if (isDatabaseUnavailable(error)) broken = error as Error;
        else
          await ask('ROLLBACK').catch((failure: Error) => {
            broken = failure;
          });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    endOlder(thanMs) {
      for (const [socket, madeMs] of sockets) if (madeMs < thanMs) socket.destroy();
    },
    close: async () => {
      await Promise.all([...new Set([pool, reserve])].map((one) => one.end()));
    },
  };
}

/** The same database with this function for its transactions, in which single statements run as well. */
export function throughTransactions(db: Db, transaction: Db['transaction']): Db {
  const alone = <K extends keyof Queryable>(name: K) =>
    ((...args: Parameters<Queryable[K]>) =>
      transaction((tx) => (tx[name] as (...all: unknown[]) => Promise<never>)(...args))) as Queryable[K];
  return {
    ...db,
    rows: alone('rows'),
    maybe: alone('maybe'),
    one: alone('one'),
    run: alone('run'),
    transaction,
  };
}

/**
 * A dollar-quoted JSON literal for `script`. Its tag does not occur in the text, so the literal is safe under any server
 * settings.
 */
export function jsonLiteral(value: unknown): string {
  const json = JSON.stringify(value);
  let tag = '$json$';
  for (let n = 0; json.includes(tag); n++) tag = `$json${n}$`;
  return tag + json + tag;
}

const LOST = new Set([
  '57P01',
  '57P02',
  '57P03',
  // canceled by an administrator or by the server's own timeout
  '57014',
  // a standby, which a pooler may briefly use as primary
  '25006',
  // logins are disabled, for example while a database is moved
  '28000',
  // out of disk, memory or connections, or a disk error
  '53100',
  '53200',
  '53300',
  '58030',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
]);
const LOST_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|not queryable|Connection ended/i;

class NoResponse extends Error {
  constructor(patienceMs: number) {
    super(`The database has not responded for ${patienceMs} ms`);
    this.name = 'NoResponse';
  }
}

/** The commit is durable on the primary, but perhaps not on a standby. */
class Unreplicated extends Error {
  constructor() {
    super('The commit was not confirmed by a standby');
    this.name = 'Unreplicated';
  }
}

/**
 * Fatal errors with these codes mean that PgBouncer has lost its server or has none, or that the database accepts no
 * connections, for example during maintenance.
 */
const LOST_IF_FATAL = new Set(['08P01', '55000']);

/** Whether an error means that the database is unavailable or its response was lost, as opposed to a wrong statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoResponse || error instanceof Unreplicated || LOST_TEXT.test(error.message))
    return true;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && (LOST.has(code) || (severity === 'FATAL' && LOST_IF_FATAL.has(code)));
}

/**
 * Ends a read-only transaction with a commit that waits for the standby. Everything the transaction has read is then
 * replicated, even if the commit that wrote it was never confirmed.
 */
export const CONFIRM = `SELECT pg_logical_emit_message(true, 'sixdigit', ''); COMMIT`;

/** Whether an error is a violation of this unique or check constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && (error as { constraint?: unknown }).constraint === constraint;
}

/** Escapes `%` and `_` for a LIKE pattern. */
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
