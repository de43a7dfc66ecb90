import { createInvitation, listInvitations } from '@sixdigit/contract/accounts/invitations.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, openStage, type Stage, sharedTab } from './browser.ts';
import { choose, expectAddress, rows, showing } from './lists.ts';
import { heading } from './parts.ts';
import { idsOf, setRole } from './teams.ts';

let stage: Stage;
/** Alice owns the account, of which Dana becomes a member. */
let alice: Person;
let dana: Person;
let account_id: string;
let danas: string;
let inAccount: { bearer: string; headers: Record<string, string> };

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  ({ account_id } = await idsOf(stage.service, alice));
  inAccount = { bearer: alice.access, headers: { 'x-account': account_id } };
  dana = await stage.signUp('Dana');
  danas = (await idsOf(stage.service, dana)).person_id;
});
afterAll(() => stage?.close());

/** The path of the link in a new invitation. */
async function invited(email: string, role: Role = 'developer'): Promise<string> {
  const { status } = await stage.service.call(createInvitation, { ...inAccount, body: { email, role } });
  expect(status).toBe(201);
  const { body } = await stage.service.call(listInvitations, { ...inAccount, query: { links: 'true' } });
  const { pathname, hash } = new URL(body.results.find((one) => one.email === email)?.link ?? '');
  return pathname + hash;
}

/** Loads the page again. */
async function openTeam(page: Page): Promise<void> {
  await page.goto('/team');
  await members(page).first().waitFor();
}

const members = (page: Page) => page.getByRole('list', { name: 'Members' }).getByRole('listitem');
const invitations = (page: Page) =>
  page.getByRole('list', { name: 'Open invitations' }).getByRole('listitem');

const alices = sharedTab(() => stage.tab({ as: alice, path: '/team' }));
/** A browser in which nobody is signed in at first. */
const visitors = sharedTab(async () => {
  const tab = await stage.tab({ path: '/terms' });
  tab.expectError(/status of 40[14]|Query failed/);
  return tab;
});

