import { cancelOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
  failUntilTriedAgain,
  follow,
  look,
  openStage,
  type Stage,
  sharedTab,
} from './browser.ts';
import { sendCode, verifyCode } from './codes.ts';
import { choose, chosen, expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let alice: Person;
let production: { id: string; key: string };

const TABLE = 'Verifications';
const LONG_ADDRESS = 'a.very.long.address.that.failed@customers.test';

/** Alice's twelve codes: one verified, one failed, one expired, the others sent. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  production = await stage.apiKey(alice, 'Production');
  const { key: staging } = await stage.apiKey(alice, 'Staging');
  for (let n = 10; n < 19; n += 1) await sendCode(stage, production.key, `+14155550${n}1`);
  const verified = await sendCode(stage, staging, 'verified@customers.test', 'email');
  const failed = await sendCode(stage, staging, LONG_ADDRESS, 'email');
  const expired = await sendCode(stage, staging, '+14155550991', 'voice');
  await verifyCode(stage, staging, verified, 'verified@customers.test');
  for (let n = 0; n < 5; n += 1) await verifyCode(stage, staging, failed, LONG_ADDRESS, true);
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

test('a row shows a shortened recipient with its key, and its time, method, status and credits', async () => {
  const { page } = await list();
  const shown = rows(page, TABLE);
  await expect.poll(() => shown.count()).toBe(10);
  // 25 characters and an ellipsis, the key beneath
  for (const text of ['a.very.long.address.that.…', 'Staging', 'Failed', '-1', 'Email'])
    await shown.nth(1).getByText(text, { exact: true }).waitFor();
  await expect
    .poll(() => shown.nth(0).textContent())
    .toMatch(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{2}:\d{2} [AP]M/);
  await expect.poll(() => page.title()).toBe('Verifications · Sixdigit');
});

test('the list of verifications filters by status, key and time, and marks the count as filtered', async () => {
  const { page, calls } = await list();
  for (const [label, count] of [
    ['Verified', 1],
    ['Failed', 1],
    ['Expired', 1],
  ] as const) {
    await choose(page, 'Status', label);
    await showing(page, `1-${count} of ${count} OTP(s) (filtered)`);
    await expectAddress(page, `/?status=${label.toLowerCase()}`);
  }
  await page.goBack();
  await expect.poll(() => chosen(page, 'Status')).toBe('Failed');
  await choose(page, 'Status', 'All Status');

  await expect.poll(() => chosen(page, 'Time period')).toBe('Last 15 days');
  await choose(page, 'Time period', 'Last 7 days');
  await expectAddress(page, '/?days=7');
  await eventually(() => expect(calls.join()).toContain('created_after=7'));
  calls.length = 0;
  await choose(page, 'Time period', 'All time');
  await showing(page, '1-10 of 12 OTP(s) (filtered)');
  await eventually(() => expect(calls.join()).toContain('GET /verifications/?page=1&'));
  expect(calls.join()).not.toContain('created_after');
});

test('the list is searched by recipients and keys while the user types, until the filters are cleared', async () => {
  const { page } = await list();
  const search = page.getByPlaceholder('Search recipient or API key...');
  await search.fill('LONG.ADDRESS');
  await showing(page, '1-1 of 1 OTP(s) (filtered)');
  await expectAddress(page, '/?search=LONG.ADDRESS');
  await search.fill('nobody at all');
  await page.getByText('No verifications match the current filters.').waitFor();
  const inLogs = page.getByRole('link', { name: 'Search in Logs' });
  await expect.poll(() => inLogs.getAttribute('href')).toBe('/logs?search=nobody+at+all&days=all');
  await page.getByRole('button', { name: 'Clear Filters' }).press('Enter');
  await showing(page, '1-10 of 12 OTP(s)');
  // The button is gone, and the keyboard goes on in the list.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Created');
  await expect.poll(() => search.inputValue()).toBe('');
});

test('test mode is not a filter: without test codes it offers a test key, and clearing the filters keeps it', async () => {
  const { page } = await list();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
  const create = page.getByRole('link', { name: 'Create a Test Key' });
  await expect.poll(() => create.getAttribute('href')).toBe('/api-keys?dialog=create');
  // A list without rows needs no filters, but may have older rows.
  await page.getByRole('button', { name: 'Show All Time' }).click();
  await page.getByText('No test verifications match the current filters.').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await expectAddress(page, '/?mode=test');
  await expect.poll(() => page.getByRole('searchbox').count()).toBe(0);
});

test('the figures above the list follow its search, status and carrier, and link to Insights only without these', async () => {
  const { page } = await list();
  const figures = page.getByRole('region', { name: 'Overview' });
  const says = (text: RegExp) => expect.poll(() => figures.innerText()).toMatch(text);
  await figures.getByRole('link', { name: /^Sends 12/ }).waitFor();
  await choose(page, 'Status', 'Failed');
  await figures.getByText('Last 15 days · Failed', { exact: true }).waitFor();
  // All or none of the sends with one status are verified.
  await says(/Sends\s+1\s+Conversion\s+–/);
  // No figure has a change, so the period is not compared.
  await expect.poll(() => figures.innerText()).not.toContain('compared');
  await expect.poll(() => figures.getByRole('link').count()).toBe(0);
  const search = page.getByPlaceholder('Search recipient or API key...');
  await search.fill('verified@');
  await says(/Sends\s+0\s/);
  await choose(page, 'Status', 'All Status');
  await figures.getByText('Last 15 days · “verified@”').waitFor();
  await says(/Sends\s+1\s+Conversion\s+100%/);

  await page.route('**/api/v1/verifications/figures/**', async (route) => {
    const answer = await route.fetch();
    const counted_from = '2026-11-20T08:30:00Z';
    await route.fulfill({ response: answer, json: { ...(await answer.json()), before: null, counted_from } });
  });
  await choose(page, 'Status', 'Verified');
  const note = figures.getByText(/^Only sends since .+ are counted\.$/);
  await note.waitFor();
  await look(page, 'light', 390);
  await note.waitFor();
  await look(page, 'light', 1280);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the list filters by a range of days, key, channel, country and carrier, all stored in the URL', async () => {
  const dayOf = (daysAgo: number): string =>
    new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const { page } = await list();
  await choose(page, 'Time period', 'Custom range');
  await expectAddress(page, `/?days=custom&from=${dayOf(6)}&to=${dayOf(0)}`);
  await showing(page, '1-10 of 12 OTP(s) (filtered)');
  await page.getByLabel('To', { exact: true }).fill(dayOf(7));
  await expectAddress(page, `/?days=custom&from=${dayOf(7)}&to=${dayOf(7)}`);
  await page.getByText('No results.', { exact: true }).waitFor();
  await choose(page, 'Time period', 'Last 30 days');
  await expectAddress(page, '/?days=30');
  await choose(page, 'Time period', 'Custom range');
  // typed by keyboard in the order of en-US
  const [year, month, day] = dayOf(4).split('-');
  await page.getByLabel('From', { exact: true }).focus();
  await page.keyboard.type(`${month}${day}${year}`);
  await expectAddress(page, `/?days=custom&from=${dayOf(4)}&to=${dayOf(0)}`);
  await page.getByLabel('To', { exact: true }).fill('');

  await page.getByRole('button', { name: 'More filters' }).click();
  await choose(page, 'Channel', 'Email');
  await showing(page, '1-2 of 2 OTP(s) (filtered)');
  await choose(page, 'Carrier', 'Twilio');
  await page.getByText('No results.', { exact: true }).waitFor();
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
