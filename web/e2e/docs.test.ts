import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab } from './browser.ts';
import { expectAddress } from './lists.ts';

let stage: Stage;
let alice: Person;
let apiKey: string;

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  apiKey = (await stage.apiKey(alice)).key;
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

/** Opens the docs from the menu in a language. */
async function docs(language?: 'cURL' | 'JavaScript' | 'Python' | 'PHP'): Promise<Page> {
  const { page } = tab();
  await follow(page, '/docs');
  await page.getByRole('tab', { name: 'Send OTP' }).click();
  const languages = page.getByRole('tablist', { name: 'Send OTP: language' });
  if (language) await languages.getByRole('tab', { name: language }).click();
  return page;
}

/** A sample's text on the page. */
async function sample(page: Page, label: string): Promise<string> {
  const code = page.getByRole('region', { name: label, exact: true });
  // Once the profile has loaded, the samples send to the reader.
  if (label.startsWith('Send OTP')) await code.getByText(alice.email).waitFor();
  return ((await code.textContent()) ?? '').trim();
}

test('the docs show the address of this deployment, the header, and a link to the API keys', async () => {
  const page = await docs();
  await page.getByText(`${stage.url}/api/v1`, { exact: true }).waitFor();
  await page.getByText('X-API-Key', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Copy base URL' }).click();
  await page.getByText('Copied to clipboard!', { exact: true }).waitFor();
  await expect.poll(() => tab().clipboard()).toBe(`${stage.url}/api/v1`);
  await page.getByRole('main').getByRole('link', { name: 'API Keys' }).click();
  await page.getByRole('heading', { name: 'API Keys' }).waitFor();
});

test('the docs show the parameters and errors of both calls, whose tab the address stores', async () => {
  const page = await docs();
  await page.getByRole('table', { name: 'Parameters of Send OTP' }).waitFor();
  await page.getByText('"This field is required."').first().waitFor();
  await page.getByRole('tab', { name: 'Verify OTP' }).click();
  await expectAddress(page, '/docs?endpoint=verify');
  await page.reload();
  await page.getByRole('table', { name: 'Parameters of Verify OTP' }).waitFor();
  const row = page.getByRole('table', { name: 'Errors of Verify OTP' }).getByRole('row');
  for (const text of ['Invalid OTP code', 'OTP has expired', 'OTP not found'])
    await row.getByText(text, { exact: true }).first().waitFor();
});

test('the docs apply the chosen language to all samples and store it in the address', async () => {
  const page = await docs();
  const languages = page.getByRole('tablist', { name: 'Send OTP: language' });
  await page.getByRole('heading', { name: 'Verify the signature' }).scrollIntoViewIfNeeded();
  for (const [language, mark] of [
    ['Python', 'urllib'],
    ['PHP', '<?php'],
    ['cURL', 'curl -X POST'],
    ['JavaScript', 'await fetch'],
  ] as const) {
    await languages.getByRole('tab', { name: language }).click();
    expect(await sample(page, `Send OTP in ${language}`)).toContain(mark);
    await page.getByRole('region', { name: `Verify a signature in ${language}` }).waitFor();
  }
  await languages.getByRole('tab', { name: 'PHP' }).click();
  await expectAddress(page, '/docs?language=php');
  // The browser remembers the language. A shared link's language takes precedence.
  await page.goto('/docs');
  await page.getByRole('region', { name: 'Send OTP in PHP' }).waitFor();
  await page.goto('/docs?language=javascript');
  await page.getByRole('region', { name: 'Send OTP in JavaScript' }).waitFor();
});

test('the docs show the prefix of the chosen key in every sample, and no secret', async () => {
  const page = await docs('cURL');
  const picker = page.getByRole('combobox', { name: 'API key in the samples' }).first();
  const prefix = apiKey.slice(0, 14);
  await picker.selectOption({ label: `Production (${prefix}...)` });
  await eventually(async () => expect(await sample(page, 'Send OTP in cURL')).toContain(prefix));
  expect(await sample(page, 'Set the key in the environment')).toBe(`export API_KEY='${prefix}...'`);
  await expect.poll(() => page.getByRole('main').textContent()).not.toContain(apiKey.slice(0, 18));
  await page.reload();
  await expect.poll(() => picker.inputValue()).not.toBe('');
  await picker.selectOption({ label: 'Any API key' });
  await page.getByText('paste your key here').waitFor();
});

test('the docs can be searched with the keyboard, and mark the current chapter', async () => {
  const page = await docs();
  const contents = page.getByRole('navigation', { name: 'On this page' });
  const marked = contents.locator('[aria-current="location"]');
  await expect.poll(() => marked.allInnerTexts()).toEqual(['Quick Start']);
  await contents.getByRole('link', { name: 'Webhooks' }).click();
  await expect.poll(() => marked.allInnerTexts()).toEqual(['Webhooks']);

  await page.keyboard.press('/');
  const search = page.getByRole('dialog', { name: 'Search the docs' });
  await search.getByRole('option', { name: 'Verify the signature' }).waitFor();
  await search.getByRole('combobox').fill('no such words');
  await search.getByText('No results.').waitFor();
  await search.getByRole('combobox').fill('retry-after');
  await search.getByRole('option', { name: /^Errors/ }).waitFor();
  // An error of a call whose tab is hidden.
  await search.getByRole('combobox').fill('invalid_code');
  await page.keyboard.press('Enter');
  await expectAddress(page, '/docs?endpoint=verify');
  const row = page
    .getByRole('table', { name: 'Errors of Verify OTP' })
    .getByRole('row', { name: /invalid_code/ });
  await expect
    .poll(() => row.first().evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true);
  await expect.poll(() => marked.allInnerTexts()).toEqual(['Send and verify']);
});

test('the docs copy code, and show an error if the clipboard refuses', async () => {
  const page = await docs('JavaScript');
  const copy = page
    .getByRole('tabpanel', { name: 'JavaScript' })
    .first()
    .getByRole('button', { name: 'Copy code' });
  const shown = await sample(page, 'Send OTP in JavaScript');
  const clickedMs = performance.now();
  const copied = page
    .getByRole('tabpanel', { name: 'JavaScript' })
    .first()
    .getByRole('button', { name: 'Copied' });
  const toast = page.getByText('Copied to clipboard!', { exact: true }).first();
  // The check stays for two seconds.
  await Promise.all([copied.waitFor(), toast.waitFor(), copy.click()]);
  await copied.waitFor({ state: 'detached' });
  expect(performance.now() - clickedMs).toBeGreaterThan(2_000);
  await expect.poll(() => tab().clipboard()).toBe(shown);
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
  await copy.click();
  await page.getByText('Failed to copy to clipboard', { exact: true }).waitFor();
});
