import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unblockToken } from '../server/src/protection/mails.ts';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';

let stage: Stage;
let alice: Person;
let erin: Person;
let key: string;

/** Alice's four sends to one prefix, two of them blocked. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  erin = await stage.signUp('Erin');
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

const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

test('the check of a number and the title of each card appear before the suspicious sends load', async () => {
  const { page } = tab();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/v1/protection/blocks/', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto('/protection');
  await page.getByLabel('Phone number').fill('(646) 555-0187');
  for (const title of ['Rules', 'Allowed countries', 'Spend limits', 'Allow list', 'Deny list'])
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
  release();
  await page.getByRole('list', { name: 'Suspicious destinations' }).waitFor();
  await expect.poll(() => page.getByLabel('Phone number').inputValue()).toBe('(646) 555-0187');
  await page.unrouteAll({ behavior: 'wait' });
});

test('a blocked IP address is allowed with one click, which can be undone', async () => {
  const { page } = tab();
  const row = page
    .getByRole('list', { name: 'Suspicious destinations' })
    .getByRole('listitem')
    .filter({ hasText: '203.0.113.77' })
    .filter({ hasText: 'Many sends from one IP address' });
  await row.getByText('2 blocked', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Allow 203.0.113.77' }).click();
  await row.getByText('Allowed', { exact: true }).waitFor();
  await page.getByText('203.0.113.77 is allowed', { exact: true }).waitFor();
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

test('a changed threshold shows what it would have blocked, before it is saved', async () => {
  const carol = await stage.signUp('Carol');
  const { key: hers } = await stage.apiKey(carol);
  for (let n = 0; n < 8; n += 1) {
    const recipient = `+1646555019${n}`;
    const body = { channel: 'sms' as const, recipient };
    const { body: sent } = await stage.service.call(sendOtp, { apiKey: hers, body });
    if (n !== 6) continue;
    await stage.service.drain();
    const [message] = await stage.service.inbox(recipient);
    const code = message?.code ?? '';
    const verified = await stage.service.call(verifyOtp, {
      apiKey: hers,
      body: { otp_id: sent.otp_id, code },
    });
    expect(verified.status).toBe(200);
  }
  await using tab = await stage.tab({ as: carol, path: '/protection' });
  const { page } = tab;
  const rule = page.getByRole('group', { name: 'Many sends to one prefix' });
  const limit = rule.getByLabel('Sends per 10 min');
  const result = rule.getByRole('status');
  await limit.fill('5');
  await result.getByText('Tested on the 8 sends of the last 30 days.').waitFor();
  await expect
    .poll(() => result.getByRole('definition').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^3 \(37\.5% of all sends\)\s+0 with the saved thresholds$/),
      expect.stringMatching(/^1 \(33\.3% of these\)\s+0 with the saved thresholds$/),
    ]);
  await result.getByText('3 of them').click();
  const examples = result.getByRole('list', { name: 'Examples' }).getByRole('link');
  await expect.poll(() => examples.first().innerText()).toContain('Verified later');
  await expect.poll(() => examples.allInnerTexts()).toEqual(Array(3).fill(expect.stringContaining('••••')));

  await limit.fill('7');
  await result.getByText('None of these codes was verified later.').waitFor();
  await limit.fill('');
  await rule.getByText('Enter a whole number from 5 to 10,000.').waitFor();
  await rule.getByText('Correct the marked field, and').waitFor();
  await limit.fill('30');
  await result.waitFor({ state: 'detached' });
});

/** Erin's, who has changed nothing yet. */
const erins = sharedTab(() => stage.tab({ as: erin, path: '/protection' }));

