import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Browser tests first: a long file that starts last would occupy one core while the others idle. */
class BrowserFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isInBrowser = ({ moduleId }: TestSpecification) => moduleId.includes('/e2e/');
    return [...sorted.filter(isInBrowser), ...sorted.filter((file) => !isInBrowser(file))];
  }
}

export default defineConfig({
  test: {
    include: ['{server,contract,web,e2e,scripts,mutants}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['server/test/global-setup.ts'],
    pool: 'forks',
    // One more than cores: many tests wait, for a browser or for time to pass.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    sequence: { sequencer: BrowserFirst },
    // Generous, since a machine can be busy with something else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
