import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTcpProxy, type TcpProxy } from '../../server/test/fakes/tcp-proxy.ts';
import { atMost, type Check, check, print, type Scenario, seconds, some, wait } from '../harness/run.ts';
import { checkGuarantees, noRestart, refusals } from './assertions.ts';
import { type Fixture, type InFlightTracker, signalDatabase, startFixture, untilServed } from './fixture.ts';

const BACK_MS = 5_000;
/** Ten seconds for the authentication and ten for the send. */
const RESPONSE_MS = 21_000;

const longest = ({ recorder }: Fixture): Check =>
  atMost(
    'longest response',
    RESPONSE_MS,
    recorder.waits.reduce((most, ms) => Math.max(most, ms), 0),
  );

const back = async (fixture: Fixture, after: string): Promise<Check> =>
  atMost(`service again, ${after}`, BACK_MS, await untilServed(fixture));

/** Checks the service after an outage in which it refused requests. */
async function afterOutage(
  fixture: Fixture,
  held: Awaited<ReturnType<InFlightTracker['during']>>,
  recovery: string,
): Promise<Check[]> {
  const returned = await back(fixture, recovery);
  await held.stop();
  await wait(4_000);
  return [
    returned,
    some('refused with 503 and Retry-After meanwhile', refusals(fixture)),
    longest(fixture),
    noRestart(fixture),
    ...(await checkGuarantees(fixture)),
  ];
}

export const databaseKilled: Scenario = {
  name: 'database-killed',
  about: 'SIGKILL to all PostgreSQL processes, three times',
  async *run(cleanup) {
    const fixture = await startFixture({}, cleanup);
    const returns: Check[] = [];
    for (const time of ['first', 'second', 'third']) {
      const held = await fixture.inFlight.during();
      signalDatabase(fixture, 'SIGKILL');
      returns.push(await back(fixture, `${time} kill`));
      await held.stop();
      await wait(4_000);
    }
    yield* [...returns, longest(fixture), noRestart(fixture), ...(await checkGuarantees(fixture))];
  },
};

export const databaseFrozen: Scenario = {
  name: 'database-frozen',
  about: 'all PostgreSQL processes stopped for 20 s',
  async *run(cleanup) {
    const fixture = await startFixture({}, cleanup);
    const held = await fixture.inFlight.during();
    signalDatabase(fixture, 'SIGSTOP');
    await wait(20_000);
    signalDatabase(fixture, 'SIGCONT');
    yield* await afterOutage(fixture, held, 'the database resumes');
  },
};

const DISK_MEGABYTES = 400;
const FULL_MS = 15_000;

export const diskFull: Scenario = {
  name: 'disk-full',
  about: `the database's file system of ${DISK_MEGABYTES} MB is full for ${seconds(FULL_MS)}`,
  async *run(cleanup) {
    const disk = mountSmallDisk(cleanup);
    if (!disk) {
      yield check('a full disk', 'tested', 'not run: only root on Linux can mount a file system', false);
      return;
    }
    const fixture = await startFixture({ dataDir: join(disk, 'data') }, cleanup);
    const held = await fixture.inFlight.during();
    const end = Date.now() + FULL_MS;
    let filled = 0;
    const file = openSync(join(disk, 'filler'), 'w');
    while (Date.now() < end) {
      filled += fill(file);
      await wait(50);
    }
    closeSync(file);
    print(`  filled with ${Math.round(filled / 1024 / 1024)} MB of other data`);
    rmSync(join(disk, 'filler'));
    yield* await afterOutage(fixture, held, 'the disk has room');
  },
};

function mountSmallDisk(cleanup: AsyncDisposableStack): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-crash-disk-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync(
      'mount',
      ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m,mode=755`, 'sixdigit-crash', folder],
      {
        stdio: 'ignore',
      },
    );
  } catch {
    return undefined;
  }
  cleanup.defer(() => void execFileSync('umount', [folder]));
  mkdirSync(join(folder, 'data'));
  return folder;
}

/** Fills the disk. Returns the bytes written. */
function fill(file: number): number {
  let bytes = 0;
  for (const size of [1024 * 1024, 4096]) {
    const chunk = Buffer.alloc(size, 'x');
    try {
      for (;;) bytes += writeSync(file, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  return bytes;
}

export const connections: Scenario = {
  name: 'connections',
  about:
    'between service and database: 30 ms of delay, connections cut during queries ten times, refused for 5 s, responses dropped for 6 s, and connections dropped without notice',
  async *run(cleanup) {
    const proxies: TcpProxy[] = [];
    const fixture = await startFixture(
      {
        async through(direct) {
          const { proxy, url } = await startTcpProxy(direct);
          cleanup.defer(() => proxy.cut());
          proxies.push(proxy);
          return url;
        },
      },
      cleanup,
    );
    const [proxy] = proxies as [TcpProxy];
    const checks: Check[] = [];
    const underFault = async (what: string, inject: () => Promise<void>) => {
      print(`  ${what}`);
      const held = await fixture.inFlight.during();
      await inject();
      checks.push(await back(fixture, what));
      await held.stop();
      await wait(2_000);
    };
    proxy.delayMs = 30;
    await underFault('cut during queries, ten times', async () => {
      for (let time = 0; time < 10; time++) {
        await proxy.cut();
        await proxy.join();
        await wait(700);
      }
    });
    proxy.delayMs = 0;
    await underFault('refused for 5 s', async () => {
      await proxy.cut();
      await wait(5_000);
      await proxy.join();
    });
    await underFault('responses dropped for 6 s, then cut', async () => {
      proxy.swallow('answers');
      await wait(6_000);
      await proxy.cut();
      await proxy.join();
    });
    await underFault('connections dropped without notice', async () => {
      proxy.swallow('everything');
    });
    yield* [
      ...checks,
      some('refused with 503 and Retry-After meanwhile', refusals(fixture)),
      longest(fixture),
      noRestart(fixture),
      ...(await checkGuarantees(fixture)),
    ];
  },
};
