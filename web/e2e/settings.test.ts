import { getProfile, getTwoFactor, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anotherSession, type Person } from '../../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab } from './browser.ts';
import { expectAddress } from './lists.ts';
import { dismiss, form, region, shownIn } from './parts.ts';

/** Alice has a foreign phone number. The tests go from her profile to the deletion of her account. */
let stage: Stage;
let alice: Person;
const PASSWORD = 'a new and long one';

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const bearer = alice.access;
  const abroad = { phone_number: '+442079460958', current_password: alice.password };
  expect((await stage.service.call(updateProfile, { bearer, body: abroad })).status).toBe(200);
  await stage.service.call(updateBranding, { bearer, body: { auto_purchase_enabled: true } });
  for (let n = 0; n < 5; n += 1) await anotherSession(stage.service, alice);
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings' }));

const codeTo = (recipient: string): Promise<string> =>
  eventually(async () => {
    const [message] = await stage.service.inbox(recipient);
    expect(message?.code).toBeTruthy();
    return message?.code ?? '';
  });

const profileOf = async ({ access }: Person) =>
  (await stage.service.call(getProfile, { bearer: access })).body;

test('a phone number of another country is shown unchanged, saved unchanged, and can be replaced', async () => {
  const { page } = tab();
  const profile = form(page, 'Profile');
  const phone = profile.getByLabel('Phone number');
  await expect.poll(() => phone.inputValue()).toBe('20 7946 0958');
  const country = profile.getByRole('combobox', { name: 'Country' });
  await expect.poll(() => country.inputValue()).toBe('+44 United Kingdom');
  await profile.getByLabel('First name').fill('Alicia');
  await profile.getByRole('button', { name: 'Save Changes' }).click();
  await dismiss(page, 'Profile updated successfully');
  expect(await profileOf(alice)).toMatchObject({ first_name: 'Alicia', phone_number: '+442079460958' });

  await country.click();
  await country.pressSequentially('united states');
  await page.getByRole('option', { name: 'United States +1', exact: true }).click();
  await phone.fill('(415) 555-8888');
  await profile.getByLabel('Current password').fill(alice.password);
  await profile.getByRole('button', { name: 'Save Changes' }).click();
  await profile.getByText('+1', { exact: true }).waitFor();
  await dismiss(page, 'Profile updated successfully');
  await expect.poll(() => phone.inputValue()).toBe('(415) 555-8888');
  expect((await profileOf(alice)).phone_number).toBe('+14155558888');
});

test('a valid profile is saved, and an invalid one shows an error in each field', async () => {
  const { page } = tab();
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
  await expect.poll(() => profile.getByLabel('Email').getAttribute('readonly')).not.toBeNull();
  await expect.poll(() => profile.getByLabel('Phone number').getAttribute('maxlength')).toBe('14');

  const save = profile.getByRole('button', { name: 'Save Changes' });
  await profile.getByLabel('First name').fill('   ');
  await profile.getByLabel('Last name').fill('   ');
  await profile.getByLabel('Phone number').fill('555 12');
  await save.click();
  await shownIn(profile, 'First name cannot be empty');
  await shownIn(profile, 'Last name cannot be empty');
  await shownIn(profile, 'Please enter a valid phone number');

  await profile.getByLabel('First name').fill('Alice');
  await profile.getByLabel('Last name').fill('Liddell');
  await profile.getByLabel('Phone number').fill('4155557777');
  await expect.poll(() => profile.getByLabel('Phone number').inputValue()).toBe('(415) 555-7777');
  await save.click();
  await shownIn(profile, 'This field is required.');
  tab().expectError(/status of 400|ApiError/);
  await profile.getByLabel('Current password').fill('not this one');
  await save.click();
  await shownIn(profile, 'The password is not correct.');
  await profile.getByLabel('Current password').fill(alice.password);
  await save.click();
  await dismiss(page, 'Profile updated successfully');
  // No unsaved change requires the password any more, so the field disappears.
  await profile.getByLabel('Current password').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /Alice Liddell/ }).waitFor();
  expect(await profileOf(alice)).toMatchObject({
    first_name: 'Alice',
    last_name: 'Liddell',
    phone_number: '+14155557777',
  });
});

test('a long list of sessions shows its first rows, marks the current one and ends another', async () => {
  const { page } = tab();
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Show All 6', exact: true }).click();
  await expect.poll(() => sessions.count()).toBe(6);
  const here = sessions.filter({ hasText: 'This session' });
  await here.waitFor();
  await expect.poll(() => here.getByRole('button').count()).toBe(0);
  await sessions
    .getByRole('button', { name: /^End session: / })
    .first()
    .click();
  await dismiss(page, 'Session ended');
  await expect.poll(() => sessions.count()).toBe(5);
});

