import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import type { Channel } from '#contract/channels.ts';
import { cancelOtp, sendOtp, verifyOtp } from '#contract/otp.ts';
import { createWebhook } from '#contract/webhooks.ts';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
  expectAccessible,
  expectEveryLookAccessible,
  expectNoSidewaysScroll,
  failUntilTriedAgain,
  openStage,
  type Stage,
  type Tab,
} from './browser.ts';
import { choose, chosen, expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let alice: Person;
const keys = { production: '', staging: '' };

const TABLE = 'Verifications';

async function send(apiKey: string, recipient: string, channel: Channel = 'sms') {
  const { status, body } = await stage.service.call(sendOtp, { apiKey, body: { channel, recipient } });
  expect(status).toBe(201);
  return body.otp_id;
}

async function verify(apiKey: string, otp_id: string, recipient: string, wrong = false) {
  const right = await eventually(async () => {
    const code = (await stage.service.inbox(recipient))[0]?.code;
    expect(code).toBeTruthy();
    return code ?? '';
  });
  const code = wrong ? (right === '111111' ? '222222' : '111111') : right;
  return stage.service.call(verifyOtp, { apiKey, body: { otp_id, code } });
}

/** Twelve codes of Alice: one verified, one failed, one expired, the others sent. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  keys.production = (await stage.apiKey(alice, 'Production')).key;
  keys.staging = (await stage.apiKey(alice, 'Staging')).key;
  for (let n = 10; n < 19; n += 1) await send(keys.production, `+14155550${n}1`);
  const verified = await send(keys.staging, 'verified@customers.test', 'email');
  const failed = await send(keys.staging, 'a.very.long.address.that.failed@customers.test', 'email');
  const expired = await send(keys.staging, '+14155550991', 'voice');
  await verify(keys.staging, verified, 'verified@customers.test');
  for (let n = 0; n < 5; n += 1)
    await verify(keys.staging, failed, 'a.very.long.address.that.failed@customers.test', true);
  await stage.service.call(cancelOtp, { apiKey: keys.staging, params: { otp_id: expired } });
});
afterAll(() => stage?.close());

const open = (path = '/', options: Partial<Parameters<Stage['tab']>[0]> = {}): Promise<Tab> =>
  stage.tab({ as: alice, path, ...options });

describe('the first steps', () => {
  test('lead a new account to a verified code and mark each completed step', async () => {
    const newcomer = await stage.signUp('Newcomer');
    await using tab = await stage.tab({ as: newcomer, path: '/' });
    const { page } = tab;
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('0 of 4 done').waitFor();
    await page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
    await page.getByText('No OTPs have been sent yet.').waitFor();

    await steps.getByRole('link', { name: 'Create API Key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Shop');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your New API Key' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
    const key = await tab.clipboard();
    expect(key).toMatch(/^sd_live_[0-9A-Za-z]{38}$/);
    await page.getByRole('button', { name: "I've Copied the Key" }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Verifications' }).click();
    await steps.getByText('1 of 4 done').waitFor();
    // the sample names this deployment and the reader's own address
    await steps.getByText(`"recipient":"${newcomer.email}"`).waitFor();

    const otp_id = await send(key, newcomer.email, 'email');
    await steps.getByText('2 of 4 done').waitFor();
    await rows(page, TABLE)
      .filter({ hasText: newcomer.email.slice(0, 20) })
      .waitFor();
    await steps.getByText(otp_id).waitFor();
    await expectAccessible(page);

    await verify(key, otp_id, newcomer.email);
    await steps.getByText('3 of 4 done').waitFor();
    await stage.service.call(createWebhook, {
      bearer: newcomer.access,
      body: { name: 'Mine', url: 'http://127.0.0.1:9/nowhere' },
    });
    await steps.waitFor({ state: 'detached' });
  });

  test('can be dismissed permanently, and the empty list then shows a sample call', async () => {
    const newcomer = await stage.signUp('Dismisser');
    await using tab = await stage.tab({ as: newcomer, path: '/' });
    const { page } = tab;
    await page.getByRole('button', { name: 'Dismiss first steps' }).click();
    await page.getByRole('region', { name: 'First steps' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('region', { name: 'Send a code' }).getByText('curl -X POST').waitFor();
    expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
  });
});

describe('the list', () => {
  test('shows ten verifications a page, newest first', async () => {
    await using tab = await open();
    const { page } = tab;
    await showing(page, '1-10 of 12 OTP(s)');
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual([
      'Created',
      'Recipient',
      'Method',
      'Status',
      'Credits',
      'History',
    ]);
    const list = rows(page, TABLE);
    expect(await list.count()).toBe(10);
    // 25 characters and an ellipsis, the key beneath
    await list.nth(1).getByText('a.very.long.address.that.…', { exact: true }).waitFor();
    await list.nth(1).getByText('Staging', { exact: true }).waitFor();
    await list.nth(1).getByText('Failed', { exact: true }).waitFor();
    await list.nth(1).getByText('-1', { exact: true }).waitFor();
    await list.nth(1).getByText('Email', { exact: true }).waitFor();
    expect(await list.nth(0).textContent()).toMatch(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{2}:\d{2} [AP]M/);
    expect(await page.title()).toBe('Verifications · Sixdigit');

    await page.getByText('Page 1 of 2', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Next' }).click();
    await showing(page, '11-12 of 12 OTP(s)');
    await expectAddress(page, '/?page=2');
    await page.reload();
    await showing(page, '11-12 of 12 OTP(s)');
    await page.goBack();
    await showing(page, '1-10 of 12 OTP(s)');
  });

  test('sorts by the time of creation', async () => {
    await using tab = await open();
    const { page } = tab;
    await showing(page, '1-10 of 12 OTP(s)');
    await page.getByRole('button', { name: 'Created' }).click();
    await expectAddress(page, '/?ordering=created_at');
    await rows(page, TABLE).first().getByText('+14155550101').waitFor();
    expect(await page.getByRole('columnheader', { name: 'Created' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
  });

  test('filters by status, key and time, and marks the count as filtered', async () => {
    await using tab = await open('/?page=2');
    const { page } = tab;
    const { calls } = tab;
    await showing(page, '11-12 of 12 OTP(s)');
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
    await eventually(async () => expect(await chosen(page, 'Status')).toBe('Failed'));
    await choose(page, 'Status', 'All Status');
    await choose(page, 'API key', 'Staging');
    await showing(page, '1-3 of 3 OTP(s) (filtered)');
    await page.reload();
    await showing(page, '1-3 of 3 OTP(s) (filtered)');
    await eventually(async () => expect(await chosen(page, 'API key')).toBe('Staging'));
    await choose(page, 'API key', 'All Keys');

    expect(await chosen(page, 'Time period')).toBe('Last 15 days');
    for (const [label, days] of [
      ['Last 24 hours', '1'],
      ['Last 7 days', '7'],
      ['Last 30 days', '30'],
    ] as const) {
      await choose(page, 'Time period', label);
      await expectAddress(page, `/?days=${days}`);
      await eventually(() => expect(calls.join()).toContain(`created_after=${days}`));
    }
    calls.length = 0;
    await choose(page, 'Time period', 'All time');
    await showing(page, '1-10 of 12 OTP(s) (filtered)');
    await eventually(() => expect(calls.join()).toContain('GET /verifications/?page=1&'));
    expect(calls.join()).not.toContain('created_after');
  });

  test('searches recipients and keys while the user types, until the filters are cleared', async () => {
    await using tab = await open();
    const { page } = tab;
    await showing(page, '1-10 of 12 OTP(s)');
    const search = page.getByPlaceholder('Search recipient or API key...');
    await search.fill('LONG.ADDRESS');
    await showing(page, '1-1 of 1 OTP(s) (filtered)');
    await expectAddress(page, '/?search=LONG.ADDRESS');
    await search.fill('nobody at all');
    await page.getByText('No verifications match the current filters.').waitFor();
    await page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
    await page.getByRole('button', { name: 'Clear Filters' }).click();
    await showing(page, '1-10 of 12 OTP(s)');
    expect(await search.inputValue()).toBe('');
  });

  test('shows new codes and new states without a reload', async () => {
    const bob = await stage.signUp('Bob');
    const { key } = await stage.apiKey(bob);
    await send(key, '+14155552001');
    await using tab = await stage.tab({ as: bob, path: '/' });
    const { page } = tab;
    await showing(page, '1-1 of 1 OTP(s)');
    const second = await send(key, '+14155552002');
    await showing(page, '1-2 of 2 OTP(s)');
    await verify(key, second, '+14155552002');
    await rows(page, TABLE).first().getByText('Verified', { exact: true }).waitFor();
  });

  test('filters by a range of days, channel, country and carrier, all in the address', async () => {
    const dayOf = (daysAgo: number): string =>
      new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    await using tab = await open();
    const { page } = tab;
    await showing(page, '1-10 of 12 OTP(s)');
    await choose(page, 'Time period', 'Custom range');
    // the codes of this test may have been sent before midnight
    await page.getByLabel('From', { exact: true }).fill(dayOf(1));
    await expectAddress(page, `/?days=custom&from=${dayOf(1)}`);
    await showing(page, '1-10 of 12 OTP(s) (filtered)');
    await page.getByLabel('From', { exact: true }).fill(dayOf(4));
    await page.getByLabel('To', { exact: true }).fill(dayOf(2));
    await page.getByText('No results.', { exact: true }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('');

    await page.getByRole('button', { name: 'More filters' }).click();
    await choose(page, 'Channel', 'Email');
    await showing(page, '1-2 of 2 OTP(s) (filtered)');
    await choose(page, 'Carrier', 'Twilio');
    await page.getByText('No results.', { exact: true }).waitFor();
    await choose(page, 'Carrier', 'Sandbox');
    await choose(page, 'Channel', 'SMS');
    await choose(page, 'Country', 'United States');
    await showing(page, '1-9 of 9 OTP(s) (filtered)');
    const address = `/?days=custom&from=${dayOf(4)}&channel=sms&carrier=sandbox&country=US`;
    await expectAddress(page, address);
    await page.reload();
    await showing(page, '1-9 of 9 OTP(s) (filtered)');
    await eventually(async () => expect(await chosen(page, 'Country')).toBe('United States'));
  });

  test('holds new rows back while the pointer or the focus is on it, and this browser keeps its columns', async () => {
    const bob = await stage.signUp('Bob');
    const { key } = await stage.apiKey(bob);
    await send(key, '+14155553001');
    await using tab = await stage.tab({ as: bob, path: '/' });
    const { page } = tab;
    const list = rows(page, TABLE);
    await showing(page, '1-1 of 1 OTP(s)');
    // they grow with each step, which moves the list away from the pointer
    await page.getByRole('button', { name: 'Dismiss first steps' }).click();
    await page.getByText('Median time to verify').waitFor();
    await list.first().hover();
    await send(key, '+14155553002');
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    await send(key, '+14155553003');
    const fresh = page.getByRole('button', { name: '2 new', exact: true });
    await fresh.waitFor();
    expect(await list.count()).toBe(1);
    await fresh.click();
    await list.nth(2).waitFor();
    await fresh.waitFor({ state: 'detached' });

    // leaving the list is enough
    await send(key, '+14155553004');
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await list.nth(3).waitFor();

    await page.keyboard.press('j');
    await send(key, '+14155553005');
    await page.getByRole('button', { name: '1 new', exact: true }).press('Enter');
    await list.nth(4).waitFor();
    expect(await list.first().evaluate((row) => row === row.ownerDocument.activeElement)).toBe(true);

    const header = (name: string) => page.getByRole('columnheader', { name, exact: true });
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Method' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Carrier' }).click();
    await page.keyboard.press('Escape');
    await header('Carrier').waitFor();
    await page.reload();
    await header('Carrier').waitFor();
    expect(await header('Method').count()).toBe(0);
  });

  test('shows an error if it cannot be loaded, and can be retried', async () => {
    await using tab = await stage.tab({ path: '/sign-in' });
    const { page } = tab;
    tab.expectError(/status of 500|Query failed/);
    await failUntilTriedAgain(page, '**/api/v1/verifications/?page=1*');
    await page.evaluate(
      `localStorage.setItem('access_token', '${alice.access}'); localStorage.setItem('refresh_token', '${alice.refresh}')`,
    );
    await page.goto('/');
    await page.getByText('Error loading data', { exact: true }).waitFor();
    await page.getByText('Failed to load OTP verifications', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try Again' }).click();
    await showing(page, '1-10 of 12 OTP(s)');
  });

  test('accepts a response that is a plain array', async () => {
    await using tab = await open('/logs');
    const { page } = tab;
    await page.route('**/api/v1/api-keys/**', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: (await answer.json()).results });
    });
    await page.goto('/');
    await showing(page, '1-10 of 12 OTP(s)');
    await choose(page, 'API key', 'Staging');
    await showing(page, '1-3 of 3 OTP(s) (filtered)');
  });

  test('has rows of two lines on a phone, and the whole row opens', async () => {
    await using tab = await open('/', { width: 360, height: 740 });
    await showing(tab.page, '1-10 of 12 OTP(s)');
    await expectNoSidewaysScroll(tab.page);
    const row = rows(tab.page, TABLE).first();
    await eventually(async () => expect((await row.boundingBox())?.height).toBeLessThanOrEqual(72));
    await row.click();
    await tab.page.getByRole('dialog', { name: 'Verification Details' }).getByText('OTP ID').waitFor();
    await expectNoSidewaysScroll(tab.page);
  });

  test('is accessible in light and dark and fits a phone, also with the dialog open', async () => {
    await using tab = await open('/');
    await showing(tab.page, '1-10 of 12 OTP(s)');
    await expectEveryLookAccessible(tab.page);
    await rows(tab.page, TABLE).first().click();
    await tab.page.getByRole('heading', { name: 'Status History' }).waitFor();
    await expectEveryLookAccessible(tab.page);
  });
});

