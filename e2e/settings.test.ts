import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getMe, getProfile, getTwoFactor, updateProfile } from '#contract/accounts.ts';
import { getBranding, updateBranding } from '#contract/branding.ts';
import { signIn } from '#contract/sign-in.ts';
import { anotherSession, type Person, wrongCode } from '../server/test/person.ts';
import {
  eventually,
  expectAccessible,
  expectEveryLookAccessible,
  openStage,
  type Stage,
  type Tab,
} from './browser.ts';
import { expectAddress } from './lists.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const region = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const form = (page: Page, name: string): Locator => page.getByRole('form', { name, exact: true });
const toast = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();
const shownIn = (within: Locator, text: string | RegExp): Promise<void> => within.getByText(text).waitFor();

async function openSettings(as: Pick<Person, 'access' | 'refresh'>): Promise<Tab> {
  const tab = await stage.tab({ as, path: '/settings' });
  await form(tab.page, 'Profile').getByLabel('Phone Number').waitFor();
  return tab;
}

const codesTo = async (recipient: string): Promise<string[]> =>
  (await stage.service.inbox(recipient)).flatMap(({ code }) => code ?? []);

/** The newest code that was sent to somebody, once there are more than `before`. */
const codeTo = (recipient: string, before = 0): Promise<string> =>
  eventually(async () => {
    const codes = await codesTo(recipient);
    expect(codes.length).toBeGreaterThan(before);
    return codes[0] ?? '';
  });

test('a valid profile is saved, and an invalid one shows an error in each field', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await openSettings(alice);
  const { page } = tab;
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  await page.getByText('Manage your account settings and security preferences.', { exact: true }).waitFor();
  const profile = form(page, 'Profile');
  await shownIn(
    profile,
    'Email cannot be changed. Contact support if you need to update your email address.',
  );
  await shownIn(profile, 'Used for SMS OTP delivery and 2FA verification.');
  await shownIn(profile, alice.email.split('@')[0] ?? '');
  await shownIn(profile, /^[A-Z][a-z]+ \d{1,2}, \d{4}$/);
  expect(await profile.getByLabel('Email').getAttribute('readonly')).not.toBeNull();
  expect(await profile.getByLabel('Phone Number').inputValue()).toMatch(/^\(415\) 555-\d{4}$/);
  expect(await profile.getByLabel('Phone Number').getAttribute('maxlength')).toBe('14');

  const save = profile.getByRole('button', { name: 'Save Changes' });
  await profile.getByLabel('First Name').fill('   ');
  await profile.getByLabel('Last Name').fill('   ');
  await profile.getByLabel('Phone Number').fill('555 12');
  await save.click();
  await shownIn(profile, 'First name cannot be empty');
  await shownIn(profile, 'Last name cannot be empty');
  await shownIn(profile, 'Please enter a valid phone number');
  await expectAccessible(page);

  await profile.getByLabel('First Name').fill('Alice');
  await profile.getByLabel('Last Name').fill('Liddell');
  await profile.getByLabel('Phone Number').fill('4155557777');
  expect(await profile.getByLabel('Phone Number').inputValue()).toBe('(415) 555-7777');
  await save.click();
  await shownIn(profile, 'This field is required.');
  tab.expectError(/status of 400|ApiError/);
  await profile.getByLabel('Current Password').fill('not this one');
  await save.click();
  await shownIn(profile, 'The password is not correct.');
  await profile.getByLabel('Current Password').fill(alice.password);
  await save.click();
  await toast(page, 'Profile updated successfully');
  // nothing is left that would need the password
  await profile.getByLabel('Current Password').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /Alice Liddell/ }).waitFor();
  expect((await stage.service.call(getProfile, { bearer: alice.access })).body).toMatchObject({
    first_name: 'Alice',
    last_name: 'Liddell',
    phone_number: '+14155557777',
  });
});

