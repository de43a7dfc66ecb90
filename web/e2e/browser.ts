// Functions that run in the page use the types of the DOM.
/// <reference lib="dom" />
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { allJobs } from '../../server/src/app.ts';
import { startWork } from '../../server/src/platform/queue/work.ts';
import { anotherSession, type Person, person } from '../../server/test/person.ts';
import { type TestService, testService } from '../../server/test/service.ts';
import { operatorPages } from '../src/operator/operator-pages.ts';
import { mainPages, secondaryPages } from '../src/pages.ts';
import { launch } from './chromium.ts';
import { hasLayer, inspect, scan } from './inspections.ts';
import { PATIENCE_MS, settled } from './settled.ts';
import { type Tab, type TabOptions, tabOpener } from './tab.ts';

export type { Tab, TabOptions };
export { settled };

/**
 * The whole product as its users meet it: the real service with its worker on a port of its own, the built dashboard,
 * a real Chromium. All files of a worker share the browser, and a service unless they need one of their own, so a test
 * creates the accounts that it works with, and counts only what is theirs.
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
  /** The operator of the shared service; in a service of its own, the first account that signs up. */
  operator?: Person;
  /** Signs somebody up through the API, with the code from the sandbox inbox. */
  signUp(name: string): Promise<Person>;
  /** Creates an API key of this person. */
  apiKey(of: Person, name?: string): Promise<{ id: string; name: string; key: string }>;
  tab(options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

const DIST = join(import.meta.dirname, '../dist');
/** New work wakes a job of the same process, so frequent polling only costs CPU time. */
const POLL_MS = 2_000;

export interface StageOptions {
  /** settings of the service; gives the stage its own service */
  env?: Record<string, string>;
  /** Gives the stage its own service, without accounts of other test files. */
  own?: boolean;
  /** the service's host name in the browser, where an address is not enough; gives the stage its own service */
  host?: 'localhost';
}

export async function openStage({
  env,
  host,
  own = env !== undefined || host !== undefined,
}: StageOptions = {}): Promise<Stage> {
  if (!existsSync(join(DIST, 'index.html'))) {
    throw new Error('The dashboard is not built: `npm test` builds it first.');
  }
  if (own) return await newStage(env, host);
  const { operator, ...stage } = await sharedStage();
  const close = async (): Promise<void> => stage.service.assertAnswersRight();
  // A file may begin long after the worker, and an access token is valid for ten minutes.
  const session = await anotherSession(stage.service, operator);
  return { ...stage, operator: { ...operator, ...session }, close, [Symbol.asyncDispose]: close };
}

/**
 * Opens one tab for all tests of a file or a group, because a page load costs as much as a short test. Each test goes to its
 * screen with `follow`.
 */
export function sharedTab(open: () => Promise<Tab>): () => Tab {
  let tab: Tab | undefined;
  beforeAll(async () => {
    tab = await open();
  });
  afterEach(async ({ task }) => {
    if (tab && task.result?.state === 'fail') console.error(await lookOf(tab));
  });
  afterAll(() => tab?.[Symbol.asyncDispose]());
  return () => {
    if (!tab) throw new Error('The tab of this group is opened before its tests.');
    return tab;
  };
}

/** A tab's content and last calls, after a failed test. */
async function lookOf({ page, calls }: Tab): Promise<string> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5_000 })
    .catch((cause: unknown) => String(cause));
  return [page.url(), ...calls.slice(-10), shown].join('\n');
}

export const sharedBrowser = oncePerWorker(
  () => launch({ isFrugal: true }),
  (browser) => browser.close(),
);
const sharedStage = oncePerWorker(
  async () => {
    const stage = await newStage();
    // A sandbox's first account is its operator.
    return { ...stage, operator: await stage.signUp('Olivia') };
  },
  (stage) => stage.close(),
);

