import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { operatorPages } from '../src/operator/operator-pages.ts';
import { eventually, follow, look, openStage, type Stage, sharedTab, texts } from './browser.ts';
import { endMembership, idsOf, setRole } from './teams.ts';

/** The console's frame: its navigation, breadcrumbs and command palette. Olivia is its admin, Sam its support. Bob is a customer. */
let stage: Stage;
let olivia: Person;
let sam: Person;
let bob: Person;
/** Develops in Bob's account. */
let dora: Person;
let ofBob: { person_id: string; account_id: string };
let account: string;

beforeAll(async () => {
  stage = await openStage();
  olivia = stage.operator as Person;
  sam = await stage.signUp('Sam');
  bob = await stage.signUp('Bob');
  dora = await stage.signUp('Dora');
  ofBob = await idsOf(stage.service, bob);
  const { person_id } = await idsOf(stage.service, dora);
  await setRole(stage.service, { account_id: ofBob.account_id, person_id }, 'developer');
  await stage.service.app.db.run(
    `insert into operators (account_id, role, created_at)
     select id, 'support', clock_now() from accounts where email = $1`,
    [sam.email],
  );
  account = `/operator/accounts/${ofBob.account_id}`;
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: olivia, path: '/operator/audit' }));

const navigation = (page: Page, name: 'Operator' | 'Account') =>
  page.getByRole('navigation', { name, exact: true });

/** Opens the palette and enters a text at once, because a pause between two keys looks up what is typed so far. */
async function openPalette(page: Page, text?: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search the console' }).and(page.locator(':focus')).waitFor();
  if (text) await page.keyboard.insertText(text);
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
  for (const width of [390, 1280]) {
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
  await expect.poll(() => texts(crumbs.getByRole('listitem'))).toEqual(['Accounts', bob.email, 'Blocks']);
  await page.getByRole('link', { name: 'All Accounts' }).click();
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  await title('Accounts · Sixdigit');
  await navigation(page, 'Operator').waitFor();
});

test('the palette of the console finds an account by its address and its id', async () => {
  const { page } = tab();
  await page.goto('/operator/audit');
  await navigation(page, 'Operator').waitFor();
  const id = account.split('/').at(-1) ?? '';
  for (const text of [bob.email, id]) {
    await openPalette(page, text);
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

test('actions of the palette open where they are taken: block, add a price, suspend and adjust credits', async () => {
  const { page } = tab();
  await page.goto('/operator/audit');
  await navigation(page, 'Operator').waitFor();
  const choose = async (text: string, option: string | RegExp): Promise<void> => {
    await openPalette(page, text);
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

  await choose(`suspend ${bob.email}`, `Suspend: ${bob.email}`);
  const suspend = page.getByRole('dialog', { name: 'Suspend Account' });
  await suspend.getByLabel('Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await suspend.waitFor({ state: 'hidden' });
  await expect.poll(() => new URL(page.url()).hash).toBe('');

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
  await page.keyboard.insertText(`suspend ${bob.email}`);
  await page.getByRole('option', { name: bob.email }).waitFor();
  expect(await page.getByRole('option', { name: /^Suspend/ }).count()).toBe(0);
});

const membersOn = (page: Page) => page.getByRole('region', { name: 'Members' });

test("an admin ends one member's sessions, and the other members stay signed in", async () => {
  const { page } = tab();
  await look(page, 'light', 1280);
  await page.goto(account);
  await membersOn(page)
    .getByRole('button', { name: `End sessions: ${dora.email}` })
    .click();
  const dialog = page.getByRole('dialog', { name: 'End Sessions' });
  await dialog.getByText(dora.email).waitFor();
  await dialog.getByLabel('Reason').fill('Lost laptop');
  await dialog.getByRole('button', { name: 'End Sessions' }).click();
  await page.getByText('Sessions ended').waitFor();
  const status = async (of: Person) => (await stage.service.call(getMe, { bearer: of.access })).status;
  expect(await status(dora)).toBe(401);
  expect(await status(bob)).toBe(200);
});

test('with the keyboard alone, an admin makes a member an owner of an account that has none', async () => {
  const { page } = tab();
  await endMembership(stage.service, ofBob);
  await page.reload();
  await membersOn(page).getByText('This account has no owner. Make one of its members an owner.').waitFor();
  const make = membersOn(page).getByRole('button', { name: `Make owner: ${dora.email}` });
  await make.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Make Owner' });
  await dialog.getByText('All members get an email').waitFor();
  await dialog.getByLabel('Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('Please enter a reason').waitFor();
  await page.keyboard.type('Bob has left the company');
  await page.keyboard.press('Enter');
  await page.getByText('Owner added').waitFor();
  await membersOn(page)
    .getByText(/^Owner, joined /)
    .waitFor();
  await make.waitFor({ state: 'detached' });
  await membersOn(page)
    .getByRole('button', { name: `End sessions: ${dora.email}` })
    .and(page.locator(':focus'))
    .waitFor();
});
