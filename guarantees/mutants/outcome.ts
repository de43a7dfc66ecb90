import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule, TestSuite } from 'vitest/node';

/** The result of one run of test files. */
export interface Outcome {
  passed: number;
  /** Tests that failed in their own body. */
  failed: { file: string; test: string; error: string }[];
  /** Errors outside a test: a file that does not load, a hook that throws. */
  broken: { file: string; error: string }[];
}

/** Writes the outcome of a run to MUTANTS_OUTCOME. */
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
