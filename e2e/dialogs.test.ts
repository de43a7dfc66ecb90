import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook, listWebhookAttempts, testWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, expectInsideFrames, follow, openStage, type Stage, sharedTab } from './browser.ts';
import { SIGNED_IN } from './screens.ts';

/** The common behavior of all dialogs and sheets: their look, their layout on a phone, and the focus. */
let stage: Stage;
let alice: Person;
const LONG_URL = `http://127.0.0.1:9/${'webhooks-'.repeat(30)}`;

/** Alice has two keys, eleven verifications and an endpoint whose attempt failed. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice, 'Production');
  await stage.apiKey(alice, 'Staging');
  for (let n = 0; n < 11; n++) {
    const body = { channel: 'email', recipient: `user${n}@example.com` } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  }
  const bearer = alice.access;
  const { body } = await stage.service.call(createWebhook, { bearer, body: { name: 'Shop', url: LONG_URL } });
  await stage.service.call(testWebhook, { bearer, params: { id: body.id } });
  const attempts = await stage.service.call(listWebhookAttempts, { bearer, params: { id: body.id } });
  expect(attempts.status).toBe(200);
});
afterAll(() => stage?.close());

const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }).first();
const dialog = (page: Page): Locator => page.getByRole('dialog').last();
const row = (page: Page): Locator => page.locator('tbody tr[tabindex]').first();
const chooseAction = (action: string) => async (page: Page) => {
  await button(page, 'Actions for Shop').click();
  await page.getByRole('menuitem', { name: action }).click();
};

interface Case {
  dialog: string;
  path: string;
  open: (page: Page) => Promise<unknown>;
  /** closes the dialog; default: Escape */
  close?: (page: Page) => Promise<unknown>;
  /** false: another case measures the same dialog */
  isMeasured?: boolean;
  /** the element that has the focus afterwards */
  returnsTo: (page: Page) => Locator;
}

