import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, expectAccessible, openStage, type Stage, settled, sharedTab } from './browser.ts';
import { choose, expectAddress } from './lists.ts';

let stage: Stage;
let alice: Awaited<ReturnType<Stage['signUp']>>;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice);
  for (const recipient of ['phones-ann@example.com', 'phones-ben@example.com']) {
    const body = { channel: 'email', recipient } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  }
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs', width: 390, height: 844 }));

async function show(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}

test("on a phone, the button for a test code has a word in the title's line", async () => {
  const { page } = tab();
  await show(page, '/');
  const button = page.getByRole('button', { name: 'Send a Test Code' });
  await button.waitFor();
  expect((await button.innerText()).trim()).toBe('Send');
  const title = await page.getByRole('heading', { name: 'Verifications', level: 1 }).boundingBox();
  const box = await button.boundingBox();
  expect(box?.y).toBeLessThan((title?.y ?? 0) + (title?.height ?? 0));
});

test('a phone has the filters, the order and the export in a sheet, whose button tells how many are set', async () => {
  const { page } = tab();
  await show(page, '/');
  expect(await page.getByRole('combobox').count()).toBe(0);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await choose(page, 'Status', 'Failed');
  await choose(page, 'Time period', 'Last 7 days');
  await choose(page, 'Sort by', 'Oldest first');
  await expectAddress(page, '/?status=failed&days=7&ordering=created_at');
  await sheet.getByRole('button', { name: 'Show 0 Results' }).click();
  await sheet.waitFor({ state: 'hidden' });
  const button = page.getByRole('button', { name: 'Filters, 2 set' });
  await eventually(async () =>
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true),
  );

  await button.click();
  await expectAccessible(page);
  await sheet.getByRole('button', { name: 'Clear Filters' }).click();
  await expectAddress(page, '/?ordering=created_at');
  await sheet.getByRole('button', { name: 'Show 2 Results' }).waitFor();
  const download = page.waitForEvent('download');
  await sheet.getByRole('button', { name: 'Export as CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  await sheet.waitFor({ state: 'hidden' });
});

test('a wide screen shows the optional columns, and a choice of columns holds at every width', async () => {
  const { page } = tab();
  await show(page, '/');
  const header = page.getByRole('columnheader', { name: 'Carrier' });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('columnheader', { name: 'Recipient' }).waitFor();
  expect(await header.count()).toBe(0);
  await page.setViewportSize({ width: 1920, height: 900 });
  await header.waitFor();
  await page.getByRole('columnheader', { name: 'Country' }).waitFor();

  const ends = await page.evaluate<number[]>(`['header > div', 'main'].map((part) => {
    const { right } = document.querySelector(part).getBoundingClientRect();
    return right - parseFloat(getComputedStyle(document.querySelector(part)).paddingRight);
  })`);
  expect(ends[0]).toBe(ends[1]);

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Carrier' }).click();
  await header.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('columnheader', { name: 'Country' }).waitFor();
  expect(await header.count()).toBe(0);
  await page.evaluate("localStorage.removeItem('columns_verifications')");
  await page.setViewportSize({ width: 390, height: 844 });
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
  await show(page, '/team');
  await page.getByRole('button', { name: 'Set Up SSO' }).click();
  await page.getByLabel('Issuer').fill('https://id.example.com');
  const bar = page.locator('[data-bottom-bar]');
  await bar.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await page.getByRole('switch', { name: 'Email me about problems' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await isCoveredByToast(bar)).toBe(false);
  await bar.getByRole('button', { name: 'Discard' }).click();
  await bar.waitFor({ state: 'detached' });

  // The dialog is as high as this phone.
  await page.setViewportSize({ width: 390, height: 720 });
  await show(page, '/api-keys');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const create = page.getByRole('dialog', { name: 'Create API Key' });
  await create.getByLabel('Name').fill('On a phone');
  await create.getByRole('button', { name: 'Create API Key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your New API Key' });
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Failed to copy to clipboard', { exact: true }).waitFor();
  const done = dialog.getByRole('button', { name: "I've Copied the Key" });
  expect(await isCoveredByToast(done)).toBe(false);
  expect(await isCoveredByToast(dialog.getByText('Your New API Key', { exact: true }))).toBe(false);
  await page.evaluate('delete navigator.clipboard.writeText');
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  expect(await page.getByText('Copied to clipboard!').count()).toBe(0);
  await done.click();
  await dialog.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 390, height: 844 });
});

test('on a phone, each credit bundle takes two lines, and a rule shows two thresholds per row', async () => {
  const { page } = tab();
  await show(page, '/credits');
  const bundle = page.getByRole('article').first();
  expect((await bundle.boundingBox())?.height).toBeLessThanOrEqual(130);
  await show(page, '/protection');
  const rule = page.getByRole('group', { name: 'Many sends from one IP address' });
  const [sends, recipients] = await Promise.all(
    ['Sends per 10 min', 'Recipients per 10 min'].map((name) => rule.getByLabel(name).boundingBox()),
  );
  expect(recipients?.y).toBe(sends?.y);
});
