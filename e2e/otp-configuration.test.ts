import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';
import { form, region, shownIn } from './parts.ts';

let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings' }));

const toast = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();

/** In the page. */
const HOLD_FRAMES = `window.heldFrames = [];
window.usualFrame = window.requestAnimationFrame;
window.requestAnimationFrame = (draw) => window.heldFrames.push(draw);`;
const RELEASE_FRAMES = `window.requestAnimationFrame = window.usualFrame;
for (const draw of window.heldFrames) requestAnimationFrame(draw);`;

test('the OTP configuration refuses values out of range and replaces non-numeric text with the default', async () => {
  const { page } = tab();
  await page.getByText('Customize your OTP service branding, templates, and behavior').waitFor();
  const configuration = form(page, 'OTP Configuration');
  const field = (label: string) => configuration.getByLabel(label, { exact: true });
  const save = configuration.getByRole('button', { name: 'Save Changes' });
  await expect.poll(() => field('Default Subject').inputValue()).toBe('Your Verification Code');
  await expect.poll(() => field('Default Message').inputValue()).toBe('Your verification code is: {code}');

  const refused = async (label: string, value: string, sentence: string): Promise<void> => {
    const before = await field(label).inputValue();
    await field(label).fill(value);
    await save.click();
    await shownIn(configuration, sentence);
    await field(label).fill(before);
  };
  // Each sentence is the contract's, of the same schema as the call's.
  await refused('Sender Name', ' x ', 'Sender name must be at least 2 characters');
  await refused('Reply-to Email', 'nobody', 'Please enter a valid email address');
  await refused('Default Message', 'No place', 'Message template must include {code} placeholder');
  await refused('Expiry Time', '3601', 'Expiry time must be at most 3600 seconds (1 hour)');

  // A threshold can be set only while auto-purchase is on.
  await expect.poll(() => field('Auto-purchase Threshold').isDisabled()).toBe(true);
  await expect.poll(() => field('Auto-purchase Amount').isDisabled()).toBe(true);
  await configuration.getByRole('switch', { name: 'Enable auto-purchase' }).click();
  await refused('Auto-purchase Threshold', '0', 'Auto-purchase threshold must be at least 1 credit');

  for (const [label, fallback] of [
    ['OTP Length', '6'],
    ['Expiry Time', '300'],
    ['Auto-purchase Threshold', '50'],
    ['Auto-purchase Amount', '500'],
  ] as const) {
    await field(label).fill(label === 'OTP Length' ? 'many' : '');
    await field(label).blur();
    await expect.poll(() => field(label).inputValue()).toBe(fallback);
  }
  await configuration.getByRole('switch', { name: 'Enable auto-purchase' }).click();

  await field('Sender Name').fill('Wonderland');
  await field('Reply-to Email').fill('help@wonderland.example');
  await field('Low-balance Threshold').fill('1000');
  await field('OTP Length').fill('8');
  await field('Expiry Time').fill('none');
  // without leaving the field
  await page.keyboard.press('Enter');
  await toast(page, 'Changes saved successfully');
  expect((await stage.service.call(getBranding, { bearer: alice.access })).body).toMatchObject({
    sender_name: 'Wonderland',
    reply_to_email: 'help@wonderland.example',
    default_otp_length: 8,
    default_expiry_seconds: 300,
    low_balance_threshold: 1000,
  });
  await page.getByRole('complementary', { name: 'Balance' }).getByText('Your balance is low').waitFor();
});

test('an invalid field gets the focus when its error appears', async () => {
  const { page } = tab();
  const configuration = form(page, 'OTP Configuration');
  const subject = configuration.getByLabel('Default Subject', { exact: true });
  await page.evaluate(HOLD_FRAMES);
  await subject.fill('Hi');
  await configuration.getByRole('button', { name: 'Save Changes' }).click();
  await shownIn(configuration, 'Subject must be at least 3 characters');
  await expect.poll(() => subject.evaluate((field) => field === document.activeElement)).toBe(true);
  await subject.fill('Your Verification Code');
  await page.evaluate(RELEASE_FRAMES);
});

test('the previews show the mail and the call of the current fields while the user types', async () => {
  const { page } = tab();
  const configuration = form(page, 'OTP Configuration');
  const preview = region(page, 'Email preview');
  const mail = preview.frameLocator('iframe');
  // the saved length
  await mail.getByText('12345678', { exact: true }).waitFor();
  await configuration.getByLabel('Sender Name').fill('Wonderland');
  await configuration.getByLabel('Default Subject').fill('Down the rabbit hole');
  await configuration.getByLabel('Default Message').fill('Drink me: {code}');
  await configuration.getByLabel('OTP Length').fill('4');
  await configuration.getByLabel('Expiry Time').fill('600');
  await mail.getByText('1234', { exact: true }).waitFor();
  await mail.getByText('Drink me:').waitFor();
  await mail.getByText('This code expires in 10 minutes.').waitFor();
  await mail.getByText('Wonderland', { exact: true }).waitFor();
  await shownIn(preview, 'Down the rabbit hole');
  await configuration.getByLabel('Default Message').fill('Drink me');
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