test('a phone number of another country is shown unchanged, saved unchanged, and can be replaced', async () => {
  const alice = await stage.signUp('Alice');
  const abroad = { phone_number: '+442079460958', current_password: alice.password };
  const changed = await stage.service.call(updateProfile, { bearer: alice.access, body: abroad });
  expect(changed.status).toBe(200);
  const keptPhone = async () =>
    (await stage.service.call(getProfile, { bearer: alice.access })).body.phone_number;
  await using tab = await openSettings(alice);
  const profile = form(tab.page, 'Profile');
  const phone = profile.getByLabel('Phone Number');
  const save = profile.getByRole('button', { name: 'Save Changes' });
  expect(await phone.inputValue()).toBe('+442079460958');
  expect(await profile.getByText('+1', { exact: true }).count()).toBe(0);
  await profile.getByLabel('First Name').fill('Alice');
  await save.click();
  await toast(tab.page, 'Profile updated successfully');
  expect(await keptPhone()).toBe('+442079460958');

  await phone.fill('(415) 555-7777');
  await profile.getByLabel('Current Password').fill(alice.password);
  await save.click();
  await profile.getByText('+1', { exact: true }).waitFor();
  expect(await phone.inputValue()).toBe('(415) 555-7777');
  expect(await keptPhone()).toBe('+14155557777');
});

test('enabling two-factor by e-mail requires the password, and the next sign-in requires a code', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await openSettings(alice);
  const { page } = tab;
  const twoFactor = form(page, 'Two-Factor Authentication');
  const save = twoFactor.getByRole('button', { name: 'Save Two-Factor Settings' });
  expect(await twoFactor.getByLabel('Current Password').count()).toBe(0);
  await twoFactor.getByRole('switch', { name: 'Enable two-factor authentication' }).click();
  await twoFactor.getByRole('radiogroup', { name: 'Method' }).getByText('Email').click();
  await save.click();
  await shownIn(twoFactor, 'This field is required.');
  tab.expectError(/status of 400|ApiError/);
  await twoFactor.getByLabel('Current Password').fill('not this one');
  await save.click();
  await shownIn(twoFactor, 'The password is not correct.');
  await twoFactor.getByLabel('Current Password').fill(alice.password);
  await save.click();
  await toast(page, 'Two-factor authentication settings updated successfully');
  await twoFactor.getByLabel('Current Password').waitFor({ state: 'hidden' });

  const before = (await codesTo(alice.email)).length;
  await page.getByRole('button', { name: new RegExp(alice.email) }).click();
  await page.getByRole('menuitem', { name: /Log ?out|Sign ?out/i }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Email').fill(alice.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(alice.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  const code = await codeTo(alice.email, before);
  await page.getByLabel('Verification code').fill(code);
  await page.getByRole('heading', { name: 'Verifications', exact: true }).waitFor();
});

test('enabling two-factor by SMS requires a code sent to the number', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await openSettings(alice);
  const { page } = tab;
  tab.expectError(/status of 400|ApiError/);
  const twoFactor = form(page, 'Two-Factor Authentication');
  await twoFactor.getByRole('switch', { name: 'Enable two-factor authentication' }).click();
  await twoFactor.getByRole('radiogroup', { name: 'Method' }).getByText('SMS').click();
  const phone = twoFactor.getByLabel('Phone Number');
  const save = twoFactor.getByRole('button', { name: 'Save Two-Factor Settings' });
  expect(await phone.inputValue()).toBe(alice.phone);
  await phone.fill('');
  await save.click();
  await shownIn(twoFactor, 'Phone number is required for SMS 2FA');
  await phone.fill('call me');
  await save.click();
  await shownIn(twoFactor, 'Please enter a valid phone number');
  await phone.fill('(415) 555-8642');
  await twoFactor.getByLabel('Current Password').fill(alice.password);
  await save.click();

  const prove = form(page, 'Prove the phone number');
  await shownIn(prove, /We sent a 6-digit code by SMS to \(415\) 555-8642/);
  await expectAccessible(page);
  const code = await codeTo('+14155558642');
  await prove.getByLabel('Verification code').fill('12');
  await prove.getByRole('button', { name: 'Verify Code' }).click();
  await shownIn(prove, 'Verification code must be 6 digits');
  await prove.getByLabel('Verification code').fill(wrongCode(code));
  await shownIn(prove, 'Invalid verification code');
  // nothing has changed yet
  const kept = () => stage.service.call(getTwoFactor, { bearer: alice.access });
  expect((await kept()).body.two_factor_enabled).toBe(false);
  await prove.getByLabel('Verification code').fill(code);
  await toast(page, 'Two-factor authentication settings updated successfully');
  expect((await kept()).body).toEqual({
    two_factor_enabled: true,
    two_factor_method: 'sms',
    phone_number: '+14155558642',
  });
  expect(await twoFactor.getByRole('switch').isChecked()).toBe(true);
});

