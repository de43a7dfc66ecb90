import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStage, type Stage, sharedTab } from './browser.ts';

const caretOf = (field: Locator): Promise<number | null> =>
  field.evaluate((input) => (input as HTMLInputElement).selectionStart);
const select = (field: Locator, start: number, end: number): Promise<void> =>
  field.evaluate(
    (input, [from, to]) => (input as HTMLInputElement).setSelectionRange(from ?? 0, to ?? 0),
    [start, end],
  );

describe('where only US and Canadian numbers are allowed', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());
  const tab = sharedTab(() => stage.tab({ path: '/sign-up' }));
  const phoneOf = (page: Page): Locator => page.getByLabel('Phone Number');

  test('a phone field accepts a leading 1 and keeps the caret at the edit', async () => {
    const phone = phoneOf(tab().page);
    await phone.pressSequentially('14155552671');
    await expect.poll(() => phone.inputValue()).toBe('(415) 555-2671');
    await select(phone, 1, 2);
    await phone.press('9');
    await expect.poll(() => phone.inputValue()).toBe('(915) 555-2671');
    await expect.poll(() => caretOf(phone)).toBe(2);
    await phone.press('Backspace');
    await phone.press('4');
    await expect.poll(() => phone.inputValue()).toBe('(415) 555-2671');
    await expect.poll(() => caretOf(phone)).toBe(2);
  });

  test('text that cannot be a phone number shows a warning during typing', async () => {
    const { page } = tab();
    await phoneOf(page).fill('');
    await phoneOf(page).pressSequentially('015');
    await page.getByText('No US or Canadian area code begins with 0.').waitFor();
    await phoneOf(page).fill('(415) 555-2671');
    await page.getByText('No US or Canadian area code begins with 0.').waitFor({ state: 'hidden' });
  });

  test('a pasted number of another country is refused with a warning', async () => {
    const { page } = tab();
    await phoneOf(page).fill('');
    await page.evaluate(`navigator.clipboard.writeText('+44 20 7946 0958')`);
    await phoneOf(page).focus();
    await page.keyboard.press('Control+v');
    await page.getByText('Only US and Canadian numbers can be used here.').waitFor();
    await expect.poll(() => phoneOf(page).inputValue()).toBe('');
    for (const text of [
      '+1 (415) 555-2671',
      '(+1) 415 555 2671',
      'tel:+1-415-555-2671',
      '４１５５５５２６７１',
    ]) {
      await phoneOf(page).fill('');
      await page.evaluate(`navigator.clipboard.writeText('${text}')`);
      await page.keyboard.press('Control+v');
      await expect.poll(() => phoneOf(page).inputValue()).toBe('(415) 555-2671');
    }
  });
});

/**
 * In the page: focuses the field and types before the timers run that the list's opening starts. Then presses Enter; returns
 * whether the form would be submitted.
 */
const typeAtOnce = (field: Locator, text: string): Promise<boolean> =>
  field.evaluate(async (input, typed) => {
    const rendered = async () => {
      for (let n = 0; n < 100; n++) await undefined;
    };
    input.focus();
    await rendered();
    document.execCommand('insertText', false, typed);
    await rendered();
    await new Promise((done) => setTimeout(done, 0));
    const enter = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true };
    return input.dispatchEvent(new KeyboardEvent('keydown', enter));
  }, text);

describe('where numbers of three countries are allowed', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ env: { ALLOWED_COUNTRIES: 'US,GB,DE' } });
  });
  afterAll(() => stage?.close());

  const tab = sharedTab(() => stage.tab({ path: '/sign-up' }));

  test('Enter chooses the highlighted country, however fast the user types', async () => {
    const { page } = tab();
    const country = page.getByRole('combobox', { name: 'Country' });
    await country.waitFor();
    expect(await typeAtOnce(country, '+44')).toBe(false);
    await expect.poll(() => country.inputValue()).toBe('+44 United Kingdom');
  });

  test('a user picks one of several countries, and the number is sent with its code', async () => {
    const { page } = tab();
    await page.reload();
    const country = page.getByRole('combobox', { name: 'Country' });
    const options = page.getByRole('option');
    const pick = async (search: string, name: string) => {
      await country.click();
      await country.pressSequentially(search);
      await expect.poll(() => options.allTextContents()).toEqual([name]);
      await country.press('Enter');
    };
    await country.click();
    await expect
      .poll(() => options.allTextContents())
      .toEqual(['Germany+49', 'United Kingdom+44', 'United States+1']);
    await country.press('Escape');
    await expect.poll(() => country.inputValue()).toBe('+1 United States');
    const phone = page.getByLabel('Phone Number');
    await page.getByPlaceholder('(555) 123-4567').waitFor();
    await phone.pressSequentially('4155552671');
    await expect.poll(() => phone.inputValue()).toBe('(415) 555-2671');
    await phone.fill('+442079460958');
    await expect.poll(() => country.inputValue()).toBe('+44 United Kingdom');
    await pick('states', 'United States+1');
    await page.getByLabel('Email').fill('greta@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.getByLabel('Confirm Password').fill('correct horse battery');
    await country.click();
    await country.pressSequentially('atlantis');
    await page.getByText('No country matches.').waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => country.inputValue()).toBe('+1 United States');
    await pick('+44', 'United Kingdom+44');
    await page.getByPlaceholder('7400 123456').waitFor();
    await phone.fill('7400123456');
    await phone.blur();
    await expect.poll(() => phone.inputValue()).toBe('7400 123456');
    const sent = page.waitForRequest('**/auth/signup');
    await page.getByRole('button', { name: 'Sign Up' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ phone_number: '+447400123456' });
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
  });
});
