import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { follow, openStage, type Stage, settled, sharedTab, type Tab, type TabOptions } from './browser.ts';
import { sendCode } from './codes.ts';
import { rows, showing } from './lists.ts';

/** A service that is unavailable for a while, and browsers that interfere: they block storage, or translate pages. */
let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const opened = async (options: TabOptions): Promise<Tab> => {
  const tab = await stage.tab(options);
  tab.expectError(LOST);
  return tab;
};
const alices = sharedTab(() => opened({ as: alice, path: '/docs' }));
const visitors = sharedTab(() => opened({ path: '/terms' }));
const clocked = sharedTab(() => opened({ path: '/terms', clock: true }));

const LOST =
  /Failed to load resource|Failed to fetch|Unable to preload|Query failed|ERR_|dynamically imported|The service could not be reached/;

test('during an outage, a list keeps its rows and shows when they were loaded, then reloads', async () => {
  const { key } = await stage.apiKey(alice);
  const send = (recipient: string) => sendCode(stage, key, recipient, 'email');
  await send('before@example.com');
  const { page, context } = alices();
  // The code for the first steps and the live lists is still loading when the outage begins.
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
  await page.route('**/assets/{FirstSteps,live-stream}*', async (route) => {
    await lost;
    await route.abort();
  });
  await follow(page, '/');
  await rows(page, 'Verifications').getByText('before@example.com').waitFor();
  await context.setOffline(true);
  lose();
  await page.getByText(/^Offline, last updated \d+:\d+:\d+ [AP]M$/).waitFor();
  await rows(page, 'Verifications').getByText('before@example.com').waitFor();
  await send('meanwhile@example.com');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await rows(page, 'Verifications').getByText('meanwhile@example.com').waitFor();
  await page.getByText(/^Offline, last updated/).waitFor({ state: 'hidden' });
  await page.getByText('2 of 4 done', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Search or jump to... Connected' }).waitFor();
});

test('a screen whose code did not load offers Retry, and recovers once the service is available', async () => {
  const { page } = alices();
  await page.goto('/docs');
  await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  await page.route('**/{assets,config.json}**', (route) => route.abort());
  await page.route('**/assets/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const box = page.getByRole('alert').filter({ hasText: 'Something went wrong!' });
  await box.getByRole('button', { name: 'Retry' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
});

test('a dashboard opened during an outage starts once the service is available', async () => {
  const { page } = visitors();
  await page.route('**/config.json', (route) => route.abort());
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
});

test.each(['index', 'start'])(
  'a page whose file %s cannot be loaded shows a message and reloads',
  async (name) => {
    const { page } = visitors();
    await page.route(`**/assets/${name}-*.js`, (route) => route.abort());
    await page.goto('/sign-in');
    await page.getByRole('status').getByText('The page could not be loaded.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('link', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
  },
);

test('a sign-in without a response shows an error within 30 seconds', async () => {
  clocked().expectError(/did not respond in time/);
  const { page } = clocked();
  await page.goto('/sign-in');
  await page.route('**/api/v1/auth/**', () => {});
  await page.getByLabel('Email').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill('a password of nobody');
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page.getByText('Signing in...').waitFor();
  await page.clock.fastForward(31_000);
  await page
    .getByText('The service did not respond in time. Check your connection, then try again.')
    .waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a screen that throws shows the error on request, and Retry works once the data is valid', async () => {
  const { page } = alices();
  alices().expectError(/TypeError|undefined|route|boundary/i);
  await page.route('**/api/v1/verifications/?*', (route) =>
    route.fulfill({ json: { count: 1, results: [{ id: 'broken' }] } }),
  );
  await page.goto('/');
  const box = page.getByRole('alert').filter({ hasText: 'Something went wrong!' });
  await box.getByRole('heading', { name: 'Something went wrong!' }).waitFor();
  const error = box.getByText(/undefined/);
  await expect.poll(() => error.isVisible()).toBe(false);
  await box.getByRole('button', { name: 'Show Error' }).click();
  await error.waitFor();
  await box.getByRole('button', { name: 'Hide Error' }).click();
  await error.waitFor({ state: 'hidden' });
  const retry = box.getByRole('button', { name: 'Retry' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await retry.click();
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
});

const BLOCKED = `for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError'); } });
Object.defineProperty(Document.prototype, 'cookie', {
  get() { throw new DOMException('Access is denied', 'SecurityError'); },
  set() { throw new DOMException('Access is denied', 'SecurityError'); },
});`;
const MISSING = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { value: null });`;
const FULL = `Storage.prototype.setItem = () => { throw new DOMException('No room', 'QuotaExceededError'); };`;

test.each([
  ['blocks site data', BLOCKED],
  ['has no storage', MISSING],
  ['has full storage', FULL],
])('a browser that %s shows a notice about site data', async (_, script) => {
  await using tab = await stage.tab({ path: '/healthz' });
  const page = await tab.context.newPage();
  await page.addInitScript(script);
  await page.goto('/logs');
  await page.getByRole('heading', { name: 'Site data is blocked' }).waitFor();
  await page.close();
});

/** In the page: replaces every text as Google Translate does. */
const TRANSLATE = `(() => {
  const walker = document.createTreeWalker(document.getElementById('root'), NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.data.trim() !== '') texts.push(walker.currentNode);
  for (const text of texts) {
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.textContent = text.data;
    outer.append(inner);
    text.parentNode.replaceChild(outer, text);
  }
  return texts.length;
})()`;
test('a page that the browser translates still shows new numbers and screens', async () => {
  const { key } = await stage.apiKey(alice, 'Translated');
  const { page } = alices();
  const translated = async () => {
    await settled(page);
    await expect.poll(() => page.evaluate(TRANSLATE)).toBeGreaterThan(20);
    // The code that follows translations loads now.
    await settled(page);
  };
  await page.goto('/');
  await rows(page, 'Verifications').getByText('meanwhile@example.com').waitFor();
  await translated();
  await sendCode(stage, key, 'translated@example.com', 'email');
  await showing(page, '1-3 of 3 OTP(s)');
  await translated();
  await rows(page, 'Verifications').first().press('Enter');
  await page.getByRole('dialog').getByText('Status History').waitFor();
  await translated();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  for (const path of ['/credits', '/']) {
    await follow(page, path);
    await translated();
  }
  await page.getByRole('searchbox').fill('nobody');
  await page.getByText('No verifications match the current filters').waitFor();
  await expect.poll(() => page.getByText('Something went wrong!').count()).toBe(0);
});
