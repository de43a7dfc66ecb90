import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { removeMember } from '@sixdigit/contract/accounts/members.ts';
import type { OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, expectAccessible, openStage, type Stage, sharedTab } from './browser.ts';
import { expectAddress, rows } from './lists.ts';
import { heading } from './parts.ts';
import { endingWith, endMembership, idsOf, newAccount, openUserMenu, setRole } from './teams.ts';

let stage: Stage;
/** Alice has one account at first, Carol has two. */
let alice: Person;
let carol: Person;
let eve: Person;
let shop: OwnAccount;
let carols: { person_id: string; account_id: string };

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  carol = await stage.signUp('Carol');
  eve = await stage.signUp('Eve');
  shop = await newAccount(stage.service, carol, 'Carol Shop');
  carols = await idsOf(stage.service, carol);
});
afterAll(() => stage?.close());

const ownSlug = async (): Promise<string> => {
  const { slug } = await stage.service.app.db.one<{ slug: string }>(
    'select slug from accounts where id = $1',
    [carols.account_id],
  );
  return slug;
};

const alices = sharedTab(() => stage.tab({ as: alice, path: '/' }));

test('a second account begins empty, and from then on each address names its account', async () => {
  const { page } = alices();
  await page.keyboard.press('Escape');
  await openUserMenu(page, alice.email);
  await page.getByRole('menuitem', { name: 'Create Another Account…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create Account' });
  await dialog.getByRole('button', { name: 'Create Account' }).click();
  await dialog.getByText('Enter a name', { exact: true }).waitFor();
  await dialog.getByLabel('Account name').fill('Harbor Tools');
  await dialog.getByRole('button', { name: 'Create Account' }).click();
  await heading(page, 'Verifications');
  await expectAddress(page, '/a/harbor-tools');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await expect.poll(() => page.title()).toBe('Verifications · Sixdigit');
  await page.locator('nav a[href="/a/harbor-tools/api-keys"]').click();
  await heading(page, 'API Keys');
  await expectAddress(page, '/a/harbor-tools/api-keys');
  await page.reload();
  await heading(page, 'API Keys');
  await expectAddress(page, '/a/harbor-tools/api-keys');
});

test('the user menu opens the same page of another account', async () => {
  const { page } = alices();
  await openUserMenu(page, 'Harbor Tools');
  const shown = page.getByRole('menuitem', { name: /Harbor Tools/ });
  await expect.poll(() => shown.getAttribute('aria-current')).toBe('true');
  await page.getByRole('menuitem', { name: endingWith(`${alice.email} Owner`) }).click();
  await heading(page, 'API Keys');
  await eventually(() => expect(new URL(page.url()).pathname).toMatch(/^\/a\/alice[\w-]*\/api-keys$/));
});

/** Carol's, in her second account. */
const carolsTab = sharedTab(() => stage.tab({ as: carol, path: `/a/${shop.slug}/api-keys` }));

test('two tabs show two accounts, and each change is made in the account of its tab', async () => {
  const own = await ownSlug();
  const { page, context } = carolsTab();
  await page.getByRole('heading', { name: 'No API keys' }).waitFor();
  const other = await context.newPage();
  await other.goto(`/a/${own}/api-keys`);
  await other.getByRole('heading', { name: 'No API keys' }).waitFor();

  await page.getByRole('button', { name: 'Create API Key' }).click();
  const create = page.getByRole('dialog', { name: 'Create API Key' });
  await create.getByLabel('Name').fill('Shop checkout');
  await create.getByRole('button', { name: 'Create API Key' }).click();
  await page
    .getByRole('dialog', { name: 'Your New API Key' })
    .getByRole('button', { name: "I've Copied the Key" })
    .click();
  await rows(page, 'API keys').filter({ hasText: 'Shop checkout' }).waitFor();

  await other.reload();
  await other.getByRole('heading', { name: 'No API keys' }).waitFor();
  await expectAddress(other, `/a/${own}/api-keys`);
  await other.close();
  await page.reload();
  await rows(page, 'API keys').filter({ hasText: 'Shop checkout' }).waitFor();
});

test('an owner of two accounts moves credits, and both histories show it', async () => {
  const own = await ownSlug();
  const { page } = carolsTab();
  await page.goto(`/a/${own}/credits`);
  carolsTab().expectError(/status of 402|Insufficient credits/);
  await page.getByRole('button', { name: 'Move Credits' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move Credits' });
  await dialog.getByText('This account has 25 credits. Moved credits arrive immediately.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Move Credits' }).click();
  await dialog.getByText('Enter a whole number of credits', { exact: true }).waitFor();
  await dialog.getByLabel('Amount').fill('26');
  await dialog.getByRole('button', { name: 'Move Credits' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/credits/)
    .waitFor();
  await dialog.getByLabel('Amount').fill('10');
  await dialog.getByRole('button', { name: 'Move Credits' }).click();
  await page.getByText('Credits moved', { exact: true }).waitFor();
  await page
    .getByText(/^To Carol/)
    .first()
    .waitFor();
  await page.goto(`/a/${shop.slug}/credits`);
  await page.getByText(`From ${carol.email}`).first().waitFor();
  const { body } = await stage.service.call(getMe, {
    bearer: carol.access,
    headers: { 'x-account': shop.id },
  });
  expect(body.credits).toBe(10);
});

/** Eve becomes a member of a new account of Carol. `remove` ends that. */
async function shared(name: string) {
  const { person_id } = await idsOf(stage.service, eve);
  const { id, slug } = await newAccount(stage.service, carol, name);
  await setRole(stage.service, { person_id, account_id: id }, 'developer');
  const remove = async (): Promise<void> => {
    const { status } = await stage.service.call(removeMember, {
      bearer: carol.access,
      headers: { 'x-account': id },
      params: { person_id },
    });
    expect(status).toBe(204);
  };
  return { slug, remove };
}

test('an open screen of an account that the person has lost becomes one that does not exist', async () => {
  const { slug, remove } = await shared('Lost and Found');
  await using tab = await stage.tab({ as: eve, path: `/a/${slug}/logs` });
  const { page } = tab;
  tab.expectError(/status of 404|Query failed|live/);
  await heading(page, 'Logs');
  await page.getByText('Connected', { exact: true }).waitFor();
  await remove();
  await heading(page, 'Not Found');
  await expectAddress(page, `/a/${slug}/logs`);
  await page.getByRole('link', { name: 'Go to Verifications' }).click();
  await heading(page, 'Verifications');

  // Without live events, the next screen does not exist. A refused stream is tried again after a minute; a lost one
  // would make the screen read everything once more, and find the loss before the click.
  const other = await shared('Lost Property');
  await page.route('**/api/v1/live/**', (route) => route.fulfill({ status: 429, json: {} }));
  await page.goto(`/a/${other.slug}/docs`);
  await heading(page, 'Docs');
  // So would a read that is under way.
  await tab.noneOpen();
  await other.remove();
  await page.locator(`nav a[href="/a/${other.slug}/webhooks"]`).click();
  await heading(page, 'Not Found');
});

test('a person without an account creates one', async () => {
  const frank = await stage.signUp('Frank');
  await endMembership(stage.service, await idsOf(stage.service, frank));
  await using tab = await stage.tab({ as: frank, path: '/' });
  const { page } = tab;
  tab.expectError(/status of 404|Query failed/);
  await heading(page, 'You have no account');
  await page.getByLabel('Account name').fill('Frank and Sons');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await heading(page, 'Verifications');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
});
