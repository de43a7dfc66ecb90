import pg from 'pg';
import { connectionOf, settleTls } from '../../../platform/db/tls.ts';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../platform/finding.ts';
import { adviceFor } from './connection-advice.ts';

const NAME = 'database';

/** A pooler issues its own cancel keys, so the process id that it reports differs from that of the server process. */
async function isThroughPooler(url: string): Promise<boolean> {
  const client = new pg.Client({ ...connectionOf(await settleTls(url)), connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== (client as unknown as { processID: number }).processID;
  } finally {
    await client.end();
  }
}

/** Checks whether connections go through a pooler, and whether migrations bypass it. */
export async function poolerFindings({ config }: DoctorContext, url: string): Promise<Finding[]> {
  const direct = config.migrateDatabaseUrl;
  if (!direct)
    return (await isThroughPooler(url))
      ? [
          ok(
            NAME,
            'The connection goes through a pooler such as PgBouncer, and so do migrations unless MIGRATE_DATABASE_URL is set.',
          ),
        ]
      : [];
  try {
    return (await isThroughPooler(direct))
      ? [
          warning(
            NAME,
            'MIGRATE_DATABASE_URL also goes through a pooler.',
            'Set it to a direct connection, or remove it.',
          ),
        ]
      : [ok(NAME, 'Migrations have a direct connection.')];
  } catch (error) {
    return [
      problem(NAME, `MIGRATE_DATABASE_URL cannot be used: ${unreachedBecause(error)}.`, adviceFor(error)),
    ];
  }
}
