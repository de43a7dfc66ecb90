import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab } from './browser.ts';
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

/** In the page: the texts of selects that are wider than their room. */
const CUT = `[...document.querySelectorAll('main select')].filter((select) => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.font = font;
  const room = select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return canvas.measureText(select.selectedOptions[0].text).width > room;
}).map((select) => select.selectedOptions[0].text)`;

test('the request log includes refused requests, with each endpoint on one line and whole filters', async () => {
  const { page } = await list();
  const shown = rows(page, TABLE);
  for (const text of ['Verify OTP', 'No recipient', '404', '0', 'Staging'])
    await shown.nth(0).getByText(text, { exact: true }).waitFor();
  const sent = shown.nth(3);
  for (const text of ['Send OTP', 'via Email', 'a.very.long.address.of.so…', '201', '-1'])
    await sent.getByText(text, { exact: true }).waitFor();
  for (const text of ['POST /otp/send/', '127.0.0.1', /\d ms/]) await sent.getByText(text).first().waitFor();
  await expect.poll(() => page.title()).toBe('Logs · Sixdigit');

  const endpoints = page.locator('tbody [title^="/api/v1/otp/"]');
  const heights = () => endpoints.evaluateAll((all) => all.map((one) => one.clientHeight));
  await eventually(async () => {
    const all = await heights();
    expect(all).toHaveLength(10);
    expect(new Set(all).size).toBe(1);
  });
  for (const width of [820, 1920, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.evaluate(CUT), { message: `${width} px` }).toEqual([]);
  }
});

test('the request log filters by status code, key, channel, country and time', async () => {
  const { page, calls } = await list();
  for (const [label, value, shown] of [
    ['Success (2xx)', 'success', '1-10 of 10 requests (filtered)'],
    ['Client Error (4xx)', 'client_error', '1-3 of 3 requests (filtered)'],
    ['404', '404', '1-2 of 2 requests (filtered)'],
  ] as const) {
    await choose(page, 'Status code', label);
    await showing(page, shown);
    await expectAddress(page, `/logs?status_code=${value}`);
  }
  await choose(page, 'Status code', 'All Status Codes');
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
  await page.keyboard.press('Escape');
  calls.length = 0;
  await choose(page, 'Time period', 'Last 90 days');
  await showing(page, '1-10 of 13 requests (filtered)');
  await expectAddress(page, '/logs?days=90');
  await eventually(() => expect(calls.join()).toMatch(/created_after=\d{4}-\d{2}-\d{2}T/));

  const search = page.getByPlaceholder('Search logs, endpoints, or API keys...');
  for (const [text, count] of [
    ['staging', 3],
    ['/otp/verify', 2],
    [refusedId, 1],
  ] as const) {
    await search.fill(text);
    await showing(page, `1-${count} of ${count} requests (filtered)`);
  }
});

test("a request's details show a command that repeats it, without the key, and link to its verification", async () => {
  const { page } = await list();
  await rows(page, TABLE).nth(3).focus();
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Request Details' });
  await sheet.getByText('Send OTP via Email').waitFor();
  await sheet.getByText('POST /api/v1/otp/send/').waitFor();
  await sheet.getByRole('button', { name: 'Copy as cURL' }).click();
  await page.getByText('Copied to clipboard!').waitFor();
  const command = await tab().clipboard();
  expect(command).toContain(`curl -X POST '${stage.url}/api/v1/otp/send/'`);
  expect(command).toContain('"recipient":"a.very.long.address.of.somebody@customers.test"');
  expect(command).toMatch(/X-API-Key: sd_live_[0-9A-Za-z]{6}•+'/);
  await sheet.getByRole('link', { name: 'View History' }).click();
  const details = page.getByRole('dialog', { name: 'Verification Details' });
  await details.getByText('Email OTP').waitFor();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'hidden' });

  // A link opens a request that the list does not contain.
  await page.goto(`/logs?status_code=success&request=${refusedId}`);
  await sheet.getByText(refusedId, { exact: true }).waitFor();
  await sheet.getByText('otp_not_found', { exact: true }).waitFor();
  await sheet.getByRole('button', { name: 'Close' }).click();
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
