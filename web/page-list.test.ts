import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pathsOf } from './page-list.ts';
import { pages } from './src/pages.ts';

const paths = pathsOf(readFileSync(`${import.meta.dirname}/src/routeTree.gen.ts`, 'utf8'));

test('the server serves every page in the menu', () => {
  expect(paths).toEqual(expect.arrayContaining(Object.values(pages).map(({ path }) => path)));
});

test('the server also serves pages outside the menu and has one pattern per page with a parameter', () => {
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
