import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Reads the repository's source for the architecture tests. Paths are relative to the root of the repository. */
export const ROOT = join(import.meta.dirname, '../..');

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

export const filesBelow = (folder: string, ends = /\.tsx?$/): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ends.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

/** The imports of a file, as written. */
export const importsOf = (file: string): string[] =>
  [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => target ?? '');

/** The files of the repository that a file imports. */
export const filesImportedBy = (file: string): string[] =>
  importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(ROOT, resolve(dirname(join(ROOT, file)), target)));

/** The source without comments. */
export const codeOf = (file: string): string =>
  read(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*(?:\/\/|--).*$/gm, '');

/** Every cycle of a graph once, as a path that ends where it begins. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const at = path.indexOf(node);
    if (at >= 0) circles.push([...path.slice(at), node].join(' → '));
    if (at >= 0 || done.has(node)) return;
    path.push(node);
    for (const next of graph.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of graph.keys()) visit(node);
  return circles;
}
