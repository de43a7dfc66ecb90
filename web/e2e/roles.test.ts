import { createConnection } from '@sixdigit/contract/connections.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, settled, sharedTab, texts } from './browser.ts';
import { expectAddress, rows } from './lists.ts';
import { heading, scrollTo } from './parts.ts';
import { SIGNED_IN } from './screens.ts';
import { endingWith, idsOf, setRole } from './teams.ts';

let stage: Stage;
/** Alice owns the account with a sent code. Vera is in it with each role in turn, and has an account of her own. */
let alice: Person;
let vera: Person;
let ids: { account_id: string; person_id: string };
let slug: string;

const RECIPIENT = '+14155550142';

beforeAll(async () => {
  stage = await openStage();
  const { service } = stage;
  alice = await stage.signUp('Alice');
  vera = await stage.signUp('Vera');
  ids = { ...(await idsOf(service, vera)), account_id: (await idsOf(service, alice)).account_id };
  const { key } = await stage.apiKey(alice, 'Shop');
  const sent = await service.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient: RECIPIENT } });
  expect(sent.status).toBe(201);
  const connected = await service.call(createConnection, {
    bearer: alice.access,
    body: { system: 'supabase', name: 'Sign-in' },
  });
  expect(connected.status).toBe(201);
  slug = `roles-${ids.account_id.slice(-12)}`;
  await service.app.db.run('update accounts set slug = $2 where id = $1', [ids.account_id, slug]);
  await setRole(service, ids, 'viewer');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: vera, path: `/a/${slug}` }));

/** Gives Vera a role. No screen is open meanwhile: a call that it makes for the role before would be refused. */
async function become(role: Role): Promise<void> {
  await tab().page.goto('/healthz');
  await setRole(stage.service, ids, role);
}

