import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.ts';

/** An import or a parameter that is no longer used: whoever removes its use removes it too. */
const UNUSED = /error TS(?:6133|6192|6196|6198|6138)/;

/** Those of the faults that the compiler accepts. It sees one fault of each file at a time. */
export async function acceptedByCompiler(root: string, faults: readonly Fault[]): Promise<Fault[]> {
  const accepted = faults.filter(({ file }) => file.endsWith('.sql'));
  let waiting = faults.filter(({ file }) => !file.endsWith('.sql'));
  while (waiting.length > 0) {
    const round = [...new Map(waiting.map((fault) => [fault.file, fault])).values()];
    waiting = waiting.filter((fault) => !round.includes(fault));
    const refused = filesRefused(root, round);
    accepted.push(...round.filter(({ file }) => !refused.has(file)));
  }
  return accepted;
}

const otherOf = (project: string): string => (project === 'web' ? 'server/' : 'web/');

function filesRefused(root: string, faults: readonly Fault[]): ReadonlySet<string> {
  const before = new Map(faults.map(({ file }) => [file, readFileSync(join(root, file), 'utf8')]));
  for (const { file, from, to, replacement } of faults) {
    const text = before.get(file) ?? '';
    writeFileSync(join(root, file), text.slice(0, from) + replacement + text.slice(to));
  }
  try {
    // `server` and `web` both import `contract`.
    const isTouched = (project: string) => faults.some(({ file }) => !file.startsWith(otherOf(project)));
    const output = ['server', 'web'].filter(isTouched).map(
      (project) =>
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
