import { createInvitation, listInvitations } from '@sixdigit/contract/accounts/invitations.ts';
import { removeMember } from '@sixdigit/contract/accounts/members.ts';
import { removeSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anotherSession, type Person } from '../server/test/person.ts';
import { eventually, openStage, type Stage, sharedTab } from './browser.ts';
import { choose, expectAddress, rows } from './lists.ts';
import { heading } from './parts.ts';
import { endingWith, idsOf, setRole } from './teams.ts';

let stage: Stage;
/** Alice owns the account. Dana is a developer in it, Sam in support. */
let alice: Person;
let dana: Person;
let sam: Person;
let account_id: string;
const ids = new Map<Person, string>();
let inAccount: { bearer: string; headers: Record<string, string> };

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  ({ account_id } = await idsOf(stage.service, alice));
  inAccount = { bearer: alice.access, headers: { 'x-account': account_id } };
  dana = await stage.signUp('Dana');
  sam = await stage.signUp('Sam');
  for (const member of [dana, sam]) ids.set(member, (await idsOf(stage.service, member)).person_id);
});
afterAll(() => stage?.close());

const join = (member: Person, role: Role): Promise<unknown> =>
  setRole(stage.service, { account_id, person_id: ids.get(member) ?? '' }, role);

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

test('the only owner is alone in the list, cannot leave, and chooses whether to get emails about problems', async () => {
  const { page } = alices();
  const own = members(page).filter({ hasText: alice.email });
  await own.getByText('Owner', { exact: true }).waitFor();
  await own.getByText('You', { exact: true }).waitFor();
  await expect.poll(() => members(page).count()).toBe(1);
  await expect.poll(() => own.getByRole('button').count()).toBe(1);
  const leave = own.getByRole('button', { name: 'Leave' });
  await expect.poll(() => leave.getAttribute('aria-disabled')).toBe('true');
  await own.getByText('The only member cannot leave. You can delete the account instead.').waitFor();
  await page.getByText('No open invitations.', { exact: true }).waitFor();
  const choice = page.getByRole('switch', { name: 'Email me about problems' });
  await expect.poll(() => choice.isChecked()).toBe(true);
  await choice.click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await openTeam(page);
  await expect.poll(() => choice.isChecked()).toBe(false);
});

