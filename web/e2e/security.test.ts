import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticatorApp } from '../../server/test/authenticator.ts';
import { type NameServer, startNameServer } from '../../server/test/fakes/dns.ts';
import { codeFor, type Person } from '../../server/test/person.ts';
import { expectAccessible, follow, openStage, type Stage } from './browser.ts';
import { dialog, dismiss, region } from './parts.ts';
import { withAuthenticator } from './virtual-authenticator.ts';

/** Passkeys need a host with a name. Link domains need name servers. */
let stage: Stage;
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer();
  stage = await openStage({
    host: 'localhost',
    env: { MESSAGE_LINKS: 'listed', DNS_SERVERS: names.address },
  });
});
afterAll(async () => {
  await stage?.close();
  await names?.[Symbol.asyncDispose]();
});

const home = (page: Page): Promise<void> =>
  page.getByRole('heading', { name: 'Verifications', exact: true }).waitFor();

async function signOut(page: Page, { email }: Person): Promise<void> {
  await page.getByRole('button', { name: new RegExp(email) }).click();
  await page.getByRole('menuitem', { name: /Log ?out|Sign ?out/i }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function enterPassword(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
}

/** Fifteen minutes after their last proof. */
const lapse = ({ email }: Person) =>
  stage.service.app.db.run(
    `update sessions set proven_at = null where account_id = (select id from accounts where email = $1)`,
    [email],
  );

test('an authenticator app is set up with its recovery codes, and both sign in', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await stage.tab({ as: alice, path: '/settings' });
  const { page } = tab;
  await page.getByRole('button', { name: 'Set Up Authenticator App' }).click();
  const setUp = dialog(page, 'Set Up Authenticator App');
  await setUp.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const secret = (await setUp.locator('code').innerText()).replaceAll(' ', '');
  const app = authenticatorApp(secret, () => stage.service.app.clock.now().getTime());
  await setUp.getByLabel('Code from the app').fill(app.code());
  const codes = dialog(page, 'Your Recovery Codes');
  await codes.getByRole('list', { name: 'Recovery codes' }).waitFor();
  await expectAccessible(page);
  const [first = ''] = await codes.getByRole('listitem').allInnerTexts();
  await expect.poll(() => codes.getByRole('listitem').count()).toBe(10);
  await codes.getByRole('button', { name: "I've Stored the Codes" }).click();
  await region(page, 'Recovery codes').getByText('10 of 10 codes left').waitFor();
  await region(page, 'Authenticator app')
    .getByRole('button', { name: 'Remove the authenticator app' })
    .waitFor();
  for (const [button, question] of [
    ['Remove the authenticator app', 'Remove Authenticator App'],
    ['Create New Codes', 'Create New Recovery Codes'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await dialog(page, question).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page, question).waitFor({ state: 'hidden' });
  }

  await signOut(page, alice);
  await enterPassword(page, alice);
  await page.getByText('Enter the 6-digit code that your authenticator app shows.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: /Resend Code/ }).count()).toBe(0);
  await page.getByLabel('Verification code').fill(app.code(1));
  await home(page);

  await signOut(page, alice);
  await enterPassword(page, alice);
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(first.toLowerCase());
  await page.getByRole('button', { name: 'Use Recovery Code' }).click();
  await home(page);
  await follow(page, '/settings');
  await region(page, 'Recovery codes').getByText('9 of 10 codes left').waitFor();
});

test('a change that needs a proof waits for one dialog, then completes', async () => {
  const bob = await stage.signUp('Bob');
  await lapse(bob);
  await using tab = await stage.tab({ as: bob, path: '/api-keys' });
  const { page } = tab;
  tab.expectError(/status of 400|ApiError/);
  await page.getByRole('button', { name: 'Create API Key' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Production');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Create/ })
    .click();
  const proof = dialog(page, 'Confirm it is you');
  await proof.getByRole('textbox', { name: 'Password' }).waitFor();
  await expectAccessible(page);

  // Escape closes the topmost dialog only, and nothing has changed.
  await page.keyboard.press('Escape');
  await proof.waitFor({ state: 'hidden' });
  await page.getByText('Please confirm your identity, then try again.').waitFor();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Create/ })
    .click();
  await proof.getByRole('textbox', { name: 'Password' }).fill('not this one');
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await proof.getByText('The password is not correct.').waitFor();
  await proof.getByRole('textbox', { name: 'Password' }).fill(bob.password);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await dialog(page, 'Your New API Key').waitFor();
});

test('a passkey is added, signs in alone, after the password and from autofill, proves a change, and is removed', async () => {
  const carol = await stage.signUp('Carol');
  await using tab = await stage.tab({ as: carol, path: '/settings' });
  const { page } = tab;
  const session = await withAuthenticator(page);
  const passkeys = region(page, 'Passkeys');
  await passkeys.getByRole('button', { name: 'Add Passkey' }).click();
  const add = dialog(page, 'Add Passkey');
  await add.getByLabel('Name').fill('Work laptop');
  await add.getByRole('button', { name: 'Add Passkey' }).click();
  await page.getByRole('button', { name: "I've Stored the Codes" }).click();
  await passkeys.getByText('Work laptop').waitFor();
  await passkeys.getByRole('button', { name: 'Rename passkey: Work laptop' }).click();
  await dialog(page, 'Rename Passkey').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page, 'Rename Passkey').waitFor({ state: 'hidden' });

  // An authenticator that is always present would accept the sign-in page's autofill too early.
  await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  await signOut(page, carol);
  await enterPassword(page, carol);
  await page.getByRole('heading', { name: 'Use your passkey' }).waitFor();
  await page.getByRole('button', { name: 'Use Passkey' }).click();
  await home(page);

  await signOut(page, carol);
  await page.getByRole('button', { name: 'Sign In with a Passkey' }).click();
  await home(page);

  // The e-mail field's autofill offers the passkey, which the authenticator provides at once.
  await page.goto('/settings');
  await passkeys.getByText('Work laptop').waitFor();
  await page.getByRole('button', { name: new RegExp(carol.email) }).click();
  await page.getByRole('menuitem', { name: /Log ?out|Sign ?out/i }).click();
  await home(page);

  await lapse(carol);
  tab.expectError(/status of 400/);
  await follow(page, '/settings');
  await passkeys.getByRole('button', { name: 'Remove passkey: Work laptop' }).click();
  await dialog(page, 'Remove Passkey').waitFor();
  await dialog(page, 'Remove Passkey').getByRole('button', { name: 'Remove' }).click();
  await dialog(page, 'Confirm it is you').getByRole('button', { name: 'Use Passkey' }).click();
  await page.getByText('Passkey removed', { exact: true }).waitFor();
  await expect.poll(() => passkeys.getByText('Work laptop').count()).toBe(0);
  await session.detach();
});

test('a passkey whose counter does not increase requires a code by e-mail', async () => {
  const gina = await stage.signUp('Gina');
  await using tab = await stage.tab({ as: gina, path: '/settings' });
  const { page } = tab;
  tab.expectError(/status of 400|ApiError/);
  const session = await withAuthenticator(page);
  await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  await region(page, 'Passkeys').getByRole('button', { name: 'Add Passkey' }).click();
  await dialog(page, 'Add Passkey').getByLabel('Name').fill('Old key');
  await dialog(page, 'Add Passkey').getByRole('button', { name: 'Add Passkey' }).click();
  await page.getByRole('button', { name: "I've Stored the Codes" }).click();
  const farAhead = () =>
    stage.service.app.db.run('update passkeys set counter = 1000000, suspected_at = null');
  await farAhead();
  await signOut(page, gina);
  await enterPassword(page, gina);
  await page.getByRole('button', { name: 'Use Passkey' }).click();
  await page.getByText(/^This passkey may have been copied/).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send a code by email' }).click();
  // The field appears once the code is sent.
  await page.getByLabel('Verification code').waitFor();
  await page.getByLabel('Verification code').fill(await codeFor(stage.service, gina.email));
  await home(page);

  await session.detach();
});

test('signing out everywhere ends this session and every other one', async () => {
  const dora = await stage.signUp('Dora');
  await using tab = await stage.tab({ as: dora, path: '/settings' });
  // calls that are under way when the session ends
  tab.expectError(/status of 401|Query failed/);
  const { page } = tab;
  await page.getByRole('button', { name: 'Sign Out Everywhere' }).click();
  await dialog(page, 'Sign Out Everywhere').getByRole('button', { name: 'Sign Out Everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const open = await stage.service.app.db.rows(
    `select from sessions where ended_at is null and account_id = (select id from accounts where email = $1)`,
    [dora.email],
  );
  expect(open).toEqual([]);
});

test('a link domain is added, verified by its DNS record, and removed', async () => {
  const erin = await stage.signUp('Erin');
  await using tab = await stage.tab({ as: erin, path: '/docs' });
  const { page } = tab;
  tab.expectError(/status of (400|500)|ApiError|Query failed/);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const panel = region(page, 'Link domains');
  await panel.getByRole('heading').click();
  await panel.getByText('This service restricts links').waitFor();
  await panel.getByText('No domains yet.').waitFor();

  const field = panel.getByLabel('Domain', { exact: true });
  await field.fill('co.uk');
  await field.press('Enter');
  await panel.getByText('The suffix co.uk belongs to many owners.', { exact: true }).waitFor();
  await field.fill('Shop.example.com');
  await field.press('Enter');
  const row = panel.getByRole('listitem').filter({ hasText: 'shop.example.com' });
  await dismiss(page, 'shop.example.com added');
  await row.getByText('Waiting for the record', { exact: true }).waitFor();
  await expect.poll(() => field.inputValue()).toBe('');

  await row.getByRole('button', { name: 'Copy the record value of shop.example.com' }).click();
  await expect.poll(() => tab.clipboard()).toMatch(/^domain-verification=/);
  const check = row.getByRole('button', { name: 'Check Now: shop.example.com' });
  await check.click();
  await row.getByText('The last check did not find the record.').waitFor();
  names.records.set('_otp-messages.shop.example.com', [await tab.clipboard()]);
  // A domain is looked up at most once in five seconds.
  await stage.service.clock.advance(5_000);
  await check.click();
  await row.getByText('Verified', { exact: true }).waitFor();
  const remove = row.getByRole('button', { name: 'Remove: shop.example.com' });
  const question = dialog(page, 'Remove Domain');
  await remove.click();
  await question.getByText('Messages that link to shop.example.com are refused').waitFor();
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await panel.getByText('No domains yet.').waitFor();
  await question.waitFor({ state: 'hidden' });
  const hasFocus = "Boolean(document.activeElement.closest('#link-domains'))";
  await expect.poll(() => page.evaluate(hasFocus)).toBe(true);
});