const cases: Case[] = [
  {
    dialog: 'Verification Details, opened by its button',
    path: '/',
    open: (page) => button(page, /^View History of /).click(),
    close: (page) => button(dialog(page), 'Close').click(),
    returnsTo: (page) => button(page, /^View History of /),
  },
  {
    dialog: 'Verification Details, opened by Enter on its row',
    path: '/',
    open: (page) => row(page).press('Enter'),
    returnsTo: row,
  },
  {
    dialog: 'Verification Details, opened by its address',
    path: '/?otp=none',
    open: (page) => dialog(page).waitFor(),
    returnsTo: (page) => page.locator('#content'),
  },
  {
    dialog: 'Send a Test Code',
    path: '/',
    open: (page) => button(page, 'Send a Test Code').click(),
    close: (page) => button(dialog(page), 'Close').click(),
    returnsTo: (page) => button(page, 'Send a Test Code'),
  },
  {
    dialog: 'Search and commands',
    path: '/',
    open: (page) => button(page, /^Search or jump to/).click(),
    returnsTo: (page) => button(page, /^Search or jump to/),
  },
  {
    dialog: 'Keyboard Shortcuts, opened by the keyboard on a row',
    path: '/',
    open: (page) => row(page).press('?'),
    returnsTo: row,
  },
  {
    dialog: 'Search the docs',
    path: '/docs',
    open: (page) => button(page, /Search the docs/).click(),
    returnsTo: (page) => button(page, /Search the docs/),
  },
  { dialog: 'Request Details', path: '/logs', open: (page) => row(page).press('Enter'), returnsTo: row },
  {
    dialog: 'Create API Key',
    path: '/api-keys',
    open: (page) => button(page, 'Create API Key').click(),
    close: (page) => button(dialog(page), 'Cancel').click(),
    returnsTo: (page) => button(page, 'Create API Key'),
  },
  {
    dialog: 'Your New API Key',
    path: '/api-keys',
    open: async (page) => {
      await button(page, 'Create API Key').click();
      await dialog(page).getByLabel('Name').fill('Third');
      await button(dialog(page), 'Create API Key').click();
      await button(page, "I've Copied the Key").waitFor();
    },
    close: (page) => button(page, "I've Copied the Key").click(),
    returnsTo: (page) => button(page, 'Create API Key'),
  },
  {
    dialog: 'Delete API Key, canceled',
    path: '/api-keys',
    open: (page) => button(page, 'Delete Staging').click(),
    close: (page) => button(dialog(page), 'Cancel').click(),
    returnsTo: (page) => button(page, 'Delete Staging'),
  },
  {
    dialog: 'Delete API Key, confirmed: the next key',
    isMeasured: false,
    path: '/api-keys?ordering=-name',
    open: (page) => button(page, 'Delete Third').click(),
    close: (page) => button(dialog(page), 'Delete API Key').click(),
    returnsTo: (page) => page.getByRole('row').filter({ hasText: 'Staging' }),
  },
  {
    dialog: 'Edit API Key, opened by Enter on its row',
    path: '/api-keys',
    open: (page) => row(page).press('Enter'),
    returnsTo: row,
  },
  ...['Edit', 'Rotate'].map((action) => ({
    dialog: `${action} of an API key`,
    path: '/api-keys',
    open: (page: Page) => button(page, `${action} Production`).click(),
    close: (page: Page) => button(dialog(page), 'Cancel').click(),
    returnsTo: (page: Page) => button(page, `${action} Production`),
  })),
  {
    dialog: 'Deliveries',
    path: '/webhooks',
    open: (page) => row(page).press('Enter'),
    returnsTo: row,
  },
  {
    dialog: 'Statistics',
    path: '/webhooks',
    open: (page) => button(page, 'Statistics of Shop').click(),
    returnsTo: (page) => button(page, 'Statistics of Shop'),
  },
  {
    dialog: 'Add Webhook',
    path: '/webhooks',
    open: (page) => button(page, 'Add Webhook').click(),
    close: (page) => button(dialog(page), 'Cancel').click(),
    returnsTo: (page) => button(page, 'Add Webhook'),
  },
  ...['View Deliveries', 'Edit Settings', 'Rotate Secret', 'Delete Webhook'].map((action) => ({
    dialog: `${action}, from the menu of a row`,
    path: '/webhooks',
    open: chooseAction(action),
    returnsTo: (page: Page) => button(page, 'Actions for Shop'),
  })),
  {
    dialog: 'Your New Signing Secret, after the rotation',
    path: '/webhooks',
    open: async (page) => {
      await chooseAction('Rotate Secret')(page);
      await button(dialog(page), 'Rotate Secret').click();
      await button(page, "I've Copied the Secret").waitFor();
    },
    close: (page) => button(page, "I've Copied the Secret").click(),
    returnsTo: (page) => button(page, 'Actions for Shop'),
  },
  {
    dialog: 'Sign Out Everywhere',
    path: '/settings',
    open: (page) => button(page, 'Sign Out Everywhere').click(),
    close: (page) => button(dialog(page), 'Cancel').click(),
    returnsTo: (page) => button(page, 'Sign Out Everywhere'),
  },
  {
    dialog: 'Delete Account',
    path: '/settings',
    open: (page) => button(page, 'Delete Account').click(),
    close: (page) => button(dialog(page), 'Cancel').click(),
    returnsTo: (page) => button(page, 'Delete Account'),
  },
];

/** Opens the screen by the menu, or by its address if no link leads to it. */
async function goTo(page: Page, path: string): Promise<void> {
  if (!path.includes('?')) return follow(page, path);
  await page.goto(path);
  const screen = SIGNED_IN.find((one) => one.path === path.split('?')[0]);
  await page.locator('main h1', { hasText: screen?.heading ?? path }).waitFor();
}

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

const screens = [...new Set(cases.map(({ path }) => path))];
test.each(screens)('every dialog on %s returns the focus when it closes', async (path) => {
  const { page } = tab();
  if (path.includes('otp=none')) tab().expectError(/404|Query failed/);
  await goTo(page, path);
  for (const { dialog: name, open, close, returnsTo } of cases.filter((one) => one.path === path)) {
    await open(page);
    await dialog(page).waitFor();
    if (close) await close(page);
    else await page.keyboard.press('Escape');
    await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
    const target = returnsTo(page);
    await eventually(async () =>
      expect(await target.evaluate((element) => element === element.ownerDocument.activeElement), name).toBe(
        true,
      ),
    );
  }
});

