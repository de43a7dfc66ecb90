import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import type { AxeResults } from 'axe-core';
import type { CDPSession, Frame, Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { allJobs } from '../server/src/app.ts';
import { startWork } from '../server/src/platform/queue/work.ts';
import { type Person, person } from '../server/test/person.ts';
import { type TestService, testService } from '../server/test/service.ts';
import { operatorPages } from '../web/src/operator/operator-pages.ts';
import { mainPages, secondaryPages } from '../web/src/pages.ts';
import { launch } from './chromium.ts';
import { type Tab, type TabOptions, tabOpener } from './tab.ts';

export type { Tab, TabOptions };

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

/** New work wakes a job of the same process, so polling more often only costs. */
const POLL_MS = 2_000;

export interface StageOptions {
  /** settings of the service, which then is the stage's own */
  env?: Record<string, string>;
  /** The stage gets a service of its own, without accounts of other test files. */
  own?: boolean;
  /** the name of the service's host in the browser, for what needs a name; the service then is the stage's own */
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
  const stage = await sharedStage();
  const close = async (): Promise<void> => stage.service.assertAnswersRight();
  return { ...stage, close, [Symbol.asyncDispose]: close };
}

/**
 * One tab for the tests of a file or a group, which is opened before them: a page load costs as much as a short test. They
 * run in their order, and each goes to its screen by `follow`.
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

/** What a tab shows after a failed test, and its last calls. */
async function lookOf({ page, calls }: Tab): Promise<string> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5_000 })
    .catch((cause: unknown) => String(cause));
  return [page.url(), ...calls.slice(-10), shown].join('\n');
}

const sharedBrowser = oncePerWorker(
  () => launch({ isFrugal: true }),
  (browser) => browser.close(),
);
const sharedStage = oncePerWorker(
  async () => {
    const stage = await newStage();
    // The first account of a sandbox is its operator.
    await stage.signUp('Olivia');
    return stage;
  },
  (stage) => stage.close(),
);

async function newStage(env: Record<string, string> = {}, host = '127.0.0.1'): Promise<Stage> {
  const browser = await sharedBrowser();
  const service = await testService({ env });
  const url = (await service.listen()).replace('127.0.0.1', host);
  // without a public address, pages and API are served where they are asked for
  service.app.config.publicUrl = env.PUBLIC_URL ?? url;
  const jobs = allJobs(service.app).map((job) => ({ ...job, everyMs: Math.max(job.everyMs, POLL_MS) }));
  const working = await startWork(service.app, jobs, 'browser test');
  const tabs = tabOpener(browser, url, PATIENCE_MS);
  const close = async (): Promise<void> => {
    await tabs.close();
    await working.stop();
    // The browser stays, with connections that it opened ahead of any request.
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

/** In the page: until nothing fades, so that axe does not measure the colours in the middle of it. */
const UNMOVING = `(async () => {
  const moving = () => document.getAnimations().filter(({ playState }) => playState === 'running');
  for (let some; (some = moving()).length > 0; ) await Promise.allSettled(some.map(({ finished }) => finished));
})()`;

/**
 * In the page. Rules whose violations are moderate at most cost a third of the time and cannot fail a test. While a dialog or
 * a menu is open, the screen below it is out of reach. The tests of that screen scan it.
 */
const SCAN = `{
  const harmless = axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate');
  const layers = [...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility());
  axe.run(layers.at(-1) ?? document, {
    resultTypes: ['violations'],
    rules: Object.fromEntries(harmless.map(({ id }) => [id, { enabled: false }])),
  }).then(({ violations }) => violations);
}`;

/**
 * No violation of impact serious or critical, as axe sees the topmost dialog or else the page now. A dialog is also measured at three
 * widths.
 */
export async function expectAccessible(page: Page): Promise<void> {
  if (await page.evaluate(HAS_FRAME)) await expectInsideFrames(page);
  await scan(page);
}

async function scan(page: Page): Promise<void> {
  // The rows of the search before are pale until the new ones come.
  await page.locator('[data-stale]').first().waitFor({ state: 'detached' });
  await page.evaluate(UNMOVING);
  await loadAxe(page);
  const violations = (await page.evaluate(SCAN)) as AxeResults['violations'];
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html, target }) => ({ html, target })) }));
  expect(grave, `axe on ${page.url()}`).toEqual([]);
}

/**
 * Starting axe takes longer than what it does, so a document starts it once. The protocol's own evaluation compiles the
 * text once in a tab, which `evaluate` of Playwright does in every document.
 */
