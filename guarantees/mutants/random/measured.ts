import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checkout.ts';
import { lastLines } from '../judge.ts';
import type { runTests, TestRun } from '../test-run.ts';

/**
 * The folder with the coverage of every test file. It is measured again only when a file has changed. A measurement that was
 * interrupted goes on with the files that it has not measured.
 */
export async function measured(
  root: string,
  files: readonly string[],
  run: (
    wanted: Pick<TestRun, 'tests' | 'stopAtFirstFailure' | 'coverageFolder'>,
  ) => ReturnType<typeof runTests>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files)
    if (/\.(?:ts|tsx|sql|py)$/.test(file)) hash.update(file).update(readFileSync(join(root, file)));
  const folder = join(ROOT, '.cache', `coverage-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  console.log('First all tests, to see which of them run which place …');
  const unfinished = `${folder}-unfinished`;
  mkdirSync(unfinished, { recursive: true });
  const nameOf = (test: string): string => join(unfinished, `${encodeURIComponent(test)}.json`);
  const tests = files.filter(
    (file) => /^(?:server|contract|web|clients)\/.*\.test\.ts$/.test(file) && !existsSync(nameOf(file)),
  );
  const outcome = await run({ tests, stopAtFirstFailure: false, coverageFolder: unfinished });
  if ('output' in outcome)
    throw new Error(`The tests do not run without a fault: ${lastLines(outcome.output)}`);
  const failed = [...outcome.failed, ...outcome.broken];
  for (const { file, error } of failed) {
    console.log(`  fails without a fault and judges nothing: ${file} ${error}`);
    rmSync(nameOf(file), { force: true });
  }
  renameSync(unfinished, folder);
  return folder;
}
