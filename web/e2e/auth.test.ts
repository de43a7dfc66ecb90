import { updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { refreshTokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeFor, linkTokenFor, type Person, wrongCode } from '../../server/test/person.ts';
import { eventually, openStage, type Stage, settled, sharedTab, type Tab } from './browser.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** A browser in which nobody is signed in at first. */
const visitors = sharedTab(async () => {
  const tab = await stage.tab({ path: '/sign-in' });
  tab.expectError(/status of [45]\d\d|ApiError|Invalid email or password|no longer works|been used/);
  return tab;
});

const button = ({ page }: Tab, name: string) => page.getByRole('button', { name, exact: true });
const shows = ({ page }: Tab, text: string | RegExp) => page.getByText(text).first().waitFor();

async function signInWith(tab: Tab, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await tab.page.getByLabel('Email').fill(email);
  await tab.page.getByLabel('Password', { exact: true }).fill(password);
  await button(tab, 'Sign In').click();
}

async function signUp({ page }: Tab, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Phone number').fill('4155552671');
  await page.getByLabel('Password', { exact: true }).fill('a good long password');
  await page.getByLabel('Confirm password').fill('a good long password');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
}

/** Types into the first box, as people and autofill do. The last digit submits the code. */
async function enter(tab: Tab, code: string): Promise<void> {
  await tab.page.getByRole('textbox').first().focus();
  await tab.page.keyboard.type(code);
}

test('an invalid sign-up shows an error in each field without a call, and a valid one completes with the emailed code', async () => {
  await using tab = await stage.tab({ path: '/sign-up' });
  const { page, calls } = tab;
  const phone = page.getByLabel('Phone').first();
  const password = page.getByLabel('Password', { exact: true });
  await page.getByLabel('Email').fill('nobody');
  await phone.pressSequentially('415');
  await password.fill('short');
  await page.getByLabel(/Confirm/i).fill('other');
  await button(tab, 'Sign Up').click();
  await shows(tab, 'Please enter a valid email address');
  await shows(tab, 'Please enter a valid phone number');
  await shows(tab, 'Password must be at least 8 characters long');
  await password.fill('ada has a good password');
  await page.getByLabel(/Confirm/i).fill('another long password');
  await button(tab, 'Sign Up').click();
  await shows(tab, "Passwords don't match");
  expect(calls.filter((call) => call.includes('signup'))).toEqual([]);

  await page.getByLabel('Email').fill('ada@people.test');
  await phone.fill('');
  await phone.pressSequentially('4155552671');
  await page.getByLabel(/Confirm/i).fill('ada has a good password');
  await button(tab, 'Sign Up').click();
  await button(tab, 'Verify Code').waitFor();
  await enter(tab, await codeFor(stage.service, 'ada@people.test'));
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
});

test('two-factor sign-in reports a wrong code, allows a resend after thirty seconds, and can be canceled', async () => {
  const bob = await stage.signUp('Bob');
  const { status } = await stage.service.call(updateTwoFactor, {
    bearer: bob.access,
    body: { two_factor_enabled: true, two_factor_method: 'email', current_password: bob.password },
  });
  expect(status).toBe(200);
  await using tab = await stage.tab({ path: '/sign-in?redirect=%2Flogs' });
  tab.expectError(/status of 4\d\d|Invalid verification code/);
  await signInWith(tab, bob);
  await button(tab, 'Verify Code').waitFor();
  const code = await codeFor(stage.service, bob.email);
  await enter(tab, wrongCode(code));
  await shows(tab, 'Invalid verification code');
  await button(tab, 'Resend Code').click();
  // Counts down once the service has responded, so the next code is newer than this one.
  const resting = tab.page.getByRole('button', { name: /^Resend Code \(\d+s\)$/ });
  await expect.poll(() => resting.isDisabled()).toBe(true);
  await button(tab, 'Back to Sign In').click();
  await button(tab, 'Sign In').waitFor();
  await signInWith(tab, bob);
  await button(tab, 'Verify Code').waitFor();
  await enter(tab, await codeFor(stage.service, bob.email));
  await tab.page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
});

test('a password reset by code ends all sessions and keeps two-factor on', async () => {
  const hugo = await stage.signUp('Hugo');
  const twoFactor = { two_factor_enabled: true, two_factor_method: 'email' } as const;
  const switched = await stage.service.call(updateTwoFactor, {
    bearer: hugo.access,
    body: { ...twoFactor, current_password: hugo.password },
  });
  expect(switched.status).toBe(200);
  const messages = () => stage.service.inbox(hugo.email);
  const before = (await messages()).length;
  const tab = visitors();
  const { page } = tab;
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  // The sign-in page has a field of the same name.
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  await page.getByLabel('Email').fill(hugo.email);
  await button(tab, 'Send Email').click();
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await eventually(async () => expect((await messages()).length).toBeGreaterThan(before));
  await enter(tab, await codeFor(stage.service, hugo.email));
  await page.getByLabel('New password').fill('hugo chose another one');
  await page.getByLabel('Confirm password').fill('hugo chose another one');
  await button(tab, 'Change Password').click();
  await button(tab, 'Sign In').waitFor();
  const old = await stage.service.call(refreshTokens, { body: { refresh: hugo.refresh } });
  expect(old.status).toBe(401);

  await signInWith(tab, { email: hugo.email, password: 'hugo chose another one' });
  await button(tab, 'Verify Code').waitFor();
  await enter(tab, 'abcdef');
  await button(tab, 'Verify Code').click();
  await shows(tab, 'Verification code must contain only numbers');
  await button(tab, 'Back to Sign In').click();
  await button(tab, 'Sign In').waitFor();
});

test('the link in a reset mail changes the password once', async () => {
  const lena = await stage.signUp('Lena');
  const { email } = lena;
  await stage.service.call(forgotPassword, { body: { email } });
  const path = `/reset-password#${await linkTokenFor(stage.service, email)}`;
  const tab = visitors();
  const { page } = tab;
  await page.goto(path);
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  const password = 'lena chose another one';
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Confirm password').fill(password);
  await button(tab, 'Change Password').click();
  await shows(tab, 'Your password has been changed. Sign in with the new one.');
  await signInWith(tab, { email, password });
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();

  await using again = await stage.tab({ path });
  again.expectError(/status of 400|no longer works|been used/);
  await again.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await again.page.getByRole('link', { name: 'Send a New Email' }).click();
  await again.page.getByRole('heading', { name: 'Reset your password' }).waitFor();
});

test("a wrong password shows the API's error message, and a failure without a reason shows a general one", async () => {
  const ines = await stage.signUp('Ines');
  const twoFactor = { two_factor_enabled: true, two_factor_method: 'email' } as const;
  await stage.service.call(updateTwoFactor, {
    bearer: ines.access,
    body: { ...twoFactor, current_password: ines.password },
  });
  const tab = visitors();
  await tab.page.goto('/healthz');
  await tab.page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await tab.page.goto('/sign-in');
  await signInWith(tab, { email: ines.email, password: 'not her password' });
  await shows(tab, 'Invalid email or password');
  const fails = (path: string) =>
    tab.page.route(`**/api/v1/auth/${path}`, (route) => route.fulfill({ status: 500, body: '' }));
  await fails('signin');
  await signInWith(tab, ines);
  await shows(tab, 'An unexpected error occurred');
  await tab.page.unrouteAll();
  await button(tab, 'Sign In').click();
  await button(tab, 'Verify Code').waitFor();
  await fails('resend-2fa');
  await button(tab, 'Resend Code').click();
  await shows(tab, 'Failed to resend code');
});

test('a visitor returns to the requested page after sign-in', async () => {
  const dora = await stage.signUp('Dora');
  await using tab = await stage.tab({ path: '/api-keys' });
  await button(tab, 'Sign In').waitFor();
  expect(new URL(tab.page.url()).searchParams.get('redirect')).toBe('/api-keys');
  await signInWith(tab, dora);
  await tab.page.getByRole('heading', { name: 'API Keys', level: 1 }).waitFor();
});

test('several calls refresh an expired access token once, and an ended session leads to sign-in', async () => {
  const fred = await stage.signUp('Fred');
  await using tab = await stage.tab({ as: { access: 'expired', refresh: fred.refresh }, path: '/logs' });
  // Includes calls that are refused after the session has ended.
  tab.expectError(/401|Your session has ended/);
  const { calls } = tab;
  await tab.page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await tab.page.getByText(fred.email).first().waitFor();
  await settled(tab.page);
  expect(calls.filter((call) => call.includes('/auth/refresh'))).toHaveLength(1);
  // more than one call was refused and repeated
  const repeated = new Set(calls.filter((call, n) => calls.indexOf(call) !== n));
  expect(repeated.size).toBeGreaterThan(1);

  // Not on the dashboard: a read with these tokens would leave for the sign-in during the reload.
  await tab.page.goto('/healthz');
  await tab.page.evaluate(
    'localStorage.setItem("access_token", "x"); localStorage.setItem("refresh_token", "y")',
  );
  await tab.page.goto('/logs');
  await button(tab, 'Sign In').waitFor();
  expect(new URL(tab.page.url()).searchParams.get('redirect')).toBe('/logs');
  await tab.page.getByText('Your session has ended. Please sign in again.').waitFor();
  await signInWith(tab, fred);
  await tab.page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
  // Signed in, the sign-in page redirects.
  await tab.page.goto('/sign-in');
  await tab.page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
});

test('the code step survives a reload, shows where the code was sent, and submits with the last digit', async () => {
  await using tab = await stage.tab({ path: '/sign-up' });
  const { page } = tab;
  await signUp(tab, 'cora@people.test');
  await page.getByText('We sent a 6-digit code to your email address (c•••@people.test).').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await page.getByRole('button', { name: 'Back to Sign Up' }).waitFor();
  await page.getByRole('textbox').focus();
  await page.keyboard.type(await codeFor(stage.service, 'cora@people.test'));
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate('sessionStorage.getItem("code_step")')).toBeNull();
});

test('a code field accepts codes pasted by phones and full-width digits from input methods', async () => {
  await using tab = await stage.tab({ path: '/sign-up' });
  const { page } = tab;
  await signUp(tab, 'elif@people.test');
  const code = await codeFor(stage.service, 'elif@people.test');
  const field = page.getByRole('textbox');
  const shown = () => field.locator('..').locator('[aria-hidden] span').allInnerTexts();
  const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

  // An input method composes full-width digits, one after the other, and then commits them.
  await field.focus();
  const input = await page.context().newCDPSession(page);
  for (let length = 1; length < 6; length += 1)
    await input.send('Input.imeSetComposition', {
      text: wide(code.slice(0, length)),
      selectionStart: length,
      selectionEnd: length,
    });
  await eventually(async () => expect(await shown()).toEqual([...code.slice(0, 5), '']));
  await input.send('Input.insertText', { text: wide(code.slice(0, 5)) });
  await expect.poll(() => field.inputValue()).toBe(code.slice(0, 5));

  await field.fill('');
  const pasted = `\u202a${[...code].join('\u200b')}\ufe0f\u20e3\u202c`;
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
  await page.keyboard.press('Control+v');
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
});
