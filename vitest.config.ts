import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that last longest come first, since one that starts last keeps one core busy while the others idle. Those that mostly
 * compute and those that mostly wait, for processes, timeouts and outages, take turns: a core idles while several of these run.
 */
const LONGEST = [
  'server/src/protection/simulation.test.ts',
  'server/src/operations/commands/backup/backup.test.ts',
  'server/src/platform/db/embedded.test.ts',
  'server/src/platform/db/start-files.test.ts',
  'server/test/shipped.test.ts',
  'server/test/database-away.test.ts',
  'server/src/accounts/attackers.test.ts',
  'server/src/otp/dispatch/killed.test.ts',
  'server/test/any-input.test.ts',
  'conformance/conformance.test.ts',
  'server/src/main.test.ts',
  'server/src/operations/retention/daily-counts.test.ts',
  'server/src/otp/standby-away.test.ts',
  'server/src/platform/db/embedded-roles.test.ts',
  'server/src/platform/live/live.test.ts',
  'server/src/accounts/erasure/spellings.test.ts',
  'server/src/platform/queue/work.test.ts',
  'server/src/payments/auto-purchase.test.ts',
  'scripts/start.test.ts',
  'server/src/payments/money.test.ts',
  'server/src/platform/db/connection-watchdog.test.ts',
  'server/src/webhooks/delivery.test.ts',
  'server/src/webhooks/workers.test.ts',
  'server/src/messaging/mail/spamassassin.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId, project }: TestSpecification) => {
      const found = LONGEST.findIndex((path) => moduleId.endsWith(path));
      return PROJECTS.indexOf(project.name) * LONGEST.length + (found < 0 ? LONGEST.length - 1 : found);
    };
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}

/** In the order in which they run. A worker serves one of them, so a change between them ends it. */
const PROJECTS = ['browser', 'parts', 'web'];

const shared = {
  pool: 'forks' as const,
  exclude: ['**/node_modules/**', '**/dist/**'],
  hookTimeout: 60_000,
  // The default of a second is shorter than the steps of a test take on a busy machine.
  expect: { poll: { timeout: 15_000 } },
  // Files of one worker share its modules: loading the service, or starting a browser, costs more than most files' tests.
  isolate: false,
  // One of them usually waits.
  maxWorkers: Math.min(availableParallelism(), 8) + 1,
};
/** Node runs the server as it is, as in production. Vite's runner makes each use of an import a property access, which is slower. */
const native = { viteModuleRunner: false, nodeLoader: false };
/** The client packages are tested from their sources; other projects get what is built. */
const execArgv = ['--conditions=@sixdigit/source'];
// A test takes seconds at most; the machine can be busy with something else.
const testTimeout = 30_000;

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
          experimental: native,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['{server,contract,scripts,guarantees,clients,samples,conformance}/**/*.test.ts'],
          experimental: native,
          execArgv,
          testTimeout,
        },
      },
      { test: { ...shared, name: 'web', include: ['web/**/*.test.ts'], testTimeout } },
    ],
  },
});
