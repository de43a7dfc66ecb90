import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedFiles, ROOT } from '../checkout.ts';
import { lastLines } from '../judge.ts';
import type { Mutant } from '../mutant.ts';
import type { runTests, TestRun } from '../test-run.ts';
import { BrowserTests, CoveringTests } from './covering-tests.ts';
import { type Edit, type Fault, scriptFaults } from './faults.ts';
import { reasons } from './reasons.ts';
import { pythonFaults, sqlFaults } from './sql-faults.ts';

/** Draws faults at random places in the copy, each with the tests that run its place. */
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
    if (/\.(?:ts|tsx|sql|py)$/.test(file)) hash.update(file).update(readFileSync(join(root, file)));
  const folder = join(ROOT, '.cache', `coverage-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  console.log('First all tests, to see which of them run which place …');
  const unfinished = `${folder}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const outcome = await run({
    tests: ['server/', 'contract/', 'web/', 'clients/'],
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

/** The areas to draw faults from, each with its share. Within an area, every kind of fault is equally likely. */
const AREAS: readonly { share: number; files: RegExp }[] = [
  { share: 0.3, files: /^server\/src\/.*\.ts$/ },
  // Where a slip costs money, codes, accounts or secrets.
  { share: 0.3, files: /^server\/src\/(?:accounts|compat|connections|events|payments|protection)\/.*\.ts$/ },
  { share: 0.2, files: /^server\/sql\/functions\/.*\.sql$/ },
  { share: 0.12, files: /^(?:contract|web)\/src\/.*\.ts$/ },
  { share: 0.08, files: /^clients\/[\w-]+\/src\/.*\.(?:ts|py)$/ },
];
/** Tests, declarations, and the demo history. */
const LEFT_OUT = /\.test\.ts$|\.d\.ts$|^server\/src\/operations\/commands\/(?:seed|demo)\//;

/**
 * Draws faults at random places. The same seed and files give the same faults. `accepted` drops faults that do not compile,
 * because nobody could commit them.
 */
async function drawFaults(
  root: string,
  files: readonly string[],
  wanted: { count: number; seed: number },
  accepted: (faults: readonly Fault[]) => Promise<Fault[]>,
): Promise<Fault[]> {
  const random = numbers(wanted.seed);
  const drawn: Fault[] = [];
  const areas = AREAS.map(({ share, files: pattern }) => ({
    share,
    kinds: byKind(
      root,
      files.filter((file) => pattern.test(file) && !LEFT_OUT.test(file)),
    ),
  }));
  for (const { share, kinds } of areas) {
    const target = Math.round(wanted.count * share);
    const found: Fault[] = [];
    while (found.length < target) {
      const next = Array.from({ length: target - found.length }, () => take(kinds, random)).filter(
        (one) => one !== undefined,
      );
      if (next.length === 0) break;
      found.push(...(await accepted(next)));
    }
    drawn.push(...found);
  }
  // In random order, so that a run that stops early has judged a sample of all areas.
  return drawn
    .map((fault) => ({ fault, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ fault }) => fault);
}

function byKind(root: string, files: readonly string[]): Fault[][] {
  const kinds = new Map<string, Fault[]>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const edit of editsOf(file, text)) {
      const known = kinds.get(edit.kind) ?? [];
      known.push({ file, ...edit });
      kinds.set(edit.kind, known);
    }
  }
  return [...kinds.values()];
}

function editsOf(file: string, text: string): Edit[] {
  if (file.endsWith('.sql')) return sqlFaults(text, true);
  return file.endsWith('.py') ? pythonFaults(text) : scriptFaults(file, text);
}

/** Takes a random fault of a random kind. */
function take(kinds: Fault[][], random: () => number): Fault | undefined {
  const left = kinds.filter((faults) => faults.length > 0);
  const kind = left[Math.floor(random() * left.length)];
  return kind?.splice(Math.floor(random() * kind.length), 1)[0];
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Turns the fault into a mutant. Its text grows by whole lines until it is unique in its file. */
function asMutant(root: string, fault: Fault, tests: CoveringTests): Mutant {
  const text = readFileSync(join(root, fault.file), 'utf8');
  let from = text.lastIndexOf('\n', fault.from - 1) + 1;
  let to = endOfLine(text, fault.to);
  while (text.split(text.slice(from, to)).length > 2) {
    from = text.lastIndexOf('\n', Math.max(0, from - 2)) + 1;
    to = endOfLine(text, Math.min(text.length, to + 1));
  }
  const find = text.slice(from, to);
  const line = text.slice(0, fault.from).split('\n').length;
  const short = (part: string) => part.replace(/\s+/g, ' ').trim().slice(0, 100);
  return {
    name: `${fault.file}:${line} ${fault.kind}: ${short(text.slice(fault.from, fault.to))} → ${short(fault.replacement)}`,
    promise: `A test notices it.`,
    file: fault.file,
    find,
    replace: text.slice(from, fault.from) + fault.replacement + text.slice(fault.to, to),
    tests: tests.of(fault.file, fault.from),
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Errors about unused imports and parameters: a programmer who removed the use would remove these as well. */
const UNUSED = /error TS(?:6133|6192|6196|6198|6138)/;

/** Returns the faults that compile. The compiler checks one fault per file at a time. */
async function acceptedByCompiler(root: string, faults: readonly Fault[]): Promise<Fault[]> {
  const isCompiled = ({ file }: Fault): boolean => file.endsWith('.ts');
  const accepted = faults.filter((fault) => !isCompiled(fault));
  let waiting = faults.filter(isCompiled);
  while (waiting.length > 0) {
    const round = [...new Map(waiting.map((fault) => [fault.file, fault])).values()];
    waiting = waiting.filter((fault) => !round.includes(fault));
    const refused = filesRefused(root, round);
    accepted.push(...round.filter(({ file }) => !refused.has(file)));
  }
  return accepted;
}

/** What each project compiles. */
const PROJECTS: Record<string, RegExp> = {
  server: /^(?:server|contract)\//,
  web: /^(?:web|contract)\//,
  'clients/typescript': /^clients\/typescript\//,
  'clients/better-auth': /^clients\//,
};

function filesRefused(root: string, faults: readonly Fault[]): ReadonlySet<string> {
  const before = new Map(faults.map(({ file }) => [file, readFileSync(join(root, file), 'utf8')]));
  for (const { file, from, to, replacement } of faults) {
    const text = before.get(file) ?? '';
    writeFileSync(join(root, file), text.slice(0, from) + replacement + text.slice(to));
  }
  try {
    const touched = Object.entries(PROJECTS).filter(([, files]) =>
      faults.some(({ file }) => files.test(file)),
    );
    const output = touched.map(
      ([project]) =>
        spawnSync('node_modules/.bin/tsc', ['-p', project, '--pretty', 'false'], {
          cwd: root,
          encoding: 'utf8',
        }).stdout,
    );
    const errors = output
      .join('\n')
      .split('\n')
      .filter((line) => line.includes('error TS') && !UNUSED.test(line));
    return new Set(errors.map((line) => line.split('(')[0] ?? ''));
  } finally {
    for (const [file, text] of before) writeFileSync(join(root, file), text);
  }
}
