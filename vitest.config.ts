import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const shared = {
  pool: 'forks' as const,
  exclude: ['**/node_modules/**', '**/dist/**'],
  hookTimeout: 60_000,
  // The default of a second is shorter than the steps of a test take on a busy machine.
  expect: { poll: { timeout: 15_000 } },
  // Files of one worker share its modules: loading the service, or starting a browser, costs more than most files' tests.
  isolate: false,
  // They wait half of their time.
  maxWorkers: 2 * Math.min(availableParallelism(), 4),
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
    // The runner starts with the project that is first in the alphabet. Its files come in the order of their durations in the last
    // run, or else of their sizes: one that starts last keeps one core busy while the others idle.
    projects: [
      {
        test: {
          ...shared,
          name: 'browser',
          include: ['web/e2e/**/*.test.ts'],
          experimental: native,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['{server,contract,scripts,guarantees,clients}/**/*.test.ts'],
          setupFiles: ['server/test/seeded.ts'],
          experimental: native,
          execArgv,
          testTimeout,
        },
      },
      { test: { ...shared, name: 'web', include: ['web/*.test.ts', 'web/src/**/*.test.ts'], testTimeout } },
    ],
  },
});
