import pg from 'pg';
import type { Logger } from '../log.ts';

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
  /** Commits what `work` did when it returns, rolls back when it throws. No network call belongs inside. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** A connection of its own, for work in batches; give it back by disposing. */
  connection(): Promise<Connection>;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface Connection extends Sql, AsyncDisposable {
  /** Several statements in one round trip, without parameters: only ever with `literal()`s inside. */
  script(text: string): Promise<pg.QueryResult[]>;
  /** Ends the connection instead of giving it back. */
  destroy(): void;
}

type Queryable = Pick<pg.PoolClient, 'query'>;

function sqlOn(client: Queryable): Sql {
  const ask = (text: string, params: readonly unknown[] = []) => client.query(text, params as unknown[]);
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
  const pool = new pg.Pool({
    connectionString: url,
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
  pool.on('connect', (client) => client.on('error', () => undefined));

  const connection = async (): Promise<Connection> => {
    const client = await pool.connect();
    let ended = false;
    const end = (error?: Error) => {
      if (!ended) client.release(error);
      ended = true;
    };
    return {
      ...sqlOn(client),
      async script(text) {
        const result = (await client.query(text)) as unknown as pg.QueryResult | pg.QueryResult[];
        return Array.isArray(result) ? result : [result];
      },
      destroy: () => end(new Error('destroyed')),
      async [Symbol.asyncDispose]() {
        end();
      },
    };
  };

  return {
    ...sqlOn(pool as unknown as Queryable),
    pool,
    connection,
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(sqlOn(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // A database that says nothing would not answer this either.
        if (isDatabaseAway(error)) broken = error as Error;
        else
          await client.query('ROLLBACK').catch((failure: Error) => {
            broken = failure;
          });
        throw error;
      } finally {
        client.release(broken);
      }
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
  '53300',
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

/** Whether an error means that the database is away, not that the statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  return (typeof code === 'string' && LOST.has(code)) || LOST_TEXT.test(error.message);
}

/** Whether an error is the violation of this unique or check constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && (error as { constraint?: unknown }).constraint === constraint;
}

/** `%` and `_` mean themselves inside a LIKE pattern built around this. */
export const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