test('changing the password ends the other sessions, and only the new password signs in', async () => {
  const alice = await stage.signUp('Alice');
  const elsewhere = await anotherSession(stage.service, alice);
  await using tab = await openSettings(alice);
  const { page } = tab;
  tab.expectError(/status of 400|ApiError/);
  const change = form(page, 'Change password');
  const submit = change.getByRole('button', { name: 'Change Password' });
  const fill = async (current: string, password: string, again: string): Promise<void> => {
    await change.getByLabel('Current Password').fill(current);
    await change.getByLabel('New Password').fill(password);
    await change.getByLabel('Confirm Password').fill(again);
    await submit.click();
  };
  await fill('', 'short', 'short');
  await shownIn(change, 'This field is required.');
  await change.getByText('Password must be at least 8 characters long').first().waitFor();
  await fill(alice.password, 'a new and long one', 'another long one');
  await shownIn(change, "Passwords don't match");
  await fill('not this one', 'a new and long one', 'a new and long one');
  await shownIn(change, 'The password is not correct.');
  await fill(alice.password, 'password123', 'password123');
  await shownIn(change, 'This password is too common. Please choose another.');
  await fill(alice.password, 'a new and long one', 'a new and long one');
  await toast(page, 'Password changed successfully');
  expect(await change.getByLabel('New Password').inputValue()).toBe('');

  expect((await stage.service.call(getMe, { bearer: elsewhere.access })).status).toBe(401);
  expect((await stage.service.call(getMe, { bearer: alice.access })).status).toBe(200);
  const signingIn = { email: alice.email, password: 'a new and long one' };
  expect((await stage.service.call(signIn, { body: signingIn })).status).toBe(200);
});

test('the list of sessions marks the current one and can end another', async () => {
  const alice = await stage.signUp('Alice');
  const elsewhere = await anotherSession(stage.service, alice);
  await using tab = await openSettings(alice);
  const { page } = tab;
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await sessions.nth(1).waitFor();
  expect(await sessions.count()).toBe(2);
  const here = sessions.filter({ hasText: 'This session' });
  expect(await here.getByRole('button').count()).toBe(0);
  await sessions.getByRole('button', { name: /^End session: / }).click();
  await toast(page, 'Session ended');
  await eventually(async () => expect(await sessions.count()).toBe(1));
  await here.waitFor();
  expect((await stage.service.call(getMe, { bearer: elsewhere.access })).status).toBe(401);
});

