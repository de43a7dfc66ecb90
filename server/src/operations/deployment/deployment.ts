import { join } from 'node:path';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { pendingFiles } from '../../platform/db/migrate.ts';
import { readSchemaFiles } from '../../platform/db/schema-files.ts';
import { isOperator } from '../../platform/http/client-address.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Needs } from '../../platform/platform.ts';
import { countLiveWorkers } from '../../platform/queue/work.ts';
import { requireKey } from '../../platform/security/vault.ts';
import { version } from '../../platform/version.ts';
import { dashboardRoutes, deploymentRoutes } from './dashboard.ts';
import { probeRoutes } from './public-url-probe.ts';

type Check = 'ok' | 'failed';

/** Paths of operators and their tools, which respond even if the process must not serve. */
const OPERATION_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** What other processes write under a server key that this one lacks cannot be read, so only the routes for operators respond. */
export function refuseWithoutKey(server: Server, app: Needs<'vault'>): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (!OPERATION_PATHS.has(request.routeOptions.url ?? '')) requireKey(app);
    done();
  });
}

const CHECK_MS = 3_000;

/**
 * `/healthz` responds with 200 while the process runs. `/readyz` responds with 200 if every check passes, else with 503. The
 * worker check applies only if this process runs a worker, because an API can be ready without one. A stopping process is not
 * ready.
 */
function healthRoutes(
  server: Server,
  app: Needs<'db' | 'vault'>,
  { works, isStopping }: { works: boolean; isStopping: () => boolean },
): void {
  const files = readSchemaFiles();
  server.get('/healthz', { logLevel: 'silent' }, async (_request, reply) =>
    reply.header('Cache-Control', 'no-store').send({ status: 'ok', version }),
  );
  server.get('/readyz', { logLevel: 'silent' }, async (_request, reply) => {
    const [database, migrated, worker] = await Promise.all([
      check(async () => (await app.db.rows('select 1')).length === 1),
      check(async () => (await pendingFiles(app.db, files)).length === 0),
      works ? check(async () => (await countLiveWorkers(app.db)) > 0) : undefined,
    ]);
    const server_key: Check = app.vault.lacksKey === undefined ? 'ok' : 'failed';
    const checks = { database, migrations: migrated, server_key, ...(worker ? { worker } : {}) };
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

export { PROBE_PATH, type ProbeResponse, probeRequest } from './public-url-probe.ts';

type App = Needs<'db' | 'config' | 'random' | 'clock' | 'vault'> & { carriers: Carriers; metrics: Metrics };

interface Options {
  /** this process runs a worker, so it is not ready before the first heartbeat */
  works?: boolean;
  /** this process is stopping, so it is not ready for new requests */
  isStopping?: () => boolean;
  /** the folder of the built web app */
  dist?: string;
}

const DIST = join(import.meta.dirname, '../../../../web/dist');

/**
 * Routes outside the contract, for operators, scripts and browsers. Register these last, because they also handle every path
 * that no other route matches.
 */
export async function operationRoutes(
  server: Server,
  app: App,
  { works = true, isStopping = () => false, dist = DIST }: Options = {},
): Promise<void> {
  healthRoutes(server, app, { works, isStopping });
  metricRoutes(server, app);
  deploymentRoutes(server, app);
  probeRoutes(server, app);
  // Password managers open this path to change a password (W3C, "A Well-Known URL for Changing Passwords").
  server.get('/.well-known/change-password', (_, reply) => reply.redirect('/settings#password', 303));
  await dashboardRoutes(server, app, dist);
}

/** The routes of a worker's own port. */
export function workerRoutes(server: Server, app: App, isStopping: () => boolean): void {
  healthRoutes(server, app, { works: true, isStopping });
  metricRoutes(server, app);
}

/** Counts every response. Unless METRICS=public, only the operator can read `/metrics`. */
function metricRoutes(server: Server, app: App): void {
  server.addHook('onResponse', (request, reply, done) => {
    app.metrics.answered({
      route: request.route?.name ?? request.routeOptions.url ?? 'none',
      method: request.route || request.routeOptions.url ? request.method : 'any',
      status: reply.statusCode,
      refusal: request.noted?.reason ?? null,
      ms: app.clock.now().getTime() - request.startedMs,
    });
    done();
  });
  server.get('/metrics', async (request, reply) => {
    if (!app.config.publicMetrics && !isOperator(app, request)) throw new Failure('not_found');
    const { type, text } = await app.metrics.scrape(app.db);
    return reply.header('Cache-Control', 'no-store').type(type).send(text);
  });
}
