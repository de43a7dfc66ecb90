import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { watchTraffic } from './settled.ts';

export interface TabOptions {
  /** signed in as; default: a visitor */
  as?: Pick<Person, 'access' | 'refresh'>;
  path?: string;
  colorScheme?: 'light' | 'dark';
  /** width of the window in CSS pixels */
  width?: number;
  height?: number;
  /** The page's clock is Playwright's, which a test can pause and advance. */
  clock?: boolean;
}

export interface Tab extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** API calls since before the first page, such as `GET /verifications/?page=2`; the list grows. */
  calls: string[];
  /** paths of all other requests to the service */
  files: Set<string>;
  /** the errors on the console so far */
  errors: string[];
  /** Allows an error that the test causes, such as 'Query failed' or /status of 500/. */
  expectError(text: string | RegExp): void;
  /** The text of the clipboard. */
  clipboard(): Promise<string>;
  /** Waits until no call is open. */
  noneOpen(): Promise<void>;
  /** Pauses the clock of a tab opened with `clock: true`. */
  pauseClock(): Promise<void>;
  /**
   * Advances the paused clock. First waits until no call is open: the page's time limits for calls run on this clock. `ms` must
   * be less than the shortest one, 20 s.
   */
  advance(ms: number): Promise<void>;
}

/**
 * Opens tabs on one service. Tabs that are open at the same time share nothing. A closed tab is cleared and reused, because
 * compiling the dashboard's scripts is most of a new tab's cost.
 */
export function tabOpener(browser: Browser, url: string, timeoutMs: number) {
  const idle: Page[] = [];
  const uses = new Map<Page, number>();
  const contexts = new Set<BrowserContext>();

  async function open(wanted: TabOptions): Promise<Tab> {
    const { as, path = '/', colorScheme = 'light', width = 1280, height = 900, clock = false } = wanted;
    const page = (!clock && idle.pop()) || (await newPage(browser, url, timeoutMs));
    const context = page.context();
    contexts.add(context);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, media: null });
    if (clock) await page.clock.install();
    await page.evaluate(SIGN_IN, as);
    const { open: openCalls, ...recorded } = record(context, url);
    const noneOpen = (): Promise<void> =>
      expect
        .poll(() => [...openCalls].map((call) => call.url()), { timeout: timeoutMs, message: 'open calls' })
        .toEqual([]);
    const expected: (string | RegExp)[] = [];
    await page.goto(path);
    return {
      page,
      context,
      ...recorded,
      expectError: (text) => void expected.push(text),
      noneOpen,
      clipboard: () => page.evaluate('navigator.clipboard.readText()'),
      async pauseClock() {
        await noneOpen();
        await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + PAUSE_AHEAD_MS);
      },
      async advance(ms) {
        await noneOpen();
        await page.clock.runFor(ms);
      },
      async [Symbol.asyncDispose]() {
        const surprises = recorded.errors.filter(
          (error) =>
            !expected.some((text) => (typeof text === 'string' ? error.includes(text) : text.test(error))),
        );
        const used = (uses.get(page) ?? 0) + 1;
        uses.set(page, used);
        if (used < USES && (await isCleared(page))) idle.push(page);
        else {
          uses.delete(page);
          contexts.delete(context);
          await context.close();
        }
        expect(surprises, 'errors on the console').toEqual([]);
      },
    };
  }

  async function close(): Promise<void> {
    idle.length = 0;
    for (const context of contexts) await context.close();
    contexts.clear();
  }
  return { open, close };
}

/** A tab's process keeps memory for every document; after dozens of them it mostly collects garbage. */
const USES = 8;

/** Playwright pauses a clock at a moment ahead. Less than the page waits for any call. */
const PAUSE_AHEAD_MS = 10_000;

/** A small document of the same origin, where storage can be written while the dashboard does not run. */
const QUIET = '/healthz';

async function newPage(browser: Browser, url: string, timeoutMs: number): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(timeoutMs);
  await context.addInitScript(PLAIN);
  context.on('page', watchTraffic).on('page', notWaitingForLoad);
  const page = await context.newPage();
  await page.goto(QUIET);
  return page;
}

/**
 * Screens that lead elsewhere at once, for example to the sign-in after a session, may do so before their document has loaded, which
 * Playwright reports as an error. So nothing waits for that: what a test asks of a page waits for what it asks.
 */
function notWaitingForLoad(page: Page): void {
  const goto = page.goto.bind(page);
  const reload = page.reload.bind(page);
  page.goto = (url, options) => goto(url, { waitUntil: 'commit', ...options });
  page.reload = (options) => reload({ waitUntil: 'commit', ...options });
}

/** In each document. Without a GPU, each blink of the caret redraws its surroundings. */
const PLAIN = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { caret-color: transparent !important }');
  document.adoptedStyleSheets = [sheet];
}`;

const HEARD = [
  'console',
  'dialog',
  'pageerror',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'weberror',
];

/** False if the tab cannot be reused: its clock cannot be uninstalled, or the test's failure is reported instead. */
const isCleared = (page: Page): Promise<boolean> =>
  clear(page)
    .then(() => page.evaluate<boolean>('!window.__pwClock'))
    .catch(() => false);

async function clear(page: Page): Promise<void> {
  const context = page.context();
  await context.setOffline(false);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(QUIET);
  // Not all events: Playwright needs some of its own listeners, for example for `context.close()`.
  for (const event of HEARD) {
    page.removeAllListeners(event);
    context.removeAllListeners(event);
  }
  watchTraffic(page);
  await context.clearCookies();
}

/** In the page. */
const SIGN_IN = (tokens: TabOptions['as']): void => {
  localStorage.clear();
  sessionStorage.clear();
  if (!tokens) return;
  localStorage.setItem('access_token', tokens.access);
  localStorage.setItem('refresh_token', tokens.refresh);
};

interface Recorded extends Pick<Tab, 'calls' | 'files' | 'errors'> {
  /** calls without their whole response, or for a stream of events without its beginning */
  open: Set<Request>;
}

/** Listens before the first page loads, so that it misses nothing. */
function record(context: BrowserContext, url: string): Recorded {
  const calls: string[] = [];
  const open = new Set<Request>();
  const files = new Set<string>();
  const errors: string[] = [];
  context.on('console', (message) => {
    // An unknown path's document is itself a 404.
    const isMissingPage = / 404 /.test(message.text()) && message.location().url === message.page()?.url();
    // A mail's frame allows no scripts, so it can refuse those that Playwright adds to each document.
    const isScriptInMail = /^Blocked script execution in 'about:srcdoc'/.test(message.text());
    if (message.type() === 'error' && !isMissingPage && !isScriptInMail)
      errors.push(`${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => errors.push(error.error().stack ?? String(error.error())));
  context.on('request', (request) => {
    const { protocol, origin, pathname, search } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== url) errors.push(`asked another host: ${origin}`);
    else if (!pathname.startsWith('/api/v1')) files.add(pathname);
    else {
      calls.push(`${request.method()} ${pathname.slice(7)}${search}`);
      open.add(request);
    }
  });
  context.on('requestfinished', (request) => void open.delete(request));
  context.on('requestfailed', (request) => void open.delete(request));
  context.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) open.delete(response.request());
  });
  return { calls, files, errors, open };
}
