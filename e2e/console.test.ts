import { listOperatorActions } from '@sixdigit/contract/operator/operator.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { operatorPages } from '../web/src/operator/operator-pages.ts';
import {
  eventually,
  follow,
  look,
  openStage,
  type Stage,
  settled,
  sharedTab,
  texts,
  WIDTHS,
} from './browser.ts';

/** The console's frame: its navigation, breadcrumbs and command palette. Olivia is its admin, Sam its support. Bob is a customer. */
let stage: Stage;
let olivia: Person;
let sam: Person;
let bob: Person;
let account: string;

beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  sam = await stage.signUp('Sam');
  bob = await stage.signUp('Bob');
  await stage.service.app.db.run(
    `insert into operators (account_id, role, created_at)
     select id, 'support', clock_now() from accounts where email = $1`,
    [sam.email],
  );
  const { id } = await stage.service.app.db.one<{ id: string }>(
    `update accounts set last_name = 'Tables' where email = $1 returning id`,
    [bob.email],
  );
  account = `/operator/accounts/${id}`;
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: olivia, path: '/operator/audit' }));

const navigation = (page: Page, name: 'Operator' | 'Account') =>
  page.getByRole('navigation', { name, exact: true });

/** Opens the palette and waits for its field. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search the console' }).and(page.locator(':focus')).waitFor();
}

test('the console has its own navigation, no balance and no Buy Credits, and leads back in one click', async () => {
  const { page } = tab();
  await follow(page, '/operator');
  expect(await texts(navigation(page, 'Operator').getByRole('link'))).toHaveLength(
    Object.keys(operatorPages).length,
  );
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Buy Credits' }).count()).toBe(0);
  expect(await page.getByTestId('credits').count()).toBe(0);
  for (const width of WIDTHS) {
    await look(page, 'light', width);
    const sign = page.getByRole('banner').getByRole('link', { name: 'Operator', exact: true });
    await sign.waitFor();
    await page.getByRole('link', { name: 'Back to Your Account' }).click();
    await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
    await page.getByTestId('credits').waitFor({ state: 'attached' });
    expect(await sign.count()).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  }
});

test('no console screen appears without its sidebar and breadcrumbs', async () => {
  const { page } = tab();
  // The console's frame loads slowly.
  await page.route('**/assets/ConsoleFrame-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  await page.goto('/operator/accounts');
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  expect(await navigation(page, 'Operator').count()).toBe(1);
  expect(await page.getByRole('navigation', { name: 'Breadcrumb' }).count()).toBe(1);
  await page.unroute('**/assets/ConsoleFrame-*.js');
});

test("an account's views replace the console's pages in the sidebar, and breadcrumbs name the account", async () => {
  const { page } = tab();
  await follow(page, '/operator/accounts');
  await page.getByRole('link', { name: bob.email }).click();
  const views = navigation(page, 'Account');
  expect(await texts(views.getByRole('link'))).toEqual([
    'Overview',
    'Verifications',
    'Requests',
    'Insights',
    'Webhooks',
    'Payments',
    'Blocks',
    'Activity',
    'Settings',
  ]);
  expect(await navigation(page, 'Operator').count()).toBe(0);
  await views.getByRole('link', { name: 'Blocks' }).click();
  await page.getByText('No send of this account looked suspicious.').waitFor();
  const title = (of: string) => eventually(async () => expect(await page.title()).toBe(of));
  await title(`Blocks · ${bob.email} · Sixdigit`);
  await views.getByRole('link', { name: 'Overview' }).click();
  await title(`Overview · ${bob.email} · Sixdigit`);
  await views.getByRole('link', { name: 'Blocks' }).click();
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
  expect(await texts(crumbs.getByRole('listitem'))).toEqual(['Accounts', bob.email, 'Blocks']);
  await page.getByRole('link', { name: 'All Accounts' }).click();
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  await title('Accounts · Sixdigit');
  await navigation(page, 'Operator').waitFor();
});