describe('the details', () => {
  test('follow a code from sent to verified without a reload', async () => {
    const bob = await stage.signUp('Follower');
    const { key } = await stage.apiKey(bob, 'Shop');
    const otp_id = await send(key, '+14155553001');
    await using tab = await stage.tab({ as: bob, path: '/' });
    const { page } = tab;
    await page.getByRole('button', { name: 'View History' }).click();
    const dialog = page.getByRole('dialog', { name: 'Verification Details' });
    await dialog.getByText('Complete history and status changes for this verification').waitFor();
    await dialog.getByText('SMS OTP', { exact: true }).waitFor();
    await dialog.getByText('-1 credits', { exact: true }).waitFor();
    await dialog.getByText(`${otp_id.slice(0, 16)}…`, { exact: true }).waitFor();
    await dialog.getByText('Initial status set to Pending').waitFor();
    await dialog.getByText('Status changed from Pending to Sent').waitFor();
    expect(await dialog.getByText('from 127.0.0.1').count()).toBeGreaterThan(0);
    await expectAddress(page, `/?otp=${otp_id}`);

    await verify(key, otp_id, '+14155553001');
    await dialog.getByText('Status changed from Sent to Verified').waitFor();
    await dialog.getByText('Verified', { exact: true }).first().waitFor();
    const timeline = dialog.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    await eventually(async () =>
      expect(
        (await timeline.allTextContents()).map((text) => text.match(/^[A-Z][a-z]+(?=[A-Z])/)?.[0]),
      ).toEqual(['Created', 'Sent', 'Verified', 'Expires']),
    );

    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expectAddress(page, '/');
  });

  test('show wrong codes, fill in another send, and cancel', async () => {
    const carol = await stage.signUp('Carol');
    const { key } = await stage.apiKey(carol, 'Shop');
    await stage.service.call(createWebhook, {
      bearer: carol.access,
      body: { name: 'Unreachable', url: 'http://127.0.0.1:9/nowhere' },
    });
    const otp_id = await send(key, '+14155554001');
    await verify(key, otp_id, '+14155554001', true);
    await using tab = await stage.tab({ as: carol, path: `/?otp=${otp_id}` });
    const { page } = tab;
    const dialog = page.getByRole('dialog', { name: 'Verification Details' });
    await dialog.getByText(/^sent after .* by Sandbox$/).waitFor();
    const wrong = dialog.getByRole('region', { name: 'Wrong Codes' }).getByRole('listitem');
    await eventually(async () => expect(await wrong.count()).toBe(1));

    const webhooks = dialog.getByRole('region', { name: 'Webhooks' });
    await webhooks.getByText('otp.sent').waitFor();
    await webhooks.getByRole('link', { name: 'Unreachable' }).waitFor();

    await dialog.getByRole('button', { name: 'Resend' }).click();
    const form = page.getByRole('dialog', { name: 'Send a Test Code' });
    await eventually(async () =>
      expect([
        await form.getByLabel('Channel').inputValue(),
        await form.getByLabel('Recipient').inputValue(),
      ]).toEqual(['sms', '+14155554001']),
    );
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'View History' }).click();
    await dialog.getByRole('button', { name: 'Cancel Verification' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel Verification' }).click();
    await dialog.getByText('Status changed from Sent to Expired').waitFor();
    await dialog.getByRole('button', { name: 'Cancel Verification' }).waitFor({ state: 'hidden' });
    await dialog.getByRole('link', { name: 'Requests' }).click();
    await showing(page, '1-2 of 2 requests (filtered)');
  });

  test('open by the keyboard and by a link, and close with "back"', async () => {
    await using tab = await open('/?status=failed');
    const { page } = tab;
    const row = rows(page, TABLE).first();
    await row.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Verification Details' });
    await dialog.getByText('Failed', { exact: true }).waitFor();
    await page.reload();
    await dialog.getByText('Failed', { exact: true }).waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    await expectAddress(page, '/?status=failed');
  });

  test('show that they are loading, and an error if they cannot be loaded', async () => {
    await using tab = await open('/?status=failed');
    const { page } = tab;
    tab.expectError(/status of 500|Query failed/);
    await failUntilTriedAgain(page, '**/api/v1/verifications/*-*/');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/verifications/*-*/', async (route) => {
      await answered;
      await route.fallback();
    });
    await rows(page, TABLE).first().click();
    const dialog = page.getByRole('dialog', { name: 'Verification Details' });
    await dialog.getByText('Loading audit trail...').waitFor();
    answer();
    await dialog.getByText('Error loading audit trail', { exact: true }).waitFor();
    await dialog.getByText('Failed to load audit trail', { exact: true }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Try Again' }).click();
    await dialog.getByText('OTP ID').waitFor();
  });
});

