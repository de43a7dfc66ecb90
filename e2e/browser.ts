import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { allJobs } from '../server/src/app.ts';
import { startWork } from '../server/src/queue/work.ts';
import { type Person, person } from '../server/test/person.ts';
import { type TestService, testService } from '../server/test/service.ts';
import { launch } from './chromium.ts';

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
export interface Stage {
  service: TestService;
  url: string;
  /** Somebody with an account, signed up through the API with the code from the sandbox inbox. */
  signUp(name: string): Promise<Person>;
  /** An API key of theirs. */
  apiKey(of: Person, name?: string): Promise<{ id: string; name: string; key: string }>;
  tab(options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

export interface TabOptions {
  /** signed in as; left out: a visitor */
  as?: Pick<Person, 'access' | 'refresh'>;
  path?: string;
  colorScheme?: 'light' | 'dark';
  /** of the window, in CSS pixels */
  width?: number;
  height?: number;
}

export interface Tab extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** what the console said was wrong, so far */
  errors: string[];
  /** An error that the story is about: 'Query failed', /status of 500/. */
  expectError(text: string | RegExp): void;
  /** What the clipboard holds. */
  clipboard(): Promise<string>;
}

const DIST = join(import.meta.dirname, '../web/dist');
/** Everything of a story happens well within this, even on a machine with other work. */
const PATIENCE_MS = 15_000;

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

export async function openStage(options: { env?: Record<string, string> } = {}): Promise<Stage> {
  if (!existsSync(join(DIST, 'index.html'))) {
    throw new Error('The dashboard is not built: `npm test` builds it first.');
  }
  const service = await testService(options);
  const url = await service.listen();
  // without a public address, pages and API are served where they are asked for
  service.app.config.publicUrl = options.env?.PUBLIC_URL ?? url;
  const working = await startWork(service.app, allJobs(service.app), 'browser test');
  const browser = await launch();
  return {
    service,
    url,
    signUp: (name) => person(service, name),
    async apiKey(of, name = 'Production') {
      const { status, body } = await service.call(createApiKey, { bearer: of.access, body: { name } });
      expect(status).toBe(201);
      return { id: body.id, name, key: body.key };
    },
    tab: (wanted = {}) => openTab(browser, url, wanted),
    async close() {
      await browser.close();
      await working.stop();
      await service[Symbol.asyncDispose]();
    },
  };
}

async function openTab(browser: Browser, url: string, wanted: TabOptions): Promise<Tab> {
  const { as, path = '/', colorScheme = 'light', width = 1280, height = 900 } = wanted;
  const tokens = as && [
    { name: 'access_token', value: as.access },
    { name: 'refresh_token', value: as.refresh },
  ];
  const context = await browser.newContext({
    baseURL: url,
    colorScheme,
    viewport: { width, height },
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(tokens && { storageState: { cookies: [], origins: [{ origin: url, localStorage: tokens }] } }),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  const expected: (string | RegExp)[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => errors.push(error.error().stack ?? String(error.error())));
  context.on('request', (request) => {
    const target = new URL(request.url());
    if (/^https?:$/.test(target.protocol) && target.origin !== url)
      errors.push(`asked another host: ${target.origin}`);
  });
  const page = await context.newPage();
  await page.goto(path);
  return {
    page,
    context,
    errors,
    expectError: (text) => void expected.push(text),
    clipboard: () => page.evaluate('navigator.clipboard.readText()'),
    async [Symbol.asyncDispose]() {
      await context.close();
      const surprises = errors.filter(
        (error) =>
          !expected.some((text) => (typeof text === 'string' ? error.includes(text) : text.test(error))),
      );
      expect(surprises, 'errors on the console').toEqual([]);
    },
  };
}

/** No violation of impact serious or critical, as axe sees the page now. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html, target }) => ({ html, target })) }));
  expect(grave, `axe on ${page.url()}`).toEqual([]);
}

/** Tries until what it asserts holds. */
export const eventually = <T>(assert: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assert, { timeout: PATIENCE_MS, interval: 50 });

/** The texts of what is found, once something is; empty ones left out. */
export async function texts(found: Locator): Promise<string[]> {
  await found.first().waitFor();
  return (await found.allInnerTexts()).map((text) => text.trim()).filter((text) => text !== '');
}

/** Calls of the API that the page makes, as `GET /verifications/?page=2`; the list grows. */
export function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/v1')) calls.push(`${request.method()} ${pathname.slice(7)}${search}`);
  });
  return calls;
}
