import { sendOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unblockToken } from '../../server/src/protection/mails.ts';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';

let stage: Stage;
let alice: Person;
let key: string;

/** Alice's four sends to one prefix, two of them blocked. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  ({ key } = await stage.apiKey(alice));
  const body = { rules: { client_velocity: { mode: 'enforce' as const, recipients: 2 } } };
  expect((await stage.service.call(updateProtection, { bearer: alice.access, body })).status).toBe(200);
  const statuses = [];
  for (let n = 0; n < 4; n += 1) statuses.push((await send(n)).status);
  expect(statuses).toEqual([201, 201, 400, 400]);
  await stage.service.app.protection.exchange();
});
afterAll(() => stage?.close());

const send = (n: number) =>
  stage.service.call(sendOtp, {
    apiKey: key,
    body: { channel: 'sms', recipient: `+1646555018${n}`, client_ip: '203.0.113.77' },
  });

const tab = sharedTab(() => stage.tab({ as: alice, path: '/protection' }));

test('a blocked IP address is allowed with one click, which can be undone', async () => {
  const { page } = tab();
  const row = page
    .getByRole('list', { name: 'Suspicious destinations' })
    .getByRole('listitem')
    .filter({ hasText: '203.0.113.77' })
    .filter({ hasText: 'Many sends from one IP address' });
  await row.getByText('2 blocked', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Allow 203.0.113.77' }).click();
  await page.getByText('203.0.113.77 is allowed', { exact: true }).waitFor();
  await row.getByText('Allowed', { exact: true }).waitFor();
  await page.getByRole('list', { name: 'Allow list' }).getByText('203.0.113.77').waitFor();
  expect((await send(5)).status).toBe(201);
  await row.getByRole('button', { name: 'Undo allowing 203.0.113.77' }).and(page.locator(':focus')).click();
  await row.getByRole('button', { name: 'Allow 203.0.113.77' }).waitFor();
  expect((await send(6)).status).toBe(400);

  const check = page.getByRole('form', { name: 'Check a number' });
  await check.getByLabel('Phone number').fill('(646) 555-0187');
  await check.getByLabel('End user’s IP address (optional)').fill('203.0.113.77');
  await check.getByRole('button', { name: 'Check' }).click();
  await page.getByText('This send would be blocked.').waitFor();
  await page.getByText('Blocked by: Many sends from one IP address.').waitFor();
});

test('a refused send leads to its decision, whose prefix is trusted for a day', async () => {
  const { page } = tab();
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page.getByRole('heading', { name: 'Decisions', level: 1 }).waitFor();
  await page.getByRole('row').filter({ hasText: 'Blocked' }).first().click();
  const decision = page.getByRole('dialog', { name: 'Decision' });
  // Refused sends of a later minute have a row of their own.
  await decision.getByText(/\d of 2 recipients of the IP address in 10 minutes/).waitFor();
  await decision.getByRole('button', { name: 'Trust This Prefix for a Day' }).click();
  await page.getByText('+1 646 555… is trusted for a day', { exact: true }).waitFor();
  await decision.getByRole('button', { name: 'Close' }).click();
  await page.goto('/protection');
  const allowed = page.getByRole('list', { name: 'Allow list' });
  await allowed.getByRole('button', { name: 'Remove +1 646 555…' }).click();
  await page.getByText('+1 646 555… removed', { exact: true }).waitFor();
});

test('a file of known recipients is imported with the errors of its rows, and the list is deleted', async () => {
  const { page } = tab();
  await page.getByRole('button', { name: 'Show Known Recipients' }).click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import Known Recipients' });
  const text = 'phone,date\n+16465550190,\n+1646,\n+16465550191,2999-01-01\n';
  const file = { name: 'known.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await dialog.getByLabel('File').setInputFiles(file);
  await dialog.getByText('3 of 3 rows read, 1 imported, 2 errors.').waitFor();
  await dialog.getByText('Row 4: verified_at is in the future.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('1 known recipient', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete All' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete All' }).click();
  await page.getByText('Known recipients deleted', { exact: true }).waitFor();
});

test('rules, countries, spend limits and lists are edited in place', async () => {
  tab().expectError(/status of 400|ApiError/);
  const { page } = tab();
  const rule = page.getByRole('group', { name: 'Many sends to one prefix' });
  await rule.getByText('Enforce', { exact: true }).click();
  await rule.getByLabel('Sends per 10 min').fill('4');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('Unsaved changes: Rules').waitFor();
  await bar.getByRole('button', { name: 'Save', exact: true }).click();
  await rule.getByText('Enter a whole number from 5 to 10,000.').waitFor();
  await rule.getByLabel('Sends per 10 min').fill('50');
  await rule.getByText('after 50 sends in 10 minutes').waitFor();
  await page.getByText('Only selected').click();
  await page.getByLabel('Canada').check();
  await page.getByRole('textbox', { name: 'Daily credit limit' }).fill('20');
  await bar.getByText('Unsaved changes: Rules, Allowed countries, and Spend limits').waitFor();
  await bar.getByRole('button', { name: 'Save All' }).click();
  // in any order, each for four seconds
  await Promise.all(
    ['Rules saved', 'Countries saved', 'Spend limits saved'].map((saved) =>
      page.getByText(saved, { exact: true }).waitFor(),
    ),
  );
  await bar.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByText('1 of 2 chosen').waitFor();
  await expect.poll(() => rule.getByLabel('Sends per 10 min').inputValue()).toBe('50');

  await page.getByRole('button', { name: 'Add Entry to the deny list' }).click();
  const deny = page.getByRole('form', { name: 'Add to the deny list' });
  await expect
    .poll(() => deny.getByLabel('Kind').evaluate((field) => field === document.activeElement))
    .toBe(true);
  await deny.getByLabel('Number').fill('0171');
  await deny.getByRole('button', { name: 'Add' }).click();
  await deny.getByText('Enter a phone number with its country code, such as +14155552671.').waitFor();
  await deny.getByLabel('Number').and(page.locator(':focus')).waitFor();
  await deny.getByLabel('Kind').selectOption('prefix');
  await deny.getByLabel('Prefix').fill('+1 646 555');
  await deny.getByLabel('Note').fill('Seen in an attack');
  await deny.getByRole('button', { name: 'Add' }).click();
  const entries = page.getByRole('list', { name: 'Deny list' });
  await entries.getByText('Seen in an attack').waitFor();
  await entries.getByRole('button', { name: 'Remove +1 646 555…' }).click();
  await entries.waitFor({ state: 'hidden' });
});

test('the link in a mail shows its destination and allows it after a click, without signing in', async () => {
  const { app } = stage.service;
  const { account_id } = await app.db.one<{ account_id: string }>(
    'select id as account_id from accounts where email = $1',
    [alice.email],
  );
  const link = { account_id, kind: 'prefix', value: '+1646555' } as const;
  const token = unblockToken(app, link, app.clock.now());
  await using tab = await stage.tab({ path: `/protection/unblock?token=${token}` });
  const { page } = tab;
  await page.getByText('numbers that begin with +1646555').waitFor();
  expect(tab.calls.filter((call) => call.includes('unblock'))).toEqual([]);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Destination allowed' }).waitFor();
  await page.goto('/protection/unblock?token=cut');
  await page.getByText('This link is invalid or has expired.').waitFor();
});

test('a limit is added, changed and deleted', async () => {
  const { page } = tab();
  await page.goto('/protection#limits');
  await page.getByRole('button', { name: 'Show Limits' }).click();
  await page.getByRole('button', { name: 'Add Limit' }).click();
  const adding = page.getByRole('form', { name: 'Add a limit' });
  await adding.getByLabel('Name').fill('signup ip');
  await adding.getByRole('button', { name: 'Add' }).click();
  await adding.getByText('Name must be 1 to 64 letters').waitFor();
  await adding.getByLabel('Name').fill('signup-ip');
  await adding.getByRole('button', { name: 'Add' }).click();
  const row = page.getByRole('list', { name: 'Limits' }).getByRole('listitem');
  await row.getByText('5 sends per value in 1 hour', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Edit signup-ip' }).click();
  const editing = page.getByRole('form', { name: 'Change signup-ip' });
  await editing.getByLabel('Sends').fill('1');
  await editing.getByLabel('Period').selectOption('7 days');
  await editing.getByRole('button', { name: 'Save Limit' }).click();
  await row.getByText('1 send per value in 7 days', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Delete signup-ip' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Limit' }).click();
  await row.waitFor({ state: 'detached' });
});

test('an account demands a proof of work', async () => {
  const { page } = tab();
  await page.goto('/protection');
  await page.getByRole('button', { name: 'Show Setting' }).click();
  const form = page.getByRole('form', { name: 'Proof of work' });
  await form.getByLabel('Require proof of work').selectOption('Always');
  await form.getByRole('button', { name: 'Save Setting' }).click();
  await page.getByText('Setting saved', { exact: true }).waitFor();
});