async function newStage(env: Record<string, string> = {}, host = '127.0.0.1'): Promise<Stage> {
  const browser = await sharedBrowser();
  const service = await testService({ env });
  const url = (await service.listen()).replace('127.0.0.1', host);
  // Without a public address, pages and API have the origin of the request.
  service.app.config.publicUrl = env.PUBLIC_URL ?? url;
  const jobs = allJobs(service.app).map((job) => ({ ...job, everyMs: Math.max(job.everyMs, POLL_MS) }));
  const working = await startWork(service.app, jobs, 'browser test');
  const tabs = tabOpener(browser, url, PATIENCE_MS);
  const close = async (): Promise<void> => {
    await tabs.close();
    await working.stop();
    // The browser stays open, with connections that it opened in advance.
    service.server.server.closeAllConnections();
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
    tab: (wanted = {}) => tabs.open(wanted),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Expects no fault of any inspection, nor of axe, at the present width. Measures what is open on a phone too. */
export async function expectAccessible(page: Page): Promise<void> {
  if (await hasLayer(page)) await expectInsideFrames(page);
  expect(await scan(page), `axe on ${page.url()}`).toEqual({});
}

async function expectInsideFrames(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const width of [390, before.width]) {
    await page.setViewportSize({ ...before, width });
    expect(await inspect(page), `${page.url()} at ${width} px`).toEqual({});
  }
}

const TITLES = new Map<string, string>(
  [...mainPages, ...secondaryPages, ...Object.values(operatorPages)].map(({ path, title }) => [path, title]),
);

/**
 * Goes to another screen by its link, which costs a fraction of a new tab. Waits for the heading: until then, a later step could
 * find a button of the same name on the previous screen.
 */
export async function follow(page: Page, path: string): Promise<void> {
  const title = TITLES.get(path);
  if (!title) throw new Error(`No menu leads to ${path}`);
  await look(page, 'light', 1280);
  await page.locator(`nav a[href="${path}"]`).first().click();
  await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
}

/** Changes an open page's color scheme and width. */
export async function look(page: Page, colorScheme: 'light' | 'dark', width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
  await page.waitForFunction(`innerWidth === ${width}`);
}

/**
 * Fails matching calls until the test presses "Try Again". Refetching timers fail too until then, so they cannot remove the
 * button.
 */
export async function failUntilTriedAgain(page: Page, pattern: string): Promise<void> {
  const watch = `window.isTriedAgain = false;
  document.addEventListener('click', ({ target }) => {
    window.isTriedAgain ||= target.closest('button')?.textContent.includes('Try Again') ?? false;
  }, true)`;
  await page.addInitScript(watch);
  await page.evaluate(watch);
  const fail = async (route: Route): Promise<void> => {
    // The evaluation fails while the document is being replaced.
    const isTriedAgain = await page.evaluate('window.isTriedAgain').catch(() => false);
    if (!isTriedAgain) return await route.fulfill({ status: 500, json: {} });
    await route.fallback();
    // While a route is registered, the browser does not use its cache.
    await page.unroute(pattern, fail);
  };
  await page.route(pattern, fail);
}

/** Retries until the assertion holds. */
export const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: PATIENCE_MS, interval: 50 });

/** The non-empty texts of all matches, once there is a match. */
export async function texts(found: Locator): Promise<string[]> {
  await found.first().waitFor();
  return (await found.allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '');
}

/** The test runner's hook for the end of a worker. Modules that files share have no other one. */
interface WorkerState {
  onCleanup(listener: () => unknown): void;
}

const closers: (() => Promise<void>)[] = [];

/** Makes something once per worker, for all of its files. At the worker's end, closes in reverse order. */
function oncePerWorker<T>(make: () => Promise<T>, close: (made: T) => Promise<void>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().then((done) => {
      if (closers.push(() => close(done)) === 1) closeWithWorker();
      return done;
    });
    return made;
  };
}

function closeWithWorker(): void {
  const worker = Reflect.get(globalThis, '__vitest_worker__') as WorkerState;
  worker.onCleanup(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
}
