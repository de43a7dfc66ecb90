import type { HttpCarrierMessage } from '../../server/test/fakes/http-carrier.ts';
import { isReady, type Member } from '../harness/processes.ts';
import { checkGuarantees, refusals } from './assertions.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { atMost, type Check, none, type Scenario, until, wait } from './scenario.ts';

const DRAIN_MS = 15_000;

/** Load through a proxy; one message in forty hangs at the carrier, so that stopping workers must wait. */
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
  {
    what: 'connections that broke under a request',
    promised: 'none',
    seen: [...proxy.broken].map(([cause, count]) => `${count} × ${cause}`).join(', ') || 'none',
    holds: proxy.broken.size === 0,
  },
];

export const stopped: Scenario = {
  name: 'sigterm',
  injects:
    'SIGTERM to one API and one worker at a time, under 100 sends a second through a proxy with keep-alive connections',
  async run() {
    await using cleanup = new AsyncDisposableStack();
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
    return [...checks, ...failures(fixture, proxy), ...(await checkGuarantees(fixture, { again }))];
  },
};

export const rolling: Scenario = {
  name: 'rolling',
  injects: 'every process restarted in turn, twice, under 60 sends a second through a proxy',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const { fixture, proxy, again } = await startBalancedFixture(cleanup, 60);
    let slowest = 0;
    for (let round = 0; round < 2; round++)
      for (const member of [...fixture.fleet.workers, ...fixture.fleet.apis]) {
        slowest = Math.max(slowest, (await stop(member)).ms);
        if (member.role === 'api') await until(10_000, () => isReady(member.port));
        else await wait(1_000);
      }
    return [
      atMost('slowest drain of eight', DRAIN_MS, slowest),
      ...failures(fixture, proxy),
      ...(await checkGuarantees(fixture, { again })),
    ];
  },
};
