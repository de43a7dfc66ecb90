import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readScreens } from '../../../web/page-list.ts';
import type { Covered } from './coverage.ts';

/** At most this many test files judge a place: the nearest and most similar ones. */
const MOST_TESTS = 24;
/** So many characters before and after a place count as its surroundings. */
const AROUND = 300;

/** Finds the test files that run a place in the sources, from the coverage of a whole run. */
export class CoveringTests {
  /** By source file: the test files that run any of it, and what they run. */
  readonly #bySource = new Map<string, { test: string; covered: Covered }[]>();
  readonly #texts: Texts;
  readonly #root: string;

  constructor(root: string, folder: string) {
    this.#root = root;
    const tests: string[] = [];
    for (const name of readdirSync(folder)) {
      const test = decodeURIComponent(name.replace(/\.json$/, ''));
      const covered: Record<string, Covered> = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      tests.push(test);
      for (const [source, ranges] of Object.entries(covered)) {
        const known = this.#bySource.get(source) ?? [];
        known.push({ test, covered: ranges });
        this.#bySource.set(source, known);
      }
    }
    this.#texts = new Texts(root, tests);
  }

  /** The test files that run this position, the nearest first. */
  of(file: string, position: number): string[] {
    const text = readFileSync(join(this.#root, file), 'utf8');
    const place = { file, text, position };
    if (file.endsWith('.sql')) return this.#ofFunction(place);
    const known = this.#bySource.get(file) ?? [];
    // Vite transforms the code for the tests of `web`, so positions differ.
    const exact = known.filter(({ test }) => !test.startsWith('web/'));
    // Code that runs while a module loads is recorded only for a worker's first test file.
    const isLoading = exact.every(({ covered }) => isOutside(covered, position));
    const running = exact.filter(({ covered }) => isRun(covered, position));
    const tests = isLoading || running.length === 0 ? [...known, ...this.#besides(file)] : running;
    return this.#nearest(
      tests.map(({ test }) => test),
      [file],
      place,
    );
  }

  /** Coverage omits data and child processes: tests that import the file, of its folder, or of all clients judge those. */
  #besides(file: string): { test: string; covered: Covered }[] {
    const [clients] = /^clients\//.exec(file) ?? [];
    const path = file.replace(/^contract\/src/, '@sixdigit/contract');
    return this.#texts.names
      .filter((test) =>
        clients
          ? test.startsWith(clients)
          : dirname(test) === dirname(file) || this.#texts.of(test).includes(`'${path}'`),
      )
      .map((test) => ({ test, covered: { ranges: [] } }));
  }

  /**
   * The tests of the sources that name a database function, directly, through other functions, or by its trigger's table. If no
   * test runs the name, because it is in a comment or runs while the module loads, all tests of the source count.
   */
  #ofFunction(place: Place): string[] {
    const { file } = place;
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
    return this.#nearest([...tests], places, place);
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

  #nearest(tests: readonly string[], sources: readonly string[], { text, position }: Place): string[] {
    const inFile = wordsOf(text);
    const around = wordsOf(text.slice(Math.max(0, position - AROUND), position + AROUND));
    const rank = (test: string): number =>
      4 * this.#texts.likeness(test, around) +
      this.#texts.likeness(test, inFile) +
      2 * Math.max(...sources.map((source) => nearnessOf(test, source)));
    return [...new Set(tests)]
      .map((test) => ({ test, rank: rank(test) }))
      .toSorted((a, b) => b.rank - a.rank)
      .slice(0, MOST_TESTS)
      .map(({ test }) => test);
  }
}

interface Place {
  file: string;
  text: string;
  position: number;
}

/** The texts of test files, to find those that share words with a source. */
class Texts {
  readonly #words: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #frequency = new Map<string, number>();

  constructor(root: string, tests: readonly string[]) {
    this.#texts = new Map(tests.map((test) => [test, readFileSync(join(root, test), 'utf8')]));
    this.#words = new Map([...this.#texts].map(([test, text]) => [test, wordsOf(text)]));
    for (const words of this.#words.values())
      for (const word of words) this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1);
  }

