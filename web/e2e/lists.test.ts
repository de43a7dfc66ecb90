import { readFileSync } from 'node:fs';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, follow, openStage, type Stage, settled, sharedTab } from './browser.ts';
import { choose, chosen, expectAddress, rows, showing } from './lists.ts';

/** What all lists do alike. Their columns and URLs have unit tests in web/src/table. */
let stage: Stage;
let alice: Person;

/** Alice has twelve keys, twelve endpoints that are inactive, twelve sends, and a refused request. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { service } = stage;
  for (let n = 1; n <= 12; n += 1) {
    const { key } = await stage.apiKey(alice, `Key ${n}`);
    const body = { name: `Endpoint ${n}`, url: `https://hooks.example.com/${n}`, is_active: false };
    await service.call(createWebhook, { bearer: alice.access, body });
    const recipient = `+141555501${n + 10}`;
    const sent = await service.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient } });
    expect(sent.status).toBe(201);
    if (n === 2) await service.call(sendOtp, { apiKey: key, body: {} as never });
  }
  await service.app.requestLog.flush();
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

test.each([
  {
    ...{
      path: '/',
      table: 'Verifications',
      noun: 'OTP(s)',
      count: 12,
      placeholder: 'Search recipient or API key...',
    },
    ...{
      sort: ['Created', 'created_at', '+14155550111'],
      search: '5501',
      filtered: '1-10 of 12 OTP(s) (filtered)',
    },
    ...{ noMatch: 'No verifications match the current filters.', clear: 'Clear Filters' },
  },
  {
    ...{
      path: '/logs',
      table: 'Requests',
      noun: 'requests',
      count: 13,
      placeholder: 'Search logs, endpoints, or API keys...',
    },
    ...{
      sort: ['Date', 'created_at', '+14155550111'],
      search: 'key 1',
      filtered: '1-4 of 4 requests (filtered)',
    },
    ...{ noMatch: 'No requests match the current filters.', clear: 'Clear Filters' },
  },
  {
    ...{
      path: '/api-keys',
      table: 'API keys',
      noun: 'API keys',
      count: 12,
      placeholder: 'Search API keys...',
    },
    ...{ sort: ['Name', 'name', 'Key 1'], search: 'key 1', filtered: '1-4 of 4 API keys (filtered)' },
    ...{ noMatch: 'No API key matches “nothing like it”.', clear: 'Clear Search' },
  },
  {
    ...{
      path: '/webhooks',
      table: 'Webhooks',
      noun: 'webhooks',
      count: 12,
      placeholder: 'Search webhooks...',
    },
    ...{
      sort: ['Name', 'name', 'Endpoint 1'],
      search: 'endpoint 1',
      filtered: '1-4 of 4 webhooks (filtered)',
    },
    ...{ noMatch: 'No webhook endpoint matches “nothing like it”.', clear: 'Clear Search' },
  },
])('the URL of $path stores the page, the order and the search, which can be cleared', async (list) => {
  const { page } = tab();
  const { path, noun, count } = list;
  const [column = '', ordering, first = ''] = list.sort;
  await follow(page, path);
  await showing(page, `1-10 of ${count} ${noun}`);
  await page.getByText('Page 1 of 2', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, `11-${count} of ${count} ${noun}`);
  await page.getByText('Page 2 of 2', { exact: true }).waitFor();
  await expectAddress(page, `${path}?page=2`);
  const header = page.getByRole('columnheader', { name: column });
  await header.getByRole('button').click();
  await expectAddress(page, `${path}?ordering=${ordering}`);
  await rows(page, list.table).first().getByText(first, { exact: true }).waitFor();
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
  await page.goBack();
  await showing(page, `11-${count} of ${count} ${noun}`);

  const search = page.getByPlaceholder(list.placeholder);
  await search.fill(list.search);
  await showing(page, list.filtered);
  await search.fill('nothing like it');
  await page.getByText(list.noMatch).waitFor();
  await page.getByRole('button', { name: list.clear }).last().click();
  await showing(page, `1-10 of ${count} ${noun}`);
  await expect.poll(() => search.inputValue()).toBe('');
});

test('the matching rows download as CSV with their count', async () => {
  const { page } = tab();
  await follow(page, '/');
  await page.getByRole('searchbox').fill('55011');
  await showing(page, '1-9 of 9 OTP(s) (filtered)');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^verifications-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
    .slice(1);
  expect(lines).toHaveLength(9);
  expect(lines.join()).toContain('"+14155550111"');
  await page.getByText('Exported 9 rows', { exact: true }).waitFor();
});

test('a list is filtered from its first page, by choices that the URL stores', async () => {
  const { page, calls } = tab();
  await follow(page, '/logs');
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, '11-13 of 13 requests');
  for (const text of ['No recipient', '400'])
    await rows(page, 'Requests').first().getByText(text, { exact: true }).waitFor();
  await choose(page, 'Status code', 'Success (2xx)');
  await showing(page, '1-10 of 12 requests (filtered)');
  await expectAddress(page, '/logs?status_code=success');
  await choose(page, 'API key', 'Key 3');
  await showing(page, '1-1 of 1 requests (filtered)');
  await page.getByRole('button', { name: 'More filters' }).click();
  await choose(page, 'Country', 'United States');
  await page.keyboard.press('Escape');
  await page.reload();
  await showing(page, '1-1 of 1 requests (filtered)');
  await eventually(async () => expect(await chosen(page, 'API key')).toBe('Key 3'));
  for (const text of ['Send OTP', 'via SMS', 'POST /otp/send/', '127.0.0.1', '201', '-1'])
    await rows(page, 'Requests').first().getByText(text).first().waitFor();
  calls.length = 0;
  await choose(page, 'Time period', 'Last 90 days');
  await eventually(() => expect(calls.join()).toMatch(/created_after=\d{4}-\d{2}-\d{2}T/));
  await choose(page, 'Status code', '404');
  await page.getByText('No requests match the current filters.').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await showing(page, '1-10 of 13 requests');
});

test("a request's details show a command that repeats it, without the key, and link to its verification", async () => {
  const { page } = tab();
  await follow(page, '/logs');
  await rows(page, 'Requests').first().focus();
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Request Details' });
  await sheet.getByText('Send OTP via SMS').waitFor();
  await sheet.getByText('POST /api/v1/otp/send/').waitFor();
  await sheet.getByRole('button', { name: 'Copy as cURL' }).click();
  await page.getByText('Copied to clipboard!').waitFor();
  const command = await tab().clipboard();
  expect(command).toContain(`curl -X POST '${stage.url}/api/v1/otp/send/'`);
  expect(command).toContain('"recipient":"+14155550122"');
  expect(command).toMatch(/X-API-Key: sd_live_[0-9A-Za-z]{6}•+'/);
  await sheet.getByRole('link', { name: 'View History' }).click();
  const details = page.getByRole('dialog', { name: 'Verification Details' });
  await details.getByText('SMS OTP').waitFor();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'hidden' });
});

test('a search with very many matches shows rows immediately and the exact count later', async () => {
  const MANY = 20_010;
  const bob = await stage.signUp('Bob');
  const { id } = await stage.apiKey(bob);
  await stage.service.app.db.run(
    `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
       created_at, expires_at)
     select k.account_id, uuid_floor(at), k.id, 'email', 'user' || n || '@many.test', 'verified', 1, 6, at, at
     from (select n, clock_now() - make_interval(secs => n) as at from generate_series(1, $2) n) r,
       api_keys k where k.id = $1`,
    [id, MANY],
  );
  await using tab = await stage.tab({ as: bob, path: '/healthz', width: 390 });
  const { page } = tab;
  let answer: 'waits' | 'fails' | 'arrives' = 'waits';
  await page.route(/[?&]count=only/, async (route) => {
    if (answer === 'arrives') await route.continue();
    if (answer === 'fails')
      await route.fulfill({ status: 503, json: { error: 'Too slow', reason: 'list_timeout' } });
  });
  const turn = page.getByRole('navigation', { name: 'Pages' });
  await page.goto('/?search=many');
  await showing(page, '1-10 of more than 20,000 OTP(s) (filtered)');
  await turn.getByText('Page 1 of …').waitFor();
  answer = 'fails';
  tab.expectError(/503/);
  tab.expectError(/Query failed/);
  await page.reload();
  await page.getByText('Exact count unavailable').waitFor();
  await turn.getByRole('button', { name: 'Next' }).click();
  await turn.getByText('Page 2', { exact: true }).waitFor();

  answer = 'arrives';
  await page.reload();
  await showing(page, '11-20 of 20,010 OTP(s) (filtered)');
  await turn.getByText('Page 2 of 2,001').waitFor();
});

test('a phone has the filters, the order and the export in a sheet, whose button tells how many are set', async () => {
  const { page } = tab();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/');
  await settled(page);
  expect(await page.getByRole('combobox').count()).toBe(0);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await choose(page, 'Status', 'Failed');
  await choose(page, 'Time period', 'Last 7 days');
  await choose(page, 'Sort by', 'Oldest first');
  await expectAddress(page, '/?status=failed&days=7&ordering=created_at');
  await sheet.getByRole('button', { name: 'Show 0 Results' }).click();
  await sheet.waitFor({ state: 'hidden' });
  const button = page.getByRole('button', { name: 'Filters, 2 set' });
  await button.and(page.locator(':focus')).waitFor();

  await button.click();
  await sheet.getByRole('button', { name: 'Clear Filters' }).click();
  await expectAddress(page, '/?ordering=created_at');
  await sheet.getByRole('button', { name: 'Show 12 Results' }).waitFor();
  const download = page.waitForEvent('download');
  await sheet.getByRole('button', { name: 'Export as CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  await sheet.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('a wide screen shows the optional columns, and a choice of columns holds at every width', async () => {
  const { page } = tab();
  await follow(page, '/');
  const header = page.getByRole('columnheader', { name: 'Carrier' });
  await page.getByRole('columnheader', { name: 'Recipient' }).waitFor();
  expect(await header.count()).toBe(0);
  await page.setViewportSize({ width: 1920, height: 900 });
  await header.waitFor();
  await page.getByRole('columnheader', { name: 'Country' }).waitFor();

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Carrier' }).click();
  await header.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('columnheader', { name: 'Country' }).waitFor();
  expect(await header.count()).toBe(0);
  await page.evaluate("localStorage.removeItem('columns_verifications')");
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the pager keeps the focus on the last page, and the search box when it is cleared', async () => {
  const { page } = tab();
  await follow(page, '/');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 of 2').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Next');
  await expect.poll(() => page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  const search = page.getByRole('searchbox');
  await search.fill('55013');
  await page.getByRole('button', { name: 'Clear Search' }).first().click();
  await expect
    .poll(() => search.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true);
});
