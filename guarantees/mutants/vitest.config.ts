import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The settings of `npm test`, with the database and the reporter of the mutants. */
export default defineConfig({
  cacheDir: '.cache/vite',
  test: {
    ...base.test,
    retry: 0,
    globalSetup: ['guarantees/mutants/database.ts'],
    reporters: ['./guarantees/mutants/outcome.ts'],
  },
});