test('a check of a number includes the recipient limits, and does not pass a rule that needs a client address', async () => {
  const { page } = erins();
  await page.getByText('No send looked suspicious.').waitFor();
  const { key } = await stage.apiKey(erin);
  const check = page.getByRole('form', { name: 'Check a number' });
  const recipient = '+14155550191';
  await check.getByLabel('Phone number').fill(recipient);
  const submit = () => check.getByRole('button', { name: 'Check' }).click();
  await submit();
  await page.getByText('This send would go out.').waitFor();
  const rule = page.getByRole('listitem').filter({ hasText: 'Many sends from one IP address' });
  await rule.getByText('Not evaluated', { exact: true }).waitFor();
  await expect.poll(() => rule.getByText('OK', { exact: true }).count()).toBe(0);

  const body = { channel: 'sms', recipient } as const;
  for (let n = 0; n < 5; n++)
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  await submit();
  await page.getByText('This send would be refused.').waitFor();
  await page
    .getByText(
      /^Too many codes for this recipient\. Please try again later\. Sending is possible again in \d+ minutes\.$/,
    )
    .waitFor();
});

test('saving the rules keeps unsaved countries, saving the countries keeps unsaved rules, and both can be saved at once', async () => {
  const { page } = erins();
  const rule = page.getByRole('group', { name: 'Many sends to one prefix' });
  const limit = rule.getByLabel('Sends per 10 min');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await limit.fill('40');
  await page.getByText('Only selected').click();
  await page.getByLabel('Canada').check();
  await page.getByRole('button', { name: 'Save Rules' }).click();
  await page.getByText('Rules saved', { exact: true }).waitFor();
  await bar.getByText('Unsaved changes: Allowed countries', { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel('Canada').isChecked()).toBe(true);

  await limit.fill('41');
  await page.getByRole('button', { name: 'Save Countries' }).click();
  await page.getByText('Countries saved', { exact: true }).waitFor();
  await bar.getByText('Unsaved changes: Rules', { exact: true }).waitFor();
  await expect.poll(() => limit.inputValue()).toBe('41');

  // A reply to one save, which may lack the other's change, must not arrive after the other's reply.
  const open = { now: 0, most: 0 };
  await page.route('**/api/v1/protection/', async (route) => {
    if (route.request().method() === 'GET') return await route.continue();
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    const response = await route.fetch();
    open.now -= 1;
    await route.fulfill({ response });
  });
  await page.getByLabel('United States').check();
  await bar.getByText('Unsaved changes: Rules and Allowed countries', { exact: true }).waitFor();
  await bar.getByRole('button', { name: 'Save All' }).click();
  await bar.waitFor({ state: 'hidden' });
  expect(open.most).toBe(1);
  const kept = async () => [
    await limit.inputValue(),
    await page.getByLabel('Canada').isChecked(),
    await page.getByLabel('United States').isChecked(),
  ];
  await expect.poll(kept).toEqual(['41', true, true]);
  await page.unrouteAll();
  await page.reload();
  await page.getByText('2 of 2 chosen').waitFor();
  await expect.poll(kept).toEqual(['41', true, true]);
});

test('rules, countries, spend limits and lists are edited in place', async () => {
  erins().expectError(/status of 400|ApiError/);
  const { page } = erins();
  const rule = page.getByRole('group', { name: 'Many sends to one prefix' });
  await rule.getByText('Enforce', { exact: true }).click();
  await rule.getByLabel('Sends per 10 min').fill('4');
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  await bar.getByText('Unsaved changes: Rules').waitFor();
  await bar.getByRole('button', { name: 'Save', exact: true }).click();
  await rule.getByText('Enter a whole number from 5 to 10,000.').waitFor();
  await rule.getByLabel('Sends per 10 min').fill('50');
  await rule.getByText('after 50 sends in 10 minutes').waitFor();
  await page.getByLabel('Search countries').fill('united');
  await page.getByLabel('United States').uncheck();
  await page.getByRole('textbox', { name: 'Daily credit limit' }).fill('20');
  await bar.getByText('Unsaved changes: Rules, Allowed countries, and Spend limits').waitFor();
  await bar.getByRole('button', { name: 'Save All' }).click();
  for (const saved of ['Rules saved', 'Countries saved', 'Spend limits saved'])
    await page.getByText(saved, { exact: true }).waitFor();
  await bar.waitFor({ state: 'hidden' });
  await page.getByText('5 of 20 credits').waitFor();
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
