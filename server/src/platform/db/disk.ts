import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import type { Config } from '../config.ts';
import { isLoopbackHost } from '../http/client-address.ts';
import type { Queryable } from './sql.ts';
import { connectionOf } from './tls.ts';

/** The free bytes on the database's disk; null if this process cannot see the server's files. */
export async function freeDiskBytes(
  sql: Queryable,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<number | null> {
  const { host } = databaseUrl ? new pg.Client(connectionOf(databaseUrl)) : { host: 'localhost' };
  if (!isLoopbackHost(host) && !host.startsWith('/')) return null;
  const folder = databaseUrl
    ? await sql
        .maybe<{ folder: string }>(`select current_setting('data_directory') as folder`)
        .catch(() => undefined)
        .then((row) => row?.folder)
    : resolve(dataDir);
  const seen = folder && existsSync(folder) ? await statfs(folder).catch(() => undefined) : undefined;
  return seen ? seen.bavail * seen.bsize : null;
}
