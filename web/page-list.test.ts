import { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { expect, test } from 'vitest';
import { readScreens, servedPaths } from './page-list.ts';
import { pages } from './src/pages.ts';
import { routeTree } from './src/routes/tree.ts';

const paths = readScreens().map(({ path }) => path);

test('the server serves every page in the menu', () => {
  expect(paths).toEqual(expect.arrayContaining(Object.values(pages).map(({ path }) => path)));
});

test('the server serves exactly the paths of the router', () => {
  const router = createRouter({ routeTree, context: { queryClient: new QueryClient() } });
  expect(paths.toSorted()).toEqual(Object.keys(router.routesByPath).toSorted());
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

test('the server serves the pages of an account also below its name, and no others', () => {
  const served = servedPaths().filter((path) => path.startsWith('/a/'));
  expect(served).toEqual(
    expect.arrayContaining([
      '/a/$slug',
      '/a/$slug/logs',
      '/a/$slug/settings/activity',
      '/a/$slug/receipt/$id',
    ]),
  );
  expect(served.filter((path) => /operator|sign-|terms|sandbox/.test(path))).toEqual([]);
});