test('several people are invited at once, each with a role, and refused addresses stay with their reasons', async () => {
  const { page } = alices();
  await page.getByRole('button', { name: 'Invite People' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite People' });
  await dialog.getByRole('button', { name: 'Send Invitations' }).click();
  await dialog.getByText('Enter at least one email address', { exact: true }).waitFor();
  alices().expectError(/status of 400/);
  await dialog
    .getByLabel('Email Addresses')
    .fill(`nora@invited.test, ${alice.email}\nnot-an-address, omar@invited.test`);
  await choose(page, 'Default Role', 'Support');
  await dialog
    .getByText('Can see full recipients, resend and cancel codes, and allow blocked numbers.')
    .waitFor();
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
    .poll(() => dialog.getByLabel('Email Addresses').inputValue())
    .toBe(`${alice.email}\nnot-an-address`);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await invitations(page).filter({ hasText: 'nora@invited.test' }).getByText('Support').waitFor();
  await invitations(page).filter({ hasText: 'omar@invited.test' }).getByText('Viewer').waitFor();
  await expect.poll(() => invitations(page).count()).toBe(2);
});

test('a link that is sent again replaces the earlier one, and a revoked link stops working', async () => {
  const { page } = alices();
  const nora = invitations(page).filter({ hasText: 'nora@invited.test' });
  const copied = async (): Promise<string> => {
    await nora.getByRole('button', { name: 'Copy the link for nora@invited.test' }).click();
    await page.getByText('Copied to clipboard!', { exact: true }).first().waitFor();
    return await alices().clipboard();
  };
  const first = await copied();
  await nora.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('Invitation sent again. The link in the earlier email no longer works.').waitFor();
  const second = await eventually(async () => {
    const link = await copied();
    expect(link).not.toBe(first);
    return link;
  });

  const visitor = visitors();
  await visitor.page.goto(first);
  await heading(visitor.page, 'This invitation no longer works');
  await visitor.page.goto(second);
  await visitor.page.getByRole('link', { name: 'Sign Up to Join' }).waitFor();

  await nora.getByRole('button', { name: 'Revoke' }).click();
  const confirm = page.getByRole('dialog', { name: 'Revoke Invitation' });
  await confirm.getByText('The link in the email to nora@invited.test stops working immediately.').waitFor();
  await confirm.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Invitation revoked', { exact: true }).waitFor();
  await nora.waitFor({ state: 'detached' });
  await visitor.page.reload();
  await heading(visitor.page, 'This invitation no longer works');
});

test('an invited person signs up with the address of the invitation and is a member at once', async () => {
  const { page } = visitors();
  await page.goto(await invited('pia@invited.test', 'viewer'));
  await heading(page, 'Join this account');
  await page.getByText(`${alice.email} invited you to join as Viewer.`).waitFor();
  await page.getByRole('link', { name: 'Sign Up to Join' }).click();
  const email = page.getByLabel('Email');
  await expect.poll(() => email.inputValue()).toBe('pia@invited.test');
  await expect.poll(() => email.isEditable()).toBe(false);
  await page.getByRole('textbox', { name: 'Phone Number' }).fill('4155550199');
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill('Pia likes long walks');
  await page.getByRole('textbox', { name: 'Confirm Password' }).fill('Pia likes long walks');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await heading(page, 'Verifications');
  await expectAddress(page, '/');
  await page.getByText(`You joined ${alice.email} as Viewer`, { exact: true }).waitFor();
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
  await heading(page, 'Verifications');
  await page.getByText(`You joined ${alice.email} as Developer`, { exact: true }).waitFor();
  await eventually(() => expect(new URL(page.url()).pathname).toMatch(/^\/a\/alice[\w-]*$/));
  await page.goto(link);
  await heading(page, 'This invitation no longer works');
});

test('an open team page shows members, invitations and single sign-on that changed elsewhere', async () => {
  await using tab = await stage.tab({
    as: await anotherSession(stage.service, alice),
    path: '/team',
    clock: true,
  });
  const { page } = tab;
  await members(page).first().waitFor();
  await page.getByRole('button', { name: 'Set Up SSO' }).waitFor();
  const passTenSeconds = async (): Promise<void> => {
    await tab.advance(10_000);
    // The replies are drawn by a timer.
    await tab.advance(100);
  };
  await tab.pauseClock();
  await join(sam, 'support');
  await invited('rita@invited.test');
  const saved = await stage.service.call(updateSso, {
    ...inAccount,
    body: {
      ...{ issuer: 'https://id.example.com', client_id: 'sixdigit', client_secret: 'of the provider' },
      ...{ domain: 'elsewhere.example.com', default_role: 'viewer', required: false },
    },
  });
  expect(saved.status).toBe(200);
  await passTenSeconds();
  await members(page).filter({ hasText: sam.email }).waitFor();
  await invitations(page).filter({ hasText: 'rita@invited.test' }).waitFor();
  // Its part of the page loads now, and is shown by a timer.
  await eventually(async () => {
    await tab.advance(400);
    expect(await page.getByText('Waiting for the record', { exact: true }).isVisible()).toBe(true);
  });

  // What the user types meanwhile stays, and the other fields follow.
  await page.getByLabel('Issuer').fill('https://typed.example.com');
  await stage.service.call(updateSso, {
    ...inAccount,
    body: {
      ...{ issuer: 'https://id.example.com', client_id: 'changed', client_secret: 'of the provider' },
      ...{ domain: 'elsewhere.example.com', default_role: 'viewer', required: false },
    },
  });
  await join(sam, 'viewer');
  await passTenSeconds();
  await members(page).filter({ hasText: sam.email }).getByText('Viewer', { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel('Client ID').inputValue()).toBe('changed');
  await expect.poll(() => page.getByLabel('Issuer').inputValue()).toBe('https://typed.example.com');
  expect((await stage.service.call(removeSso, inAccount)).status).toBe(204);
});

test('an owner changes a role and removes the member, whose key is marked and can be rotated', async () => {
  const person_id = ids.get(dana) ?? '';
  await join(dana, 'admin');
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
  expect((await stage.service.call(removeMember, { ...inAccount, params: { person_id } })).status).toBe(404);

  await page.locator('nav a[href="/api-keys"]').click();
  const key = rows(page, 'API keys').filter({ hasText: 'Made by Dana' });
  await key.getByText(`Made by ${dana.email}`).waitFor();
  await key.getByText('Former member', { exact: true }).waitFor();
  const own = rows(page, 'API keys').filter({ hasText: 'Made by Alice' });
  await expect.poll(() => own.getByText('Made by', { exact: false }).count()).toBe(1);
  await key.getByRole('button', { name: 'Rotate Made by Dana, made by a former member' }).click();
  const rotate = page.getByRole('dialog', { name: 'Rotate API Key' });
  await rotate.waitFor();
  await page.keyboard.press('Escape');
});

test('the activity names who did what, and shows the entries of one member', async () => {
  await join(sam, 'support');
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
  await list.filter({ hasText: 'Made by Dana' }).click();
  const sheet = page.getByRole('dialog', { name: 'Created an API key' });
  await sheet.getByText(dana.email, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
});

test('a member leaves and keeps their own account', async () => {
  await join(sam, 'support');
  const { slug } = await stage.service.app.db.one<{ slug: string }>(
    'select slug from accounts where id = $1',
    [account_id],
  );
  await using tab = await stage.tab({
    as: await anotherSession(stage.service, sam),
    path: `/a/${slug}/team`,
  });
  // A call of the lost account may be under way.
  tab.expectError(/status of 404|Query failed|live/);
  const { page } = tab;
  const own = members(page).filter({ hasText: sam.email });
  await own.getByRole('button', { name: 'Leave' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave Account' });
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await heading(page, 'Verifications');
  await page.getByRole('button', { name: endingWith(sam.email) }).waitFor();
});
