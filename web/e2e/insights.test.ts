import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';

let stage: Stage;
let alice: Person;

const BAR_MS = 5 * 60_000;

beforeAll(async () => {
  stage = await openStage({ own: true });
  // A bar of five minutes begins now and does not end during the test.
  await stage.service.clock.advance(BAR_MS - (stage.service.app.clock.now().getTime() % BAR_MS));
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/insights' }));

const PATH = '/insights?range=1h';

test('insights show an account without sends the next step', async () => {
  const { page } = tab();
  await page.getByRole('heading', { name: 'No sends in this period' }).waitFor();
  await expect.poll(() => page.getByText('Median time to verify').count()).toBe(0);
  await page.getByLabel('Channel').selectOption('Email');
  await page.getByRole('heading', { name: 'No matching sends' }).waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await page.getByRole('heading', { name: 'No sends in this period' }).waitFor();
  await page.getByRole('link', { name: 'Send a Test Code' }).waitFor();
});

test('insights show sends as figures, as bars that work with the keyboard, and as a table', async () => {
  const { key } = await stage.apiKey(alice, 'Production');
  for (const recipient of ['+14155550101', '+14155550102', 'reader@customers.test'])
    await stage.service.call(sendOtp, {
      apiKey: key,
      body: { channel: recipient.includes('@') ? 'email' : 'sms', recipient },
    });
  await stage.service.drain();
  const { page } = tab();
  await page.goto(PATH);
  await page.getByRole('heading', { name: 'Sends over time' }).waitFor();
  const sent = page.locator('dl > div', { has: page.getByText('Sends', { exact: true }) });
  await expect.poll(() => sent.locator('strong').textContent()).toBe('3');
  await page.getByText('No send was refused.').waitFor();
  const countries = page.getByRole('region', { name: 'By country' });
  await expect
    .poll(() => countries.getByRole('link').allInnerTexts())
    .toEqual([expect.stringContaining('United States'), expect.stringContaining('No country (email)')]);

  const chart = page.getByRole('region', { name: 'Sends over time' });
  const bars = chart.getByRole('slider');
  await expect.poll(() => bars.getAttribute('aria-valuenow')).toBe('11');
  await bars.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => bars.getAttribute('aria-valuenow')).toBe('10');
  await page.keyboard.press('End');
  await expect
    .poll(() => bars.getAttribute('aria-valuetext'))
    .toContain('Verified 0, Expired 0, Failed 0, Open 3');

  await chart.getByRole('button', { name: 'Show table' }).click();
  await expect.poll(() => chart.getByRole('row').count()).toBe(13);
  await chart.getByRole('button', { name: 'Show chart' }).click();

  await page.getByLabel('Channel', { exact: true }).selectOption('Email');
  await page.waitForURL('**/insights?range=1h&channel=email');
  await expect.poll(() => sent.locator('strong').textContent()).toBe('1');

  await bars.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByText('Showing 1-1 of 1 OTP(s) (filtered)').waitFor();
});
