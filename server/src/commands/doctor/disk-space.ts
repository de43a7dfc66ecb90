import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import pg from 'pg';
import type { Sql } from '../../platform/db/sql.ts';
import { isLoopbackHost } from '../../platform/exposure.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const NAME = 'database';

/** Checks free disk space if this process can see the server's files. Otherwise it must be monitored elsewhere. */
export async function diskSpaceFinding(db: Sql, { config }: DoctorContext): Promise<Finding> {
  const { host } = config.databaseUrl ? new pg.Client(config.databaseUrl) : { host: 'localhost' };
  const folder = config.databaseUrl
    ? await db
        .maybe<{ folder: string }>(`select current_setting('data_directory') as folder`)
        .catch(() => undefined)
        .then((row) => row?.folder)
    : resolve(config.dataDir);
  const { bytes } = await db.one<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
  const isHere = isLoopbackHost(host) || host.startsWith('/');
  const seen =
    isHere && folder && existsSync(folder) ? await statfs(folder).catch(() => undefined) : undefined;
  return seen
    ? diskSpaceOf(bytes, seen.bavail * seen.bsize)
    : ok(NAME, `${gigabytes(bytes)} are used; free disk space is not visible from here.`);
}

const GB = 1_000_000_000;
const gigabytes = (bytes: number): string => `${(bytes / GB).toFixed(bytes < 10 * GB ? 2 : 0)} GB`;

export function diskSpaceOf(used: number, free: number): Finding {
  const says = `${gigabytes(used)} are used, ${gigabytes(free)} of its disk are free.`;
  const advice = 'Add disk space, or lower RETENTION_DAYS: a full disk refuses every send.';
  if (free < GB / 4) return problem(NAME, says, advice);
  return free < 2 * GB ? warning(NAME, says, advice) : ok(NAME, says);
}
