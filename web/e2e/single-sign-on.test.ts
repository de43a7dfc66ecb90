import { refreshTokens } from '@sixdigit/contract/accounts/sign-in.ts';
import { getSso } from '@sixdigit/contract/accounts/sso.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NameServer, startNameServer } from '../../server/test/fakes/dns.ts';
import {
  type IdentityProvider,
  type ProviderUser,
  startIdentityProvider,
} from '../../server/test/fakes/identity-provider.ts';
import { anotherSession, type Person } from '../../server/test/person.ts';
import { expectAccessible, openStage, type Stage, sharedTab } from './browser.ts';
import { expectAddress } from './lists.ts';
import { heading, scrollTo } from './parts.ts';
import { idsOf } from './teams.ts';

/** The tests tell one story: each needs the ones before it. */

const DOMAIN = 'corp.example.com';

let names: NameServer;
let stage: Stage;
let provider: IdentityProvider;
/** Alice owns the account. Bob has a password and an account of his own. */
let alice: Person;
let bob: Person;

beforeAll(async () => {
  names = await startNameServer();
  // The service's settings have the provider's port, so the service starts second, on any port of this host.
  provider = await startIdentityProvider('http://127.0.0.1');
  stage = await openStage({
    env: { DNS_SERVERS: names.address, SSO_PRIVATE_ORIGINS: provider.issuer },
  });
  await stage.signUp('Olivia');
  alice = await stage.signUp('Alice');
  bob = await stage.signUp('Bob');
  for (const one of [alice, bob]) await moveToDomain(one);
});
afterAll(async () => {
  await provider?.[Symbol.asyncDispose]();
  await stage?.close();
  await names?.[Symbol.asyncDispose]();
});

async function moveToDomain(one: Person): Promise<void> {
  const before = one.email;
  one.email = before.replace(/@.*/, `@${DOMAIN}`);
  await stage.service.app.db.run('update people set email = $1 where email = $2', [one.email, before]);
}

const userOf = (name: string, more: Partial<ProviderUser> = {}): ProviderUser => ({
  subject: name,
  email: `${name}@${DOMAIN}`,
  email_verified: true,
  ...more,
});

const alices = sharedTab(async () => {
  const tab = await stage.tab({ as: alice, path: '/team' });
  tab.expectError(`asked another host: ${provider.issuer}`);
  return tab;
});
/** A browser in which nobody is signed in at first. */
const visitors = sharedTab(async () => {
  const tab = await stage.tab({ path: '/sign-in' });
  tab.expectError(`asked another host: ${provider.issuer}`);
  tab.expectError(/Single sign-on is not set up|another person|did not respond as expected/);
  return tab;
});

async function openSso(page: Page): Promise<void> {
  await page.goto('/team');
  await scrollTo(page.getByRole('heading', { name: 'Single sign-on', level: 2 }));
}

/** Signs out here and at the provider. No dashboard runs meanwhile, which would notice and open the sign-in page. */
async function forget(page: Page): Promise<void> {
  await page.goto('/healthz');
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.context().clearCookies();
}

/** From the sign-in page, with the keyboard. */
async function signInBySso(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in');
  const link = page.getByRole('link', { name: 'Sign in with SSO' });
  await link.focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Sign in with SSO');
  await page.getByLabel('Email').fill(email);
  await page.keyboard.press('Enter');
}

