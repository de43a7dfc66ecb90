import { startTcpProxy, type TcpProxy } from '../../server/test/fakes/tcp-proxy.ts';
import { checkGuarantees, noRestart, refusals } from './assertions.ts';
import { back, longest } from './database.ts';
import { startFixture } from './fixture.ts';
import { type Check, print, type Scenario, some, wait } from './scenario.ts';

export const connections: Scenario = {
  name: 'connections',
  injects:
    'between service and database: 30 ms of delay, connections cut in mid-query ten times, refused for 5 s, responses dropped for 6 s, and connections that die silently',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const ways: TcpProxy[] = [];
    const fixture = await startFixture(
      {
        async through(direct) {
          const { proxy, url } = await startTcpProxy(direct);
          cleanup.defer(() => proxy.cut());
          ways.push(proxy);
          return url;
        },
      },
      cleanup,
    );
    const [way] = ways as [TcpProxy];
    const checks: Check[] = [];
    const fault = async (what: string, inject: () => Promise<void>) => {
      print(`  ${what}`);
      const held = fixture.inFlight.during();
      await inject();
      checks.push(await back(fixture, what));
      await held.stop();
      await wait(2_000);
    };
    way.delayMs = 30;
    await fault('cut in mid-query, ten times', async () => {
      for (let time = 0; time < 10; time++) {
        await way.cut();
        await way.join();
        await wait(700);
      }
    });
    way.delayMs = 0;
    await fault('refused for 5 s', async () => {
      await way.cut();
      await wait(5_000);
      await way.join();
    });
    await fault('responses dropped for 6 s, then cut', async () => {
      way.swallow('answers');
      await wait(6_000);
      await way.cut();
      await way.join();
    });
    await fault('connections dead without a word', async () => {
      way.swallow('everything');
    });
    return [
      ...checks,
      some('refused with 503 and Retry-After meanwhile', refusals(fixture)),
      longest(fixture),
      noRestart(fixture),
      ...(await checkGuarantees(fixture)),
    ];
  },
};
