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
 * Browser tests first, in one stretch: a worker ends, and its browser with it, when the next file is not one of them. Then
 * the others, the long ones first, and the files that wait spread among them, since a core idles while two of those run.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isInBrowser = ({ moduleId }: TestSpecification) => moduleId.includes('/e2e/');
    const waits = ({ moduleId }: TestSpecification) => WAITING.some((path) => moduleId.endsWith(path));
    const browser = sorted.filter(isInBrowser);
    const waiting = sorted.filter(waits);
    const others = sorted.filter((file) => !isInBrowser(file) && !waits(file));
    const distance = Math.ceil(others.length / (waiting.length + 1));
    const spread = others.flatMap((file, n) =>
      n % distance === 0 ? [...waiting.splice(0, 1), file] : [file],
    );
    return [...browser, ...spread, ...waiting];
  }
}

/** As many as cores: a browser, its service and the database already keep more than one core busy. */
const maxWorkers = Math.min(availableParallelism(), 8);
const shared = {
  pool: 'forks' as const,
  maxWorkers,
  exclude: ['**/node_modules/**', '**/dist/**'],
  hookTimeout: 60_000,
  // Files of one worker share its modules: loading the service, or starting a browser, costs more than most files' tests.
  isolate: false,
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
        },
      },
    ],
  },
});
