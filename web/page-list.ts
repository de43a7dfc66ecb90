import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** The file, next to the build manifest, that tells the server which paths are pages. */
export const PAGE_LIST = '.vite/pages.json';

/** The paths of the generated route tree, such as `/receipt/$id`. */
export function pathsOf(routeTree: string): string[] {
  const [, union = ''] = /\bfullPaths:\s*((?:\|?\s*'[^']*'\s*)+);/.exec(routeTree) ?? [];
  const paths = [...union.matchAll(/'([^']*)'/g)].map(([, path = '']) => path.replace(/(.)\/$/, '$1'));
  return [...new Set(paths)].sort();
}

/** Lets the server respond to any other path with 404. */
export const pageList: Plugin = {
  name: 'page-list',
  apply: 'build',
  generateBundle() {
    const paths = pathsOf(readFileSync(`${import.meta.dirname}/src/routeTree.gen.ts`, 'utf8'));
    if (!paths.includes('/sign-in')) this.error('The route tree lists its paths in another way');
    this.emitFile({ type: 'asset', fileName: PAGE_LIST, source: JSON.stringify(paths) });
  },
};
