import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Covered } from './coverage.ts';

/** A place that more test files run is judged by the nearest of them. */
const MOST_TESTS = 24;

/** Which test files run a place of the sources, from the coverage of a whole run. */
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
    // Vite changes the positions of what it serves to the tests of `web`.
    const isExact = !file.startsWith('web/');
    const running = isExact ? known.filter(({ covered }) => isRun(covered, position)) : known;
    // What runs as a module loads is noted for the first test file of a worker only.
    const tests = running.length > 0 ? running : known;
    return this.#nearest(
      tests.map(({ test }) => test),
      [file],
    );
  }

  /** Coverage knows no other processes: what runs in those is judged by the tests of its folder. */
  #besides(file: string): { test: string; covered: Covered }[] {
    return [...this.#breadth.keys()]
      .filter((test) => dirname(test) === dirname(file))
      .map((test) => ({ test, covered: { ranges: [] } }));
  }

  /**
   * The tests of the sources that name a database function, directly, through other functions, or by the table of its trigger. Where
   * a function is named as a module loads, or in a comment, no test runs the name: then all tests of the source count.
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

  /** The function of a file, those that call it, directly or not, and the tables on whose changes one of them runs. */
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

/** Ranges come from the outermost to the innermost, so the last one around a position decides. */
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