test('an owner sets single sign-on up, and a wrong issuer has its sentence at the field', async () => {
  const { page } = alices();
  alices().expectError(/status of 400|issuer must not contain spaces|This owner is exempt/);
  await openSso(page);
  await page.getByRole('button', { name: 'Set Up SSO' }).click();
  const form = page.getByRole('form', { name: 'Single sign-on' });
  await page.getByLabel('Identity provider').selectOption('Keycloak');
  await page.getByText('Valid redirect URIs').waitFor();
  await form.getByRole('button', { name: 'Save SSO' }).click();
  await expect.poll(() => form.getByLabel('Issuer').getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('Issuer').fill('not an address');
  await form.getByLabel('Client ID').fill(provider.client_id);
  await form.getByLabel('Client secret').fill(provider.client_secret);
  await form.getByRole('textbox', { name: 'Domain' }).fill(DOMAIN);
  await form.getByRole('button', { name: 'Save SSO' }).click();
  await form.getByText(/issuer must/i).waitFor();
  await form.getByLabel('Issuer').fill(provider.issuer);
  await form.getByRole('button', { name: 'Save SSO' }).click();
  await page.getByText('Single sign-on saved', { exact: true }).waitFor();
  await page.getByText('Waiting for the record', { exact: true }).waitFor();

  const { settings } = (await stage.service.call(getSso, { bearer: alice.access })).body;
  names.records.set(settings?.record_name ?? '', [settings?.record_value ?? '']);
  await page.getByRole('button', { name: 'Check Now' }).click();
  await page.getByText('Verified', { exact: true }).waitFor();
  await page.getByText('Nobody has signed in with SSO yet.').waitFor();
  await page.getByText('Sign in with SSO once first.').waitFor();
});

/** Begins a test with what the form contains. Returns the tab with its result. */
async function testSignIn(user: ProviderUser): Promise<Page> {
  const { page, context } = alices();
  // The provider has forgotten the user of the test before.
  await context.clearCookies();
  provider.signsIn(user);
  await page.getByRole('button', { name: 'Test Sign-in' }).click();
  const begin = page
    .getByRole('dialog', { name: 'Test Sign-in' })
    .getByRole('button', { name: 'Open Sign-in Page' });
  const [tab] = await Promise.all([context.waitForEvent('page'), begin.press('Enter')]);
  return tab;
}

test('a test sign-in shows what the provider sent in a tab of its own, and signs nobody in', async () => {
  const works = await testSignIn(userOf('carol', { given_name: 'Carol' }));
  await heading(works, 'The test sign-in works');
  for (const text of [`carol@${DOMAIN}`, 'Carol', 'Developer', 'Would join as a new member.'])
    await works.getByText(text, { exact: false }).first().waitFor();
  await expectAccessible(works);
  await works.close();

  const fails = await testSignIn(userOf('eve', { email: 'eve@elsewhere.test' }));
  await heading(fails, 'Test failed');
  await fails.getByText(`The email address in the ID token is not in ${DOMAIN}.`).waitFor();
  await expectAccessible(fails);
  await fails.close();
  expect(await memberRoles()).toHaveLength(1);
});

test('a colleague signs in from the sign-in page and becomes a member', async () => {
  const { page } = visitors();
  visitors().expectError(/status of 400/);
  await signInBySso(page, 'nobody@elsewhere.test');
  await page.getByText('Single sign-on is not set up for this address.', { exact: false }).waitFor();
  await expectAccessible(page);
  provider.signsIn(userOf('carol', { given_name: 'Carol', family_name: 'Jones' }));
  await signInBySso(page, `carol@${DOMAIN}`);
  await page.getByText(`You joined ${alice.email} as Developer`, { exact: true }).waitFor();
  await heading(page, 'Verifications');
  expect(await memberRoles()).toContainEqual({ email: `carol@${DOMAIN}`, role: 'developer' });
});

const memberRoles = async (): Promise<{ email: string; role: string }[]> =>
  stage.service.app.db.rows(
    `select p.email, m.role from memberships m join people p on p.id = m.person_id where m.account_id = $1`,
    [(await idsOf(stage.service, alice)).account_id],
  );

test('settings explain what an SSO session cannot change', async () => {
  const { page } = visitors();
  await page.goto('/settings');
  await page.getByText('This session opens only this account.', { exact: false }).waitFor();
  await expectAccessible(page);
  await page.getByRole('heading', { name: 'Sessions', level: 3 }).first().waitFor();
  await expect.poll(() => page.getByLabel('Phone number', { exact: true }).isDisabled()).toBe(true);
  await expect.poll(() => page.getByRole('form', { name: 'Change password' }).count()).toBe(0);
  await expect.poll(() => page.getByRole('heading', { name: 'Passkeys' }).count()).toBe(0);
});

/** In the form of a new API key, which needs a proof. Returns the dialog that asks for it. */
async function createKeyUnproven(page: Page, name: string) {
  await stage.service.app.db.run(
    `update sessions set proven_at = proven_at - interval '1 hour' where sso_account_id is not null`,
  );
  await page.goto('/api-keys');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const form = page.getByRole('dialog', { name: 'Create API Key' });
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Create API Key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm it is you' });
  const button = dialog.getByRole('button', { name: 'Confirm with SSO' });
  await button.waitFor();
  return { dialog, button };
}

test('the provider proves the identity in a window of its own, and the form keeps its values', async () => {
  const { page, context } = visitors();
  const { dialog, button } = await createKeyUnproven(page, 'Typed before the proof');

  // Another user of the provider proves nothing.
  provider.signsIn(userOf('mallory'));
  const [other] = await Promise.all([context.waitForEvent('page'), button.click()]);
  await other.getByText('You signed in at your identity provider as another person.').waitFor();
  await expectAccessible(other);
  await other.close();
  await dialog.getByText('Sign in again in the window that has opened.', { exact: false }).waitFor();

  provider.signsIn(userOf('carol'));
  const [window] = await Promise.all([context.waitForEvent('page'), button.press('Enter')]);
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('dialog', { name: 'Your New API Key' }).waitFor();
  if (!window.isClosed()) await window.close();
});

/** The number of Bob's open sessions that began with his password. */
const passwordSessions = async (): Promise<number> =>
  (
    await stage.service.app.db.rows(
      `select from sessions s join people p on p.id = s.person_id
       where p.email = $1 and sso_account_id is null and ended_at is null`,
      [bob.email],
    )
  ).length;

test('a person who exists proves themselves once and links the identity', async () => {
  const { page } = visitors();
  const before = await passwordSessions();
  provider.signsIn(userOf('bob-at-work', { email: bob.email }));
  await forget(page);
  await signInBySso(page, bob.email);
  await heading(page, 'Confirm it is you');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign In', exact: true }).click();
  await page.getByLabel('Email').fill(bob.email);
  await page.getByLabel('Password', { exact: true }).fill(bob.password);
  await page.keyboard.press('Enter');
  await heading(page, 'Link SSO to your profile');
  expect(await passwordSessions()).toBe(before + 1);
  await page.getByRole('button', { name: 'Link and Continue' }).click();
  await heading(page, 'Verifications');
  // The SSO session has replaced it.
  expect(await passwordSessions()).toBe(before);
  expect(await memberRoles()).toContainEqual({ email: bob.email, role: 'developer' });
});

test('a required sign-in replaces the password session for this account only, and ends it', async () => {
  const { page } = alices();
  await page.setViewportSize({ width: 1280, height: 900 });
  await openSso(page);
  await page.getByRole('switch', { name: 'Require SSO for this domain' }).click();
  await page.getByLabel('Exempt owner').waitFor();
  await page.getByRole('button', { name: 'Save SSO' }).click();
  await page.getByText('Single sign-on saved', { exact: true }).waitFor();

  const { account_id } = await idsOf(stage.service, alice);
  const slug = await stage.service.app.db.one<{ slug: string }>('select slug from accounts where id = $1', [
    account_id,
  ]);
  const replaced = await anotherSession(stage.service, bob);
  await using tab = await stage.tab({
    as: replaced,
    path: `/a/${slug.slug}/logs`,
  });
  tab.expectError(/status of 400|Query failed|asked another host/);
  await heading(tab.page, 'Sign in with SSO');
  await expectAccessible(tab.page);
  const others = tab.page.getByRole('region', { name: 'Your other accounts' });
  await others.getByRole('button').first().click();
  await heading(tab.page, 'Verifications');
  await tab.page.goto(`/a/${slug.slug}/logs`);
  provider.signsIn(userOf('bob-at-work', { email: bob.email }));
  await tab.page.getByRole('button', { name: 'Sign In with SSO' }).press('Enter');
  await heading(tab.page, 'Logs');
  await expectAddress(tab.page, '/logs');
  const { status } = await stage.service.call(refreshTokens, { body: { refresh: replaced.refresh } });
  expect(status).toBe(401);
});

test('an owner turns single sign-on off and can set it up again', async () => {
  const { page } = alices();
  await page.goto('/team');
  await scrollTo(page.getByRole('heading', { name: 'Single sign-on', level: 2 }));
  await page.getByRole('button', { name: 'Turn Off SSO' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn Off SSO' });
  await dialog.getByText('All SSO sessions end, except your own.', { exact: false }).waitFor();
  // An open dashboard can leave for the sign-in at any time after the end of its session.
  const { page: ended } = visitors();
  await ended.goto('/healthz');
  visitors().expectError(/status of 401|Query failed/);
  await dialog.getByRole('button', { name: 'Turn Off' }).click();
  await page.getByRole('button', { name: 'Set Up SSO' }).waitFor();
  await ended.goto('/logs');
  await ended.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
});
