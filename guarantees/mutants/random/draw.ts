import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from '../mutant.ts';
import type { BrowserTests, CoveringTests } from './covering-tests.ts';
import { type Edit, type Fault, scriptFaults } from './faults.ts';
import { reasons } from './reasons.ts';
import { pythonFaults, sqlFaults } from './sql-faults.ts';

/** Draws faults at random places in the copy, each with the tests that run its place. */
export async function drawMutants(
  root: string,
  wanted: { files: readonly string[]; count: number; seed: number },
  tests: { covering: CoveringTests; browser: BrowserTests },
): Promise<Mutant[]> {
  const faults = await drawFaults(root, wanted, (some) => acceptedByCompiler(root, some));
  return faults.map((fault) => {
    const mutant = asMutant(root, fault, tests.covering);
    const known = reasons.find(
      ({ file, change }) =>
        file === mutant.file && change[0] === squeezed(mutant.find) && change[1] === squeezed(mutant.replace),
    );
    return {
      ...mutant,
      ...(fault.file.startsWith('web/') && { browserTests: tests.browser.of(fault.file) }),
      ...(known && { noEffect: known.reason }),
    };
  });
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

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
  wanted: { files: readonly string[]; count: number; seed: number },
  accepted: (faults: readonly Fault[]) => Promise<Fault[]>,
): Promise<Fault[]> {
  const random = numbers(wanted.seed);
  const drawn: Fault[] = [];
  const areas = AREAS.map(({ share, files: pattern }) => ({
    share,
    kinds: byKind(
      root,
      wanted.files.filter((file) => pattern.test(file) && !LEFT_OUT.test(file)),
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
