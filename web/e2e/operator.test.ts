import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { listOperatorAccounts } from '@sixdigit/contract/operator/accounts.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeFor, type Person } from '../../server/test/person.ts';
import { eventually, expectAccessible, follow, openStage, type Stage, sharedTab } from './browser.ts';

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

test('a customer cannot find the console: its pages return Not Found, and no menu links to it', async () => {
  await using tab = await stage.tab({ as: bob, path: '/operator' });
  await tab.page.getByRole('heading', { name: 'Not Found' }).waitFor();
  await tab.page.goto(`${stage.url}/operator/accounts`);
  await tab.page.getByRole('heading', { name: 'Not Found' }).waitFor();
  await tab.page.getByTestId('credits').waitFor();
  await tab.page.getByRole('button', { name: /bob/i }).waitFor();
  expect(await tab.page.getByRole('link', { name: 'Operator Console' }).count()).toBe(0);
});

test('the overview lists the steps to go live, and the rules that do not block once these are dismissed', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator' });
  const { page } = tab;
  const steps = page.getByRole('region', { name: 'Go live' });
  await steps.getByText('0 of 5 done').waitFor();
  await steps.getByRole('button', { name: 'Dismiss go live' }).press('Enter');
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('alert').filter({ hasText: 'Rules for all accounts do not block yet' }).waitFor();
});

