import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage, settled, sharedTab } from './browser.ts';

/** The common behavior of dialogs and sheets that the tour does not see: their look, and the focus after other ways in and out. */
let stage: Stage;
let alice: Person;

/** Alice has two keys and eleven verifications. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice, 'Production');
  await stage.apiKey(alice, 'Staging');
  for (let n = 0; n < 11; n++) {
    const body = { channel: 'email', recipient: `user${n}@example.com` } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  }
});
afterAll(() => stage?.close());

const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }).first();
const dialog = (page: Page): Locator => page.getByRole('dialog').last();
const row = (page: Page): Locator => page.locator('tbody tr[tabindex]').first();

interface Case {
  name: string;
  path: string;
  open: (page: Page) => Promise<unknown>;
  /** closes the dialog; default: Escape */
  close?: (page: Page) => Promise<unknown>;
  /** the element that has the focus afterwards */
  returnsTo: (page: Page) => Locator;
}

/** The tour opens every dialog with the pointer. These open or close in other ways. */
const cases: Case[] = [
  {
    name: 'a sheet that a button in a row opens',
    path: '/',
    open: (page) => button(page, /^View History of /).click(),
    close: (page) => button(dialog(page), 'Close').click(),
    returnsTo: (page) => button(page, /^View History of /),
  },
  {
    name: 'a sheet that Enter on a row opens',
    path: '/',
    open: (page) => row(page).press('Enter'),
    returnsTo: row,
  },
  {
    name: 'a sheet that its address opens',
    path: '/?otp=none',
    open: (page) => dialog(page).waitFor(),
    returnsTo: (page) => page.locator('#content'),
  },
  {
    name: 'a dialog that a shortcut on a row opens',
    path: '/',
    open: (page) => row(page).press('?'),
    returnsTo: row,
  },
  {
    name: 'a dialog that deletes its row',
    path: '/api-keys?ordering=-name',
    open: (page) => button(page, 'Delete Staging').click(),
    close: (page) => button(dialog(page), 'Delete API Key').click(),
    returnsTo: (page) => page.getByRole('row').filter({ hasText: 'Production' }),
  },
];

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

test.each(cases)('$name returns the focus when it closes', async ({ path, open, close, returnsTo }) => {
  const { page } = tab();
  if (path.includes('otp=none')) tab().expectError(/404|Query failed/);
  await page.goto(path);
  await settled(page);
  await open(page);
  await dialog(page).waitFor();
  if (close) await close(page);
  else await page.keyboard.press('Escape');
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
  const target = returnsTo(page);
  await eventually(async () =>
    expect(await target.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true),
  );
});

test('the pager keeps the focus on the last page, and the search box when it is cleared', async () => {
  const { page } = tab();
  await follow(page, '/');
  await button(page, 'Next').click();
  await page.getByText('Page 2 of 2').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Next');
  expect(await button(page, 'Next').isDisabled()).toBe(true);
  const search = page.getByRole('searchbox');
  await search.fill('user3');
  await button(page, 'Clear Search').click();
  expect(await search.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
});

test("a dialog's styles override the component library's, and a click outside keeps the typed text", async () => {
  const { page } = tab();
  await follow(page, '/api-keys');
  await button(page, 'Create API Key').click();
  await dialog(page).getByLabel('Name').waitFor();
  const style = (selector: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue('${property}')`,
    );
  expect(await style('.mantine-Modal-title', 'font-size')).toBe('18px');
  expect(await style('.mantine-Modal-title', 'font-weight')).toBe('650');
  expect(await style('.mantine-Modal-body', 'padding-left')).toBe('24px');
  expect(await style('.mantine-Modal-content', 'border-top-left-radius')).toBe('14px');
  // A click outside would lose the typed text.
  await dialog(page).getByLabel('Name').fill('Prod');
  await page.mouse.click(5, 5);
  expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Prod');
  await closeDialog(page);
  await button(page, 'Create API Key').click();
  await dialog(page).getByLabel('Name').waitFor();
  await page.mouse.click(5, 5);
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
  await follow(page, '/logs');
  await row(page).press('Enter');
  await dialog(page).getByText('Request ID').waitFor();
  // the list stays visible beside the sheet
  const layer = dialog(page).locator('xpath=ancestor-or-self::*[contains(@class, "mantine-Drawer-inner")]');
  expect(await layer.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
    'rgba(0, 0, 0, 0)',
  );
  await closeDialog(page);
  await follow(page, '/docs');
  const above = page.getByText(/^Makes a code and sends it to a recipient/);
  await above.waitFor();
  expect(await above.evaluate((element) => getComputedStyle(element).marginBottom)).not.toBe('0px');
});

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
}
