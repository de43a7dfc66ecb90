import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HtmlTagDescriptor, minifySync, type Plugin, type Rolldown } from 'vite';
import { readScreens, type Screen } from '../page-list.ts';

type OutputBundle = Rolldown.OutputBundle;
type OutputChunk = Rolldown.OutputChunk;

/** The screens within a layout, without those whose address has a parameter. */
const screensOf = (layout: 'app' | 'auth'): Screen[] =>
  readScreens().filter((screen) => screen.layout === layout && !screen.path.includes('$'));

const apps = screensOf('app');
const auths = screensOf('auth');

const patternOf = (screens: readonly Screen[]): string =>
  screens.map(({ path }) => path.replace(/\/$/, '')).join('|');

const readText = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** A script of this folder with values in place of the names in capitals. */
function scriptOf(name: string, values: Readonly<Record<string, unknown>>): string {
  let text = readText(name);
  for (const [placeholder, value] of Object.entries(values))
    text = text.replaceAll(`'${placeholder}'`, () => JSON.stringify(value));
  return minifySync(name, text).code;
}

const isChunk = (file: OutputBundle[string] | undefined): file is OutputChunk => file?.type === 'chunk';

/** The files that a chunk needs: its own, those that it imports directly or indirectly, and their style sheets. */
function filesOf(bundle: OutputBundle, chunk: OutputChunk, found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const sheet of chunk.viteMetadata?.importedCss ?? []) found.add(sheet);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (isChunk(imported)) filesOf(bundle, imported, found);
  }
  return found;
}

/** The calls of the list of verifications and its frame. A browser test compares them with those that the screen makes. */
const CALLS = [
  '/users/me',
  '/verifications/?page=1&page_size=10&ordering=-created_at&count=later&created_after=15',
  '/api-keys/?page_size=100',
  '/connections/',
  '/verifications/?page_size=1',
];

/**
 * A script that loads the first screen's files along with those of the page, and the data of the list of verifications. Otherwise
 * the browser learns of them only once the page's scripts run. Operators' screens are left out, because every visitor loads the
 * list.
 */
function preloadScript(bundle: OutputBundle): string {
  const chunks = Object.values(bundle).filter(isChunk);
  const ofPage = new Set(
    chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => [...filesOf(bundle, chunk)]),
  );
  const filesOfScreen = ({ files }: Screen): string[] => {
    const ids = files.map((file) => join(import.meta.dirname, '../src', file));
    const own = chunks.filter(({ moduleIds }) => moduleIds.some((id) => ids.includes(id)));
    return own.flatMap((chunk) => [...filesOf(bundle, chunk)]).filter((name) => !ofPage.has(name));
  };
  const names: string[] = [];
  const indexOf = (name: string): number =>
    names.includes(name) ? names.indexOf(name) : names.push(name) - 1;
  const filesByPath = (screens: readonly Screen[]): Record<string, number[]> =>
    Object.fromEntries(
      screens.map((screen) => [screen.path, [...new Set(filesOfScreen(screen))].map(indexOf)]),
    );
  return scriptOf('preload.js', {
    SIGNED_IN: filesByPath(apps.filter(({ path }) => !path.startsWith('/operator'))),
    SIGNED_OUT: filesByPath(auths),
    FILES: names,
    CALLS,
  });
}

/** Lets first-paint.js apply the page's style sheets, so that they do not delay the first paint. */
const withoutBlockingSheets = (html: string): string =>
  html.replaceAll('<link rel="stylesheet"', '<link rel="preload" as="style" data-sheet');

let preloadFile: string | undefined;

/** Puts the frame's styles and the script that chooses the frame into the page. */
export const firstPaint: Plugin = {
  name: 'first-paint',
  generateBundle(_options, bundle) {
    const source = preloadScript(bundle);
    preloadFile = this.getFileName(this.emitFile({ type: 'asset', name: 'preload.js', source }));
  },
  transformIndexHtml: {
    order: 'pre',
    handler: (): HtmlTagDescriptor[] => [
      { tag: 'style', children: readText('first-paint.css'), injectTo: 'head' },
      {
        tag: 'script',
        children: scriptOf('first-paint.js', { SCREENS: patternOf([...apps, ...auths]) }),
        injectTo: 'body-prepend',
      },
    ],
  },
};

/** Runs after the names of the built files are in the page. */
export const earlyFiles: Plugin = {
  name: 'early-files',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html) =>
      withoutBlockingSheets(html).replace(
        '<script type="module"',
        (script) =>
          `<script src="/${preloadFile}" async fetchpriority="high" nonce="__CSP_NONCE__"></script>\n    ${script}`,
      ),
  },
};
