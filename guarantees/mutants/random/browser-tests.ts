import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A file that more browser tests may run is judged by the nearest of them. */
const MOST_TESTS = 8;
const ROUTES = 'web/src/routes/';

interface Story {
  test: string;
  text: string;
  words: ReadonlySet<string>;
}

/**
 * Which browser tests may run a file of the dashboard: those that open a page whose code imports it. The nearest are named after the
 * file or its folder; then come those that share rare words with the file and its importers.
 */
export class BrowserTests {
  /** By file: the files that import it. */
  readonly #importers = new Map<string, Set<string>>();
  readonly #root: string;
  readonly #stories: readonly Story[];

  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    for (const file of files.filter((one) => /^web\/src\/.*\.tsx?$/.test(one) && !one.includes('.test.'))) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const [, path = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
        const imported = join(dirname(file), path);
        const importers = this.#importers.get(imported) ?? new Set();
        this.#importers.set(imported, importers.add(file));
      }
    }
    this.#stories = readdirSync(join(root, 'e2e'))
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => {
        const text = readFileSync(join(root, 'e2e', name), 'utf8');
        return { test: `e2e/${name}`, text, words: wordsOf(text) };
      });
  }

  of(file: string): string[] {
    const paths = this.#pathsOf(file);
    const near = [file, ...(this.#importers.get(file) ?? [])];
    const words = wordsOf(near.map((one) => readFileSync(join(this.#root, one), 'utf8')).join('\n'));
    return this.#stories
      .filter((story) => isNamedAfter(story, file) || paths.some((path) => opens(story, path)))
      .map((story) => ({
        test: story.test,
        rank: isNamedAfter(story, file) ? Number.POSITIVE_INFINITY : this.#likeness(story, words),
      }))
      .toSorted((a, b) => b.rank - a.rank)
      .slice(0, MOST_TESTS)
      .map(({ test }) => test);
  }

  /** A word counts the more, the fewer tests have it. */
  #likeness({ words }: Story, others: ReadonlySet<string>): number {
    let sum = 0;
    for (const word of words)
      if (others.has(word))
        sum += Math.log(this.#stories.length / this.#stories.filter((one) => one.words.has(word)).length);
    return sum / Math.sqrt(words.size);
  }

  /** The paths of the pages whose code imports the file, directly or not. */
  #pathsOf(file: string): string[] {
    const reached = new Set([file]);
    for (const one of reached) for (const importer of this.#importers.get(one) ?? []) reached.add(importer);
    return [...reached].filter((one) => one.startsWith(ROUTES)).map(pathOf);
  }
}

/** `web/src/routes/_app/api-keys.tsx` is the page `/api-keys`. */
const pathOf = (route: string): string =>
  `/${route
    .slice(ROUTES.length)
    .replace(/\.tsx?$/, '')
    .split(/[/.]/)
    .filter((part) => !part.startsWith('_') && !part.startsWith('$') && part !== 'index')
    .map((part) => part.replace(/_$/, ''))
    .join('/')}`;

const isNamedAfter = ({ test }: Story, file: string): boolean =>
  [basename(file).replace(/\.tsx?$/, ''), basename(dirname(file))].includes(basename(test, '.test.ts'));

const opens = ({ text }: Story, path: string): boolean => new RegExp(`'${path}(?:['?/#])`).test(text);

/** Those of names too: `requestLogs` is `request` and `logs`. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.match(/[A-Z]?[a-z]{3,}/g) ?? []).map((word) => word.toLowerCase()));
