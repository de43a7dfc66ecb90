import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Manifest } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, openStage, type Stage } from './browser.ts';
import { settled } from './settled.ts';

/** A first visit over a slow network. */
let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const boxOf = (page: Page, selector: string): Promise<Box> =>
  page.evaluate<Box>(
    `(({ x, y, width, height }) => ({ x, y, width, height }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
  );
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate<string>(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue('${property}')`,
  );

test.each([
  ['light', 1280],
  ['light', 390],
] as const)(
  'the frame is painted in its final place before scripts and style sheets arrive (%s, %i px)',
  async (colorScheme, width) => {
    await using tab = await stage.tab({ as: alice, path: '/healthz', colorScheme, width });
    const { page } = tab;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/assets/**', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto('/');
    await eventually(async () =>
      expect(await page.evaluate(`performance.getEntriesByName('first-contentful-paint').length`)).toBe(1),
    );
    const painted = {
      toggle: await boxOf(page, '.start-toggle'),
      header: (await boxOf(page, '.start-header')).height,
      line: await styleOf(page, '.start-header', 'border-bottom-color'),
      canvas: await styleOf(page, '.start', 'background-color'),
      rail: await boxOf(page, '.start-rail'),
      railColor: await styleOf(page, '.start-rail', 'background-color'),
      mark: await boxOf(page, '.start-mark'),
    };
    release();
    await page.getByRole('heading', { name: 'Verifications', exact: true }).waitFor();
    await settled(page);
    // The banner of a sandbox, which the frame cannot know, stands above the header.
    const { y: banner } = await boxOf(page, 'header');
    const toggle = await boxOf(page, 'header button svg');
    expect(painted).toMatchObject({
      toggle: { ...toggle, y: toggle.y - banner },
      header: (await boxOf(page, 'header')).height,
      line: await styleOf(page, 'header', 'border-bottom-color'),
      canvas: await styleOf(page, 'body', 'background-color'),
    });
    if (width < 768) return;
    expect(painted).toMatchObject({
      rail: await boxOf(page, 'div:has(> aside[aria-label="Sidebar"])'),
      railColor: await styleOf(page, 'div:has(> aside[aria-label="Sidebar"])', 'background-color'),
      mark: await boxOf(page, 'aside[aria-label="Sidebar"] a svg'),
    });
  },
);

test("a visitor's first paint is the sign-in frame, and the page preloads its first screen's files", async () => {
  await using tab = await stage.tab({ path: '/healthz' });
  const { page } = tab;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/index-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/');
  await eventually(() =>
    expect([...tab.files].filter((file) => /\/(AuthLayout|SignIn)-/.test(file)).length).toBeGreaterThan(2),
  );
  await page.locator('.start-mark').waitFor();
  const mark = await boxOf(page, '.start-mark');
  release();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
  const { y: banner } = await boxOf(page, 'main');
  const brand = await boxOf(page, 'main a svg');
  expect(mark).toEqual({ ...brand, y: brand.y - banner });
});

test('the page preloads every script that its own script imports', () => {
  const dist = join(import.meta.dirname, '../dist');
  const manifest: Manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const preloaded = [...html.matchAll(/<link rel="modulepreload"[^>]* href="\/([^"]+)"/g)].map(
    ([, file]) => file,
  );
  const imports = (name: string): string[] =>
    (manifest[name]?.imports ?? []).flatMap((next) => [next, ...imports(next)]);
  const needed = imports('index.html').map((name) => manifest[name]?.file);
  expect(needed.length).toBeGreaterThan(0);
  expect(preloaded).toEqual(expect.arrayContaining(needed));
});

test('the data of the list arrives before the scripts, and no call is made twice', async () => {
  await using tab = await stage.tab({ as: alice, path: '/healthz' });
  const { page } = tab;
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/')) asked.push(pathname + search);
  });
  // A slow machine would request data again: when the live stream opens, and for components shown two seconds later.
  await page.route('**/api/v1/live/', () => {});
  await page.clock.setFixedTime(Date.now());
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/index-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/');
  await eventually(() => expect(asked).toHaveLength(5));
  const early = [...asked];
  release();
  await page.getByRole('heading', { name: 'Verifications', exact: true }).waitFor();
  await settled(page);
  for (const call of early)
    expect(
      asked.filter((other) => other === call),
      call,
    ).toHaveLength(1);
});
