import { readFileSync } from 'node:fs';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { follow, openStage, type Stage, sharedTab } from './browser.ts';
import { choose, expectAddress, rows, showing } from './lists.ts';

/** What all lists do alike. Their columns and URLs have unit tests in web/src/table. */
let stage: Stage;
let alice: Person;

/** Alice has twelve keys, twelve endpoints that are inactive, and twelve sends. */
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
  }
  await service.call(signIn, { body: { email: alice.email, password: 'not the password' } });
  await service.app.requestLog.flush();
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

test.each([
  {
    ...{ path: '/', table: 'Verifications', noun: 'OTP(s)', placeholder: 'Search recipient or API key...' },
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
    ...{ path: '/api-keys', table: 'API keys', noun: 'API keys', placeholder: 'Search API keys...' },
    ...{ sort: ['Name', 'name', 'Key 1'], search: 'key 1', filtered: '1-4 of 4 API keys (filtered)' },
    ...{ noMatch: 'No API key matches “nothing like it”.', clear: 'Clear Search' },
  },
  {
    ...{ path: '/webhooks', table: 'Webhooks', noun: 'webhooks', placeholder: 'Search webhooks...' },
    ...{
      sort: ['Name', 'name', 'Endpoint 1'],
      search: 'endpoint 1',
      filtered: '1-4 of 4 webhooks (filtered)',
    },
    ...{ noMatch: 'No webhook endpoint matches “nothing like it”.', clear: 'Clear Search' },
  },
])('the URL of $path stores the page, the order and the search, which can be cleared', async (list) => {
  const { page } = tab();
  const { path, noun } = list;
  const [column = '', ordering, first = ''] = list.sort;
  await follow(page, path);
  await showing(page, `1-10 of 12 ${noun}`);
  await page.getByText('Page 1 of 2', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, `11-12 of 12 ${noun}`);
  await page.getByText('Page 2 of 2', { exact: true }).waitFor();
  await expectAddress(page, `${path}?page=2`);
  const header = page.getByRole('columnheader', { name: column });
  await header.getByRole('button').click();
  await expectAddress(page, `${path}?ordering=${ordering}`);
  await rows(page, list.table).first().getByText(first, { exact: true }).waitFor();
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
  await page.goBack();
  await showing(page, `11-12 of 12 ${noun}`);

  const search = page.getByPlaceholder(list.placeholder);
  await search.fill(list.search);
  await showing(page, list.filtered);
  await search.fill('nothing like it');
  await page.getByText(list.noMatch).waitFor();
  await page.getByRole('button', { name: list.clear }).last().click();
  await showing(page, `1-10 of 12 ${noun}`);
  await expect.poll(() => search.inputValue()).toBe('');
});

test('a reload keeps the page, and "back" the one before', async () => {
  const { page } = tab();
  await follow(page, '/api-keys');
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, '11-12 of 12 API keys');
  await page.reload();
  await showing(page, '11-12 of 12 API keys');
  await page.goBack();
  await showing(page, '1-10 of 12 API keys');
});

test.each([
  {
    path: '/',
    file: 'verifications',
    search: '55011',
    exported: '9 rows',
    value: '"+14155550111"',
  },
  {
    path: '/settings/activity',
    file: 'audit-log',
    search: 'sign-in',
    exported: '1 row',
    value: '127.0.0.1',
  },
])('the matching rows of $path download as CSV with their count', async (list) => {
  const { page } = tab();
  await follow(page, '/');
  if (list.path !== '/') {
    await follow(page, '/settings');
    await page.getByRole('link', { name: 'View Activity' }).click();
  }
  await page.getByRole('searchbox').fill(list.search);
  const [count] = list.exported.split(' ');
  await page.getByText(new RegExp(`^Showing 1-${count} of ${count} .*\\(filtered\\)$`)).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^${list.file}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
    .slice(1);
  expect(lines).toHaveLength(Number(count));
  expect(lines.join()).toContain(list.value);
  await page.getByText(`Exported ${list.exported}`, { exact: true }).waitFor();
});

test('lists are filtered from their first page, by choices that the URL stores', async () => {
  const { page } = tab();
  await follow(page, '/logs');
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, '11-12 of 12 requests');
  await choose(page, 'Status code', 'Success (2xx)');
  await showing(page, '1-10 of 12 requests (filtered)');
  await expectAddress(page, '/logs?status_code=success');
  await choose(page, 'Status code', '404');
  await page.getByText('No requests match the current filters.').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await showing(page, '1-10 of 12 requests');
});
