import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readScreens } from '../../../web/page-list.ts';
import type { Covered } from './coverage.ts';

/** At most this many test files judge a place: the nearest ones. */
const MOST_TESTS = 24;

/** Finds the test files that run a place in the sources, from the coverage of a whole run. */
export class CoveringTests {
  /** By source file: the test files that run any of it, and what they run. */
  readonly #bySource = new Map<string, { test: string; covered: Covered }[]>();
  /** How many source files each test file runs. */
  readonly #breadth = new Map<string, number>();
  readonly #root: string;

  constructor(root: string, folder: string) {
    this.#root = root;
    for (const name of readdirSync(folder)) {
      const test = decodeURIComponent(name.replace(/\.json$/, ''));
      const covered: Record<string, Covered> = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      this.#breadth.set(test, Object.keys(covered).length);
      for (const [source, ranges] of Object.entries(covered)) {
        const known = this.#bySource.get(source) ?? [];
        known.push({ test, covered: ranges });
        this.#bySource.set(source, known);
      }
    }
  }

  /** The test files that run this position, the nearest first. */
  of(file: string, position: number): string[] {
    if (file.endsWith('.sql')) return this.#ofFunction(file);
    const known = this.#bySource.get(file) ?? this.#besides(file);
    // Vite transforms the code for the tests of `web`, so positions differ.
    const isExact = !file.startsWith('web/');
    const running = isExact ? known.filter(({ covered }) => isRun(covered, position)) : known;
    // Code that runs while a module loads is recorded only for a worker's first test file.
    const tests = running.length > 0 ? running : known;
    return this.#nearest(
      tests.map(({ test }) => test),
      [file],
    );
  }

  /** Coverage does not include child processes: the folder's tests, or those of all clients, judge code that runs there. */
  #besides(file: string): { test: string; covered: Covered }[] {
    const [clients] = /^clients\//.exec(file) ?? [];
    return [...this.#breadth.keys()]
      .filter((test) => (clients ? test.startsWith(clients) : dirname(test) === dirname(file)))
      .map((test) => ({ test, covered: { ranges: [] } }));
  }

  /**
   * The tests of the sources that name a database function, directly, through other functions, or by its trigger's table. If no
   * test runs the name, because it is in a comment or runs while the module loads, all tests of the source count.
   */
  #ofFunction(file: string): string[] {
    const named = this.#callersOf(file);
    const places: string[] = [];
    const tests = new Set<string>();
    for (const source of this.#bySource.keys()) {
      if (!source.startsWith('server/') || !existsSync(join(this.#root, source))) continue;
      const text = readFileSync(join(this.#root, source), 'utf8');
      const names = [...text.matchAll(/\w+/g)].filter(([word]) => named.has(word));
      if (names.length === 0) continue;
      places.push(source);
      const known = this.#bySource.get(source) ?? [];
      const running = known.filter(({ covered }) => names.some(({ index }) => isRun(covered, index)));
      for (const { test } of running.length > 0 ? running : known) tests.add(test);
    }
    return this.#nearest([...tests], places);
  }

  /** A file's function, its direct and indirect callers, and the tables whose triggers run one of them. */
  #callersOf(file: string): ReadonlySet<string> {
    const folder = join(this.#root, dirname(file));
    const texts = readdirSync(folder).map((name) => ({
      name: nameOf(name),
      text: readFileSync(join(folder, name), 'utf8'),
    }));
    const named = new Set([nameOf(file)]);
    for (let before = 0; before < named.size; ) {
      before = named.size;
      for (const { name, text } of texts) if (mentions(text, named)) named.add(name);
    }
    const triggers = texts
      .filter(({ name }) => named.has(name))
      .flatMap(({ text }) => tablesOfTriggers(text));
    return new Set([...named, ...triggers]);
  }

  #nearest(tests: readonly string[], places: readonly string[]): string[] {
    const distance = (test: string): number => Math.min(...places.map((place) => distanceOf(test, place)));
    return [...new Set(tests)]
      .map((test) => ({ test, rank: distance(test) * 10_000 + (this.#breadth.get(test) ?? 0) }))
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, MOST_TESTS)
      .map(({ test }) => test);
  }
}

const nameOf = (file: string): string => (file.split('/').at(-1) ?? '').replace(/\.sql$/, '');

const mentions = (text: string, names: ReadonlySet<string>): boolean =>
  [...names].some((name) => new RegExp(`\\b${name}\\(`).test(text));

const tablesOfTriggers = (text: string): string[] =>
  [...text.matchAll(/\bcreate or replace trigger [^;]*? on (\w+)/g)].map(([, table = '']) => table);

/** 0: the file's own test; 1: its folder's; 2: its module's; 3: any other. */
function distanceOf(test: string, file: string): number {
  if (test === file.replace(/\.ts$/, '.test.ts')) return 0;
  if (dirname(test) === dirname(file)) return 1;
  return dirname(test).startsWith(dirname(file)) || dirname(file).startsWith(dirname(test)) ? 2 : 3;
}

/** Ranges are ordered from outermost to innermost, so the last one around a position decides. */
function isRun({ ranges }: Covered, position: number): boolean {
  let isRun = false;
  let size = Number.POSITIVE_INFINITY;
  for (const [from, to, did] of ranges) {
    if (position < from || position >= to || to - from > size) continue;
    isRun = did;
    size = to - from;
  }
  return isRun;
}

/** At most this many browser tests judge a file: the nearest ones. */
const MOST_BROWSER_TESTS = 8;
/** These tests import many features, so similarity to one feature says nothing about them. */
const ROUTES = 'web/src/routes/';

interface Story {
  test: string;
  text: string;
  words: ReadonlySet<string>;
}

/**
 * Finds the browser tests that may run a file of the dashboard: those that open a page whose code imports it. The nearest are
 * named after the file or its folder; then follow those that share rare words with the file and its importers.
 */
export class BrowserTests {
  /** By file: the files that import it. */
  readonly #importers = new Map<string, Set<string>>();
  readonly #root: string;
  readonly #stories: readonly Story[];

  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    const importing = files.filter(
      (one) => /^web\/src\/.*\.tsx?$/.test(one) && !one.includes('.test.') && !one.startsWith(ROUTES),
    );
    for (const file of importing) {
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
        rank:
          isNamedAfter(story, file) || isNamedAfterPath(story, paths)
            ? Number.POSITIVE_INFINITY
            : this.#likeness(story, words),
      }))
      .toSorted((a, b) => b.rank - a.rank)
      .slice(0, MOST_BROWSER_TESTS)
      .map(({ test }) => test);
  }

  /** Words that occur in few files weigh more. */
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
    return readScreens()
      .filter(({ files }) => file.startsWith(ROUTES) || files.some((one) => reached.has(`web/src/${one}`)))
      .map(({ path }) => path.replaceAll(/\/\$\w+/g, ''));
  }
}

const isNamedAfter = ({ test }: Story, file: string): boolean =>
  [basename(file).replace(/\.tsx?$/, ''), basename(dirname(file))].includes(basename(test, '.test.ts'));

const isNamedAfterPath = ({ test }: Story, paths: readonly string[]): boolean =>
  paths.includes(`/${basename(test, '.test.ts')}`);

const opens = ({ text }: Story, path: string): boolean => new RegExp(`'${path}(?:['?/#])`).test(text);

/** Splits names too: `requestLogs` is `request` and `logs`. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.match(/[A-Z]?[a-z]{3,}/g) ?? []).map((word) => word.toLowerCase()));
