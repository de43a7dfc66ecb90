import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpCarrierMessage } from '../../server/test/fakes/http-carrier.ts';
import { isReady, type Member } from '../harness/processes.ts';
import { atMost, type Check, check, countsOf, none, type Scenario, until, wait } from '../harness/run.ts';
import { checkGuarantees, refusals } from './assertions.ts';
import { type Fixture, startFixture } from './fixture.ts';

const DRAIN_MS = 15_000;

/** Starts a load through a proxy. One message in forty hangs at the carrier, so that stopping workers must wait. */
async function startBalancedFixture(cleanup: AsyncDisposableStack, perSecond: number) {
  const proxies: Balancer[] = [];
  const fixture = await startFixture(
    {
      perSecond,
      async before(ports) {
        const proxy = await startBalancer(ports);
        cleanup.defer(() => proxy[Symbol.asyncDispose]());
        proxies.push(proxy);
        return proxy.port;
      },
    },
    cleanup,
  );
  const hung = new Set<string>();
  fixture.carrier.everyone = ({ id }: HttpCarrierMessage) => {
    if (Number.parseInt(id.slice(-4), 16) % 40 > 0 || hung.has(id)) return 'slow';
    hung.add(id);
    return 'hang';
  };
  const [proxy] = proxies as [Balancer];
  return { fixture, proxy, again: (id: string) => (hung.has(id) ? 1 : 0) };
}

async function stop(member: Member): Promise<{ ms: number; code: number | null }> {
  const from = Date.now();
  const ended = member.ended();
  member.kill('SIGTERM');
  return { code: await ended, ms: Date.now() - from };
}

const failures = (fixture: Fixture, proxy: Balancer): Check[] => [
  none('refused with 503', refusals(fixture)),
  check('connections that broke during a request', 'none', countsOf(proxy.broken), proxy.broken.size === 0),
];

export const stopped: Scenario = {
  name: 'sigterm',
  about:
    'SIGTERM to one API and one worker at a time, under 100 sends a second through a proxy with keep-alive connections',
  async *run(cleanup) {
    const { fixture, proxy, again } = await startBalancedFixture(cleanup, 100);
    const checks: Check[] = [];
    for (const member of [
      fixture.fleet.apis[0],
      fixture.fleet.workers[0],
      fixture.fleet.apis[1],
    ] as Member[]) {
      const { ms, code } = await stop(member);
      checks.push(atMost(`${member.role} drained`, DRAIN_MS, ms));
      checks.push(none(`exit code of the ${member.role}`, code ?? -1));
      if (member.role === 'api') await until(10_000, () => isReady(member.port));
      await wait(1_500);
    }
    yield* [...checks, ...failures(fixture, proxy), ...(await checkGuarantees(fixture, { again }))];
  },
};

export const rolling: Scenario = {
  name: 'rolling',
  about: 'every process restarted in turn, twice, under 60 sends a second through a proxy',
  async *run(cleanup) {
    const { fixture, proxy, again } = await startBalancedFixture(cleanup, 60);
    let slowest = 0;
    for (let round = 0; round < 2; round++)
      for (const member of [...fixture.fleet.workers, ...fixture.fleet.apis]) {
        slowest = Math.max(slowest, (await stop(member)).ms);
        if (member.role === 'api') await until(10_000, () => isReady(member.port));
        else await wait(1_000);
      }
    yield* [
      atMost('slowest drain of eight', DRAIN_MS, slowest),
      ...failures(fixture, proxy),
      ...(await checkGuarantees(fixture, { again })),
    ];
  },
};

/**
 * A reverse proxy with keep-alive connections to several processes. After a process refuses a connection, the proxy skips it for
 * a second. The proxy never repeats a request that it has written, so every broken connection counts.
 */
interface Balancer extends AsyncDisposable {
  port: number;
  /** connections that closed during a request, by error code */
  broken: Map<string, number>;
}

interface Upstream {
  port: number;
  agent: Agent;
  skippedUntil: number;
}

const SKIPPED_MS = 1_000;

async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const broken = new Map<string, number>();
  const upstreams: Upstream[] = ports.map((port) => ({
    port,
    agent: new Agent({ keepAlive: true, maxSockets: 64, timeout: 30_000 }),
    skippedUntil: 0,
  }));
  let turn = 0;
  const next = (): Upstream => {
    const here = upstreams.filter(({ skippedUntil }) => skippedUntil < Date.now());
    const among = here.length > 0 ? here : upstreams;
    return among[turn++ % among.length] as Upstream;
  };

  const forward = (incoming: IncomingMessage, body: Buffer, answer: ServerResponse, tries: number): void => {
    const upstream = next();
    const { url: path = '/', method = 'GET', headers } = incoming;
    const outgoing = request({
      host: '127.0.0.1',
      port: upstream.port,
      agent: upstream.agent,
      path,
      method,
      headers,
    });
    outgoing.on('response', (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && tries > 0) {
        upstream.skippedUntil = Date.now() + SKIPPED_MS;
        return forward(incoming, body, answer, tries - 1);
      }
      const cause = error.code ?? error.message;
      broken.set(cause, (broken.get(cause) ?? 0) + 1);
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end('{}');
    });
    outgoing.end(body);
  };

  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => forward(incoming, Buffer.concat(chunks), answer, upstreams.length));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    broken,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const { agent } of upstreams) agent.destroy();
      await closed;
    },
  };
}
