import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Frame, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { allJobs } from '../server/src/app.ts';
import { startWork } from '../server/src/platform/queue/work.ts';
import { type Person, person } from '../server/test/person.ts';
import { type TestService, testService } from '../server/test/service.ts';
import { launch } from './chromium.ts';
import { type Tab, type TabOptions, tabOpener } from './tab.ts';

export type { Tab, TabOptions };

/**
 * The whole product as its users meet it: the real service with its worker on a port of its own, the built dashboard,
 * a real Chromium.
 *
 * ```ts
 * let stage: Stage;
 * beforeAll(async () => { stage = await openStage(); });
 * afterAll(() => stage?.close());
 *
 * test('…', async () => {
 *   const alice = await stage.signUp('Alice');
 *   await using tab = await stage.tab({ as: alice, path: '/logs' });
 *   await tab.page.getByRole('heading', { name: 'Logs' }).waitFor();
 * });
 * ```
 * When a tab closes, errors on its console that the test did not expect fail the test, and so does a request to any
 * other host.
 */
export interface Stage extends AsyncDisposable {
  service: TestService;
  url: string;
  /** Somebody with an account, signed up through the API with the code from the sandbox inbox. */
  signUp(name: string): Promise<Person>;
  /** An API key of theirs. */
  apiKey(of: Person, name?: string): Promise<{ id: string; name: string; key: string }>;
  tab(options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

const DIST = join(import.meta.dirname, '../web/dist');
/** Everything of a story happens well within this, even on a machine with other work. */
const PATIENCE_MS = 15_000;

export async function openStage(options: { env?: Record<string, string> } = {}): Promise<Stage> {
  if (!existsSync(join(DIST, 'index.html'))) {
    throw new Error('The dashboard is not built: `npm test` builds it first.');
  }
  const service = await testService(options);
  const url = await service.listen();
  // without a public address, pages and API are served where they are asked for
  service.app.config.publicUrl = options.env?.PUBLIC_URL ?? url;
  const working = await startWork(service.app, allJobs(service.app), 'browser test');
  const browser = await launch({ isFrugal: true });
  const openTab = tabOpener(browser, url, PATIENCE_MS);
  const close = async (): Promise<void> => {
    await browser.close();
    await working.stop();
    await service[Symbol.asyncDispose]();
  };
  return {
    service,
    url,
    signUp: (name) => person(service, name),
    async apiKey(of, name = 'Production') {
      const { status, body } = await service.call(createApiKey, { bearer: of.access, body: { name } });
      expect(status).toBe(201);
      return { id: body.id, name, key: body.key };
    },
    tab: (wanted = {}) => openTab(wanted),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** In the page: until nothing fades, so that axe does not measure the colours in the middle of it. */
const UNMOVING = `(async () => {
  const moving = () => document.getAnimations().filter(({ playState }) => playState === 'running');
  for (let some; (some = moving()).length > 0; ) await Promise.allSettled(some.map(({ finished }) => finished));
})()`;

/** No violation of impact serious or critical, as axe sees the page now. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(UNMOVING);
  // the results of a frame are part of the page's
  for (const frame of page.frames()) await loadAxe(frame);
  const { violations } = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] })`,
  )) as AxeResults;
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html, target }) => ({ html, target })) }));
  expect(grave, `axe on ${page.url()}`).toEqual([]);
}

/** Starting axe takes longer than what it does, so a document starts it once. */
async function loadAxe(frame: Frame): Promise<void> {
  const isLoaded = await frame.evaluate('Boolean(window.axe)');
  if (!isLoaded) await frame.evaluate(axe.source);
}

/** In light and in dark, then in the dark on a phone, where nothing is wider than the screen either. */
export async function expectEveryLookAccessible(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['dark', 360],
  ] as const) {
    await look(page, colorScheme, width);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  }
}

/** Changes the looks of an open page. */
export async function look(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}

/** Nothing is wider than the screen, as soon as it is laid out. */
export const expectNoSidewaysScroll = (page: Page): Promise<void> =>
  eventually(async () => {
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
  });

/** Until no part of the page is marked as loading. */
export const loaded = (page: Page): Promise<void> =>
  page
    .locator('[aria-busy="true"], [data-loading], .mantine-Skeleton-root, .mantine-Loader-root')
    .first()
    .waitFor({ state: 'detached' });

/**
 * Calls that match fail until somebody presses "Try Again", and are answered from then on. Timers that fetch again in the
 * meantime fail too, so they cannot take the button away.
 */
export async function failUntilTriedAgain(page: Page, pattern: string): Promise<void> {
  const watch = `document.addEventListener('click', ({ target }) => {
    window.isTriedAgain ||= target.closest('button')?.textContent.includes('Try Again') ?? false;
  }, true)`;
  await page.addInitScript(watch);
  await page.evaluate(watch);
  await page.route(pattern, async (route) => {
    // a document that is being replaced has no answer
    const isTriedAgain = await page.evaluate('window.isTriedAgain').catch(() => false);
    if (isTriedAgain) await route.fallback();
    else await route.fulfill({ status: 500, json: {} });
  });
}

/** Tries until what it asserts holds. */
export const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: PATIENCE_MS, interval: 50 });

/** The texts of what is found, once something is; empty ones left out. */
export async function texts(found: Locator): Promise<string[]> {
  await found.first().waitFor();
  return (await found.allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '');
}
