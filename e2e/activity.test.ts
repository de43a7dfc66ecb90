import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';
import { choose, expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let alice: Person;

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { service } = stage;
  const { id } = await stage.apiKey(alice, 'Production');
  const bearer = alice.access;
  await service.call(updateApiKey, { bearer, params: { id }, body: { note: 'The web shop' } });
  await service.call(updateSpend, {
    bearer,
    headers: {
      'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/142.0.0.0 Safari/537.36',
    },
    body: { daily_credit_limit: 1_000, monthly_credit_limit: null },
  });
  for (let n = 0; n < 3; n += 1)
    await service.call(signIn, { body: { email: alice.email, password: 'not the password' } });
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings/activity' }));

test('on a phone, the activity shows IP addresses, and a link below it leads back to the settings', async () => {
  const { page } = tab();
  await page.setViewportSize({ width: 390, height: 844 });
  // Details without room are cut.
  const address = rows(page, 'Activity')
    .filter({ hasText: 'Changed the spend limits' })
    .getByText('127.0.0.1');
  const isWhole = () =>
    address.evaluate(
      (text) =>
        text.getBoundingClientRect().right <= (text.parentElement?.getBoundingClientRect().right ?? 0),
    );
  await expect.poll(isWhole).toBe(true);
  await page.getByRole('link', { name: 'Back to Settings' }).click();
  await expectAddress(page, '/settings');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'View Activity' }).click();
  await rows(page, 'Activity').first().waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Back to Settings' }).count()).toBe(0);
});

test('the activity shows who changed what, from where, with the values before and after', async () => {
  const { page } = tab();
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
  await expectAddress(page, '/settings/activity');
  await expect.poll(() => page.title()).toBe('Activity · Sixdigit');
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
  await crumbs.getByRole('link', { name: 'Settings' }).waitFor();

  const list = rows(page, 'Activity');
  await list.filter({ hasText: 'Failed sign-in ×3' }).getByText('Unknown', { exact: true }).waitFor();
  await list.filter({ hasText: 'Created an API key' }).getByText('Production', { exact: true }).waitFor();

  await choose(page, 'Action', 'Payments and limits');
  await showing(page, '1-1 of 1 entries (filtered)');
  await expectAddress(page, '/settings/activity?group=payment');
  const change = list.filter({ hasText: 'Changed the spend limits' });
  await change.click();
  const sheet = page.getByRole('dialog', { name: 'Changed the spend limits' });
  await sheet.getByRole('row', { name: 'Daily credit limit None 1,000' }).waitFor();
  await sheet.getByText('127.0.0.1').waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });

  await choose(page, 'Action', 'All Actions');
  await choose(page, 'By', 'Operator');
  await page.getByText('No entries match the current filters.').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await page.getByPlaceholder('Search actions, names, or addresses...').fill('production');
  await showing(page, '1-2 of 2 entries (filtered)');
});
