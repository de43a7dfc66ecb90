import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.ts';

/** The first failing test ends a run, so the tests nearest to the fault come first. */
class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const given: string[] = JSON.parse(process.env.MUTANTS_TESTS ?? '[]');
    const place = ({ moduleId }: TestSpecification) => given.findIndex((test) => moduleId.endsWith(test));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

/** The settings of `npm test`, with the database and the reporter of the mutants. */
export default defineConfig({
  cacheDir: '.cache/vite',
  test: {
    ...base.test,
    retry: 0,
    sequence: { sequencer: AsGiven },
    globalSetup: ['guarantees/mutants/database.ts'],
    reporters: ['./guarantees/mutants/test-run.ts'],
  },
});
