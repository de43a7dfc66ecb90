import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';
import { endMembership, idsOf, setRole } from './teams.ts';

/** Olivia, the first account, is an admin of the console. Alice owns an account in which Dora develops. Sam is in support. */
let stage: Stage;
let olivia: Person;
let sam: Person;
let dora: Person;
let alice: Person;
let ofAlice: { person_id: string; account_id: string };
beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  sam = await stage.signUp('Sam');
  dora = await stage.signUp('Dora');
  alice = await stage.signUp('Alice');
  ofAlice = await idsOf(stage.service, alice);
  await stage.service.app.db.run(
    `insert into operators (account_id, role, created_at)
     select id, 'support', clock_now() from accounts where email = $1`,
    [sam.email],
  );
  const { person_id } = await idsOf(stage.service, dora);
  await setRole(stage.service, { account_id: ofAlice.account_id, person_id }, 'developer');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: olivia, path: `/operator/accounts/${ofAlice.account_id}` }));
const membersOn = (page: Page) => page.getByRole('region', { name: 'Members' });

test('an account lists its members with roles, and its sessions name whose they are', async () => {
  const { page } = tab();
  const rows = membersOn(page).getByRole('listitem');
  await rows
    .filter({ hasText: alice.email })
    .getByText(/^Owner, joined /)
    .waitFor();
  await rows
    .filter({ hasText: dora.email })
    .getByText(/^Developer, joined /)
    .waitFor();
  await rows.filter({ hasText: dora.email }).getByText('Not seen yet').waitFor();
  await page
    .getByRole('region', { name: 'Sessions' })
    .getByText(`Where ${alice.email} is signed in.`)
    .waitFor();
  expect(await page.getByRole('button', { name: `Make owner: ${alice.email}` }).count()).toBe(0);
});

test("an admin ends one member's sessions, and the other members stay signed in", async () => {
  const { page } = tab();
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
  expect(await status(alice)).toBe(200);
});

test('with the keyboard alone, an admin makes a member an owner of an account that has none', async () => {
  const { page } = tab();
  await endMembership(stage.service, ofAlice);
  await page.reload();
  await membersOn(page).getByText('This account has no owner. Make one of its members an owner.').waitFor();
  const make = membersOn(page).getByRole('button', { name: `Make owner: ${dora.email}` });
  await make.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Make Owner' });
  await dialog.getByText('All members get an email').waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('Please enter a reason').waitFor();
  await page.keyboard.type('Alice has left the company');
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

test('an account without members says so', async () => {
  const { page } = tab();
  const erin = await idsOf(stage.service, await stage.signUp('Erin'));
  await endMembership(stage.service, erin);
  await page.goto(`/operator/accounts/${erin.account_id}`);
  await membersOn(page).getByText('No members.').waitFor();
});

test('support sees the members without the actions of admins', async () => {
  await using other = await stage.tab({ as: sam, path: `/operator/accounts/${ofAlice.account_id}` });
  const { page } = other;
  await membersOn(page).getByText(dora.email).waitFor();
  expect(await membersOn(page).getByRole('button').count()).toBe(0);
});
