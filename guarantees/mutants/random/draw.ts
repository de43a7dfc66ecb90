import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from '../mutant.ts';
import type { CoveringTests } from './covering-tests.ts';
import type { Fault } from './fault.ts';
import { scriptFaults } from './script-faults.ts';
import { sqlFaults } from './sql-faults.ts';

/** Where faults are drawn, each with its share. Within an area, every kind of fault is as likely as any other. */
const AREAS: readonly { share: number; files: RegExp }[] = [
  { share: 0.6, files: /^server\/src\/.*\.ts$/ },
  { share: 0.2, files: /^server\/sql\/functions\/.*\.sql$/ },
  { share: 0.2, files: /^(?:contract|web)\/src\/.*\.ts$/ },
];
/** Tests, generated files, and the history that `seed` invents. */
const LEFT_OUT = /\.test\.ts$|\.d\.ts$|routeTree\.gen|^server\/src\/operations\/commands\/(?:seed|demo)\//;

/**
 * Draws faults at random places; the same seed over the same files draws the same. `isAccepted` drops those that the compiler
 * refuses, since nobody can commit them.
 */
export async function drawFaults(
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
  // In any order, so that a run that is stopped early has judged a sample of all areas.
  return drawn
    .map((fault) => ({ fault, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ fault }) => fault);
}

function byKind(root: string, files: readonly string[]): Fault[][] {
  const kinds = new Map<string, Fault[]>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    const edits = file.endsWith('.sql') ? sqlFaults(text, true) : scriptFaults(file, text);
    for (const edit of edits) {
      const known = kinds.get(edit.kind) ?? [];
      known.push({ file, ...edit });
      kinds.set(edit.kind, known);
    }
  }
  return [...kinds.values()];
}

/** Takes a fault out of a kind, both chosen at random. */
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

/** The fault as a mutant: its text grows to whole lines, and to more of them, until it occurs once in its file. */
export function asMutant(root: string, fault: Fault, tests: CoveringTests): Mutant {
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
