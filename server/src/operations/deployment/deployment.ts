import { join } from 'node:path';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { Failure } from '../../platform/http/failure.ts';
import { isOperator } from '../../platform/http/local-requests.ts';
import type { Server } from '../../platform/http/serve.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Needs } from '../../platform/platform.ts';
import { deploymentRoutes } from './config-json.ts';
import { dashboardRoutes } from './dashboard.ts';
import { healthRoutes } from './health.ts';
import { probeRoutes } from './public-url-probe.ts';

export { PROBE_PATH, type ProbeResponse, probeRequest } from './public-url-probe.ts';

type App = Needs<'db' | 'config' | 'random' | 'clock' | 'vault'> & { carriers: Carriers; metrics: Metrics };

interface Options {
  /** this process runs a worker: not ready before its first heartbeat */
  works?: boolean;
  /** this process is stopping: not ready for new requests */
  isStopping?: () => boolean;
  /** the folder of the built web app */
  dist?: string;
}

const DIST = join(import.meta.dirname, '../../../../web/dist');

/** Routes for operators, scripts and browsers outside the contract. Register it last, because it handles all other paths. */
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
  server.get('/.well-known/change-password', (_, reply) => reply.redirect('/settings#security', 303));
  await dashboardRoutes(server, app, dist);
}

/** The routes of a worker's own port. */
export function workerRoutes(server: Server, app: App, isStopping: () => boolean): void {
  healthRoutes(server, app, { works: true, isStopping });
  metricRoutes(server, app);
}

/** Counts every response. Only the operator can read `/metrics` unless METRICS=public. */
function metricRoutes(server: Server, app: App): void {
  server.addHook('onResponse', (request, reply, done) => {
    app.metrics.answered({
      route: request.route?.name ?? request.routeOptions.url ?? 'none',
      method: request.route || request.routeOptions.url ? request.method : 'any',
      status: reply.statusCode,
      refusal: request.refusal,
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
