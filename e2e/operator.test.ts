import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
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
  ['/protection', 'Protection'],
  ['/prices', 'Prices'],
  ['/payments', 'Payments'],
  ['/opt-outs', 'Opt-outs'],
  ['/announcements', 'Announcements'],
  ['/settings', 'Settings'],
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
  expect(await tab.page.getByRole('menuitem', { name: 'Operator Console' }).count()).toBe(0);
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
  await page.getByText('Ended', { exact: true }).waitFor();
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
