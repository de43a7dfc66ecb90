import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pathsOf } from './page-list.ts';
import { pages } from './src/pages.ts';

const paths = pathsOf(readFileSync(`${import.meta.dirname}/src/routeTree.gen.ts`, 'utf8'));

test('every page of the menu is among the paths that the server knows', () => {
  expect(paths).toEqual(expect.arrayContaining(Object.values(pages).map(({ path }) => path)));
});

test('the server knows pages outside the menu, and those with a parameter once', () => {
  for (const path of [
    '/sign-in',
    '/sign-up',
    '/reset-password',
    '/receipt/$id',
    '/operator',
    '/operator/accounts/$id',
  ])
    expect(paths.filter((one) => one === path)).toHaveLength(1);
});
