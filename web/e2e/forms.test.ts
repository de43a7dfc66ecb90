import { getProfile, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { follow, openStage, type Stage, sharedTab } from './browser.ts';
import { form, region, shownIn } from './parts.ts';

/** Forms with values that are saved: the profile and the OTP configuration. */
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
  const first = form(page, 'Profile').getByLabel('First name');
  const sender = form(page, 'OTP Configuration').getByLabel('Sender name');
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
  await form(page, 'Profile').getByLabel('Last name').fill('Liddell');
  await sender.fill('Acme');
  await bar(page).getByRole('button', { name: 'Save All' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  const bearer = alice.access;
  expect((await stage.service.call(getProfile, { bearer })).body.first_name).toBe('Alicia');
  expect((await stage.service.call(getBranding, { bearer })).body.sender_name).toBe('Acme');

  // another tab saves, and this one gets the focus; a read that is under way would be of the time before
  await tab().noneOpen();
  await stage.service.call(updateProfile, { bearer, body: { first_name: 'Alba' } });
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await expect.poll(() => first.inputValue()).toBe('Alba');
  await expect.poll(() => bar(page).count()).toBe(0);
});

test('what is typed while a form saves stays, and remains unsaved', async () => {
  const { page } = tab();
  await follow(page, '/settings');
  const profile = form(page, 'Profile');
  const sender = form(page, 'OTP Configuration').getByLabel('Sender name');
  await sender.waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/v1/profile/', async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.continue();
  });
  await profile.getByLabel('First name').fill('Ada');
  await profile.getByRole('button', { name: 'Save Changes' }).click();
  await profile.getByRole('button', { name: 'Saving...' }).waitFor();
  await profile.getByLabel('Last name').fill('Lovelace');
  release();
  await profile.getByRole('button', { name: 'Save Changes' }).waitFor();
  await expect.poll(() => profile.getByLabel('Last name').inputValue()).toBe('Lovelace');
  await bar(page).getByText('Unsaved changes: Profile', { exact: true }).waitFor();
  await page.unrouteAll();
  await bar(page).getByRole('button', { name: 'Discard' }).click();
  await bar(page).waitFor({ state: 'hidden' });
  await expect.poll(() => profile.getByLabel('First name').inputValue()).toBe('Ada');
});

test('leaving a form asks for confirmation only if there are unsaved edits', async () => {
  const { page } = tab();
  const first = form(page, 'Profile').getByLabel('First name');
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

test('the OTP configuration refuses values out of range and replaces non-numeric text with the default', async () => {
  const { page } = tab();
  await follow(page, '/settings');
  await page.getByText('Customize your OTP service branding, templates, and behavior').waitFor();
  const configuration = form(page, 'OTP Configuration');
  const field = (label: string) => configuration.getByLabel(label, { exact: true });
  const save = configuration.getByRole('button', { name: 'Save Changes' });
  await expect.poll(() => field('Default subject').inputValue()).toBe('Your Verification Code');
  await expect.poll(() => field('Default message').inputValue()).toBe('Your verification code is: {code}');

  const refused = async (label: string, value: string, sentence: string): Promise<void> => {
    const before = await field(label).inputValue();
    await field(label).fill(value);
    await save.click();
    await shownIn(configuration, sentence);
    await field(label).and(page.locator(':focus')).waitFor();
    await field(label).fill(before);
  };
  // Each sentence is the contract's, of the same schema as the call's.
  await refused('Sender name', ' x ', 'Sender name must be at least 2 characters');
  await refused('Expiry time', '3601', 'Expiry time must be at most 3600 seconds (1 hour)');

  // A threshold can be set only while auto-purchase is on.
  await expect.poll(() => field('Auto-purchase threshold').isDisabled()).toBe(true);
  await expect.poll(() => field('Auto-purchase amount').isDisabled()).toBe(true);
  await configuration.getByRole('switch', { name: 'Enable auto-purchase' }).click();
  await refused('Auto-purchase threshold', '0', 'Auto-purchase threshold must be at least 1 credit');

  for (const [label, fallback] of [
    ['OTP length', '6'],
    ['Expiry time', '300'],
    ['Auto-purchase threshold', '50'],
    ['Auto-purchase amount', '500'],
  ] as const) {
    await field(label).fill(label === 'OTP length' ? 'many' : '');
    await field(label).blur();
    await expect.poll(() => field(label).inputValue()).toBe(fallback);
  }
  await configuration.getByRole('switch', { name: 'Enable auto-purchase' }).click();

  await field('Sender name').fill('Wonderland');
  await field('Reply-to email').fill('help@wonderland.example');
  await field('Low-balance threshold').fill('1000');
  await field('OTP length').fill('8');
  await field('Expiry time').fill('none');
  // without leaving the field
  await page.keyboard.press('Enter');
  await page.getByText('Changes saved successfully', { exact: true }).waitFor();
  // The toast may be an earlier one.
  await expect
    .poll(async () => (await stage.service.call(getBranding, { bearer: alice.access })).body)
    .toMatchObject({
      sender_name: 'Wonderland',
      reply_to_email: 'help@wonderland.example',
      default_otp_length: 8,
      default_expiry_seconds: 300,
      low_balance_threshold: 1000,
    });
  await page.getByRole('complementary', { name: 'Balance' }).getByText('Your balance is low').waitFor();
});

test('the previews show the mail and the call of the current fields while the user types', async () => {
  const { page } = tab();
  const configuration = form(page, 'OTP Configuration');
  const preview = region(page, 'Email preview');
  const mail = preview.frameLocator('iframe');
  await configuration.getByLabel('Sender name').fill('Wonderland');
  await configuration.getByLabel('Default subject').fill('Down the rabbit hole');
  await configuration.getByLabel('Default message').fill('Drink me: {code}');
  await configuration.getByLabel('OTP length').fill('4');
  await configuration.getByLabel('Expiry time').fill('600');
  await mail.getByText('1234', { exact: true }).waitFor();
  await mail.getByText('Drink me:').waitFor();
  await mail.getByText('This code expires in 10 minutes.', { exact: true }).waitFor();
  await mail.getByText('Wonderland', { exact: true }).waitFor();
  await shownIn(preview, 'Down the rabbit hole');
  await configuration.getByLabel('Default message').fill('Drink me');
  await shownIn(preview, /Correct this field first: Message template must include {code} placeholder/);
  await mail.getByText('1234', { exact: true }).waitFor();
  // a call spells the code, with pauses
  await page.getByRole('radiogroup', { name: 'Phone channel' }).getByText('Voice').click();
  const call = region(page, 'Voice preview').getByRole('list', { name: 'Call script' }).getByRole('listitem');
  await call.filter({ hasText: 'verification code is: 1, 2, 3, 4.' }).waitFor();
  await expect.poll(() => call.filter({ hasText: 'Once more: 1, 2, 3, 4.' }).count()).toBe(2);
  await expect.poll(() => call.filter({ hasText: 'Pause of 1 second' }).count()).toBe(4);
  // Nothing was saved.
  const { body } = await stage.service.call(getBranding, { bearer: alice.access });
  expect(body.default_subject).toBe('Your Verification Code');
});

test('signing out with unsaved edits does not ask for confirmation', async () => {
  tab().expectError(/401/);
  const { page } = tab();
  await form(page, 'Profile').getByLabel('First name').fill('Caroline');
  await page.getByRole('button', { name: new RegExp(alice.email) }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  await page.waitForURL('**/sign-in');
});
