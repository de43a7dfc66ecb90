import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
  expectAccessible,
  expectEveryLookAccessible,
  failUntilTriedAgain,
  follow,
  openStage,
  type Stage,
  type Tab,
} from './browser.ts';

/** Olivia, the first account of the sandbox, is its operator. Bob is a customer. */
let stage: Stage;
let olivia: Person;
let bob: Person;

beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

const SCREENS = [
  ['', 'Overview'],
  ['/accounts', 'Accounts'],
  ['/carriers', 'Carriers'],
  ['/payments', 'Payments'],
  ['/opt-outs', 'Opt-outs'],
  ['/announcements', 'Announcements'],
  ['/audit', 'Audit'],
] as const;

test('a customer finds no console: its pages do not exist, and no menu names it', async () => {
  await using tab = await stage.tab({ as: bob, path: '/operator' });
  await tab.page.getByRole('heading', { name: 'Not Found' }).waitFor();
  await tab.page.goto(`${stage.url}/operator/accounts`);
  await tab.page.getByRole('heading', { name: 'Not Found' }).waitFor();
  await tab.page.goto(stage.url);
  await tab.page.getByRole('button', { name: /bob/i }).click();
  await tab.page.getByRole('menuitem', { name: 'Settings' }).waitFor();
  expect(await tab.page.getByRole('menuitem', { name: 'Operator console' }).count()).toBe(0);
});

test('an operator finds an abuser, suspends the account, and the next send is refused', async () => {
  const { key } = await stage.apiKey(bob);
  const send = () =>
    stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient: 'victim@example.com' } });
  expect((await send()).status).toBe(201);

  await using tab = await stage.tab({ as: olivia });
  const { page } = tab;
  await page.getByRole('button', { name: /olivia/i }).click();
  await page.getByRole('menuitem', { name: 'Operator console' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Accounts' }).click();
  await page.getByPlaceholder('Search accounts...').fill(bob.email);
  await page.getByRole('link', { name: bob.email }).click();
  await page.getByRole('heading', { name: bob.email }).waitFor();
  await page.getByText('v••@example.com').waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suspend account' });
  await dialog.getByRole('button', { name: 'Suspend account' }).click();
  await dialog.getByText('Please enter a reason').waitFor();
  await dialog.getByLabel('Reason').fill('Pumps SMS');
  await dialog.getByRole('button', { name: 'Suspend account' }).click();
  await page.getByText('Account suspended', { exact: true }).waitFor();
  expect((await send()).body).toEqual({ error: 'Account suspended', reason: 'account_suspended' });

  await page.getByRole('button', { name: 'Resume' }).click();
  const resume = page.getByRole('dialog', { name: 'Resume account' });
  await resume.getByLabel('Reason').fill('Resolved');
  await resume.getByRole('button', { name: 'Resume account' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  expect((await send()).status).toBe(201);

  await page.getByRole('button', { name: 'Adjust credits' }).click();
  const adjust = page.getByRole('dialog', { name: 'Adjust credits' });
  await adjust.getByRole('textbox', { name: 'Credits' }).fill('40');
  await adjust.getByLabel('Reason').fill('Goodwill');
  await adjust.getByRole('button', { name: 'Adjust credits' }).click();
  await page.getByText('Adjustment: Goodwill').waitFor();

  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Audit' }).click();
  await page.getByText('account.adjust_credits').first().click();
  const entry = page.getByRole('dialog', { name: 'account.adjust_credits' });
  await entry.getByText('Goodwill').waitFor();
  await expectAccessible(page);
});

test('a search that is typed before another page opens does not filter that page', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator/accounts' });
  const { page } = tab;
  const search = page.getByPlaceholder('Search accounts...');
  const link = page.getByRole('link', { name: bob.email });
  await link.waitFor();
  const opens = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async (route) => {
    await opens.promise;
    await route.continue();
  });
  await search.fill(bob.email);
  const asks = page.waitForRequest('**/assets/*.js');
  await link.dispatchEvent('click');
  await asks;
  await search.press('Enter');
  opens.resolve();
  await page.getByRole('heading', { name: bob.email }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('an announcement reaches the customers, and ends', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator/announcements' });
  const { page } = tab;
  await page.getByRole('button', { name: 'Announce' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Announce' });
  await dialog.getByLabel('Text').fill('Maintenance on Sunday');
  await dialog.getByRole('button', { name: 'Announce' }).click();
  await page.getByRole('complementary', { name: 'Announcement' }).waitFor();
  await using other = await stage.tab({ as: bob });
  await other.page.getByText('Maintenance on Sunday').waitFor();
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByText('Announcement ended').waitFor();
  await eventually(async () =>
    expect(await page.getByRole('complementary', { name: 'Announcement' }).count()).toBe(0),
  );
});

test('a carrier is paused and resumed', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = tab;
  const toggle = page.getByRole('switch', { name: 'sandbox for SMS is in use' });
  for (const [action, done] of [
    ['Pause', 'Carrier paused'],
    ['Resume', 'Carrier resumed'],
  ] as const) {
    await toggle.click();
    const dialog = page.getByRole('dialog', { name: `${action} sandbox` });
    await dialog.getByLabel('Reason').fill('Incident');
    await dialog.getByRole('button', { name: action }).click();
    await page.getByText(done, { exact: true }).waitFor();
  }
});

describe('every screen of the console', () => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await stage.tab({ as: olivia, path: '/operator' });
  });
  afterAll(() => tab?.[Symbol.asyncDispose]());

  test.each(SCREENS)('is accessible in every look: /operator%s', async (path, heading) => {
    await follow(tab.page, `/operator${path}`);
    await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await expectEveryLookAccessible(tab.page);
  });
});

test('a screen that fails to load offers another try', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator/audit' });
  tab.expectError('Query failed');
  tab.expectError(/status of 500/);
  await tab.page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
  await failUntilTriedAgain(tab.page, '**/api/v1/operator/overview/');
  await tab.page
    .getByRole('navigation', { name: 'Operator' })
    .getByRole('link', { name: 'Overview' })
    .click();
  await tab.page.getByText('Failed to load the overview').waitFor();
  await tab.page.getByRole('button', { name: 'Try Again' }).click();
  await tab.page.getByText('Last hour').waitFor();
});
