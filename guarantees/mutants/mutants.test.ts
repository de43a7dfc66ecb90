import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './all.ts';
import { occurrences, ROOT } from './checkout.ts';

test('a mutant’s text occurs exactly once in its file', () => {
  expect(
    mutants.filter((mutant) => occurrences(mutant) !== 1).map(({ name, file }) => `${name} (${file})`),
  ).toEqual([]);
});

test('a mutant changes its text and names existing tests', () => {
  expect(mutants.filter(({ find, replace }) => find === replace).map(({ name }) => name)).toEqual([]);
  expect(mutants.filter(({ tests }) => tests.length === 0).map(({ name }) => name)).toEqual([]);
  expect(
    [...new Set(mutants.flatMap(({ tests }) => tests))].filter(
      (file) => !/\.test\.tsx?$/.test(file) || !existsSync(join(ROOT, file)),
    ),
  ).toEqual([]);
});

test('every mutant has a unique name', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
