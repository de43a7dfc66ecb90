import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait for real time to pass: processes that stop and start, timeouts, outages. */
const WAITING = [
  'server/src/accounts/attackers.test.ts',
  'server/src/otp/killed.test.ts',
  'server/test/database-away.test.ts',
  'server/src/main.test.ts',
  'server/src/platform/db/connection-watchdog.test.ts',
  'server/src/commands/backup/backup.test.ts',
  'server/src/otp/standby-away.test.ts',
  'server/test/deploying.test.ts',
];

/**
 * Long files first, since one that starts last keeps one core busy while the others idle. The files that wait are spread
 * among the others, since a core idles while several of those run.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => WAITING.some((path) => moduleId.endsWith(path));
    const waiting = sorted.filter(waits);
    const others = sorted.filter((file) => !waits(file));
    const distance = Math.ceil(others.length / (waiting.length + 1));
    const spread = others.flatMap((file, n) =>
      n % distance === 0 ? [...waiting.splice(0, 1), file] : [file],
    );
    return [...spread, ...waiting];
  }
}

const cores = Math.min(availableParallelism(), 8);
const shared = {
  pool: 'forks' as const,
  exclude: ['**/node_modules/**', '**/dist/**'],
  hookTimeout: 60_000,
  // The default of a second is shorter than the steps of a test take on a busy machine.
  expect: { poll: { timeout: 15_000 } },
  // Files of one worker share its modules: loading the service, or starting a browser, costs more than most files' tests.
  isolate: false,
};

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          testTimeout: 60_000,
          // A browser, its service and the database keep more than one core busy.
          maxWorkers: cores,
        },
      },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['{server,contract,web,scripts,mutants}/**/*.test.ts'],
          // A test takes seconds at most; the machine can be busy with something else.
          testTimeout: 30_000,
          // One of them usually waits. They begin when the browser tests have ended: a worker keeps its browser until then.
          maxWorkers: cores + 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