async function loadAxe(page: Page): Promise<void> {
  if (!(await isAxeLoaded(page.mainFrame()))) {
    const session = sessions.get(page) ?? page.context().newCDPSession(page);
    sessions.set(page, session);
    await (await session).send('Runtime.evaluate', { expression: AXE });
  }
  // the results of a frame are part of the page's
  for (const frame of page.frames().slice(1)) if (!(await isAxeLoaded(frame))) await frame.evaluate(AXE);
}

/**
 * One session per tab, which ends with the tab: when any session of a tab is detached, Chromium removes the virtual
 * authenticators that another one added.
 */
const sessions = new WeakMap<Page, Promise<CDPSession>>();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const isAxeLoaded = (frame: Frame): Promise<boolean> => frame.evaluate<boolean>('Boolean(window.axe)');

export const WIDTHS = [390, 820, 1280] as const;

/** In the page: what is wider than the dialogs, sheets, menus and popovers around it, or than the window. */
const TOO_WIDE = `(() => {
  const scrolls = (element) => /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX);
  const frames = [...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility());
  return frames.flatMap((frame) => {
    const box = frame.getBoundingClientRect();
    const isCut = (element) => {
      const { left, right, width } = element.getBoundingClientRect();
      if (width <= 1 || (left >= box.left - 1 && right <= box.right + 1)) return false;
      for (let around = element.parentElement; around && around !== frame; around = around.parentElement)
        if (scrolls(around)) return false;
      return element.checkVisibility();
    };
    const found = [...frame.querySelectorAll('*')].filter(isCut).map((one) => one.outerHTML.slice(0, 120));
    if (frame.scrollWidth > frame.clientWidth + 1) found.push('scrolls sideways: ' + frame.outerHTML.slice(0, 120));
    if (box.left < -1 || box.right > innerWidth + 1) found.push('outside of the window: ' + frame.outerHTML.slice(0, 120));
    return found;
  });
})()`;

const HAS_FRAME = `document.querySelector('[role="dialog"], [role="menu"]') !== null`;

/** Nothing in an open dialog, sheet, menu or popover is wider than it, on a phone, a tablet and a desktop. */
export async function expectInsideFrames(page: Page, name = page.url()): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 900 };
  for (const width of WIDTHS) {
    await page.setViewportSize({ ...before, width });
    await page.evaluate(UNMOVING);
    await eventually(async () => expect(await page.evaluate(TOO_WIDE), `${name} at ${width} px`).toEqual([]));
  }
  await page.setViewportSize(before);
}

/** In light on a desktop and in dark on a phone; on neither, anything is wider than the screen. */
export async function expectEveryLookAccessible(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    await look(page, colorScheme, width);
    await expectNoSidewaysScroll(page);
    await scan(page);
  }
  if (await page.evaluate(HAS_FRAME)) await expectInsideFrames(page);
}

const TITLES = new Map<string, string>(
  [...mainPages, ...secondaryPages, ...Object.values(operatorPages)].map(({ path, title }) => [path, title]),
);

/**
 * Goes to another screen by its link, which costs a fraction of a new tab, and waits for its heading: until then the screen before
 * is shown, where a later step could find a button of the same name.
 */
export async function follow(page: Page, path: string): Promise<void> {
  const title = TITLES.get(path);
  if (!title) throw new Error(`No menu leads to ${path}`);
  await look(page, 'light', 1280);
  await page.locator(`nav a[href="${path}"]`).first().click();
  await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
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
  const watch = `window.isTriedAgain = false;
  document.addEventListener('click', ({ target }) => {
    window.isTriedAgain ||= target.closest('button')?.textContent.includes('Try Again') ?? false;
  }, true)`;
  await page.addInitScript(watch);
  await page.evaluate(watch);
  const fail = async (route: Route): Promise<void> => {
    // a document that is being replaced has no answer
    const isTriedAgain = await page.evaluate('window.isTriedAgain').catch(() => false);
    if (!isTriedAgain) return await route.fulfill({ status: 500, json: {} });
    await route.fallback();
    // While any call is watched, the browser asks for every file again.
    await page.unroute(pattern, fail);
  };
  await page.route(pattern, fail);
}

/** Tries until what it asserts holds. */
export const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: PATIENCE_MS, interval: 50 });

/** The texts of what is found, once something is; empty ones left out. */
export async function texts(found: Locator): Promise<string[]> {
  await found.first().waitFor();
  return (await found.allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '');
}

/** How a worker of the test runner says that it ends. Modules that files share have no other hook for that. */
interface WorkerState {
  onCleanup(listener: () => unknown): void;
}

const closers: (() => Promise<void>)[] = [];

/** Makes something once in a worker, for all of its files. When the worker ends, the last made is closed first. */
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
