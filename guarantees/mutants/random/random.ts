import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkedFiles, ROOT } from '../checkout.ts';
import { lastLines } from '../judge.ts';
import type { Mutant } from '../mutant.ts';
import type { runTests, TestRun } from '../test-run.ts';
import { BrowserTests } from './browser-tests.ts';
import { acceptedByCompiler } from './compiler.ts';
import { CoveringTests } from './covering-tests.ts';
import { asMutant, drawFaults } from './draw.ts';
import { reasons } from './reasons.ts';

/** Draws faults at random places of the copy of the checkout, each with the tests that run its place. */
export async function drawMutants(
  root: string,
  wanted: { count: number; seed: number },
  run: (
    wanted: Pick<TestRun, 'tests' | 'stopAtFirstFailure' | 'coverageFolder'>,
  ) => ReturnType<typeof runTests>,
): Promise<Mutant[]> {
  const files = checkedFiles();
  const tests = new CoveringTests(root, await measured(root, files, run));
  const browserTests = new BrowserTests(root, files);
  const faults = await drawFaults(root, files, wanted, (some) => acceptedByCompiler(root, some));
  return faults.map((fault) => {
    const mutant = asMutant(root, fault, tests);
    const known = reasons.find(
      ({ file, change }) =>
        file === mutant.file && change[0] === squeezed(mutant.find) && change[1] === squeezed(mutant.replace),
    );
    return {
      ...mutant,
      isRandom: true,
      ...(fault.file.startsWith('web/') && { browserTests: browserTests.of(fault.file) }),
      ...(known && { noEffect: known.reason }),
    };
  });
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The folder with the coverage of every test file. It is measured again only when a file has changed. */
async function measured(
  root: string,
  files: readonly string[],
  run: Parameters<typeof drawMutants>[2],
): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files)
    if (/\.(?:ts|tsx|sql)$/.test(file)) hash.update(file).update(readFileSync(join(root, file)));
  const folder = join(ROOT, '.cache', `coverage-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  console.log('First all tests, to see which of them run which place …');
  const unfinished = `${folder}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const outcome = await run({
    tests: ['server/', 'contract/', 'web/'],
    stopAtFirstFailure: false,
    coverageFolder: unfinished,
  });
  if ('output' in outcome)
    throw new Error(`The tests do not run without a fault: ${lastLines(outcome.output)}`);
  const failed = [...outcome.failed, ...outcome.broken];
  for (const { file, error } of failed) {
    console.log(`  fails without a fault and judges nothing: ${file} ${error}`);
    rmSync(join(unfinished, `${encodeURIComponent(file)}.json`), { force: true });
  }
  renameSync(unfinished, folder);
  return folder;
}
