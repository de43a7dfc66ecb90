import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import { createWebhook } from '#contract/webhooks.ts';
import type { Person } from '../server/test/person.ts';
import { eventually, expectNoSidewaysScroll, openStage, type Stage } from './browser.ts';
import { expectAddress, rows } from './lists.ts';

/** The lists on every width from 360 pixels: nothing is cut off, no word is broken, and all can be sorted. */
let stage: Stage;
let alice: Person;

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice, 'A key with a name that is rather long');
  for (const recipient of ['anastasia.papadopoulos@customers.example.com', 'bob@example.com'])
    await stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } });
  const url = `https://example.com/${'hooks/'.repeat(20)}`;
  const hook = await stage.service.call(createWebhook, { bearer: alice.access, body: { name: 'Shop', url } });
  expect(hook.status).toBe(201);
});
afterAll(() => stage?.close());

const lists = [
  ['/', 'Verifications'],
  ['/logs', 'Requests'],
  ['/api-keys', 'API keys'],
  ['/webhooks', 'Webhooks'],
  ['/credits', 'Payment History'],
] as const;

test.each(lists)('%s fits every width from 360 to 1,280 pixels', async (path, table) => {
  await using tab = await stage.tab({ as: alice, path, width: 1280 });
  const { page } = tab;
  const list = page.getByRole('table', { name: table });
  await rows(page, table).first().waitFor();
  for (const width of [1280, 1100, 820, 768, 390, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScroll(page);
    await eventually(async () => {
      const [needed, given] = await list.evaluate((element) => [
        element.scrollWidth,
        element.parentElement?.clientWidth ?? 0,
      ]);
      expect(needed, `${width} pixels`).toBeLessThanOrEqual(given ?? 0);
    });
    await eventually(async () => {
      const heights = await rows(page, table).evaluateAll((all) =>
        all.map((row) => row.getBoundingClientRect().height),
      );
      expect(Math.max(...heights), `${width} pixels`).toBeLessThanOrEqual(width < 768 ? 72 : 112);
    });
  }
});

test('a list without columns is sorted by a menu', async () => {
  await using tab = await stage.tab({ as: alice, path: '/logs', width: 390 });
  const { page } = tab;
  await rows(page, 'Requests').first().waitFor();
  const menu = page.getByRole('combobox', { name: 'Sort by' });
  expect(await menu.getByRole('option', { selected: true }).textContent()).toBe('Newest first');
  await menu.selectOption('Response Time: highest first');
  await expectAddress(page, '/logs?ordering=-response_time_ms');
  await menu.selectOption('Oldest first');
  await expectAddress(page, '/logs?ordering=created_at');
  await rows(page, 'Requests').first().getByText('anastasia').waitFor();
});

test("what a narrow row leaves out is in the request's details", async () => {
  await using tab = await stage.tab({ as: alice, path: '/logs', width: 390 });
  const { page } = tab;
  await rows(page, 'Requests').first().click();
  const details = page.getByRole('dialog', { name: 'Request Details' });
  for (const name of ['Endpoint', 'IP Address', 'Response Time'])
    await details.getByText(name, { exact: true }).waitFor();
});

test('a filter that matches nothing leaves the table with "No results." and the hint', async () => {
  await using tab = await stage.tab({ as: alice, path: '/?search=nobody' });
  const { page } = tab;
  await page
    .getByRole('table', { name: 'Verifications' })
    .getByText('No results.', { exact: true })
    .waitFor();
  await page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await rows(page, 'Verifications').nth(1).waitFor();
});