/** Opens a page of the account with a role. */
async function open(role: Role, path: string, title: string): Promise<Page> {
  await become(role);
  const { page } = tab();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/a/${slug}${path}`);
  await heading(page, title);
  await page.getByRole('button', { name: endingWith(alice.email) }).waitFor();
  return page;
}
const buttons = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const places = async (page: Page): Promise<string[]> =>
  (await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()).map((text) =>
    text.trim(),
  );

/** The choices of the connection's menu. */
async function connectionChoices(page: Page): Promise<string[]> {
  const row = rows(page, 'Connections').filter({ hasText: 'Sign-in' });
  await row.getByRole('button', { name: 'Actions for Sign-in' }).click();
  const choices = await texts(page.getByRole('menu').getByRole('menuitem'));
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  return choices;
}

describe('a viewer', () => {
  test('a viewer sees verifications with masked recipients and nothing that changes them', async () => {
    const page = await open('viewer', '', 'Verifications');
    const row = rows(page, 'Verifications').first();
    await row.getByText('••••').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('555');
    expect(await buttons(page, /Send a Test Code|Send Another/).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Buy Credits' }).count()).toBe(0);
    expect(await places(page)).not.toContain('Credits');
    await row.click();
    const sheet = page.getByRole('dialog', { name: 'Verification Details' });
    await sheet.getByText('••••').first().waitFor();
    expect(await sheet.getByRole('button', { name: /Resend|Cancel Verification/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  test('a viewer is told which role can open a page', async () => {
    const page = await open('viewer', '/credits', 'Credits');
    await page.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
    await page.getByText('Needs the role admin').waitFor();
  });

  test('a viewer has no buttons in the lists of keys, connections, webhooks and rules', async () => {
    const keys = await open('viewer', '/api-keys', 'API Keys');
    await rows(keys, 'API keys').filter({ hasText: 'Shop' }).waitFor();
    expect(await buttons(keys, /Create API Key|Edit|Rotate|Delete/).count()).toBe(0);
    const connections = await open('viewer', '/connections', 'Connections');
    expect(await connectionChoices(connections)).toEqual(['View Requests']);
    expect(await buttons(connections, 'Create Connection').count()).toBe(0);
    const webhooks = await open('viewer', '/webhooks', 'Webhooks');
    await webhooks.getByRole('heading', { name: 'No webhook endpoints' }).waitFor();
    expect(await buttons(webhooks, 'Add Webhook').count()).toBe(0);
  });
});

test('support sees whole recipients and can send again, but makes no keys', async () => {
  const page = await open('support', '', 'Verifications');
  await rows(page, 'Verifications').first().getByText(RECIPIENT).waitFor();
  await rows(page, 'Verifications').first().click();
  const sheet = page.getByRole('dialog', { name: 'Verification Details' });
  await sheet.getByRole('button', { name: 'Resend' }).waitFor();
  await page.keyboard.press('Escape');
  const activity = await open('support', '/settings/activity', 'Activity');
  await activity.getByText('What you did in this account. Kept for 400 days.').waitFor();
  expect(await activity.getByRole('combobox', { name: 'Person' }).count()).toBe(0);
});

test('a developer whose account has no credits reads who can buy some', async () => {
  const { db } = stage.service.app;
  await db.run('update balances set credits = 0 where account_id = $1', [ids.account_id]);
  const page = await open('developer', '', 'Verifications');
  tab().expectError('402');
  await buttons(page, 'Send a Test Code').first().click();
  const dialog = page.getByRole('dialog', { name: 'Send a Test Code' });
  await dialog.getByLabel('Recipient').fill('reader@customers.test');
  await dialog.getByRole('button', { name: 'Send Code' }).click();
  await dialog.getByText('An owner or admin can buy credits').waitFor();
  expect(await dialog.getByRole('link', { name: 'Buy credits' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await db.run('update balances set credits = 25 where account_id = $1', [ids.account_id]);
});

test('an admin buys credits and invites, but changes no owner and cannot delete the account', async () => {
  const page = await open('admin', '/team', 'Team');
  expect(await places(page)).toContain('Credits');
  const owner = page
    .getByRole('list', { name: 'Members' })
    .getByRole('listitem')
    .filter({ hasText: alice.email });
  await owner.waitFor();
  expect(await owner.getByRole('button').count()).toBe(0);
  await page.getByRole('button', { name: 'Invite People' }).click();
  const roles = page.getByRole('combobox', { name: 'Role' }).getByRole('option');
  await roles.first().waitFor({ state: 'attached' });
  expect(await roles.allInnerTexts()).toEqual(['Admin', 'Developer', 'Support', 'Viewer']);
  await page.keyboard.press('Escape');
  await open('admin', '/settings', 'Settings');
  expect(await page.getByRole('heading', { name: 'Delete account' }).count()).toBe(0);
});

/** Every screen of the account. The tour opens them as an owner and a viewer. The roles reach some of them only by address. */
const SCREENS = [...SIGNED_IN, { path: '/settings/activity', heading: 'Activity' }];

test.each(['support', 'admin'] as const)(
  'no screen sends a call that the role %s cannot make',
  async (role) => {
    await become(role);
    const { page } = tab();
    const failed: string[] = [];
    const note = (response: Response): void => {
      if (response.status() >= 400) failed.push(`${response.status()} ${page.url()} ${response.url()}`);
    };
    page.on('response', note);
    // The browser has not seen the account with this role.
    await page.evaluate(`localStorage.removeItem('accounts')`);
    await page.goto(`/a/${slug}/settings/activity`);
    for (const { path, heading: title } of SCREENS) {
      const link = page.locator(`nav a[href="/a/${slug}${path === '/' ? '' : path}"]`);
      if ((await link.count()) > 0) await link.first().click();
      else await page.goto(`/a/${slug}${path}`);
      await heading(page, title);
      await settled(page);
      if (path === '/') {
        await rows(page, 'Verifications').first().click();
        await page.getByRole('dialog', { name: 'Verification Details' }).waitFor();
        await settled(page);
        await page.keyboard.press('Escape');
      }
      if (path === '/settings') {
        await scrollTo(page.getByRole('heading', { name: 'OTP Configuration', level: 2 }));
        await settled(page);
      }
      await tab().noneOpen();
    }
    page.off('response', note);
    expect(failed).toEqual([]);
  },
);

test('a role that was lowered meanwhile is refused with the role that may', async () => {
  const page = await open('developer', '/api-keys', 'API Keys');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const create = page.getByRole('dialog', { name: 'Create API Key' });
  await create.getByLabel('Name').fill('Too late');
  await setRole(stage.service, ids, 'viewer');
  tab().expectError(/status of 400|needs the role/);
  await create.getByRole('button', { name: 'Create API Key' }).click();
  await create.getByText('This needs the role developer. Ask an owner or admin of the account.').waitFor();
  await page.keyboard.press('Escape');
  await expectAddress(page, `/a/${slug}/api-keys`);
});