test.each(screens)(
  'no dialog on %s is narrower than its content on a phone, a tablet or a desktop',
  async (path) => {
    const { page } = tab();
    if (path.includes('otp=none')) tab().expectError(/404|Query failed/);
    await goTo(page, path);
    const measured = cases.filter(({ path: of, isMeasured = true }) => of === path && isMeasured);
    for (const { dialog: name, open, close } of measured) {
      await open(page);
      await dialog(page).waitFor();
      await expectInsideFrames(page, name);
      if (close) await close(page);
      else await page.keyboard.press('Escape');
      await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
    }
  },
);

test('the pager keeps the focus on the last page, and the search box when it is cleared', async () => {
  const { page } = tab();
  await goTo(page, '/');
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
  await goTo(page, '/api-keys');
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
  await goTo(page, '/logs');
  await row(page).press('Enter');
  await dialog(page).getByText('Request ID').waitFor();
  // the list stays visible beside the sheet
  const layer = dialog(page).locator('xpath=ancestor-or-self::*[contains(@class, "mantine-Drawer-inner")]');
  expect(await layer.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
    'rgba(0, 0, 0, 0)',
  );
  await closeDialog(page);
  await goTo(page, '/docs');
  const above = page.getByText(/^Makes a code and sends it to a recipient/);
  await above.waitFor();
  expect(await above.evaluate((element) => getComputedStyle(element).marginBottom)).not.toBe('0px');
});

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
}

const onPhones: [name: string, path: string, open: (page: Page) => Promise<unknown>][] = [
  ['Deliveries', '/webhooks', (page) => row(page).click()],
  ['Verification Details', '/', (page) => row(page).click()],
  [
    'Delete Account',
    '/settings',
    async (page) => {
      // The parts above it load once they are near, and would move it away from a click.
      await button(page, 'Delete Account').press('Enter');
    },
  ],
  ['Add Webhook', '/webhooks?dialog=create', async () => {}],
];

test.each(onPhones)('on a phone, %s can be operated with a thumb', async (_, path, open) => {
  const { page } = tab();
  await goTo(page, path);
  await page.setViewportSize({ width: 390, height: 600 });
  await open(page);
  const close = button(dialog(page), 'Close');
  await close.waitFor();
  const inputs = dialog(page).locator('input:not([type="checkbox"]):not([type="hidden"]), textarea');
  for (const input of await inputs.all())
    expect(await input.evaluate((element) => getComputedStyle(element).fontSize)).toBe('16px');
  for (const target of await dialog(page)
    .locator('button:visible, .mantine-Input-input:visible, summary:visible')
    .all()) {
    const box = await target.boundingBox();
    const isInField = await target.evaluate((element) => element.closest('.mantine-Input-wrapper') !== null);
    const isWide = await target.evaluate((element) => element.tagName === 'SUMMARY');
    if (!isInField && !isWide) expect(box?.width, await target.innerText()).toBeGreaterThanOrEqual(44);
    expect(box?.height, await target.innerText()).toBeGreaterThanOrEqual(isInField ? 24 : 44);
  }
  // Close stays in place while the content scrolls, and on the screen however long a URL is.
  await page.evaluate(`{
    const content = document.querySelector('.mantine-Modal-content, .mantine-Drawer-content');
    content.scrollTop = content.scrollHeight;
  }`);
  const box = await close.boundingBox();
  expect(box && box.y >= 0 && box.y + box.height < 200).toBe(true);
  expect(box && box.x + box.width <= 390).toBe(true);
  // Even a long URL in the dialog's header leaves room for the content below.
  const head = await dialog(page).getByRole('heading').first().locator('xpath=../..').boundingBox();
  expect(head?.height).toBeLessThan(160);
  if (!path.includes('?')) await closeDialog(page);
});
