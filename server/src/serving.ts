import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { preparePasskeys } from './accounts/second-factors/second-factors.ts';
import { type App, allJobs, createApi, createWorkerServer } from './app.ts';
import { createDemoAccount, type DemoAccount, demoLines } from './operations/commands/demo/demo.ts';
import type { examine } from './operations/commands/doctor/doctor.ts';
import { prepareMonths } from './operations/retention/retention.ts';
import { monotonicMs } from './platform/clock.ts';
import { apiBase, type Config } from './platform/config.ts';
import { listenOnIpv6Loopback } from './platform/http/client-address.ts';
import type { Server } from './platform/http/serve.ts';
import { startWork } from './platform/queue/work.ts';
import { keyRotation } from './platform/security/key-rotation.ts';
import { ConfigProblems } from './settings/settings.ts';

export type Role = 'all' | 'api' | 'worker';

interface Surroundings {
  /** aborted by the signal that stops the process */
  stopping: AbortSignal;
  examine(): ReturnType<typeof examine>;
  /** Prints lines for a person; undefined where output is a log. */
  print: ((line: string) => void) | undefined;
}

/** Runs the parts of the role until a signal, then drains them: first the API, then the worker. */
export async function serveUntilStopped(app: App, role: Role, around: Surroundings): Promise<void> {
  const { config, log } = app;
  await prepareMonths(app);
  if (role !== 'worker') await preparePasskeys();
  await app.live.refresh();
  let isStopping = false;
  const api =
    role === 'worker'
      ? undefined
      : await createApi(app, {
          works: role === 'all',
          isStopping: () => isStopping,
          examine: around.examine,
        });
  const port = api ? await listen(api, config, 'PORT') : config.port;
  const isLocal = api !== undefined && !config.publicUrl && config.host === IPV4_LOOPBACK;
  const ipv6 = isLocal ? await listenOnIpv6Loopback(api.server, port) : undefined;
  // Browsers support passkeys on `localhost`, but not on 127.0.0.1.
  config.publicUrl ??= localUrl(ipv6?.isTaken === false ? 'localhost' : config.host, port);
  const rotation = keyRotation(app);
  rotation.start();
  const work = role === 'api' ? undefined : await startWork(app, allJobs(app), role);
  if (work) app.metrics.working();
  const ofWorker =
    role === 'worker' && config.workerPort !== undefined
      ? await createWorkerServer(app, () => isStopping)
      : undefined;
  if (ofWorker) {
    const address = localUrl(config.host, await listen(ofWorker, config, 'WORKER_PORT'));
    log.info({ address }, 'worker started');
  } else if (api) announce(app, around.print, role === 'all' ? await createDemoAccount(app) : undefined);
  else log.info('worker started');
  await untilAborted(around.stopping);
  log.info('stopping');
  isStopping = true;
  // Gives load balancers time to notice the failing readiness check, and keep-alive connections a last response that closes
  // them.
  if (api) await app.clock.sleep(Math.max(config.stopDelaySeconds * 1_000, GOODBYE_MS));
  ipv6?.close();
  if (api) await drain(api, ANSWERS_MS);
  await app.batches.idle();
  await app.requestLog.close();
  // Work still in flight is taken over by other workers when this process has exited.
  await Promise.race([work?.stop(), app.clock.sleep(WORK_MS)]);
  await rotation.stop();
  if (ofWorker) await drain(ofWorker, SCRAPE_MS);
  log.info('stopped');
}

const GOODBYE_MS = 1_000;
const ANSWERS_MS = 10_000;
const WORK_MS = 12_000;
const SCRAPE_MS = 1_000;
/** How often idle connections are closed during a stop. */
const CLOSE_IDLE_EVERY_MS = 100;

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Stops accepting connections, responds to pending requests, and closes keep-alive connections. */
async function drain(server: Server, answersMs: number): Promise<void> {
  await untilAccepted();
  server.server.close();
  const closed = server.close();
  const closeIdle = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const giveUp = setTimeout(() => server.server.closeAllConnections(), answersMs);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(giveUp);
}

const SHORT_TURN_MS = 1;
const MOST_TURNS = 1_000;

/**
 * Resolves when the event loop has just accepted all pending connections: closing a listener resets the connections that still
 * wait to be accepted. Each turn accepts first and then runs other callbacks, so only a short turn leaves the queue empty.
 */
async function untilAccepted(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const startedMs = monotonicMs();
    await new Promise((resolve) => setImmediate(resolve));
    if (monotonicMs() - startedMs < SHORT_TURN_MS) return;
  }
}

export const IPV4_LOOPBACK = '127.0.0.1';

export const localUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function listen(server: Server, config: Config, setting: 'PORT' | 'WORKER_PORT'): Promise<number> {
  const port = setting === 'PORT' ? config.port : (config.workerPort ?? 0);
  try {
    await server.listen({ port, host: config.host });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new ConfigProblems([
        `${setting} ${port} is in use on ${config.host}; set ${setting} to a free one`,
      ]);
    if (code === 'EACCES') throw new ConfigProblems([`${setting} ${port} may not be used by this user`]);
    if (['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND'].includes(code ?? ''))
      throw new ConfigProblems([`HOST ${config.host} is no address of this machine`]);
    throw error;
  }
  const address = server.server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** Prints the address, what is simulated, and an example call. */
function announce(app: App, print: Surroundings['print'], demo: DemoAccount | undefined): void {
  const { config, carriers, log } = app;
  const url = config.publicUrl ?? '';
  const simulated = CHANNELS.filter((channel) => carriers.isSimulated(channel));
  const lines = [`${config.brandName} is running at ${url}`];
  if (config.sandbox) {
    const what = [
      ...(simulated.length > 0 ? [`${simulated.join(', ')} messages go to ${url}/sandbox`] : []),
      ...(config.stripe ? [] : ['cards are test cards']),
    ];
    if (what.length > 0) lines.push(`Sandbox: ${what.join('; ')}.`);
  }
  if (!print) {
    for (const line of lines) log.info(line);
    return;
  }
  lines.push('');
  if (demo) lines.push(...demoLines(app, demo));
  else
    lines.push(
      `Sign up at ${url}/sign-up, create an API key, then:`,
      '',
      `curl -X POST ${apiBase(config)}/otp/send/ -H "X-API-Key: $API_KEY" -H "Content-Type: application/json" \\`,
      `  -d '{"channel": "sms", "recipient": "+14155552671"}'`,
      '',
    );
  print(lines.join('\n'));
}