test('on a phone the drawer has the navigation of the console, and of an account', async () => {
  const { page } = tab();
  await follow(page, '/operator/accounts');
  await look(page, 'dark', 390);
  const toggle = page.getByRole('button', { name: 'Toggle sidebar' });
  const drawer = page.getByRole('dialog', { name: 'Navigation' });
  await toggle.click();
  await drawer.getByRole('link', { name: 'Carriers' }).waitFor();
  await drawer.getByRole('link', { name: 'Protection' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { name: 'Protection', level: 1 }).waitFor();
  await page.goto(account);
  await page.getByRole('heading', { name: bob.email }).waitFor();
  await toggle.click();
  await drawer.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Activity').waitFor();
  await page.getByRole('banner').getByRole('link', { name: 'All Accounts' }).click();
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
});

test('the insights of a new account offer no longer period, which would be empty, too', async () => {
  const { page } = tab();
  await look(page, 'light', 1280);
  await page.goto(`${account}/insights`);
  await page.getByText('This account has not sent anything yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Show 90 Days' }).count()).toBe(0);
});

test("one choice shows an account's live verifications, its test verifications or its test inbox", async () => {
  const { page } = tab();
  await page.goto(`${account}/verifications`);
  const views = page.getByRole('tablist', { name: 'Mode' });
  const chosen = () => Object.fromEntries(new URL(page.url()).searchParams);
  await views.getByRole('tab', { name: 'Live', selected: true }).waitFor();
  await views.getByRole('tab', { name: 'Test inbox' }).click();
  await page.getByRole('heading', { name: 'No test messages' }).waitFor();
  expect(chosen()).toEqual({ mode: 'test', view: 'inbox' });
  await views.getByRole('tab', { name: 'Test', exact: true }).click();
  await page.getByRole('heading', { name: 'No test messages' }).waitFor({ state: 'hidden' });
  expect(chosen()).toEqual({ mode: 'test' });
  await views.getByRole('tab', { name: 'Live' }).click();
  await page.waitForURL((url) => url.search === '');
});

test('the palette of the console finds an account by its address, its name and its id', async () => {
  const { page } = tab();
  await page.goto('/operator/audit');
  await navigation(page, 'Operator').waitFor();
  const id = account.split('/').at(-1) ?? '';
  for (const text of [bob.email.slice(0, 5), 'Tables', id]) {
    await openPalette(page);
    await page.keyboard.type(text);
    await page
      .getByRole('group', { name: 'Accounts' })
      .getByRole('option', { name: new RegExp(bob.email) })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: bob.email }).waitFor();
    await page.getByRole('link', { name: 'All Accounts' }).click();
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  }
});

test('the palette searches for a phone number only when the operator chooses to, because the audit records the search', async () => {
  const { page, calls } = tab();
  await page.goto('/operator/audit');
  await navigation(page, 'Operator').waitFor();
  const searches = async () =>
    (
      await stage.service.call(listOperatorActions, {
        bearer: olivia.access,
        query: { action: 'recipient.search' },
      })
    ).body.count;
  const before = await searches();
  const asked = calls.length;
  await openPalette(page);
  await page.keyboard.type('+1 415 555 2671');
  const offer = page.getByRole('option', { name: 'Find the account with the phone number +1 415 555 2671' });
  await offer.waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/operator\/accounts\?search=/);
  await page.getByText('No account matches the search and the filter.').waitFor();
  expect(calls.slice(asked).filter((one) => String(one).includes('search='))).toHaveLength(1);
  expect(await searches()).toBe(before + 1);
});

