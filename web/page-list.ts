import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The file, next to the build manifest, that tells the server which paths are pages. */
export const PAGE_LIST = '.vite/pages.json';

export interface Screen {
  /** such as `/receipt/$id` */
  path: string;
  /** the variable of the outermost route around it, such as `app`, or its own */
  layout: string;
  /** files below `src` that it loads: the layouts and the screen */
  files: string[];
}

interface Declared {
  name: string;
  parent: string | undefined;
  path: string;
  files: string[];
}

const ROUTES = join(import.meta.dirname, 'src/routes');

/** The screens that `src/routes` declares. Read as text, because the dashboard's code runs only in a browser. */
export function readScreens(): Screen[] {
  const texts = readdirSync(ROUTES).map((file) => readFileSync(join(ROUTES, file), 'utf8'));
  const routes = texts.flatMap(declaredIn);
  const isScreen = ({ name }: Declared): boolean => !routes.some(({ parent }) => parent === name);
  const lineOf = (route: Declared): Declared[] => {
    const parent = routes.find(({ name }) => name === route.parent);
    return parent ? [...lineOf(parent), route] : [route];
  };
  return routes
    .filter(isScreen)
    .map(lineOf)
    .map((line) => ({
      path: line
        .map(({ path }) => path)
        .join('')
        .replace(/(.)\/$/, '$1'),
      layout: line[0]?.name ?? '',
      files: line.flatMap(({ files }) => files),
    }));
}

const declaredIn = (text: string): Declared[] =>
  [...text.matchAll(/const (\w+) = createRoute\(\{(.*?)^\}\);/gms)].map(([, name = '', options = '']) => ({
    name,
    parent: /getParentRoute: \(\) => (\w+)/.exec(options)?.[1],
    path: /^ {2}path: '(.+)'/m.exec(options)?.[1] ?? '',
    files: [...options.matchAll(/import\('\.\.\/(.+?)'\)/g)].map(([, file = '']) => file),
  }));

/** The paths of all pages. Those of an account are also below the account's name, such as `/a/$slug/logs`. */
export function servedPaths(): string[] {
  const screens = readScreens();
  const ofAccount = screens.filter(
    ({ path, layout }) => (layout === 'app' || layout === 'receipt') && !path.startsWith('/operator'),
  );
  return [
    ...screens.map(({ path }) => path),
    ...ofAccount.map(({ path }) => `/a/$slug${path === '/' ? '' : path}`),
  ].sort();
}

/** Lets the server respond to any other path with 404. */
export const pageList: Plugin = {
  name: 'page-list',
  apply: 'build',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: PAGE_LIST, source: JSON.stringify(servedPaths()) });
  },
};
