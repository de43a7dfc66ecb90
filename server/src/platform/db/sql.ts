import { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { connectionOf } from './tls.ts';

const { types } = pg;
const TIMESTAMPTZ = 1184;
const INT8 = 20;
const NUMERIC = 1700;
// Times travel as on the wire: ISO 8601 UTC with milliseconds. Credits, counts and sums fit a double.
types.setTypeParser(TIMESTAMPTZ, (text: string) => new Date(text).toISOString());
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);

/** Where statements run: the pool, or one transaction. */
export interface Sql {
  rows<T>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /** The first row, if any. */
  maybe<T>(text: string, params?: readonly unknown[]): Promise<T | undefined>;
  /** The row that must exist. */
  one<T>(text: string, params?: readonly unknown[]): Promise<T>;
  /** How many rows it changed. */
  run(text: string, params?: readonly unknown[]): Promise<number>;
}

export interface Db extends Sql {
  /**
   * Commits what `work` did when it returns, rolls back when it throws. No network call belongs inside. `timeoutMs`: the server
   * cancels each statement that takes longer, with the error code 57014.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, options?: { timeoutMs?: number }): Promise<T>;
  /** A connection of its own, for work in batches; give it back by disposing. */
  connection(): Promise<Connection>;
  /** Breaks the connections that were made before, a time of `performance.now()`: what waits on them fails as when the database goes away. */
  endOlder(thanMs: number): void;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface Connection extends Sql, AsyncDisposable {
  /** Several statements in one round trip, without parameters: only ever with `literal()`s inside. */
  script(text: string): Promise<pg.QueryResult[]>;
  /** Ends the connection instead of giving it back. */
  destroy(): void;
}

type Asker = (text: string, params?: readonly unknown[]) => Promise<pg.QueryResult>;

/** Connections whose last commit is on the disk of one server only. */
const unreplicated = new WeakSet<pg.PoolClient>();

/**
 * The server calls a commit a success though somebody has ended its wait for a standby, and says so in a warning alone
 * (syncrep.c; its words depend on the server's language). A failover may lose such a commit.
 */
function watchReplication(client: pg.PoolClient): void {
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unreplicated.add(client);
  });
}

/** Asks; a commit that no standby confirmed counts like one whose answer was lost. */
const askerOf =
  (client: pg.PoolClient): Asker =>
  async (text, params) => {
    const result = await client.query(text, params as unknown[] | undefined);
    if (unreplicated.delete(client)) throw new Unreplicated();
    return result;
  };

function sqlOn(ask: Asker): Sql {
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
  /** connections at most */
  max?: number;
  applicationName?: string;
}

export function openDb({ url, log, max = 20, applicationName = 'sixdigit' }: DbOptions): Db {
  /** by when they were made */
  const sockets = new Map<Socket, number>();
  const pool = new pg.Pool({
    ...connectionOf(url),
    stream: () => {
      const socket = new Socket();
      sockets.set(socket, performance.now());
      return socket.once('close', () => sockets.delete(socket));
    },
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // A statement of ours that takes this long is lost; the lists' own limit is lower.
    query_timeout: 30_000,
  });
  // Without a listener a restart of the database would end the process.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'idle database connection lost');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    watchReplication(client);
  });

  const connection = async (): Promise<Connection> => {
    const client = await pool.connect();
    let ended = false;
    const end = (error?: Error) => {
      if (!ended) client.release(error);
      ended = true;
    };
    return {
      ...sqlOn(askerOf(client)),
      async script(text) {
        const result = (await askerOf(client)(text)) as pg.QueryResult | pg.QueryResult[];
        return Array.isArray(result) ? result : [result];
      },
      destroy: () => end(new Error('destroyed')),
      async [Symbol.asyncDispose]() {
        end();
      },
    };
  };

  const askAny: Asker = async (text, params) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await askerOf(client)(text, params ?? []);
    } catch (error) {
      if (isDatabaseUnavailable(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  return {
    ...sqlOn(askAny),
    pool,
    connection,
    async transaction(work, { timeoutMs } = {}) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        const ask = askerOf(client);
        await ask(timeoutMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL statement_timeout = ${timeoutMs}`);
        const result = await work(sqlOn(ask));
        await ask('COMMIT');
        return result;
      } catch (error) {
        // A database that says nothing would not answer this either.
        if (isDatabaseUnavailable(error)) broken = error as Error;
        else
          await client.query('ROLLBACK').catch((failure: Error) => {
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
    close: () => pool.end(),
  };
}

/**
 * A JSON value as a literal for `script`, dollar-quoted: nothing in it is ever read as anything but text, whatever the server's
 * settings, since a tag that occurs in the text is not used.
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
  // canceled by somebody else, or by the server's own limit
  '57014',
  // a standby, which a pooler may name a moment too early
  '25006',
  // no room on its disk, no memory, no connection left, a disk that fails
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

/** The commit is done where it was asked for, and perhaps nowhere else. */
class Unreplicated extends Error {
  constructor() {
    super('The commit was not confirmed by a standby');
    this.name = 'Unreplicated';
  }
}

/** All that PgBouncer has to say for itself: it has no server, or has lost one. */
const isPoolerUnavailable = ({ code, severity }: { code?: unknown; severity?: unknown }): boolean =>
  code === '08P01' && severity === 'FATAL';

/** Whether an error means that the database is away or its answer is lost, not that the statement was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof Unreplicated || isPoolerUnavailable(error as { code?: unknown })) return true;
  const code = (error as { code?: unknown }).code;
  return (typeof code === 'string' && LOST.has(code)) || LOST_TEXT.test(error.message);
}

/**
 * Ends a transaction that wrote nothing, but answers from what is written: its commit waits like any other for the standby, and
 * what came before it is there by then, even where the commit that wrote it was never confirmed.
 */
export const CONFIRM = `SELECT pg_logical_emit_message(true, 'sixdigit', ''); COMMIT`;

/** Whether an error is the violation of this unique or check constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && (error as { constraint?: unknown }).constraint === constraint;
}

/** `%` and `_` mean themselves inside a LIKE pattern built around this. */
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
