import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';

/** The settings of the mutants' runs, without the browser. Each test file writes its coverage. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: (base.test?.projects ?? [])
      .filter((one) => typeof one === 'object' && 'test' in one && one.test?.name !== 'browser')
      .map((one) => {
        const { test } = one as { test: Record<string, unknown> };
        return { test: { ...test, setupFiles: ['guarantees/mutants/random/coverage.ts'] } };
      }),
  },
});
