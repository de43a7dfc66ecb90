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

/** Runs statements on a new connection, and returns the rows of a single one. */
export async function runSql<T>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}
