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
 * Long files first, since one that starts last keeps one core busy while the others idle: browser tests, and after each
 * second of them a file that waits.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isInBrowser = ({ moduleId }: TestSpecification) => moduleId.includes('/e2e/');
    const waits = ({ moduleId }: TestSpecification) => WAITING.some((path) => moduleId.endsWith(path));
    const waiting = sorted.filter(waits);
    const long = sorted
      .filter(isInBrowser)
      .flatMap((file, n) => (n % 2 === 1 ? [file, ...waiting.splice(0, 1)] : [file]));
    const others = sorted.filter((file) => !isInBrowser(file) && !waits(file));
    return [...long, ...waiting, ...others];
  }
}

/** As many as cores: a browser, its service and the database already keep more than one core busy. */
const maxWorkers = Math.min(availableParallelism(), 8);
const shared = {
  pool: 'forks' as const,
  maxWorkers,
  exclude: ['**/node_modules/**', '**/dist/**'],
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { ...shared, name: 'browser', include: ['e2e/**/*.test.ts'], testTimeout: 60_000 },
      },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['{server,contract,web,scripts,mutants}/**/*.test.ts'],
          // A test takes seconds at most; the machine can be busy with something else.
          testTimeout: 30_000,
          // Files of one worker share its modules: loading the service costs more than most files' tests.
          isolate: false,
        },
      },
    ],
  },
});
