import { cancelOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, failUntilTriedAgain, follow, openStage, type Stage, sharedTab } from './browser.ts';
import { sendCode } from './codes.ts';
import { choose, chosen, expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let alice: Person;
let production: { id: string; key: string };

const TABLE = 'Verifications';

/** Alice's twelve codes, one of them expired. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  production = await stage.apiKey(alice, 'Production');
  const { key: staging } = await stage.apiKey(alice, 'Staging');
  for (let n = 10; n < 19; n += 1) await sendCode(stage, production.key, `+14155550${n}1`);
  await sendCode(stage, staging, 'verified@customers.test', 'email');
  await sendCode(stage, staging, 'other@customers.test', 'email');
  const expired = await sendCode(stage, staging, '+14155550991', 'voice');
  await stage.service.call(cancelOtp, { apiKey: staging, params: { otp_id: expired } });
  await stage.service.drain();
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/credits' }));

/** The list without filters. */
async function list() {
  const { page, calls } = tab();
  await follow(page, '/');
  await expectAddress(page, '/');
  await showing(page, '1-10 of 12 OTP(s)');
  return { page, calls };
}

test('the list filters by a range of days, key, channel, country and carrier, all stored in the URL', async () => {
  const { page } = await list();
  const before = Date.now();
  await choose(page, 'Time period', 'Custom range');
  const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  // Midnight may pass meanwhile.
  const today = await eventually(() => {
    const to = new URL(page.url()).searchParams.get('to');
    expect([dayAt(before), dayAt(Date.now())]).toContain(to);
    return Date.parse(to ?? '');
  });
  const dayOf = (daysAgo: number): string => dayAt(today - daysAgo * 86_400_000);
  await expectAddress(page, `/?days=custom&from=${dayOf(6)}&to=${dayOf(0)}`);
  await showing(page, '1-10 of 12 OTP(s) (filtered)');
  await page.getByLabel('To', { exact: true }).fill(dayOf(7));
  await expectAddress(page, `/?days=custom&from=${dayOf(7)}&to=${dayOf(7)}`);
  await page.getByText('No results.', { exact: true }).waitFor();
  await page.getByText('No verifications match the current filters.').waitFor();
  await page.getByLabel('From', { exact: true }).fill(dayOf(4));
  await page.getByLabel('To', { exact: true }).fill('');

  await page.getByRole('button', { name: 'More filters' }).click();
  await choose(page, 'Channel', 'Email');
  await showing(page, '1-2 of 2 OTP(s) (filtered)');
  await choose(page, 'Carrier', 'Sandbox');
  await choose(page, 'Channel', 'SMS');
  await choose(page, 'Country', 'United States');
  await page.keyboard.press('Escape');
  await choose(page, 'API key', 'Production');
  await showing(page, '1-9 of 9 OTP(s) (filtered)');
  await eventually(() =>
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ days: 'custom', from: dayOf(4) },
      ...{ channel: 'sms', carrier: 'sandbox', country: 'US', api_key: production.id },
    }),
  );
  await page.reload();
  await showing(page, '1-9 of 9 OTP(s) (filtered)');
  await expect.poll(() => chosen(page, 'API key')).toBe('Production');
  await page.getByRole('button', { name: 'More filters' }).click();
  await expect.poll(() => chosen(page, 'Country')).toBe('United States');
  await page.keyboard.press('Escape');
});

test('the details show that they are loading, and an error if they cannot be loaded', async () => {
  const { page } = await list();
  tab().expectError(/status of 500|Query failed/);
  await choose(page, 'Status', 'Expired');
  await showing(page, '1-1 of 1 OTP(s) (filtered)');
  await failUntilTriedAgain(page, '**/api/v1/verifications/*-*/');
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/v1/verifications/*-*/', async (route) => {
    await answered;
    await route.fallback();
  });
  await rows(page, TABLE).first().click();
  const details = page.getByRole('dialog', { name: 'Verification Details' });
  await details.getByText('Loading audit trail...').waitFor();
  answer();
  await details.getByText('Error loading audit trail', { exact: true }).waitFor();
  await details.getByText('Failed to load audit trail', { exact: true }).waitFor();
  await details.getByRole('button', { name: 'Try Again' }).click();
  await details.getByText('OTP ID').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'hidden' });
});

test('j, k and the buttons step through the verifications, a link opens one, and the focus returns to the last row', async () => {
  const { page } = await list();
  const details = page.getByRole('dialog', { name: 'Verification Details' });
  const shownId = () => new URL(page.url()).searchParams.get('otp');
  const rowOf = (id: string | null) => page.locator(`tr[data-row="${id}"]`);
  const next = details.getByRole('button', { name: 'Next Verification' });
  await rows(page, TABLE).first().press('Enter');
  await details.getByText('OTP ID').waitFor();
  await expect
    .poll(() => details.getByRole('button', { name: 'Previous Verification' }).isDisabled())
    .toBe(true);
  const first = shownId();
  await page.keyboard.press('j');
  await eventually(() => expect(shownId()).not.toBe(first));
  await next.and(page.locator(':focus')).waitFor();
  const second = shownId();
  await details.locator(`[title="${second}"]`).waitFor();
  await page.keyboard.press('k');
  await eventually(() => expect(shownId()).toBe(first));
  await next.click();
  await eventually(() => expect(shownId()).toBe(second));
  await page.reload();
  await details.locator(`[title="${second}"]`).waitFor();
  await page.goBack();
  await details.waitFor({ state: 'hidden' });

  // The last one of a page is followed by the first one of the next page. A click anywhere in a row opens it.
  await rows(page, TABLE).nth(9).click();
  await details.getByText('OTP ID').waitFor();
  await page.keyboard.press('j');
  await page.getByText('Page 2 of').waitFor();
  const last = shownId();
  await details.locator(`[title="${last}"]`).waitFor();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'hidden' });
  await rowOf(last).and(page.locator(':focus')).waitFor();
});