test('a test code is sent, watched and verified, and the equal command is copied', async () => {
  const dan = await stage.signUp('Dan');
  const made = await stage.service.call(createApiKey, {
    bearer: dan.access,
    body: { name: 'Trials', mode: 'test' },
  });
  expect(made.status).toBe(201);
  await using tab = await stage.tab({ as: dan, path: '/docs' });
  const { page } = tab;
  await page.getByRole('link', { name: 'Send a Test Code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send a Test Code' });
  await dialog.getByText('Nothing leaves the service, and nothing is charged.').waitFor();
  await dialog.getByLabel('Channel').selectOption({ label: 'SMS' });
  await dialog.getByLabel('Recipient').fill('+14155554777');
  await dialog.getByRole('button', { name: 'Send Code' }).click();
  const states = dialog.getByRole('list', { name: 'States' });
  await states.getByText('Delivered').waitFor();

  await dialog.getByRole('region', { name: 'Send the code' }).waitFor();
  await dialog.getByRole('button', { name: 'Copy code' }).first().click();
  await page.getByText('Copied to clipboard!', { exact: true }).waitFor();
  const command = await tab.clipboard();
  expect(command).toContain(`curl -X POST ${stage.url}/api/v1/otp/send/`);
  expect(command).toContain('"channel":"sms","recipient":"+14155554777"');

  await expectAccessible(page);
  tab.expectError(/status of 400/);
  await dialog.getByLabel('Code', { exact: true }).fill('000000');
  await dialog.getByRole('button', { name: 'Verify Code' }).click();
  await dialog.getByText('Invalid OTP code').waitFor();
  await dialog.getByLabel('Code', { exact: true }).fill('123456');
  await dialog.getByRole('button', { name: 'Verify Code' }).click();
  await dialog.getByText('The code is right.').waitFor();
  await states.getByText('Verified').waitFor();
  await dialog.getByRole('button', { name: 'Send Another Code' }).click();
  await dialog.getByRole('button', { name: 'Send Code' }).waitFor();
});

test('the matching rows download as CSV, with their number', async () => {
  await using tab = await open('/?days=all&search=14155550');
  const { page } = tab;
  await rows(page, TABLE).first().waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^verifications-\d{4}-\d\d-\d\d\.csv$/);
  const text = readFileSync(await download.path(), 'utf8');
  const recipients = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(',')[2]);
  expect(recipients).toHaveLength(10);
  expect(recipients).toContain('+14155550101');
  await page.getByText('Exported 10 rows', { exact: true }).waitFor();
});
