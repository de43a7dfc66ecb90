import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { follow, openStage, type Stage, sharedTab } from './browser.ts';
import { expectAddress, rows, showing } from './lists.ts';

/** Lists that are narrow, empty or long. */
let stage: Stage;
let alice: Person;

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice, 'A key with a name that is rather long');
  for (const recipient of ['anastasia.papadopoulos@customers.example.com', 'bob@example.com'])
    await stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } });
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

test("a narrow list is sorted in its sheet, and the request's details show what its row omits", async () => {
  const { page } = tab();
  await follow(page, '/logs');
  await page.setViewportSize({ width: 390, height: 900 });
  await rows(page, 'Requests').first().waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  const menu = page.getByRole('combobox', { name: 'Sort by' });
  expect(await menu.getByRole('option', { selected: true }).textContent()).toBe('Newest first');
  await menu.selectOption('Response Time: highest first');
  await expectAddress(page, '/logs?ordering=-response_time_ms');
  await menu.selectOption('Oldest first');
  await expectAddress(page, '/logs?ordering=created_at');
  await page.getByRole('button', { name: /^Show \d+ Results$/ }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await rows(page, 'Requests').first().getByText('anastasia').waitFor();

  await rows(page, 'Requests').first().click();
  const details = page.getByRole('dialog', { name: 'Request Details' });
  for (const name of ['Endpoint', 'IP Address', 'Response Time'])
    await details.getByText(name, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'hidden' });
});

test('a filter that matches nothing leaves the table with "No results." and the hint', async () => {
  const { page } = tab();
  await follow(page, '/');
  await page.getByRole('searchbox').fill('nobody');
  await page
    .getByRole('table', { name: 'Verifications' })
    .getByText('No results.', { exact: true })
    .waitFor();
  await page.getByText('No verifications match the current filters').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await rows(page, 'Verifications').nth(1).waitFor();
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
  await turn.getByRole('button', { name: 'Next' }).click();
  await showing(page, '11-20 of more than 20,000 OTP(s) (filtered)');

  // Another search cancels the count.
  const canceled = page.waitForEvent('requestfailed', (request) => request.url().includes('count=only'));
  await page.getByRole('searchbox').fill('user');
  await canceled;

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
