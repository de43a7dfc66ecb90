import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{server,contract,web,e2e,scripts,mutants}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['server/test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A shared machine can starve a browser for seconds; whatever is broken fails twice.
    retry: process.env.CI ? 1 : 0,
  },
});
