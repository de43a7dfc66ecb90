import { getProfile, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab, WIDTHS } from './browser.ts';
import { form } from './parts.ts';

/** Unsaved edits in the settings. */
let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings' }));

const bar = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' });

test('a bar names the forms with unsaved edits, saves or discards them all, and ignores what another tab saves', async () => {
  const { page } = tab();
  const first = form(page, 'Profile').getByLabel('First Name');
  const sender = form(page, 'OTP Configuration').getByLabel('Sender Name');
  await sender.waitFor();
  await expect.poll(() => bar(page).count()).toBe(0);
  const values = async () => [await first.inputValue(), await sender.inputValue()];
  const before = await values();
  await first.fill('Alicia');
  await sender.fill('Acme');
  await bar(page).getByText('Unsaved changes: Profile and OTP Configuration').waitFor();
  await bar(page).getByRole('button', { name: 'Discard' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  await expect.poll(values).toEqual(before);

  await first.fill('Alicia');
  await form(page, 'Profile').getByLabel('Last Name').fill('Liddell');
  await sender.fill('Acme');
  await bar(page).getByRole('button', { name: 'Save All' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  const bearer = alice.access;
  expect((await stage.service.call(getProfile, { bearer })).body.first_name).toBe('Alicia');
  expect((await stage.service.call(getBranding, { bearer })).body.sender_name).toBe('Acme');

  // another tab saves, and this one gets the focus
  await stage.service.call(updateProfile, { bearer, body: { first_name: 'Alba' } });
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await expect.poll(() => first.inputValue()).toBe('Alba');
  await expect.poll(() => bar(page).count()).toBe(0);
});

test('what is typed while a form saves stays, and remains unsaved', async () => {
  const { page } = tab();
  await follow(page, '/settings');
  const profile = form(page, 'Profile');
  const sender = form(page, 'OTP Configuration').getByLabel('Sender Name');
  await sender.waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/v1/profile/', async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.continue();
  });
  await profile.getByLabel('First Name').fill('Ada');
  await profile.getByRole('button', { name: 'Save Changes' }).click();
  await profile.getByRole('button', { name: 'Saving...' }).waitFor();
  await profile.getByLabel('Last Name').fill('Lovelace');
  release();
  await profile.getByRole('button', { name: 'Save Changes' }).waitFor();
  await expect.poll(() => profile.getByLabel('Last Name').inputValue()).toBe('Lovelace');
  await bar(page).getByText('Unsaved changes: Profile', { exact: true }).waitFor();
  await page.unrouteAll();
  await bar(page).getByRole('button', { name: 'Discard' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  await expect.poll(() => profile.getByLabel('First Name').inputValue()).toBe('Ada');
});

test.each([390, 820])(
  'at %i px the bar for unsaved changes does not cover the edited field',
  async (width) => {
    const { page } = tab();
    await page.setViewportSize({ width, height: 700 });
    const first = form(page, 'Profile').getByLabel('First Name');
    await first.evaluate((field) => field.scrollIntoView({ block: 'end' }));
    await first.press('End');
    await first.press('x');
    await bar(page).waitFor();
    await eventually(async () => {
      const [field, above] = [await first.boundingBox(), await bar(page).boundingBox()];
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(above?.y ?? 0);
    });
    await bar(page).getByRole('button', { name: 'Discard' }).click();
    await bar(page).waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 900 });
  },
);

test('leaving a form asks for confirmation only if there are unsaved edits', async () => {
  const { page } = tab();
  const first = form(page, 'Profile').getByLabel('First Name');
  await first.fill('Robert');
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByText('Your changes to Profile will be lost.').waitFor();
  await question.getByRole('button', { name: 'Keep Editing' }).click();
  await question.waitFor({ state: 'hidden' });
  await expect.poll(() => first.inputValue()).toBe('Robert');
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await question.getByRole('button', { name: 'Leave Without Saving' }).click();
  await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();

  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await first.waitFor();
  await page.getByRole('link', { name: 'Docs', exact: true }).click();
  await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
});

test('a toast does not cover the bar for unsaved changes on a phone, a tablet or a desktop', async () => {
  const { page } = tab();
  await follow(page, '/settings');
  const first = form(page, 'Profile').getByLabel('First Name');
  await page.getByLabel('Sender name', { exact: false }).first().fill('Corner Shop');
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await first.fill(`Robert of ${width}`);
    await form(page, 'Profile').getByRole('button', { name: 'Save Changes' }).click();
    const toast = page.getByRole('alert').filter({ hasText: 'Profile updated successfully' }).last();
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await eventually(async () => {
      const [above, below] = [await toast.boundingBox(), await bar.boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? Infinity), `${width} px`).toBeLessThanOrEqual(below?.y ?? 0);
    });
    await toast.getByRole('button', { name: 'Dismiss' }).click();
    // a toast under the pointer stays
    await page.mouse.move(0, 0);
    await toast.waitFor({ state: 'hidden' });
  }
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('signing out with unsaved edits does not ask for confirmation', async () => {
  tab().expectError(/401/);
  const { page } = tab();
  await follow(page, '/settings');
  await form(page, 'Profile').getByLabel('First Name').fill('Caroline');
  await page.getByRole('button', { name: new RegExp(alice.email) }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await eventually(() => expect(new URL(page.url()).pathname).toBe('/sign-in'));
});
