import { pendingFiles } from '../../platform/db/migrate.ts';
import { readSchemaFiles } from '../../platform/db/schema-files.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { countLiveWorkers } from '../../platform/queue/work.ts';

type Check = 'ok' | 'failed';

const CHECK_MS = 3_000;

/**
 * `/healthz`: the process responds. `/readyz`: every check passes, else 503. Workers count only if this process runs one,
 * because other workers do not affect the readiness of an API. A stopping process is not ready.
 */
export function healthRoutes(
  server: Server,
  app: Needs<'db'>,
  { works, isStopping }: { works: boolean; isStopping: () => boolean },
): void {
  const files = readSchemaFiles();
  server.get('/healthz', { logLevel: 'silent' }, async (_request, reply) =>
    reply.header('Cache-Control', 'no-store').send({ status: 'ok' }),
  );
  server.get('/readyz', { logLevel: 'silent' }, async (_request, reply) => {
    const [database, migrated, worker] = await Promise.all([
      check(async () => (await app.db.rows('select 1')).length === 1),
      check(async () => (await pendingFiles(app.db, files)).length === 0),
      works ? check(async () => (await countLiveWorkers(app.db)) > 0) : undefined,
    ]);
    const checks = { database, migrations: migrated, ...(worker ? { worker } : {}) };
    const isReady = !isStopping() && Object.values(checks).every((result) => result === 'ok');
    return reply
      .code(isReady ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send({ status: isReady ? 'ready' : 'not ready', checks });
  });
}

/** A check that throws or times out fails. */
function check(holds: () => Promise<boolean>): Promise<Check> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('failed'), CHECK_MS);
    void holds()
      .then(
        (ok): Check => (ok ? 'ok' : 'failed'),
        (): Check => 'failed',
      )
      .then((result) => {
        clearTimeout(timer);
        resolve(result);
      });
  });
}
