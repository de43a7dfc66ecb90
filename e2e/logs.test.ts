import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
  expectAccessible,
  expectEveryLookAccessible,
  expectNoSidewaysScroll,
  failUntilTriedAgain,
  follow,
  openStage,
  type Stage,
  sharedTab,
} from './browser.ts';
import { choose, chosen, expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let alice: Person;
let refusedId: string;

const TABLE = 'Requests';

/** Alice's thirteen requests: ten sends with one key, and three refusals with another. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const production = (await stage.apiKey(alice, 'Production')).key;
  const staging = (await stage.apiKey(alice, 'Staging')).key;
  for (let n = 10; n < 19; n += 1) {
    await stage.service.call(sendOtp, {
      apiKey: production,
      body: { channel: 'sms', recipient: `+14155550${n}1` },
    });
  }
  await stage.service.call(sendOtp, {
    apiKey: production,
    body: { channel: 'email', recipient: 'a.very.long.address.of.somebody@customers.test' },
  });
  await stage.service.call(sendOtp, { apiKey: staging, body: {} });
  await stage.service.call(verifyOtp, { apiKey: staging, body: { otp_id: 'nothing', code: '123456' } });
  // A key's refusals within one second and with the same reason are one row.
  await stage.service.clock.advance(1_000);
  const refused = await stage.service.call(verifyOtp, {
    apiKey: staging,
    body: { otp_id: 'nope', code: '1' },
  });
  expect(refused.status).toBe(404);
  refusedId = refused.headers['x-request-id'] ?? '';
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

/** The list without filters. */
async function list() {
  const { page, calls } = tab();
  await follow(page, '/logs');
  await expectAddress(page, '/logs');
  await showing(page, '1-10 of 13 requests');
  return { page, calls };
}

describe('the list of requests', () => {
  test('the request log shows an error if it cannot be loaded', async () => {
    const { page } = tab();
    tab().expectError(/status of 500|Query failed/);
    await failUntilTriedAgain(page, '**/api/v1/logs/**');
    await follow(page, '/logs');
    await page.getByText('Failed to fetch OTP requests', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Try Again' }).click();
    await showing(page, '1-10 of 13 requests');
  });

  test('the request log includes refused requests', async () => {
    const { page } = await list();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Date',
      'Action',
      'Recipient',
      'Status',
      'Reason',
      'Response Time',
      'Credits',
      'Details',
    ]);
    const shown = rows(page, TABLE);
    const refused = shown.nth(0);
    await refused.getByText('Verify OTP', { exact: true }).waitFor();
    await refused.getByText('No recipient', { exact: true }).waitFor();
    await refused.getByText('404', { exact: true }).waitFor();
    await refused.getByText('0', { exact: true }).waitFor();
    await refused.getByText('Staging', { exact: true }).waitFor();
    const sent = shown.nth(3);
    await sent.getByText('Send OTP', { exact: true }).waitFor();
    await sent.getByText('via Email', { exact: true }).waitFor();
    await sent.getByText('a.very.long.address.of.so…', { exact: true }).waitFor();
    await sent.getByText('201', { exact: true }).waitFor();
    await sent.getByText('-1', { exact: true }).waitFor();
    await sent.getByText('POST /otp/send/').waitFor();
    await sent.getByText('127.0.0.1').waitFor();
    expect(await sent.textContent()).toMatch(/\d ms/);
    await page.getByRole('button', { name: 'Next' }).click();
    await showing(page, '11-13 of 13 requests');
    await page.getByText('Page 2 of 2', { exact: true }).waitFor();
    await expectAddress(page, '/logs?page=2');
    expect(await page.title()).toBe('Logs · Sixdigit');
  });

  test('the request log sorts by every sortable column', async () => {
    const { page, calls } = await list();
    for (const [column, field] of [
      ['Action', 'request_type'],
      ['Status', 'response_status_code'],
      ['Response Time', 'response_time_ms'],
      ['Credits', 'credits_used'],
    ] as const) {
      const header = page.getByRole('columnheader', { name: column });
      await header.getByRole('button').click();
      await expectAddress(page, `/logs?ordering=${field}`);
      await header.getByRole('button').click();
      await expectAddress(page, `/logs?ordering=-${field}`);
      await eventually(() => expect(calls.join()).toContain(`ordering=-${field}`));
      await eventually(async () => expect(await header.getAttribute('aria-sort')).toBe('descending'));
    }
    await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click();
    await expectAddress(page, '/logs');
    await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click();
    await expectAddress(page, '/logs?ordering=created_at');
    await rows(page, TABLE).first().getByText('+14155550101').waitFor();
  });

  test('the request log filters by status code, key, channel, country and time', async () => {
    const { page, calls } = await list();
    await page.getByRole('button', { name: 'Next' }).click();
    await showing(page, '11-13 of 13 requests');
    for (const [label, value, shown] of [
      ['Success (2xx)', 'success', '1-10 of 10 requests (filtered)'],
      ['Client Error (4xx)', 'client_error', '1-3 of 3 requests (filtered)'],
      ['201', '201', '1-10 of 10 requests (filtered)'],
      ['400', '400', '1-1 of 1 requests (filtered)'],
      ['404', '404', '1-2 of 2 requests (filtered)'],
    ] as const) {
      await choose(page, 'Status code', label);
      await showing(page, shown);
      await expectAddress(page, `/logs?status_code=${value}`);
    }
    for (const [label, value] of [
      ['Server Error (5xx)', 'server_error'],
      ['200', '200'],
      ['401', '401'],
      ['402', '402'],
      ['429', '429'],
      ['500', '500'],
    ] as const) {
      await choose(page, 'Status code', label);
      await expectAddress(page, `/logs?status_code=${value}`);
      await page.getByText('No requests match the current filters.').waitFor();
    }
    await page.getByRole('button', { name: 'Clear Filters' }).click();
    await choose(page, 'API key', 'Staging');
    await showing(page, '1-3 of 3 requests (filtered)');
    await page.reload();
    await eventually(async () => expect(await chosen(page, 'API key')).toBe('Staging'));
    await showing(page, '1-3 of 3 requests (filtered)');
    await choose(page, 'API key', 'All Keys');
    await page.getByRole('button', { name: 'More filters' }).click();
    await choose(page, 'Channel', 'Email');
    await showing(page, '1-1 of 1 requests (filtered)');
    await choose(page, 'Channel', 'All Channels');
    await choose(page, 'Country', 'United States');
    await showing(page, '1-9 of 9 requests (filtered)');
    await expectAddress(page, '/logs?country=US');
    await choose(page, 'Country', 'All Countries');
    for (const [label, days] of [
      ['Last 24 hours', '1'],
      ['Last 7 days', '7'],
      ['Last 30 days', '30'],
      ['Last 90 days', '90'],
    ] as const) {
      calls.length = 0;
      await choose(page, 'Time period', label);
      await showing(page, '1-10 of 13 requests (filtered)');
      await expectAddress(page, `/logs?days=${days}`);
      await eventually(() => expect(calls.join()).toMatch(/created_after=\d{4}-\d{2}-\d{2}T/));
    }
    await choose(page, 'Time period', 'All time');
    await expectAddress(page, '/logs?days=all');
  });

  test('a search of the request log finds requests by key, endpoint and id', async () => {
    const { page } = await list();
    const search = page.getByPlaceholder('Search logs, endpoints, or API keys...');
    await search.fill('staging');
    await showing(page, '1-3 of 3 requests (filtered)');
    await search.fill('/otp/verify');
    await showing(page, '1-2 of 2 requests (filtered)');
    await search.fill(refusedId);
    await showing(page, '1-1 of 1 requests (filtered)');
    await page.getByRole('button', { name: 'Clear Search' }).click();
    await showing(page, '1-10 of 13 requests');
  });
});