test('actions of the palette open where they are taken: block, add a price, suspend and adjust credits', async () => {
  const { page } = tab();
  await page.goto('/operator/audit');
  await navigation(page, 'Operator').waitFor();
  const choose = async (text: string, option: string | RegExp): Promise<void> => {
    await openPalette(page);
    await page.keyboard.type(text);
    await page.getByRole('option', { name: option }).click();
  };
  await choose('block', 'Block a Destination');
  const deny = page.getByRole('dialog', { name: 'Deny Everywhere' });
  await deny.getByLabel('Prefix').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await deny.waitFor({ state: 'hidden' });

  await choose('add price', 'Add a Price');
  await page.getByLabel('Channel of price 1').and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await choose('add price', 'Add a Price');
  await page.getByLabel('Channel of price 1').and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();

  await choose('erase', 'Erase a Recipient');
  await page.getByLabel('Phone number or email address').and(page.locator(':focus')).waitFor();

  await choose(`suspend ${bob.email}`, `Suspend: ${bob.email}`);
  const suspend = page.getByRole('dialog', { name: 'Suspend Account' });
  await suspend.getByLabel('Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await suspend.waitFor({ state: 'hidden' });
  expect(new URL(page.url()).hash).toBe('');

  await choose('adjust', 'Adjust Credits');
  await page.getByRole('dialog', { name: 'Adjust Credits' }).waitFor();
  await page.keyboard.press('Escape');
});

test('a support operator sees neither pages nor actions that only admins may use', async () => {
  await using other = await stage.tab({ as: sam, path: '/operator' });
  const { page } = other;
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  const links = await texts(navigation(page, 'Operator').getByRole('link'));
  expect(links).toContain('Accounts');
  expect(links).not.toContain('Keys');
  await openPalette(page);
  const options = await texts(page.getByRole('option'));
  for (const one of ['Accounts', 'Run Diagnostics', 'Export for Accounting', 'Back to Your Account'])
    expect(options).toContain(one);
  for (const one of [
    'Keys',
    'Refund a Purchase',
    'Block a Destination',
    'Add a Price',
    'Create Announcement',
  ])
    expect(options).not.toContain(one);
  await page.keyboard.type(`suspend ${bob.email}`);
  await page.getByRole('option', { name: bob.email }).waitFor();
  expect(await page.getByRole('option', { name: /^Suspend/ }).count()).toBe(0);
});

test('an account opens on what support needs: its failing endpoint, its devices and the limits that it has', async () => {
  const { page } = tab();
  for (const name of ['Failing', 'Newest']) {
    const body = { name, url: `https://example.com/${name}` };
    expect((await stage.service.call(createWebhook, { bearer: bob.access, body })).status).toBe(201);
  }
  await stage.service.app.db.run(
    `update webhook_endpoints set consecutive_failures = 6 where name = 'Failing' and account_id = $1`,
    [account.split('/').at(-1) ?? ''],
  );
  await page.goto(`${account}/webhooks`);
  const endpoint = page.getByLabel('Endpoint');
  await endpoint.waitFor();
  await settled(page);
  expect(await endpoint.locator('option').allTextContents()).toEqual(['Failing', 'Newest']);
  expect(await endpoint.inputValue()).toBe('');

  await navigation(page, 'Account').getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('region', { name: 'Sessions' }).getByText('127.0.0.1').first().waitFor();
  await page.getByRole('button', { name: 'Change Limits' }).click();
  const limits = page.getByRole('dialog', { name: 'Change Limits' });
  const second = limits.getByRole('textbox', { name: 'Requests per second per key' });
  await second.waitFor();
  for (const text of ['Default: 30', 'Default: 5', 'Default: 20', 'Default: United States and Canada'])
    await limits.getByText(text, { exact: true }).waitFor();
});

test('while an account loads, its view shows the address from the list and loads too', async () => {
  const { page } = tab();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/v1/operator/accounts/*-*/', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/operator/accounts');
  await page.getByRole('link', { name: bob.email }).click();
  await page.getByRole('heading', { level: 1, name: bob.email }).waitFor();
  await navigation(page, 'Account').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('region', { name: 'Second factors' }).waitFor();
  const limits = page.getByRole('button', { name: 'Change Limits' });
  expect(await limits.count()).toBe(0);
  release();
  await limits.waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('an account that cannot be loaded has a heading, and one that does not exist says so', async () => {
  const { page } = tab();
  tab().expectError(/status of (404|500)|Query failed/);
  await page.route('**/api/v1/operator/accounts/*/', (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(account);
  await page.getByText('Failed to load the account', { exact: true }).waitFor();
  await page.getByText('The service responded with 500', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('heading', { level: 1, name: bob.email }).waitFor();
  await page.goto(`/operator/accounts/${crypto.randomUUID()}`);
  await page.getByText('There is no account with this id', { exact: true }).waitFor();
  await page.getByText('Choose one in Accounts.', { exact: true }).waitFor();
});
