import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, follow, openStage, type Stage, settled, sharedTab } from './browser.ts';

/** The common behavior of dialogs and sheets that the tour does not see: their look, and the focus after other ways in and out. */
let stage: Stage;
let alice: Person;

/** Alice has two keys and a verification. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice, 'Production');
  await stage.apiKey(alice, 'Staging');
  const body = { channel: 'email', recipient: 'reader@example.com' } as const;
  expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
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

test('a click outside closes a dialog without edits, and keeps the typed text of another', async () => {
  const { page } = tab();
  await follow(page, '/api-keys');
  await button(page, 'Create API Key').click();
  await dialog(page).getByLabel('Name').fill('Prod');
  await page.mouse.click(5, 5);
  expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Prod');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
  await button(page, 'Create API Key').click();
  await dialog(page).getByLabel('Name').waitFor();
  await page.mouse.click(5, 5);
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
});

/** Whether a toast covers a part of the element. */
const isCoveredByToast = (element: Locator): Promise<boolean> =>
  element.evaluate((covered) => {
    const boxes = [...document.querySelectorAll('.mantine-Notification-root')].map((one) =>
      one.getBoundingClientRect(),
    );
    const { top, bottom, left, right } = covered.getBoundingClientRect();
    return boxes.some((box) => box.top < bottom && box.bottom > top && box.left < right && box.right > left);
  });

test('on a phone, toasts cover neither the bar of unsaved changes nor the title and the buttons of a dialog, and copying in a dialog shows no toast', async () => {
  const { page } = tab();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/team');
  await page.getByRole('button', { name: 'Set Up SSO' }).click();
  await page.getByLabel('Issuer').fill('https://id.example.com');
  const bar = page.locator('[data-bottom-bar]');
  await bar.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await page.getByRole('switch', { name: 'Email me about problems' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await settled(page);
  expect(await isCoveredByToast(bar)).toBe(false);
  await bar.getByRole('button', { name: 'Discard' }).click();
  await bar.waitFor({ state: 'detached' });

  // The dialog is as high as this phone.
  await page.setViewportSize({ width: 390, height: 720 });
  await page.goto('/api-keys');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const create = page.getByRole('dialog', { name: 'Create API Key' });
  await create.getByLabel('Name').fill('On a phone');
  await create.getByRole('button', { name: 'Create API Key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your New API Key' });
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
  await shown.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Failed to copy to clipboard', { exact: true }).waitFor();
  await settled(page);
  const done = shown.getByRole('button', { name: "I've Copied the Key" });
  expect(await isCoveredByToast(done)).toBe(false);
  expect(await isCoveredByToast(shown.getByText('Your New API Key', { exact: true }))).toBe(false);
  await page.evaluate('delete navigator.clipboard.writeText');
  await shown.getByRole('button', { name: 'Copy', exact: true }).click();
  await shown.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  expect(await page.getByText('Copied to clipboard!').count()).toBe(0);
  await done.click();
  await shown.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 1280, height: 900 });
});
