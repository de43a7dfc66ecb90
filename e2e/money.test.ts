import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmSandboxPayment, createIntent } from '@sixdigit/contract/payments.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { priced } from '../server/test/payments.ts';
import { failUntilTriedAgain, look } from './browser.ts';
import { bundle, GOOD, openSandboxTill, pay, shows, type Till } from './till.ts';

/** The Credits screen beside its purchases: usage, auto-purchase and the cost of unverified codes. */
let till: Till;
beforeAll(async () => {
  till = await openSandboxTill();
});
afterAll(() => till?.close());

test('receipts stay on the first page after many sends, and usage has its own list in the address', async () => {
  const frank = await till.stage.signUp('Frank');
  const { service } = till.stage;
  const { body } = await service.call(createIntent, {
    bearer: frank.access,
    body: { ...priced(100), save_payment_method: false },
  });
  const card = { number: GOOD, exp_month: 12, exp_year: 2034, cvc: '123' };
  const client_secret = body.client_secret ?? '';
  await service.call(confirmSandboxPayment, { bearer: frank.access, body: { client_secret, card } });
  const { key } = await till.stage.apiKey(frank);
  for (let n = 0; n < 12; n++)
    await service.call(sendOtp, {
      apiKey: key,
      body: { channel: 'email', recipient: `reader${n}@customers.test` },
    });
  await using tab = await till.open(frank);
  const { page } = tab;
  await shows(page, 'Showing 1-2 of 2 transactions');
  await page.getByRole('link', { name: 'Receipt' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const bought = page.locator('tbody tr').filter({ hasText: 'Credit bundle: 100 credits' });
  await bought.getByText('$2.00').waitFor();
  await expect.poll(() => bought.getByText('Completed').count()).toBe(0);
  await page.setViewportSize({ width: 1280, height: 900 });
  const types = page.getByRole('radiogroup', { name: 'Type of transactions' });
  await types.getByText('Usage').click();
  await shows(page, 'Showing 1-10 of 12 transactions');
  await expect.poll(() => new URL(page.url()).searchParams.get('type')).toBe('usage');
  await page.reload();
  await shows(page, 'Showing 1-10 of 12 transactions');
  await types.getByText('All').click();
  await shows(page, 'Showing 1-10 of 14 transactions');
  await page.goBack();
  await shows(page, 'Showing 1-10 of 12 transactions');
  await page.getByPlaceholder('Search transactions...').fill('bundle');
  await shows(page, 'No usage matches “bundle”. Purchases have their own list.');
});

test('auto-purchase is turned on beside the balance, and shows its card, state and failure', async () => {
  const heidi = await till.stage.signUp('Heidi');
  await using tab = await till.open(heidi);
  tab.expectError(/ApiError|status of [45]|Query failed/);
  const { page } = tab;
  const panel = page.getByRole('region', { name: 'Auto-purchase' });
  await panel.getByText('To set it up, first buy credits and save the card.').waitFor();
  const dialog = page.getByRole('dialog', { name: 'Auto-purchase' });
  await expect
    .poll(() => panel.getByRole('button', { name: 'Set Up Auto-purchase' }).isDisabled())
    .toBe(true);
  await page.goto('/credits?step=auto-purchase');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await dialog.getByText('Please add a payment method first.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await bundle(page, '100').click();
  await pay(page, GOOD);
  await panel.getByText('Visa ending in 4242, expires 12/2034').waitFor();

  await panel.getByRole('button', { name: 'Set Up Auto-purchase' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Auto-purchase Threshold').fill('0');
  await page.keyboard.press('Enter');
  await dialog.getByText('Auto-purchase threshold must be at least 1 credit').waitFor();
  await dialog.getByLabel('Auto-purchase Threshold').fill('70');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await panel.getByText('Below 70 credits, buys 500 credits for $9.50.').waitFor();
  const change = panel.getByRole('button', { name: 'Change Auto-purchase' });
  await expect.poll(() => change.evaluate((element) => element === document.activeElement)).toBe(true);

  const { app } = till.stage.service;
  const failed = `from accounts a where a.email = $1`;
  await app.db.run(
    `insert into orders (id, account_id, kind, credits, price_usd_cents, status, provider, customer_id, failure, created_at, asked_at)
     select $2, a.id, 'auto', 500, 950, 'failed', 'sandbox', 'cus', 'Your card was declined.', clock_now(), clock_now() ${failed}`,
    [heidi.email, app.random.uuid()],
  );
  await app.db.run(
    `insert into auto_purchases (account_id, declines, retry_at) select a.id, 1, clock_now() + interval '1 hour' ${failed}`,
    [heidi.email],
  );
  await page.reload();
  await panel.getByText('500 credits for $9.50 failed. Your card was declined.').waitFor();
  await panel.getByText('To use another card, buy credits with it now.').waitFor();
  await failUntilTriedAgain(page, '**/payments/auto-purchase/');
  await page.reload();
  await panel.getByText('Failed to load auto-purchase').waitFor();
  await panel.getByRole('button', { name: 'Try Again' }).click();
  await panel.getByText('Retrying', { exact: true }).waitFor();
});

test('the cost of unverified codes names the rule that limits them, in the period of the address', async () => {
  const ivan = await till.stage.signUp('Ivan');
  const { app } = till.stage.service;
  const { key } = await till.stage.apiKey(ivan);
  await using tab = await till.open(ivan);
  const { page } = tab;
  const panel = page.getByRole('region', { name: 'Cost of unverified codes' });
  await panel.getByText('No credits were spent on unverified codes in this period.').waitFor();
  await app.db.run(
    `insert into verifications (account_id, id, api_key_id, created_at, expires_at, sent_at, cost_credits, code_length,
       channel, recipient, status, country)
     select k.account_id, new_uuid(), k.id, clock_now(), clock_now(), clock_now(), 2, 6, 'sms',
       '+1415555' || lpad(n::text, 4, '0'), 'expired', 'US'
     from api_keys k join accounts a on a.id = k.account_id, generate_series(1, 25) n where a.email = $1`,
    [ivan.email],
  );
  expect(key).toMatch(/^sd_live_/);
  await page.reload();
  await panel.getByText('50 credits').waitFor();
  const row = panel.getByRole('row', { name: /^\+1 415 555/ });
  await row.getByText('25 of 25 (100%)').waitFor();
  await row.getByRole('cell').last().getByText('(monitoring only)').waitFor();
  await look(page, 'light', 820);
  await page.locator('tr', { hasText: /^Prefix with low conversion \(monitoring only\)$/ }).waitFor();
  await look(page, 'light', 1280);
  await panel.getByText('By country').click();
  await panel.getByRole('row', { name: /^United States/ }).waitFor();
  await panel.getByLabel('Period').selectOption('7');
  await expect.poll(() => new URL(page.url()).searchParams.get('costs')).toBe('7');
  await panel.getByText('By prefix').click();
  await panel.getByRole('link', { name: 'Prefix with low conversion' }).click();
  await page.getByRole('heading', { name: 'Protection', level: 1 }).waitFor();
  await page.getByRole('group', { name: 'Prefix with low conversion' }).waitFor();
});