test('the OTP configuration refuses values out of range and replaces text that is no number by the default', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await openSettings(alice);
  const { page } = tab;
  await page.getByText('Customize your OTP service branding, templates, and behavior').waitFor();
  const configuration = form(page, 'OTP Configuration');
  const field = (label: string) => configuration.getByLabel(label, { exact: true });
  const save = configuration.getByRole('button', { name: 'Save Changes' });
  expect(await field('Default Subject').inputValue()).toBe('Your Verification Code');
  expect(await field('Default Message').inputValue()).toBe('Your verification code is: {code}');

  const refused = async (label: string, value: string, sentence: string): Promise<void> => {
    const before = await field(label).inputValue();
    await field(label).fill(value);
    await save.click();
    await shownIn(configuration, sentence);
    await field(label).fill(before);
  };
  await refused('Sender Name', ' x ', 'Sender name must be at least 2 characters');
  await refused('Reply-to Email', 'nobody', 'Please enter a valid email address');
  await refused('Default Subject', 'Hi', 'Subject must be at least 3 characters');
  await refused('Default Message', 'No place', 'Message template must include {code} placeholder');
  await refused('OTP Length', '3', 'OTP length must be at least 4 digits');
  await refused('OTP Length', '9', 'OTP length must be at most 8 digits');
  await refused('Expiry Time', '59', 'Expiry time must be at least 60 seconds');
  await refused('Expiry Time', '3601', 'Expiry time must be at most 3600 seconds (1 hour)');

  // a threshold can be set only while something is bought by it
  expect(await field('Auto-purchase Threshold').isDisabled()).toBe(true);
  expect(await field('Auto-purchase Amount').isDisabled()).toBe(true);
  await configuration.getByRole('switch', { name: 'Enable auto-purchase' }).click();
  await refused('Auto-purchase Threshold', '0', 'Auto-purchase threshold must be at least 1 credit');
  await refused('Auto-purchase Threshold', '10001', 'Auto-purchase threshold must be at most 10,000 credits');
  await refused('Auto-purchase Amount', '99', 'Auto-purchase amount must be at least 100 credits');
  await refused('Auto-purchase Amount', '100001', 'Auto-purchase amount must be at most 100,000 credits');

  const fallsBack = async (label: string, fallback: string): Promise<void> => {
    for (const nonsense of ['', 'many']) {
      await field(label).fill(nonsense);
      await field(label).blur();
      expect(await field(label).inputValue()).toBe(fallback);
    }
  };
  await fallsBack('OTP Length', '6');
  await fallsBack('Expiry Time', '300');
  await fallsBack('Auto-purchase Threshold', '50');
  await fallsBack('Auto-purchase Amount', '500');
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

test('the previews show the mail and the call of the current fields while the user types', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await openSettings(alice);
  const { page } = tab;
  const configuration = form(page, 'OTP Configuration');
  const preview = region(page, 'Email Preview');
  const mail = preview.frameLocator('iframe');
  await mail.getByText('123456', { exact: true }).waitFor();
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
  await shownIn(preview, /Waiting for a field: Message template must include {code} placeholder/);
  await mail.getByText('1234', { exact: true }).waitFor();
  // a call spells the code, with pauses
  await page.getByRole('radiogroup', { name: 'Message to a phone' }).getByText('Voice').click();
  const call = region(page, 'Voice Preview').getByRole('list', { name: 'The call' }).getByRole('listitem');
  await call.filter({ hasText: 'verification code is: 1, 2, 3, 4.' }).waitFor();
  expect(await call.filter({ hasText: 'Once more: 1, 2, 3, 4.' }).count()).toBe(2);
  expect(await call.filter({ hasText: 'Pause of 1 second' }).count()).toBe(4);
  // nothing of it is saved
  const { body } = await stage.service.call(getBranding, { bearer: alice.access });
  expect(body.default_subject).toBe('Your Verification Code');
});

test('deleting the account requires the password and a typed word', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await openSettings(alice);
  const { page } = tab;
  tab.expectError(/status of 40[01]|ApiError|Query failed/);
  await region(page, 'Delete account').getByRole('button', { name: 'Delete Account' }).click();
  const ask = page.getByRole('dialog', { name: 'Delete Account' });
  await shownIn(ask, /API keys stop working at once/);
  await expectAccessible(page);
  const confirm = ask.getByRole('button', { name: 'Delete Account' });
  await confirm.click();
  await shownIn(ask, 'This field is required.');
  await ask.getByLabel('Password', { exact: true }).fill('not this one');
  await ask.getByRole('textbox', { name: 'Type DELETE to confirm' }).fill('DELETE');
  await confirm.click();
  await shownIn(ask, 'The password is not correct.');
  expect((await stage.service.call(getMe, { bearer: alice.access })).status).toBe(200);
  await ask.getByLabel('Password', { exact: true }).fill(alice.password);
  await confirm.click();
  await toast(page, 'Your account has been deleted');
  await expectAddress(page, '/sign-in');
  expect(await page.evaluate('localStorage.getItem("access_token")')).toBeNull();
  const again = await stage.service.call(signIn, { body: { email: alice.email, password: alice.password } });
  expect(again.status).toBe(400);
});