test('several people are invited at once, each with a role, and refused addresses stay with their reasons', async () => {
  const { page } = alices();
  await page.getByRole('button', { name: 'Invite People' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite People' });
  await dialog.getByRole('button', { name: 'Send Invitations' }).click();
  await dialog.getByText('Enter at least one email address', { exact: true }).waitFor();
  alices().expectError(/status of 400/);
  await dialog
    .getByLabel('Email addresses')
    .fill(`nora@invited.test, ${alice.email}\nnot-an-address, omar@invited.test`);
  await choose(page, 'Default role', 'Support');
  const roleOf = (email: string) => dialog.getByRole('combobox', { name: `Role of ${email}` });
  await roleOf('omar@invited.test').selectOption('Viewer');
  await dialog.getByRole('button', { name: 'Send Invitations' }).click();
  await page.getByText('2 invitations sent', { exact: true }).waitFor();
  await dialog.getByRole('alert').getByText('2 addresses were not invited.').waitFor();
  const refused = dialog.getByRole('list', { name: 'Roles' }).getByRole('listitem');
  await refused
    .filter({ hasText: alice.email })
    .getByText('This address already belongs to a member.')
    .waitFor();
  await refused.filter({ hasText: 'not-an-address' }).getByText('valid email').waitFor();
  await expect
    .poll(() => dialog.getByLabel('Email addresses').inputValue())
    .toBe(`${alice.email}\nnot-an-address`);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await invitations(page).filter({ hasText: 'nora@invited.test' }).getByText('Support').waitFor();
  await invitations(page).filter({ hasText: 'omar@invited.test' }).getByText('Viewer').waitFor();
  await expect.poll(() => invitations(page).count()).toBe(2);
});

test('an invited person signs up with the address of the invitation and a password, and is a member at once', async () => {
  const { page } = visitors();
  await page.goto(await invited('pia@invited.test', 'viewer'));
  await heading(page, 'Join this account');
  await page.getByText(`${alice.email} invited you to join as Viewer.`).waitFor();
  await page.getByRole('link', { name: 'Sign Up to Join' }).click();
  const email = page.getByLabel('Email');
  await expect.poll(() => email.inputValue()).toBe('pia@invited.test');
  await expect.poll(() => email.isEditable()).toBe(false);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill('Pia likes long walks');
  await page.getByRole('textbox', { name: 'Confirm password' }).fill('Pia likes long walks');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  // first, because it is shown for four seconds
  await page.getByText(`You joined ${alice.email} as Viewer`, { exact: true }).waitFor();
  await heading(page, 'Verifications');
  await expectAddress(page, '/');
  // A viewer
  await expect.poll(() => page.getByRole('link', { name: 'Buy Credits' }).count()).toBe(0);
  await openTeam(alices().page);
  await members(alices().page).filter({ hasText: 'pia@invited.test' }).getByText('Viewer').waitFor();
});

test('a person who is signed in with another address can sign in with the invited one, and joins', async () => {
  const link = await invited(dana.email);
  const { page } = visitors();
  await page.goto(link);
  const note = page.getByRole('status');
  await note.getByText(dana.email, { exact: true }).waitFor();
  await note.getByText('pia@invited.test', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Log Out and Continue' }).click();
  await page.getByRole('textbox', { name: 'Password' }).fill(dana.password);
  await expect.poll(() => page.getByLabel('Email').inputValue()).toBe(dana.email);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await heading(page, 'Join this account');
  await page.getByRole('button', { name: 'Accept Invitation' }).click();
  await page.getByText(`You joined ${alice.email} as Developer`, { exact: true }).waitFor();
  await heading(page, 'Verifications');
  await eventually(() => expect(new URL(page.url()).pathname).toMatch(/^\/a\/alice[\w-]*$/));
  await page.goto(link);
  await heading(page, 'This invitation no longer works');
});

test('an owner changes a role and removes the member, whose key is marked and can be rotated', async () => {
  // Dana's dashboard could notice the changes, and its calls would be refused.
  await visitors().page.goto('/healthz');
  await setRole(stage.service, { account_id, person_id: danas }, 'admin');
  const made = await stage.service.call(createApiKey, {
    bearer: dana.access,
    headers: { 'x-account': account_id },
    body: { name: 'Made by Dana' },
  });
  expect(made.status).toBe(201);
  await stage.apiKey(alice, 'Made by Alice');

  const { page } = alices();
  await openTeam(page);
  const row = members(page).filter({ hasText: dana.email });
  await row.getByRole('button', { name: 'Change role' }).click();
  const change = page.getByRole('dialog', { name: 'Change Role' });
  await expect.poll(() => change.getByRole('button', { name: 'Change Role' }).isDisabled()).toBe(true);
  await choose(page, 'Role', 'Support');
  await change.getByRole('button', { name: 'Change Role' }).click();
  await page.getByText('Role changed', { exact: true }).waitFor();
  await row.getByText('Support', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Member' });
  await dialog.getByText('loses access immediately, on every device.').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Member removed', { exact: true }).waitFor();
  await row.waitFor({ state: 'detached' });

  await page.locator('nav a[href="/api-keys"]').click();
  const key = rows(page, 'API keys').filter({ hasText: 'Made by Dana' });
  await key.getByText('Former member', { exact: true }).waitFor();
  await key.getByRole('button', { name: 'Rotate Made by Dana, made by a former member' }).waitFor();
});

test('the activity names who did what, from where, with the values before and after, and is filtered', async () => {
  const body = { daily_credit_limit: 1_000, monthly_credit_limit: null };
  expect((await stage.service.call(updateSpend, { ...inAccount, body })).status).toBe(200);
  const { page } = alices();
  await page.locator('nav a[href="/settings"]').click();
  await page.getByRole('link', { name: 'View Activity' }).click();
  await heading(page, 'Activity');
  const list = rows(page, 'Activity');
  await list.filter({ hasText: 'Made by Dana' }).getByText(dana.email, { exact: true }).waitFor();
  await list.filter({ hasText: 'Removed a member' }).getByText('You', { exact: true }).waitFor();
  await choose(page, 'Person', alice.email);
  await list.filter({ hasText: 'Made by Dana' }).waitFor({ state: 'detached' });
  await list.filter({ hasText: 'Made by Alice' }).waitFor();
  await choose(page, 'Person', 'All People');
  await choose(page, 'Action', 'Payments and limits');
  await showing(page, '1-1 of 1 entries (filtered)');
  await list.filter({ hasText: 'Changed the spend limits' }).click();
  const sheet = page.getByRole('dialog', { name: 'Changed the spend limits' });
  await sheet.getByRole('row', { name: 'Daily credit limit None 1,000' }).waitFor();
  await sheet.getByText('127.0.0.1').waitFor();
  await page.keyboard.press('Escape');
});
