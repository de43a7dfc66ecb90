import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutant.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The files of the checkout, without those that git ignores. */
export function checkedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return [...new Set(listed.split('\0'))].filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

/** Copies the checkout from disk. Packages and the built dashboard are shared; the workspaces are those of the copy. */
export function copyCheckout(target: string): void {
  for (const file of checkedFiles()) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(ROOT, file), join(target, file));
  }
  const modules = join(target, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@sixdigit') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  cpSync(join(ROOT, 'node_modules/@sixdigit'), join(modules, '@sixdigit'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const dist = join(ROOT, 'web', 'dist');
  if (existsSync(dist)) cpSync(dist, join(target, 'web', 'dist'), { recursive: true });
}

/** Counts the occurrences of the mutant's text in its file; 0 if the file does not exist. */
export function occurrences({ file, find }: Pick<Mutant, 'file' | 'find'>, root = ROOT): number {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0;
}

/** Applies the fault to the copy until the result is disposed of. */
export function applyMutant({ file, find, replace }: Mutant, root: string): Disposable {
  const path = join(root, file);
  const original = readFileSync(path, 'utf8');
  // A function, because `$` is special in a replacement string.
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  return { [Symbol.dispose]: () => writeFileSync(path, original) };
}
