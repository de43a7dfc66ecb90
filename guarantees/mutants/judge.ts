import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyMutant, occurrences, ROOT } from './checkout.ts';
import type { Mutant } from './mutant.ts';
import type { RunResult } from './test-run.ts';

export type Run = (
  tests: readonly string[],
  template: string | null,
  stopAtFirstFailure: boolean,
) => Promise<RunResult>;

export interface Judge {
  /** The copy of the checkout that the fault goes into. */
  root: string;
  run: Run;
  /** The migrated database to clone. */
  template: string;
  /** Test files that fail even without a fault, with the reason. Their results are ignored. */
  failing: Map<string, string>;
}

export interface Result {
  verdict: 'killed' | 'survived' | 'invalid' | 'no effect';
  /** The failed test and its error, or why the mutant could not be judged. */
  detail: string;
  seconds: number;
}

type Verdict = Omit<Result, 'seconds'>;
/** A failure that the machine may have caused. It counts if these tests pass without the fault. */
interface Doubt {
  tests: readonly string[];
  detail: string;
}

/** Applies the fault to the copy and runs its tests, then its browser tests if no other test noticed it. */
export async function judge(mutant: Mutant, by: Judge): Promise<Verdict> {
  const count = occurrences(mutant, by.root);
  if (count !== 1) return { verdict: 'invalid', detail: `the text occurs ${count} times in ${mutant.file}` };
  for (;;) {
    const seen = await underFault(mutant, by);
    if ('verdict' in seen) return seen;
    const control = await by.run(seen.tests, by.template, true);
    const [failure] = 'output' in control ? [] : [...control.failed, ...control.broken];
    if (!('output' in control) && !failure) return { verdict: 'killed', detail: seen.detail };
    const [only, ...others] = seen.tests;
    if (!failure || !only || others.length > 0)
      return { verdict: 'invalid', detail: `also without the fault: ${seen.detail}` };
    by.failing.set(only, failure.error);
  }
}

async function underFault(mutant: Mutant, by: Judge): Promise<Verdict | Doubt> {
  using _fault = applyMutant(mutant, by.root);
  const groups = [mutant.tests, mutant.browserTests ?? []].map((tests) =>
    tests.filter((test) => !by.failing.has(test)),
  );
  let passed = 0;
  for (const tests of groups) {
    if (tests.length === 0) continue;
    const outcome = await by.run(tests, mutant.file.endsWith('.sql') ? null : by.template, true);
    if ('output' in outcome)
      return { tests, detail: `the tests did not start or end: ${lastLines(outcome.output)}` };
    const [failed] = outcome.failed;
    if (failed) {
      const detail = `${failed.test}: ${failed.error}`;
      const mayBeMachine = failed.file.startsWith('web/e2e/') || /timed? ?out/i.test(failed.error);
      return mayBeMachine ? { tests: [failed.file], detail } : { verdict: 'killed', detail };
    }
    const [broken] = outcome.broken;
    if (broken) {
      const detail = `failed outside a test: ${broken.file} ${broken.error}`;
      return { tests: broken.file ? [broken.file] : tests, detail };
    }
    passed += outcome.passed;
  }
  if (passed > 0) return { verdict: 'survived', detail: `${passed} tests passed` };
  const left = [...mutant.tests, ...(mutant.browserTests ?? [])].find((test) => by.failing.has(test));
  if (left) return { verdict: 'invalid', detail: `fails without the fault: ${left} ${by.failing.get(left)}` };
  return { verdict: 'survived', detail: 'no test runs the place' };
}

export const lastLines = (output: string): string => output.trim().split('\n').slice(-6).join(' | ');

/** Results on disk, so that an interrupted run can resume. Each is tied to the contents of the files that it depends on. */
export class Results {
  readonly #file = join(ROOT, '.cache', 'mutants.json');
  readonly #known: Record<string, Result>;
  readonly #root: string;
  readonly #resume: boolean;

  /** `root`: the copy under test, because the checkout may change during a run. */
  constructor(root: string, { resume }: { resume: boolean }) {
    this.#root = root;
    this.#resume = resume;
    this.#known = existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {};
  }

  /** The result of an earlier run, if this run resumes it. */
  find(mutant: Mutant): Result | undefined {
    return this.#resume ? this.#known[this.#keyOf(mutant)] : undefined;
  }

  set(mutant: Mutant, result: Result): void {
    this.#known[this.#keyOf(mutant)] = result;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(this.#known, null, 2));
  }

  #keyOf(mutant: Mutant): string {
    const hash = createHash('sha256').update(JSON.stringify(mutant));
    for (const file of [mutant.file, ...mutant.tests]) {
      const path = join(this.#root, file);
      if (existsSync(path)) hash.update(readFileSync(path));
    }
    return `${mutant.name} ${hash.digest('hex').slice(0, 16)}`;
  }
}
