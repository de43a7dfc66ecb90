import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkGuarantees, noRestart, refusals } from './assertions.ts';
import { type Fixture, signalDatabase, startFixture, untilServed } from './fixture.ts';
import type { InFlightTracker } from './in-flight-tracker.ts';
import { atMost, type Check, print, type Scenario, seconds, some, wait } from './scenario.ts';

const BACK_MS = 5_000;
/** Ten seconds for the authentication and ten for the send. */
const ANSWER_MS = 21_000;

export const longest = ({ recorder }: Fixture): Check =>
  atMost(
    'longest answer',
    ANSWER_MS,
    recorder.waits.reduce((most, ms) => Math.max(most, ms), 0),
  );

export const back = async (fixture: Fixture, after: string): Promise<Check> =>
  atMost(`service again, ${after}`, BACK_MS, await untilServed(fixture));

/** Checks the service after an outage in which it refused requests. */
async function afterOutage(
  fixture: Fixture,
  held: ReturnType<InFlightTracker['during']>,
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
  injects: 'all processes of PostgreSQL killed hard, three times',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const fixture = await startFixture({}, cleanup);
    const returns: Check[] = [];
    for (const time of ['first', 'second', 'third']) {
      const held = fixture.inFlight.during();
      signalDatabase(fixture, 'SIGKILL');
      returns.push(await back(fixture, `${time} kill`));
      await held.stop();
      await wait(4_000);
    }
    return [...returns, longest(fixture), noRestart(fixture), ...(await checkGuarantees(fixture))];
  },
};

export const databaseFrozen: Scenario = {
  name: 'database-frozen',
  injects: 'all processes of PostgreSQL stand still for 20 s',
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const fixture = await startFixture({}, cleanup);
    const held = fixture.inFlight.during();
    signalDatabase(fixture, 'SIGSTOP');
    await wait(20_000);
    signalDatabase(fixture, 'SIGCONT');
    // Awaited here, before the clean-up ends what it uses.
    return await afterOutage(fixture, held, 'database goes on');
  },
};

const DISK_MEGABYTES = 400;
const FULL_MS = 15_000;

export const diskFull: Scenario = {
  name: 'disk-full',
  injects: `the database on a file system of ${DISK_MEGABYTES} MB that somebody else fills to the last byte for ${seconds(FULL_MS)}`,
  async run() {
    await using cleanup = new AsyncDisposableStack();
    const disk = mountSmallDisk(cleanup);
    if (!disk)
      return [
        {
          what: 'the disk of the database full',
          promised: 'as below',
          seen: 'not run: a file system can be mounted by root on Linux only',
          holds: false,
        },
      ];
    const fixture = await startFixture({ dataDir: join(disk, 'data') }, cleanup);
    const held = fixture.inFlight.during();
    const end = Date.now() + FULL_MS;
    let filled = 0;
    const file = openSync(join(disk, 'filler'), 'w');
    while (Date.now() < end) {
      filled += fill(file);
      await wait(50);
    }
    closeSync(file);
    print(`  full: ${Math.round(filled / 1024 / 1024)} MB of somebody else's`);
    rmSync(join(disk, 'filler'));
    // Awaited here, before the clean-up ends what it uses.
    return await afterOutage(fixture, held, 'disk has room');
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
