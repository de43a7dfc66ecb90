import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node';

/** All tests take twenty minutes on a quiet machine, and far longer beside other work. */
const LIMIT_MS = 3 * 3_600_000;
/** The timeout of one fault's tests, because some faults cause endless loops. */
const FAULT_LIMIT_MS = 10 * 60_000;

export interface TestRun {
  /** The copy of the checkout. */
  root: string;
  tests: readonly string[];
  databaseUrl: string;
  /** The migrated database to clone; null creates one from `server/sql` of the copy. */
  template: string | null;
  stopAtFirstFailure: boolean;
  /** Writes each test file's coverage of the sources into this folder. */
  coverageFolder?: string;
}

/** The result of one run of test files. */
export interface Outcome {
  passed: number;
  /** Tests that failed in their own body. */
  failed: { file: string; test: string; error: string }[];
  /** Errors outside a test: a file that does not load, a hook that throws. */
  broken: { file: string; error: string }[];
}

export type RunResult = Outcome | { output: string };

/** Runs test files in the copy, in the order given. If the run did not start or end, returns its output instead of an outcome. */
export async function runTests(wanted: TestRun): Promise<RunResult> {
  const { root, tests, databaseUrl, template, stopAtFirstFailure, coverageFolder } = wanted;
  if (tests.some((test) => test.startsWith('web/e2e/'))) {
    const build = await runNode(root, ['scripts/launch.mjs', 'build'], FAULT_LIMIT_MS, {});
    if (build.code !== 0) return { output: build.output };
  }
  const outcomeFile = join(root, '.cache', 'outcome.json');
  rmSync(outcomeFile, { force: true });
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    coverageFolder ? 'guarantees/mutants/random/coverage.config.ts' : 'guarantees/mutants/vitest.config.ts',
    '--root',
    '.',
    ...(coverageFolder ? [] : ['--maxWorkers=1']),
  ];
  const args = [...vitest, ...(stopAtFirstFailure ? ['--bail=1'] : []), ...tests];
  const { output } = await runNode(root, args, stopAtFirstFailure ? FAULT_LIMIT_MS : LIMIT_MS, {
    NODE_ENV: 'test',
    MUTANTS_OUTCOME: outcomeFile,
    MUTANTS_TESTS: JSON.stringify(tests),
    MUTANTS_DATABASE_URL: databaseUrl,
    MUTANTS_TEMPLATE: template ?? '',
    COVERAGE_FOLDER: coverageFolder ?? '',
  });
  return existsSync(outcomeFile) ? (JSON.parse(readFileSync(outcomeFile, 'utf8')) as Outcome) : { output };
}

async function runNode(
  root: string,
  args: readonly string[],
  limitMs: number,
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  // In a separate process group, so that the test servers and browsers of an interrupted run can be killed.
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const end = () => child.pid !== undefined && endGroup(child.pid);
  const timer = setTimeout(end, limitMs);
  process.once('exit', end);
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    output += text;
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    return { code, output };
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** Vitest's reporter in these runs: writes the outcome to MUTANTS_OUTCOME. */
export default class OutcomeReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcome: Outcome = { passed: 0, failed: [], broken: [] };
    for (const module of modules) {
      const file = module.relativeModuleId;
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        if (state === 'passed') outcome.passed++;
        if (state === 'failed') outcome.failed.push({ file, test: test.fullName, error: firstLine(errors) });
      }
      const suites: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()];
      for (const suite of suites) {
        const errors = suite.errors();
        if (errors.length > 0) outcome.broken.push({ file, error: firstLine(errors) });
      }
    }
    if (unhandled.length > 0) outcome.broken.push({ file: '', error: firstLine(unhandled) });
    writeFileSync(process.env.MUTANTS_OUTCOME ?? '', JSON.stringify(outcome));
  }
}

function firstLine([error]: readonly Pick<SerializedError, 'name' | 'message'>[]): string {
  const line = (error?.message ?? 'unknown error').split('\n')[0] ?? '';
  return error?.name && error.name !== 'Error' ? `${error.name}: ${line}` : line;
}
