import pg from 'pg';

/** The URL of another database with the same server and role. */
export function databaseUrl(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** The same database through the server's Unix socket in this folder. */
export function socketUrl(url: string, folder: string): string {
  const other = new URL(url);
  other.searchParams.set('host', folder);
  return other.href;
}

/** A connection that ends with the caller's block. */
export async function openClient(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Runs statements on a new connection, and returns the rows of a single one. */
export async function runSql<T>(url: string, text: string): Promise<T[]> {
  await using client = await openClient(url);
  return (await client.query(text)).rows as T[];
}

/** Connections for statements that tests run often: opening one costs more than such a statement. */
export interface Link {
  run(text: string): Promise<void>;
  close(): Promise<void>;
}

export function openLink(url: string): Link {
  const pool = new pg.Pool({ connectionString: url, max: 4, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on('error', () => {});
  return {
    async run(text) {
      await pool.query(text).catch(async (error: unknown) => {
        // A test has ended every connection of its database, and the pool has not noticed yet.
        if (!/terminat/.test(String(error))) throw error;
        await runSql(url, text);
      });
    },
    close: () => pool.end(),
  };
}
