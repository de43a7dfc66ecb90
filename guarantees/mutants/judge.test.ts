import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { judge } from './judge.ts';
import type { Mutant } from './mutant.ts';
import type { Outcome } from './test-run.ts';

const root = mkdtempSync(join(tmpdir(), 'sixdigit-judge-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
writeFileSync(join(root, 'limit.ts'), 'used < limit');

const mutant: Mutant = {
  name: 'limit: allows one too many',
  file: 'limit.ts',
  find: 'used < limit',
  replace: 'used <= limit',
  tests: ['limit.test.ts'],
  browserTests: ['web/e2e/limit.test.ts'],
};

const passes: Outcome = { passed: 1, failed: [], broken: [] };
const fails = (file: string, error: string): Outcome => ({
  passed: 0,
  failed: [{ file, test: 'the limit holds', error }],
  broken: [],
});
const cannotStart = (file: string): Outcome => ({
  passed: 0,
  failed: [],
  broken: [{ file, error: 'no browser' }],
});

type Answer = Outcome | { output: string };
type Tests = readonly string[];

/** Judges the fault with tests whose result depends on whether the fault is in the file. */
const judged = (answer: (tests: Tests, hasFault: boolean) => Answer, change: Partial<Mutant> = {}) =>
  judge(
    { ...mutant, ...change },
    {
      root,
      template: 'template',
      failing: new Map(),
      run: async (tests) => answer(tests, readFileSync(join(root, 'limit.ts'), 'utf8') === mutant.replace),
    },
  );

test('a fault is noticed by a test that fails with it', async () => {
  const result = await judged((_, hasFault) => (hasFault ? fails('limit.test.ts', 'expected 10') : passes));
  expect(result).toEqual({ verdict: 'killed', detail: 'the limit holds: expected 10' });
});

test('a fault that keeps the tests from starting is noticed if they start without it', async () => {
  const result = await judged((_, hasFault) => (hasFault ? { output: 'SyntaxError' } : passes));
  expect(result.verdict).toBe('killed');
});

test('tests that cannot start with or without the fault have not noticed it', async () => {
  expect((await judged(() => ({ output: 'no database' }))).verdict).toBe('invalid');
});

test('a browser test that cannot start gives no result', async () => {
  const onlyInBrowser = (tests: Tests): Answer =>
    tests.includes('web/e2e/limit.test.ts') ? cannotStart('web/e2e/limit.test.ts') : passes;
  expect((await judged(onlyInBrowser)).verdict).toBe('survived');
  expect((await judged(onlyInBrowser, { tests: [] })).verdict).toBe('invalid');
});

test('a browser test that also fails without the fault has not noticed it', async () => {
  const result = await judged((tests) =>
    tests.includes('web/e2e/limit.test.ts') ? fails('web/e2e/limit.test.ts', 'no such button') : passes,
  );
  expect(result.verdict).toBe('survived');
});

test('a timeout that also happens without the fault does not count as noticing it', async () => {
  const slow = (tests: Tests): Answer =>
    tests.includes('limit.test.ts') ? fails('limit.test.ts', 'Test timed out in 30000ms') : passes;
  expect((await judged(slow)).verdict).toBe('survived');
  const hangs = (tests: Tests, hasFault: boolean) => (hasFault ? slow(tests) : passes);
  expect((await judged(hangs)).verdict).toBe('killed');
});
