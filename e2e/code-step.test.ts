import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeFor } from '../server/test/person.ts';
import { eventually, openStage, type Stage, sharedTab, type Tab } from './browser.ts';

/** The step of a sign-up or sign-in that requires a code. */
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

async function signUp({ page }: Tab, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Phone Number').fill('4155552671');
  await page.getByLabel('Password', { exact: true }).fill('a good long password');
  await page.getByLabel('Confirm Password').fill('a good long password');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
}

const tab = sharedTab(() => stage.tab({ path: '/sign-up' }));

test('a password confirmation that is too short has a separate error message', async () => {
  const { page } = tab();
  await page.getByLabel('Password', { exact: true }).fill('a good long password');
  await page.getByLabel('Confirm Password').fill('short');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await page.getByText('Password must be at least 8 characters long').waitFor();
  await expect.poll(() => page.getByText("Passwords don't match").count()).toBe(0);
});

test('the link to the sandbox inbox opens a new tab', async () => {
  const { page } = tab();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the message inbox' }).click();
  expect(new URL((await opened).url()).pathname).toBe('/sandbox');
  expect(new URL(page.url()).pathname).toBe('/sign-up');
  await (await opened).close();
});

test('going back discards the code step, even after a reload', async () => {
  const { page } = tab();
  await signUp(tab(), 'bea@people.test');
  await page.getByRole('button', { name: 'Back to Sign Up' }).click();
  await page.getByLabel('Email').waitFor();
  await page.reload();
  await page.getByLabel('Email').waitFor();
});

test('the code step survives a reload, shows where the code was sent, and submits with the last digit', async () => {
  const { page } = tab();
  await signUp(tab(), 'cora@people.test');
  await page.getByText('We sent a 6-digit code to your email address (c•••@people.test).').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  await page.getByRole('textbox').focus();
  await page.keyboard.type(await codeFor(stage.service, 'cora@people.test'));
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate('sessionStorage.getItem("code_step")')).toBeNull();
});

test('after a session has ended, the sign-in page explains it and leads back', async () => {
  const dora = await stage.signUp('Dora');
  await using tab = await stage.tab({ as: { access: 'x', refresh: 'y' }, path: '/logs' });
  tab.expectError(/401|Your session has ended|Query failed/);
  const { page } = tab;
  await page.getByText('Your session has ended. Please sign in again.').waitFor();
  await page.getByLabel('Email').fill(dora.email);
  await page.getByLabel('Password', { exact: true }).fill(dora.password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await eventually(() => expect(new URL(page.url()).pathname).toBe('/logs'));
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
