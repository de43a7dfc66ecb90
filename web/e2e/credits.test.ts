import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmSandboxPayment, createIntent, listPackages } from '@sixdigit/contract/payments.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { priced } from '../../server/test/payments.ts';
import type { Person } from '../../server/test/person.ts';
import {
  expectAccessible,
  failUntilTriedAgain,
  follow,
  openStage,
  sharedTab,
  type Tab,
  texts,
} from './browser.ts';
import {
  ASKS,
  balanceIs,
  bundle,
  button,
  GOOD,
  openSandboxTill,
  pay,
  savedCard,
  shows,
  type Till,
} from './till.ts';

describe('in a sandbox', () => {
  let till: Till;
  beforeAll(async () => {
    till = await openSandboxTill();
  });
  afterAll(() => till?.close());

  /** Replaces the responses to the next calls of a path. */
  const answering = async (page: Page, path: string, answer: object | 'nothing', status = 200) => {
    await page.route(`**/payments/${path}/`, (route) =>
      answer === 'nothing' ? route.abort() : route.fulfill({ status, json: answer }),
    );
    return () => page.unroute(`**/payments/${path}/`);
  };
  const expectAnyError = (tab: Tab): void =>
    tab.expectError(/ApiError|status of [45]|net::ERR_FAILED|Query failed/);

  describe('failures', () => {
    let alice: Person;
    beforeAll(async () => {
      alice = await till.stage.signUp('Alice');
    });
    const tab = sharedTab(() => till.open(alice));

    test('every failure of a quote and of a payment intent shows its own message', async () => {
      expectAnyError(tab());
      const { page } = tab();
      await page.getByRole('tab', { name: 'Custom Amount' }).click();
      await button(page, 'Purchase Credits').click();
      await shows(page, 'Please enter a valid credit amount');
      const amount = page.getByLabel('Number of credits');
      await expect.poll(() => page.evaluate('document.activeElement.placeholder')).toBe('1-100,000');
      await amount.fill('24');
      await shows(page, 'The smallest purchase is 25 credits.');
      await amount.press('Enter');
      await shows(page, 'Please enter a valid credit amount');

      // Not a lost response: the screen would read everything again once the service is reachable.
      await failUntilTriedAgain(page, '**/payments/calculate-price/');
      await amount.fill('700');
      await page.getByRole('alert').getByText('Failed to calculate pricing').waitFor();
      await button(page, 'Try Again').click();
      await button(page, 'Purchase 700 Credits').waitFor();
      let again = await answering(page, 'calculate-price', { error: 'No prices today' }, 400);
      await amount.fill('800');
      await page.getByRole('alert').getByText('No prices today').waitFor();
      await again();

      await page.getByRole('tab', { name: 'Credit Bundles' }).click();
      again = await answering(page, 'create-intent', 'nothing');
      await bundle(page, '500').click();
      await shows(page, 'Failed to create payment intent');
      await again();
      again = await answering(page, 'create-intent', { success: false, error: 'Not with us' });
      await bundle(page, '500').click();
      await shows(page, 'Not with us');
      await again();
      await bundle(page, '500').click();
      await page.getByLabel('Card number').waitFor();
    });

    test('every failure of a new card shows its own message and allows another try', async () => {
      const { page } = tab();
      const alert = page.getByRole('alert');
      await expect
        .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
        .toBe('Complete Payment');
      await button(page, 'Complete Payment').click();
      await alert.getByText('Please check your payment details').waitFor();
      await shows(page, 'Your card number is incomplete.');
      await pay(page, '4242424242424241');
      await alert.getByText('Your card number is incorrect.').waitFor();

      const answers = [
        ['nothing', 'Payment processing failed'],
        [{ payment_intent_id: 'pi', status: 'requires_payment_method' }, 'Payment failed'],
        [{ payment_intent_id: 'pi', status: 'processing' }, 'Payment processing. Please try again.'],
        [{ payment_intent_id: 'pi', status: 'canceled' }, 'Payment canceled. Please try again.'],
      ] as const;
      for (const [answer, sentence] of answers) {
        const again = await answering(page, 'sandbox/confirm', answer);
        await pay(page, GOOD);
        await shows(page, sentence);
        await again();
      }
      const again = await answering(page, 'confirm', { success: false, status: 'requires_capture' });
      await pay(page, GOOD);
      await shows(page, 'Payment requires_capture. Please try again.');
      await again();
      await pay(page, GOOD);
      await shows(page, /^Successfully purchased 500 credits!/);
      await balanceIs(page, '525');
    });

    test('a retry with a saved card after a lost response uses the same idempotency key', async () => {
      const { page } = tab();
      await bundle(page, '100').click();
      await button(page, 'Add New Payment Method').click();
      await pay(page, ASKS);
      await button(page, 'Complete Authentication').waitFor();
      await expectAccessible(page);
      await button(page, 'Complete Authentication').click();
      await balanceIs(page, '625');
      await bundle(page, '500').click();

      const keys: (string | undefined)[] = [];
      page.on('request', (request) => {
        if (request.url().includes('create-with-saved')) keys.push(request.headers()['idempotency-key']);
      });
      const charge = async (): Promise<void> => {
        await savedCard(page, 'Visa ending in 4242').click();
        await button(page, 'Confirm Purchase').click();
      };
      await page.route('**/payments/create-with-saved/', async (route) => {
        // The service executes the call, but its response is lost.
        await route.fetch();
        await route.abort();
      });
      await savedCard(page, 'Visa ending in 4242').waitFor();
      await charge();
      await page.getByRole('alert').getByText('Payment failed').waitFor();
      await page.unroute('**/payments/create-with-saved/');
      await charge();
      // The first attempt has already changed the balance.
      await expect.poll(() => keys).toHaveLength(2);
      await balanceIs(page, '1,125');
      expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(keys[1]).toBe(keys[0]);
    });
  });

  test('every screen shows a notice about a low balance, and a changed price is shown before the card is charged', async () => {
    const grace = await till.stage.signUp('Grace');
    await till.stage.service.call(updateBranding, {
      bearer: grace.access,
      body: { low_balance_threshold: 30 },
    });
    await using tab = await till.open(grace, { path: '/logs' });
    expectAnyError(tab);
    const { page } = tab;
    const stale = (await till.stage.service.call(listPackages, { bearer: grace.access })).body.map((one) => ({
      ...one,
      price_usd_cents: 1,
      price_display: '$0.01',
    }));
    await page.route('**/payments/packages/', (route) => route.fulfill({ json: stale }));
    const notice = page.getByRole('complementary', { name: 'Balance' });
    await notice.getByText('Your balance is low: 25 credits left.').waitFor();
    await notice.getByRole('link', { name: 'Buy Credits' }).click();
    await bundle(page, '1,000').click();
    await shows(page, 'The price has changed. Please review it and try again.');
    const review = page.getByRole('region', { name: 'New price' });
    await review.getByText('1,000 credits now cost $18.00.').waitFor();
    await review.getByRole('button', { name: 'Buy for $18.00' }).click();
    await pay(page, GOOD);
    await shows(page, /^Successfully purchased 1,000 credits!/);
    await balanceIs(page, '1,025');
    await notice.waitFor({ state: 'detached' });
  });

  test('the payment history can be searched, sorted and paged, and a purchase has a receipt', async () => {
    const erin = await till.stage.signUp('Erin');
    const { service } = till.stage;
    for (const credits of [1000, ...Array(9).fill(100)]) {
      const { body } = await service.call(createIntent, {
        bearer: erin.access,
        body: { ...priced(credits), save_payment_method: false },
      });
      const card = { number: GOOD, exp_month: 12, exp_year: 2034, cvc: '123' };
      const client_secret = body.client_secret ?? '';
      await service.call(confirmSandboxPayment, { bearer: erin.access, body: { client_secret, card } });
    }
    await using tab = await till.open(erin);
    const { page } = tab;
    const table = page.getByRole('table', { name: 'Payment History' });
    const column = (place: number): Promise<string[]> => texts(table.locator(`tbody td:nth-child(${place})`));
    await shows(page, 'Showing 1-10 of 11 transactions');
    await expect.poll(async () => (await column(2)).at(-1)).toBe('+1,000');
    await expect.poll(async () => (await column(5))[0]).toMatch(/^[A-Z][a-z]{2} \d{2}, \d{4} \d{2}:\d{2}$/);
    await button(page, 'Next').click();
    await shows(page, 'Showing 11-11 of 11 transactions');
    await expect.poll(() => column(2)).toEqual(['+25']);
    await expect.poll(() => column(3)).toEqual(['-']);
    await expect.poll(() => column(4)).toEqual(['Completed']);
    await table.getByRole('button', { name: 'Credits' }).click();
    await shows(page, 'Page 1 of 2');
    await expect.poll(() => column(2)).toEqual(['+25', ...Array(9).fill('+100')]);
    await page.getByPlaceholder('Search transactions...').fill('bundle: 1,000');
    await shows(page, 'Showing 1-1 of 1 transaction (filtered)');
    await expect.poll(() => column(2)).toEqual(['+1,000']);

    const receipt = page.getByRole('link', { name: 'Receipt' });
    await receipt.click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    for (const text of [
      /^R-\d{6}$/,
      erin.email,
      'Visa ending in 4242',
      '1,000 credits at $0.0180 per credit',
    ])
      await shows(page, text);
    await expect.poll(() => page.getByRole('row', { name: 'Total paid $18.00' }).count()).toBe(1);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to Credits' }).click();

    await page.getByPlaceholder('Search transactions...').fill('nothing like it');
    await shows(page, 'No transactions found');
    await button(page, 'Clear Search').last().click();
    await shows(page, 'Showing 1-10 of 11 transactions');
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
    // The end of the purchase closes its step, and would close a dialog that is opened before.
    await shows(page, /^Successfully purchased 100 credits!/);
    await panel.getByText('Visa ending in 4242, expires 12/2034').waitFor();

    await panel.getByRole('button', { name: 'Set Up Auto-purchase' }).press('Enter');
    const threshold = dialog.getByLabel('Auto-purchase threshold');
    await threshold.fill('0');
    await threshold.press('Enter');
    await dialog.getByText('Auto-purchase threshold must be at least 1 credit').waitFor();
    await threshold.fill('70');
    await threshold.press('Enter');
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
    await panel.getByText('Retrying', { exact: true }).waitFor();
  });

  test('at a balance of 0 every screen warns, the figures link to the refused sends, and a test send leads to buying credits', async () => {
    const alice = await till.stage.signUp('Alice');
    const { service } = till.stage;
    const { key } = await till.stage.apiKey(alice, 'Shop');
    const send = async (recipient: string) =>
      (await service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } })).status;
    expect(await send('reader@customers.test')).toBe(201);
    const { id } = (await service.call(getMe, { bearer: alice.access })).body;
    await service.app.db.transaction(async (tx) => {
      await tx.run(
        `insert into ledger (account_id, id, kind, credits, description, created_at)
         select account_id, $2, 'usage', -credits, 'SMS verification', clock_now() from balances where account_id = $1`,
        [id, service.app.random.uuid()],
      );
      await tx.run('update balances set credits = 0 where account_id = $1', [id]);
    });
    for (const recipient of ['first@customers.test', 'second@customers.test'])
      expect(await send(recipient)).toBe(402);
    await service.app.requestLog.flush();
    await using tab = await till.open(alice, { path: '/' });
    tab.expectError('402');
    const { page } = tab;
    const notice = page.getByRole('complementary', { name: 'Balance' });
    await notice.getByText('Every live send is refused until you buy credits.').waitFor();
    await page.getByRole('button', { name: 'Dismiss first steps' }).click();
    const figures = page.getByRole('region', { name: 'Overview' });
    await figures.getByText('2 sends were refused for lack of credits.').waitFor();
    await figures.getByRole('link', { name: 'View in Logs' }).click();
    await page.getByText('Showing 1-2 of 2 requests (filtered)').waitFor();
    await page.getByText('via Email').first().waitFor();
    await notice.waitFor();

    await follow(page, '/');
    await page.getByRole('button', { name: 'Send a Test Code' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Send a Test Code' });
    await dialog.getByLabel('Recipient').fill('reader@customers.test');
    await dialog.getByRole('button', { name: 'Send Code' }).click();
    await dialog.getByRole('alert').getByText('Insufficient credits').waitFor();
    await dialog.getByRole('link', { name: 'Buy credits' }).click();
    await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
  });
});

test('without a card provider, the screen shows a notice instead of prices', async () => {
  const stage = await openStage();
  const alice = await stage.signUp('Alice');
  {
    await using tab = await stage.tab({ as: alice, path: '/sandbox' });
    await tab.page.route('**/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cards: 'none' } });
    });
    await tab.page.goto('/credits');
    await shows(tab.page, 'Card payments are not set up on this service.');
    await expect.poll(() => tab.page.getByText('Purchase Bundle').count()).toBe(0);
    await shows(tab.page, 'Welcome credits');
  }
  await stage.close();
});
