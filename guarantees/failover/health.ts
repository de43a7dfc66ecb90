import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkPatroni } from '../../server/src/operations/commands/doctor/patroni.ts';
import { openDb } from '../../server/src/platform/db/sql.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { atMost, type Check, check, type Scenario, until } from '../harness/run.ts';
import type { Cluster } from './cluster.ts';

const BACKUP = join(import.meta.dirname, '../../deploy/backup.sh');

/** What an operator checks on a working cluster: the doctor through both doors, and a backup from a standby. */
export const healthy: Scenario<{ cluster: Cluster }> = {
  name: 'healthy',
  about:
    'the doctor checks the cluster, with and without strict mode; a backup is taken from a standby; a fourth copy is added',
  async *run(cleanup, { cluster }) {
    const pooled = await doctor(cluster.pooledUrl);
    yield check(
      'the doctor, through PgBouncer',
      'ok',
      pooled,
      /^ok: Patroni \d.*strict.*2 standbys/.test(pooled),
    );
    cleanup.defer(() => cluster.reconfigure({ synchronous_mode_strict: true }));
    await cluster.reconfigure({ synchronous_mode_strict: false });
    await until(10_000, async () => (await doctor(cluster.directUrl)).startsWith('problem'));
    const lax = await doctor(cluster.directUrl);
    yield check(
      'the doctor, without strict mode',
      'a problem',
      lax,
      lax.includes('synchronous_mode_strict is off'),
    );
    await cluster.reconfigure({ synchronous_mode_strict: true });
    await until(10_000, async () => (await doctor(cluster.directUrl)).startsWith('ok'));
    yield backup(cluster);
    const copy = await cluster.addCopy();
    const copiedMs = await until(60_000, () => cluster.isStreaming(copy));
    yield atMost('a fourth copy streams', 60_000, copiedMs);
    await copy.powerOff();
  },
};

async function doctor(url: string): Promise<string> {
  const db = openDb({ url, log: createLog('fatal'), max: 1 });
  try {
    return (await checkPatroni(db)).map(({ level, says }) => `${level}: ${says}`).join('; ');
  } finally {
    await db.close();
  }
}

function backup({ standbyUrl, service }: Cluster): Check {
  const folder = join(service.folder, 'backups');
  mkdirSync(folder);
  const { hostname, port, username, password, pathname } = new URL(standbyUrl);
  const env = {
    PATH: process.env.PATH,
    BACKUP_DIR: folder,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
    PGSSLMODE: 'require',
  };
  execFileSync('sh', [BACKUP, 'once'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [dump = 'none'] = readdirSync(folder);
  return check('a backup from a standby', 'a dump', dump, dump.endsWith('.dump'));
}
