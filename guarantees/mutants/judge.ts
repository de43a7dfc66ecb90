import { applyMutant, occurrences } from './checkout.ts';
import type { Mutant } from './mutant.ts';
import type { Outcome } from './outcome.ts';
import type { Result } from './results.ts';

export type Run = (
  tests: readonly string[],
  template: string | null,
  stopAtFirstFailure: boolean,
) => Promise<Outcome | { output: string }>;

export interface Judge {
  /** The copy of the checkout that the fault goes into. */
  root: string;
  run: Run;
  /** The migrated database to clone. */
  template: string;
  /** Test files that fail without a fault, with the reason. They judge nothing. */
  failing: ReadonlyMap<string, string>;
}

/** Applies the fault to the copy and runs its tests, then those of the browser if none of the others noticed it. */
export async function judge(mutant: Mutant, by: Judge): Promise<Omit<Result, 'seconds'>> {
  const count = occurrences(mutant, by.root);
  if (count !== 1) return { verdict: 'invalid', detail: `the text occurs ${count} times in ${mutant.file}` };
  const unfit = mutant.tests.find((test) => by.failing.has(test));
  if (unfit) return { verdict: 'invalid', detail: `fails without the fault: ${by.failing.get(unfit)}` };
  using _fault = applyMutant(mutant, by.root);
  let passed = 0;
  for (const tests of [mutant.tests, mutant.browserTests ?? []]) {
    if (tests.length === 0) continue;
    const outcome = await by.run(tests, mutant.file.endsWith('.sql') ? null : by.template, true);
    if ('output' in outcome)
      return unjudged(mutant, `the tests did not start or end: ${lastLines(outcome.output)}`);
    const [failed] = outcome.failed;
    if (failed) return { verdict: 'killed', detail: `${failed.test}: ${failed.error}` };
    const [broken] = outcome.broken;
    if (broken) return unjudged(mutant, `failed outside a test: ${broken.file} ${broken.error}`);
    passed += outcome.passed;
  }
  if (passed > 0) return { verdict: 'survived', detail: `${passed} tests passed` };
  return mutant.isRandom
    ? { verdict: 'survived', detail: 'no test runs the place' }
    : { verdict: 'invalid', detail: 'no test ran' };
}

/** A fault drawn at random may stop the service from starting, which any test notices. A listed one must fail a test of its promise. */
const unjudged = ({ isRandom }: Mutant, detail: string): Omit<Result, 'seconds'> => ({
  verdict: isRandom ? 'killed' : 'invalid',
  detail,
});

export const lastLines = (output: string): string => output.trim().split('\n').slice(-6).join(' | ');
