import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import type { BrowserTests, CoveringTests } from './random/covering-tests.ts';

/** A fault that the random ones do not include, and the promise that it breaks. */
interface Listed {
  file: string;
  find: string;
  replace: string;
  promise: string;
}

/** One line per fault. `⏎` stands for a line break in the code. */
export const listed: readonly Listed[] = readFileSync(join(import.meta.dirname, 'listed.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [file = '', find = '', replace = '', promise = ''] = line.replaceAll('⏎', '\n').split('\t');
    return { file, find, replace, promise };
  });

/** The faults with the tests that run their places. */
export const mutantsOf = (
  root: string,
  faults: readonly Listed[],
  tests: { covering: CoveringTests; browser: BrowserTests },
): Mutant[] =>
  faults.map(({ file, find, replace, promise }) => {
    const from = readFileSync(join(root, file), 'utf8').indexOf(find);
    return {
      name: `${file}: ${promise}`,
      file,
      find,
      replace,
      tests: tests.covering.of(file, from),
      ...(file.startsWith('web/') && { browserTests: tests.browser.of(file) }),
    };
  });