  get names(): string[] {
    return [...this.#texts.keys()];
  }

  of(test: string): string {
    return this.#texts.get(test) ?? '';
  }

  /** Words that occur in few tests weigh more. */
  likeness(test: string, others: ReadonlySet<string>): number {
    const words = this.#words.get(test) ?? new Set<string>();
    let sum = 0;
    for (const word of words)
      if (others.has(word)) sum += Math.log(this.#words.size / (this.#frequency.get(word) ?? 1));
    return sum / Math.sqrt(words.size);
  }
}

const nameOf = (file: string): string => (file.split('/').at(-1) ?? '').replace(/\.sql$/, '');

const mentions = (text: string, names: ReadonlySet<string>): boolean =>
  [...names].some((name) => new RegExp(`\\b${name}\\(`).test(text));

const tablesOfTriggers = (text: string): string[] =>
  [...text.matchAll(/\bcreate or replace trigger [^;]*? on (\w+)/g)].map(([, table = '']) => table);

/** 4: the file's own test; 2: its folder's; 1: its module's; 0: any other. */
function nearnessOf(test: string, file: string): number {
  if (test === file.replace(/\.ts$/, '.test.ts')) return 4;
  if (dirname(test) === dirname(file)) return 2;
  return dirname(test).startsWith(dirname(file)) || dirname(file).startsWith(dirname(test)) ? 1 : 0;
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

/** Whether the position is in no function. */
const isOutside = ({ ranges }: Covered, position: number): boolean =>
  !ranges.some(([from, to]) => from > 0 && position >= from && position < to);

/** At most this many browser tests judge a file: the nearest ones. */
const MOST_BROWSER_TESTS = 8;
/** These tests import many features, so similarity to one feature says nothing about them. */
const ROUTES = 'web/src/routes/';

/**
 * Finds the browser tests that may run a file of the dashboard: those that open a page whose code imports it. The nearest are
 * named after the file or its folder; then follow those that share rare words with the file and its importers.
 */
export class BrowserTests {
  /** By file: the files that import it. */
  readonly #importers = new Map<string, Set<string>>();
  readonly #root: string;
  readonly #stories: Texts;

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
    const stories = readdirSync(join(root, 'web/e2e')).filter((name) => name.endsWith('.test.ts'));
    this.#stories = new Texts(
      root,
      stories.map((name) => `web/e2e/${name}`),
    );
  }

  of(file: string): string[] {
    const paths = this.#pathsOf(file);
    const near = [file, ...(this.#importers.get(file) ?? [])];
    const words = wordsOf(near.map((one) => readFileSync(join(this.#root, one), 'utf8')).join('\n'));
    const isNamed = (test: string) => isNamedAfter(test, file) || isNamedAfterPath(test, paths);
    const opensOne = (test: string) => paths.some((path) => opens(this.#stories.of(test), path));
    return this.#stories.names
      .filter((test) => isNamedAfter(test, file) || opensOne(test))
      .map((test) => ({ test, rank: isNamed(test) ? Infinity : this.#stories.likeness(test, words) }))
      .toSorted((a, b) => b.rank - a.rank)
      .slice(0, MOST_BROWSER_TESTS)
      .map(({ test }) => test);
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

const isNamedAfter = (test: string, file: string): boolean =>
  [basename(file).replace(/\.tsx?$/, ''), basename(dirname(file))].includes(basename(test, '.test.ts'));

const isNamedAfterPath = (test: string, paths: readonly string[]): boolean =>
  paths.includes(`/${basename(test, '.test.ts')}`);

const opens = (text: string, path: string): boolean => new RegExp(`'${path}(?:['?/#])`).test(text);

/** Splits names too: `requestLogs` is `request` and `logs`. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.match(/[A-Z]?[a-z]{3,}/g) ?? []).map((word) => word.toLowerCase()));
