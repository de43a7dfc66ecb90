import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage } from './browser.ts';
import { rows, showing } from './lists.ts';

/** Browsers interfere: they block storage, translate pages, and lose calls of the session. */
let stage: Stage;
let alice: Person;
let key: string;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  ({ key } = await stage.apiKey(alice));
});
afterAll(() => stage?.close());

const send = async (recipient: string): Promise<void> => {
  const body = { channel: 'email', recipient } as const;
  expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
};

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
])('a browser that %s shows a notice about site data, and the public pages', async (_, script) => {
  await using tab = await stage.tab({ path: '/terms' });
  const page = await tab.context.newPage();
  await page.addInitScript(script);
  await page.goto('/terms');
  await page.getByRole('heading', { name: 'Terms of Service', level: 1 }).waitFor();
  for (const path of ['/sign-in', '/logs']) {
    await page.goto(path);
    await page.getByRole('heading', { name: 'Site data is blocked' }).waitFor();
  }
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
/** Replaces texts in two steps, as other versions do. */
const TRANSLATE_IN_TWO_STEPS = TRANSLATE.replace(
  'text.parentNode.replaceChild(outer, text);',
  'text.parentNode.insertBefore(outer, text); text.remove();',
);

const translated = async (page: Page, script: string): Promise<void> => {
  await expect.poll(() => page.evaluate(script)).toBeGreaterThan(20);
};

test.each([
  ['in one step', TRANSLATE, 'Bob'],
  ['in two steps', TRANSLATE_IN_TWO_STEPS, 'Barbara'],
])('a page that the browser translates %s still shows new numbers and screens', async (_, script, name) => {
  const bob = await stage.signUp(name);
  const { key: own } = await stage.apiKey(bob);
  const sendAs = async (recipient: string) => {
    const body = { channel: 'email', recipient } as const;
    expect((await stage.service.call(sendOtp, { apiKey: own, body })).status).toBe(201);
  };
  await sendAs('first@example.com');
  await using tab = await stage.tab({ as: bob, path: '/' });
  const { page } = tab;
  await showing(page, '1-1 of 1 OTP(s)');
  await translated(page, script);
  await sendAs('second@example.com');
  await showing(page, '1-2 of 2 OTP(s)');
  await translated(page, script);
  await rows(page, 'Verifications').first().press('Enter');
  await page.getByRole('dialog').getByText('Status History').waitFor();
  await translated(page, script);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  for (const path of ['/logs', '/api-keys', '/credits', '/']) {
    await follow(page, path);
    await translated(page, script);
  }
  await page.getByRole('searchbox').fill('nobody');
  await page.getByText('No verifications match the current filters').waitFor();
  await page.getByRole('link', { name: 'Search in Logs' }).click();
  await eventually(() => expect(page.url()).toContain('/logs?'));
  await expect.poll(() => page.getByText('Something went wrong!').count()).toBe(0);
});

test('a session survives three refreshes in one tab, one of them rate-limited or during an outage', async () => {
  await using tab = await stage.tab({ as: alice, path: '/docs' });
  tab.expectError(/401|429|503|Failed to load resource|Query failed/);
  const { page } = tab;
  await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  const tokens: string[] = [];
  const refusals = [429, 503];
  await page.route('**/auth/refresh', async (route) => {
    tokens.push((route.request().postDataJSON() as { refresh: string }).refresh);
    const status = refusals.shift();
    if (status) await route.fulfill({ status, json: { error: 'Later' } });
    else await route.continue();
  });
  for (const path of ['/logs', '/api-keys', '/']) {
    await page.evaluate(`localStorage.setItem('access_token', 'expired ' + Math.random())`);
    await follow(page, path);
    await expect.poll(() => page.evaluate(`localStorage.getItem('access_token')`)).not.toMatch(/^expired/);
  }
  await send('later@example.com');
  await rows(page, 'Verifications').getByText('later@example.com').waitFor();
  // The refused attempts and the next one use the same token, each later refresh a new one.
  expect(new Set(tokens).size).toBe(3);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('after "/" and Escape, "j" selects the first row', async () => {
  await using tab = await stage.tab({ as: alice, path: '/' });
  const { page } = tab;
  await send('row@example.com');
  const first = rows(page, 'Verifications').first();
  await first.waitFor();
  const search = page.getByRole('searchbox');
  for (const text of ['', 'row']) {
    await page.locator('#content').focus();
    await page.keyboard.press('/');
    await search.and(page.locator(':focus')).waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await expect.poll(() => first.evaluate((row) => row === row.ownerDocument.activeElement)).toBe(true);
    await expect.poll(() => search.inputValue()).toBe('');
  }
});