test('a new password is refused at its field or changed', async () => {
  const { page } = tab();
  await region(page, 'Password and sessions').getByRole('button', { name: 'Change Password' }).click();
  const change = form(page, 'Change password');
  const submit = change.getByRole('button', { name: 'Change Password' });
  const fill = async (current: string, password: string, again: string): Promise<void> => {
    await change.getByLabel('Current password').fill(current);
    await change.getByLabel('New password').fill(password);
    await change.getByLabel('Confirm password').fill(again);
    await submit.click();
  };
  await fill('', 'short', 'short');
  await shownIn(change, 'This field is required.');
  await change.getByText('Password must be at least 8 characters long').first().waitFor();
  await fill(alice.password, PASSWORD, 'another long one');
  await shownIn(change, "Passwords don't match");
  await fill(alice.password, PASSWORD, PASSWORD);
  await dismiss(page, 'Password changed successfully');
  await expect.poll(() => change.getByLabel('New password').inputValue()).toBe('');

  alice.password = PASSWORD;
});

test('enabling two-factor by SMS requires a code sent to the number', async () => {
  const { page } = tab();
  const twoFactor = form(page, 'Two-factor authentication');
  await expect.poll(() => twoFactor.getByLabel('Current password').count()).toBe(0);
  await twoFactor.getByRole('switch', { name: 'Enable two-factor authentication' }).click();
  await twoFactor.getByRole('radiogroup', { name: 'Method' }).getByText('SMS').click();
  const phone = twoFactor.getByLabel('Phone number');
  const save = twoFactor.getByRole('button', { name: 'Save Two-Factor Settings' });
  await expect.poll(() => phone.inputValue()).toBe('(415) 555-7777');
  await phone.fill('');
  await save.click();
  await shownIn(twoFactor, 'Phone number is required for SMS 2FA');
  await phone.fill('555');
  await save.click();
  await shownIn(twoFactor, 'Please enter a valid phone number');
  await phone.fill('(415) 555-8642');
  await twoFactor.getByLabel('Current password').fill(alice.password);
  await save.click();

  const prove = form(page, 'Verify the phone number');
  await shownIn(prove, /We sent a 6-digit code by SMS to \(415\) 555-8642/);
  const code = await codeTo('+14155558642');
  await prove.getByLabel('Verification code').fill('12');
  await prove.getByRole('button', { name: 'Verify Code' }).click();
  await shownIn(prove, 'Verification code must be 6 digits');
  // Nothing has changed yet.
  const kept = () => stage.service.call(getTwoFactor, { bearer: alice.access });
  expect((await kept()).body.two_factor_enabled).toBe(false);
  await prove.getByLabel('Verification code').fill(code);
  await dismiss(page, 'Two-factor authentication settings updated successfully');
  expect((await kept()).body).toEqual({
    two_factor_enabled: true,
    two_factor_method: 'sms',
    phone_number: '+14155558642',
  });
  await expect.poll(() => twoFactor.getByRole('switch').isChecked()).toBe(true);
});

test('deleting the account requires the password and a typed word', async () => {
  const { page, calls } = tab();
  tab().expectError(/status of 401/);
  await follow(page, '/settings');
  await region(page, 'Delete account').getByRole('button', { name: 'Delete Account' }).click();
  const ask = page.getByRole('dialog', { name: 'Delete Account' });
  await shownIn(ask, /API keys stop working immediately/);
  await shownIn(ask, `This deletes ${alice.email}. This cannot be undone.`);
  await shownIn(ask, /^You lose \d+ credits, and your saved cards are removed\.$/);
  const confirm = ask.getByRole('button', { name: 'Delete Account' });
  await confirm.click();
  await shownIn(ask, 'This field is required.');
  await ask.getByLabel('Password', { exact: true }).fill('not this one');
  await ask.getByRole('textbox', { name: 'Type DELETE to confirm' }).fill('DELETE');
  await confirm.click();
  await shownIn(ask, 'The password is not correct.');
  await ask.getByLabel('Password', { exact: true }).fill(alice.password);
  // A read that begins meanwhile could be refused, which would open the sign-in page too early.
  let before = 0;
  await page.route('**/api/v1/users/me', async (route) => {
    before = calls.length;
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await route.continue();
  });
  await confirm.click();
  await page.getByText('Your account has been deleted', { exact: true }).waitFor();
  expect(calls.slice(before)).toEqual([]);
  await expectAddress(page, '/sign-in');
  await expect.poll(() => page.evaluate('localStorage.getItem("access_token")')).toBeNull();
});
