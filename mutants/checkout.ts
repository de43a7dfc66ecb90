import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutant.ts';

export const ROOT = join(import.meta.dirname, '..');

/** A copy of the checkout as it is on disk, without what git ignores; the packages and the built dashboard are shared. */
export function copyCheckout(target: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  for (const file of new Set(listed.split('\0'))) {
    if (file === '' || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(ROOT, file), join(target, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  const dist = join(ROOT, 'web', 'dist');
  if (existsSync(dist)) cpSync(dist, join(target, 'web', 'dist'), { recursive: true });
}

/** How often the text that the mutant replaces stands in its file; a file that does not exist counts as none. */
export function occurrences({ file, find }: Pick<Mutant, 'file' | 'find'>, root = ROOT): number {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0;
}

/** Puts the fault into the copy until the answer is disposed of. */
export function applyMutant({ file, find, replace }: Mutant, root: string): Disposable {
  const path = join(root, file);
  const original = readFileSync(path, 'utf8');
  // A function, because a replacement text would interpret `$`.
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  return { [Symbol.dispose]: () => writeFileSync(path, original) };
}