describe('the details of a request', () => {
  test("a request's details show the request and a command that repeats it, without the key", async () => {
    const { page } = await list();
    await rows(page, TABLE).nth(3).click();
    const sheet = page.getByRole('dialog', { name: 'Request Details' });
    await sheet.getByText('Send OTP via Email').waitFor();
    await sheet.getByText('POST /api/v1/otp/send/').waitFor();
    await sheet.getByRole('button', { name: 'Copy as cURL' }).click();
    await page.getByText('Copied to clipboard!').waitFor();
    const command = await tab().clipboard();
    expect(command).toContain(`curl -X POST '${stage.url}/api/v1/otp/send/'`);
    expect(command).toContain('"recipient":"a.very.long.address.of.somebody@customers.test"');
    expect(command).toMatch(/X-API-Key: sd_live_[0-9A-Za-z]{6}•+'/);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await sheet.waitFor({ state: 'hidden' });
    await expectAddress(page, '/logs');
  });

  test("a link opens a request's details, even if the list does not contain the request", async () => {
    const { page } = tab();
    await page.goto(`/logs?status_code=success&request=${refusedId}`);
    const sheet = page.getByRole('dialog', { name: 'Request Details' });
    await sheet.getByText(refusedId, { exact: true }).waitFor();
    await sheet.getByText('otp_not_found', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    await showing(page, '1-10 of 10 requests (filtered)');
  });

  test('j and k step through the requests, also across pages', async () => {
    const { page } = await list();
    const shownId = () => new URL(page.url()).searchParams.get('request');
    await rows(page, TABLE).nth(8).click();
    const sheet = page.getByRole('dialog', { name: 'Request Details' });
    await sheet.getByRole('button', { name: 'Next Request' }).click();
    await eventually(() => expect(shownId()).not.toBeNull());
    const last = shownId();
    await page.keyboard.press('j');
    await eventually(() => expect(shownId()).not.toBe(last));
    await page.getByText('Page 2 of 2').waitFor();
    await page.keyboard.press('k');
    await eventually(() => expect(shownId()).toBe(last));
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
  });

  test("a request's details link to its verification", async () => {
    const { page } = await list();
    await rows(page, TABLE).nth(3).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('link', { name: 'View History' }).click();
    const details = page.getByRole('dialog', { name: 'Verification Details' });
    await details.getByText('Email OTP').waitFor();
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'hidden' });
  });
});