test('an operator confirms a shorter retention by typing its days', async () => {
  await stage.service.app.db.run(
    `insert into service_facts (name, value, changed_at) values ('days kept by RETENTION_DAYS', '700', clock_now())
     on conflict (name) do update set value = excluded.value`,
  );
  await using tab = await stage.tab({ as: olivia, path: '/operator' });
  const { page } = tab;
  const notice = page.getByRole('alert').filter({ hasText: 'RETENTION_DAYS is shorter than before' });
  await notice.getByRole('button', { name: 'Confirm Retention' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm Retention' });
  await expectAccessible(page);
  await dialog.getByLabel('Reason').fill('Less is enough');
  await dialog.getByLabel('RETENTION_DAYS').fill('700');
  await dialog.getByRole('button', { name: 'Delete Older Data' }).click();
  await dialog.getByText('This is not RETENTION_DAYS.').waitFor();
  await dialog.getByLabel('RETENTION_DAYS').fill('400');
  await dialog.getByRole('button', { name: 'Delete Older Data' }).click();
  await page.getByText('Retention confirmed', { exact: true }).waitFor();
  await notice.waitFor({ state: 'detached' });
});

const tab = sharedTab(() => stage.tab({ as: olivia, path: '/operator/audit' }));

test('an operator without a second factor sees that the console requires one', async () => {
  const { page } = tab();
  await page.getByRole('heading', { name: 'Audit Log', level: 1 }).waitFor();
  tab().expectError('Query failed');
  tab().expectError(/status of 400/);
  const refused = { error: 'Turn on two-factor authentication', reason: 'operator_two_factor_required' };
  await page.route('**/operator/me/', (route) => route.fulfill({ status: 400, json: refused }));
  await page.reload();
  await page.getByRole('heading', { name: 'Turn on two-factor authentication' }).waitFor();
  await page.getByRole('link', { name: 'Open Security Settings' }).waitFor();
  await page.unroute('**/operator/me/');
  await page.reload();
  await page.getByRole('navigation', { name: 'Operator', exact: true }).waitFor();
});

test('an announcement is shown to customers until it ends', async () => {
  const { page } = tab();
  await follow(page, '/operator/announcements');
  await page.getByRole('button', { name: 'Create Announcement' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create Announcement' });
  // A banner is one line.
  await dialog.getByLabel('Text').fill('Maintenance\non Sunday');
  await dialog.getByRole('complementary', { name: 'Preview' }).getByText('Maintenance on Sunday').waitFor();
  await dialog.getByRole('button', { name: 'Create Announcement' }).click();
  await page.getByRole('complementary', { name: 'Announcement' }).waitFor();
  await using other = await stage.tab({ as: bob });
  await other.page.getByText('Maintenance on Sunday').waitFor();
  await page.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^End “/ }).click();
  await page.getByText('Announcement ended').waitFor();
  await page.getByText('Ended', { exact: true }).waitFor();
  await eventually(async () =>
    expect(await page.getByRole('complementary', { name: 'Announcement' }).count()).toBe(0),
  );
});

test('a carrier is paused and resumed', async () => {
  const { page } = tab();
  await follow(page, '/operator/carriers');
  for (const [action, done] of [
    ['Pause', 'Carrier paused'],
    ['Resume', 'Carrier resumed'],
  ] as const) {
    await page.getByRole('button', { name: `${action} Sandbox for SMS` }).click();
    const dialog = page.getByRole('dialog', { name: `${action} Sandbox` });
    await dialog.getByLabel('Reason').fill('Incident');
    await dialog.getByRole('button', { name: action }).click();
    await page.getByText(done, { exact: true }).waitFor();
  }
});

test('an admin creates an operator key, which is shown once, and deletes it', async () => {
  const { page } = tab();
  await follow(page, '/operator/keys');
  await page.getByRole('button', { name: 'Create Operator Key' }).first().click();
  const create = page.getByRole('dialog', { name: 'Create Operator Key' });
  await create.getByLabel('Name').fill('Nightly report');
  await create.getByRole('button', { name: 'Create Operator Key' }).click();
  await create.getByText('Choose at least one scope').waitFor();
  await create.getByLabel('accounts:read').check();
  await create.getByRole('button', { name: 'Create Operator Key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your New Operator Key' });
  const key = await shown.getByText(/^sd_operator_/).textContent();
  await shown.getByRole('button', { name: "I've Copied the Key" }).click();
  const asKey = () => stage.service.call(listOperatorAccounts, { bearer: key ?? '' });
  expect((await asKey()).status).toBe(200);
  await page.getByRole('button', { name: 'Delete Nightly report' }).click();
  await page.getByRole('dialog', { name: 'Delete Operator Key' }).waitFor();
  await page
    .getByRole('dialog', { name: 'Delete Operator Key' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByText('Operator key deleted').waitFor();
  expect((await asKey()).status).toBe(404);
});

test('an operator opens an account, changes its lost e-mail address, and erases it and a recipient', async () => {
  const recipient = 'pat.doe@example.com';
  const { key } = await stage.apiKey(bob);
  const hook = { name: 'Shop', url: 'http://127.0.0.1:9/nowhere' };
  await stage.service.call(createWebhook, { bearer: bob.access, body: hook });
  await stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } });
  await stage.service.drain();
  await stage.service.app.requestLog.flush();

  const { page } = tab();
  const more = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };

  // Bob's lists, masked
  await follow(page, '/operator/accounts');
  await page.getByRole('link', { name: bob.email }).click();
  const views = page.getByRole('navigation', { name: 'Account', exact: true });
  await views.getByRole('link', { name: 'Verifications' }).click();
  const verifications = page.getByRole('table', { name: 'Verifications' });
  await verifications.getByText('p••@example.com').click();
  const sheet = page.getByRole('dialog', { name: 'Verification Details' });
  await sheet.getByText('−1 credit', { exact: true }).waitFor();
  await sheet.getByRole('status').filter({ hasText: 'Waiting for the code.' }).waitFor();
  await sheet.getByText('Initial status set to Pending').waitFor();
  await sheet.getByText('otp.sent').waitFor();
  const resendCode = sheet.getByRole('button', { name: 'Resend Code' });
  await resendCode.click();
  const again = page.getByRole('dialog', { name: 'Resend Code' });
  await again.getByLabel('Reason').fill('Ticket 4711');
  await again.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('Code sent again').waitFor();
  await resendCode.and(page.locator(':focus')).waitFor();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => stage.service.inbox(recipient)).toHaveLength(2);
  await views.getByRole('link', { name: 'Requests' }).click();
  const requests = page.getByRole('table', { name: 'Requests' });
  await requests.getByText('p••@example.com').first().waitFor();
  await requests.getByRole('button', { name: 'Reveal' }).first().click();
  const reveal = page.getByRole('dialog', { name: 'Reveal Recipient' });
  await reveal.getByLabel('Reason').fill('Ticket 4711');
  await reveal.getByRole('button', { name: 'Reveal' }).click();
  await page.getByText(recipient).waitFor();
  await views.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('table', { name: 'Webhook messages' }).getByText('otp.sent').first().click();
  const attempt = page.getByRole('dialog', { name: 'Message Details' });
  await attempt.getByText('otp.sent', { exact: true }).waitFor();
  await attempt.getByText('p••@example.com').waitFor();
  await attempt.getByRole('button', { name: /Attempt \d/, pressed: true }).waitFor();
  await attempt.getByRole('button', { name: 'Close' }).click();
  await views.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('Viewed protected data').waitFor();

  // Suspend, resume and adjust.
  await views.getByRole('link', { name: 'Overview' }).click();
  for (const [action, confirm, done] of [
    ['Suspend', 'Suspend Account', 'Account suspended'],
    ['Resume', 'Resume Account', 'Account resumed'],
  ] as const) {
    await page.getByRole('button', { name: action, exact: true }).click();
    const dialog = page.getByRole('dialog', { name: confirm });
    await dialog.getByRole('button', { name: confirm }).click();
    await dialog.getByText('Please enter a reason').waitFor();
    await dialog.getByLabel('Reason').fill('Ticket 4713');
    await dialog.getByRole('button', { name: confirm }).click();
    await page.getByText(done, { exact: true }).waitFor();
  }
  await page.getByRole('button', { name: 'Adjust Credits' }).click();
  const adjust = page.getByRole('dialog', { name: 'Adjust Credits' });
  await adjust.getByRole('textbox', { name: 'Credits' }).fill('40');
  await adjust.getByLabel('Reason').fill('Goodwill');
  await adjust.getByRole('button', { name: 'Adjust Credits' }).click();
  await page.getByText('Adjustment: Goodwill').waitFor();

  // a new address, with the code that Bob reads out
  await more('Change Email');
  const change = page.getByRole('dialog', { name: 'Change Email' });
  await change.getByLabel('New email address').fill('bob.new@people.test');
  await change.getByLabel('Reason').fill('Lost the mailbox');
  await change.getByRole('button', { name: 'Send Code' }).click();
  await change.getByText(/A code was sent to b/).waitFor();
  await change.getByLabel('Code', { exact: true }).fill(await codeFor(stage.service, 'bob.new@people.test'));
  await change.getByRole('button', { name: 'Change Email' }).click();
  await page.getByRole('heading', { name: 'bob.new@people.test' }).waitFor();
  expect((await stage.service.call(getMe, { bearer: bob.access })).status).toBe(401);

  // Erase the account.
  await more('Erase Account');
  const erase = page.getByRole('dialog', { name: 'Erase Account' });
  await erase.getByLabel('Account email address').fill(bob.email);
  await erase.getByLabel('Reason').fill('Asked for it');
  await erase.getByRole('button', { name: 'Erase Account' }).click();
  await erase.getByText('This is not the email address of the account.').waitFor();
  await erase.getByLabel('Account email address').fill('bob.new@people.test');
  await erase.getByRole('button', { name: 'Erase Account' }).click();
  await page.getByRole('heading', { name: 'Deleted account' }).waitFor();

  // Erase a recipient in all accounts.
  await page.getByRole('link', { name: 'All Accounts' }).click();
  await follow(page, '/operator/opt-outs');
  await page.getByLabel('Phone number or email address').fill(recipient);
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  const confirm = page.getByRole('dialog', { name: 'Erase Recipient' });
  await confirm.getByLabel('Reason').fill('Privacy request');
  await confirm.getByRole('button', { name: 'Erase Recipient' }).click();
  const erasures = page.getByRole('list', { name: 'Latest erasures' });
  await erasures.getByText('p••@example.com').waitFor();
  await stage.service.drain();
  await erasures.getByText(/Erased, \d+ rows/).waitFor();
});