test('a failed call shows its error in the form that made it', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await stage.tab({ as: alice, path: '/docs' });
  const { page } = tab;
  tab.expectError(/status of 500|Query failed|ApiError/);
  await page.route('**/api/v1/profile/**', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('link', { name: 'Settings' }).click();
  const profile = region(page, 'Profile');
  await shownIn(profile, 'Failed to load your profile');
  await expectAccessible(page);
  await page.unroute('**/api/v1/profile/**');
  await profile.getByRole('button', { name: 'Try Again' }).click();
  await region(page, 'Two-Factor Authentication').getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('button', { name: 'Try Again' }).last().click();
  await page.route('**/api/v1/profile/**', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
  );
  await profile.getByLabel('First Name').fill('Alice');
  await profile.getByRole('button', { name: 'Save Changes' }).click();
  await shownIn(profile.getByRole('alert'), 'Failed to update profile');
  const twoFactor = form(page, 'Two-Factor Authentication');
  await twoFactor.getByRole('button', { name: 'Save Two-Factor Settings' }).click();
  await shownIn(twoFactor.getByRole('alert'), 'Failed to update 2FA settings');
  const configuration = form(page, 'OTP Configuration');
  await configuration.getByRole('button', { name: 'Save Changes' }).click();
  await shownIn(configuration.getByRole('alert'), 'Failed to save changes');
  await expectAccessible(page);

  // the server's own sentence comes first
  await page.unroute('**/api/v1/profile/**');
  await page.route('**/api/v1/profile/**', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 429, json: { error: 'Too many requests. Please try again later.' } })
      : route.fallback(),
  );
  tab.expectError(/status of 429/);
  await configuration.getByRole('button', { name: 'Save Changes' }).click();
  await shownIn(configuration.getByRole('alert'), 'Too many requests. Please try again later.');
});

test('a form shows that it is loading and saving', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await stage.tab({ as: alice, path: '/docs' });
  const { page } = tab;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/v1/profile/', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Settings' }).click();
  await shownIn(region(page, 'Profile'), 'Loading...');
  release();
  const profile = form(page, 'Profile');
  await profile.getByLabel('First Name').fill('Alice');
  await page.unroute('**/api/v1/profile/');
  let save = (): void => {};
  const saving = new Promise<void>((resolve) => {
    save = resolve;
  });
  await page.route('**/api/v1/profile/', async (route) => {
    await saving;
    await route.continue();
  });
  await profile.getByRole('button', { name: 'Save Changes' }).click();
  await profile.getByRole('button', { name: 'Saving...' }).waitFor();
  save();
  await toast(page, 'Profile updated successfully');
});

test('the settings screen is accessible in light and dark and fits a phone', async () => {
  const alice = await stage.signUp('Alice');
  await stage.service.call(updateBranding, {
    bearer: alice.access,
    body: { auto_purchase_enabled: true },
  });
  await using tab = await stage.tab({ as: alice, path: '/settings' });
  const { page } = tab;
  await region(page, 'Email Preview').frameLocator('iframe').getByText('123456').waitFor();
  await form(page, 'Two-Factor Authentication').getByRole('switch').click();
  await page.evaluate(`window.transitions = 0;
    document.addEventListener('transitionrun', () => (window.transitions += 1));`);
  await expectEveryLookAccessible(page);
  // The tests' browser wants less motion, so new colours appear at once.
  expect(await page.evaluate('window.transitions')).toBe(0);
});
