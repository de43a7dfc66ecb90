import { freeDiskBytes } from '../../../platform/db/disk.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type DoctorContext, type Finding, ok, problem, warning } from '../../../platform/finding.ts';

const NAME = 'database';

/** Checks the free disk space if this process can see the server's files. Otherwise another tool must monitor it. */
export async function diskSpaceFinding(db: Sql, { config }: DoctorContext): Promise<Finding> {
  const { bytes } = await db.one<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
  const free = await freeDiskBytes(db, config);
  return free === null
    ? ok(NAME, `${gigabytes(bytes)} are used; free disk space is not visible from here.`)
    : diskSpaceOf(bytes, free);
}

const GB = 1_000_000_000;
const gigabytes = (bytes: number): string => `${(bytes / GB).toFixed(bytes < 10 * GB ? 2 : 0)} GB`;

export function diskSpaceOf(used: number, free: number): Finding {
  const says = `${gigabytes(used)} are used, ${gigabytes(free)} of its disk are free.`;
  const advice =
    'Add disk space, or lower RETENTION_DAYS or LOG_RETENTION_DAYS: a full disk refuses every send.';
  if (free < GB / 4) return problem(NAME, says, advice);
  return free < 2 * GB ? warning(NAME, says, advice) : ok(NAME, says);
}