test('the request log and its details are accessible in light and dark and fit a phone', async () => {
  const { page } = await list();
  await expectEveryLookAccessible(page);
  await rows(page, TABLE).first().click();
  await page.getByRole('button', { name: 'Copy as cURL' }).waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test('the log shows each endpoint on one line at 1,280 px', async () => {
  await using tab = await stage.tab({ as: alice, path: '/logs', width: 1280 });
  await rows(tab.page, TABLE).first().waitFor();
  const endpoints = tab.page.locator('tbody [title^="/api/v1/otp/"]');
  const heights = await endpoints.evaluateAll((all) => all.map((one) => one.clientHeight));
  expect(heights).toHaveLength(10);
  expect(new Set(heights).size).toBe(1);
});

/** In the page: the texts of selects that are wider than their room. */
const CUT = `[...document.querySelectorAll('main select')].filter((select) => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.font = font;
  const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return canvas.measureText(select.selectedOptions[0].text).width > room;
}).map((select) => select.selectedOptions[0].text)`;

test.each([820, 1280, 1920])(
  'at %i px the filters of the request log show their full text',
  async (width) => {
    await using tab = await stage.tab({ as: alice, path: '/logs', width });
    await rows(tab.page, TABLE).first().waitFor();
    expect(await tab.page.evaluate(CUT)).toEqual([]);
  },
);
