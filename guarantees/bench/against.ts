/**
 * `npm run bench -- --against <commit>`: runs the benchmark of another version and of this one in turns, each with its own code and
 * packages, and prints the ratio of each figure. The ratios within one run cannot show what slows all of them.
 */

import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { print } from '../harness/run.ts';

const TURNS = 2;
const ROOT = join(import.meta.dirname, '../..');

type Figures = Map<string, number>;

export async function compareWith(commit: string): Promise<void> {
  const sha = (await output('git', ['rev-parse', '--verify', `${commit}^{commit}`], ROOT)).trim();
  const other = join(ROOT, '.cache', `bench-${sha.slice(0, 12)}`);
  if (!existsSync(other)) await output('git', ['worktree', 'add', '--detach', other, sha], ROOT);
  const runs: Record<'other' | 'own', Figures[]> = { other: [], own: [] };
  try {
    for (let turn = 0; turn < TURNS; turn++)
      for (const who of turn % 2 === 0 ? (['other', 'own'] as const) : (['own', 'other'] as const)) {
        print(`\nturn ${turn + 1} of ${TURNS}: ${who === 'own' ? 'this version' : sha.slice(0, 12)} …`);
        runs[who].push(figuresOf(await output('npm', ['run', 'bench'], who === 'own' ? ROOT : other)));
      }
  } finally {
    await output('git', ['worktree', 'remove', '--force', other], ROOT);
    rmSync(other, { recursive: true, force: true });
  }
  printRatios(runs.other, runs.own, sha.slice(0, 12));
}

/** Runs a command, shows its output, and returns it. */
function output(command: string, args: string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    process.stdout.write(part);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)),
    );
  });
}

const RATE = /(\d+)\/s(?: (?:over|on) (.*?))?(?: \(|$| and (\d+)\/s)/;
const ROW = /^\s*[✓✗]?\s*(\S.*?)\s{2,}([\d.]+)(?: (?:ms|µs|MB))?\s+\(/;

/** The figures of a run's output: the rates below each heading, and the rows of the table at its end. */
export function figuresOf(text: string): Figures {
  const figures: Figures = new Map();
  let heading = '';
  for (const line of text.split('\n').map((one) => one.trimEnd())) {
    if (line.endsWith(' …')) heading = line.slice(0, -2).trim();
    const [rate, first, scope, second] = /^ {2}\d/.test(line) ? (RATE.exec(line) ?? []) : [];
    const [, what, value] = ROW.exec(line) ?? [];
    if (rate) {
      const name = scope ? `${heading}, ${scope}` : heading;
      figures.set(second ? `${name} (first)` : name, Number(first));
      if (second) figures.set(`${name} (second)`, Number(second));
    } else if (what) figures.set(what, Number(value));
  }
  return figures;
}

function printRatios(others: readonly Figures[], own: readonly Figures[], other: string): void {
  const mean = (runs: readonly Figures[], name: string): number =>
    runs.reduce((sum, run) => sum + (run.get(name) ?? Number.NaN), 0) / runs.length;
  const names = [...(own[0]?.keys() ?? [])].filter((name) => others[0]?.has(name));
  const width = Math.max(0, ...names.map((name) => name.length));
  print(`\n${'figure'.padEnd(width)}  ${other.padStart(12)}  ${'this'.padStart(12)}  this ÷ ${other}`);
  for (const name of names) {
    const [before, now] = [mean(others, name), mean(own, name)];
    const columns = [before, now].map((value) => value.toPrecision(4).padStart(12)).join('  ');
    print(`${name.padEnd(width)}  ${columns}  ${(now / before).toFixed(2)}`);
  }
}
