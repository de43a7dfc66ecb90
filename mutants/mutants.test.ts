import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
    [...new Set(mutants.flatMap(({ tests }) => tests))].filter((file) => !existsSync(join(ROOT, file))),
  ).toEqual([]);
});

test('every mutant has a unique name', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

test('a fault in a database function edits its current definition', () => {
  const folder = 'server/migrations';
  const migrations = readdirSync(join(ROOT, folder)).sort();
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const outdated = mutants.filter(({ file, find }) => {
    if (!file.startsWith(`${folder}/`)) return false;
    const before = textOf(file).split(find)[0] ?? '';
    const name = [...before.matchAll(/^create (?:or replace )?function (\w+)/gm)].at(-1)?.[1];
    const isInFunction =
      name !== undefined && !/^(end )?\$\$;?$/m.test(before.slice(before.lastIndexOf(`function ${name}`)));
    return (
      isInFunction &&
      migrations
        .filter((later) => `${folder}/${later}` > file)
        .some((later) =>
          new RegExp(`^create (or replace )?function ${name}\\b`, 'm').test(textOf(`${folder}/${later}`)),
        )
    );
  });
  expect(outdated.map(({ name }) => name)).toEqual([]);
});
