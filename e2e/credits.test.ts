import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateBranding } from '#contract/accounts.ts';
import { confirmSandboxPayment, createIntent, listPackages } from '#contract/payments.ts';
import { type FakeStripe, startFakeStripe } from '../server/test/fakes/stripe/stripe.ts';
import { routeStripe } from '../server/test/fakes/stripe/stub.ts';
import { priced } from '../server/test/payments.ts';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
  expectAccessible,
  failUntilTriedAgain,
  openStage,
  type Stage,
  type Tab,
  type TabOptions,
  texts,
} from './browser.ts';

const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';
const ASKS = '4000002500003155';

/** The Credits screen on one stage, with whoever takes its cards. */
interface Till {
  stage: Stage;
  open(as: Person, options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

async function sandboxTill(): Promise<Till> {
  const stage = await openStage();
  return {
    stage,
    open: (as, options) => stage.tab({ as, path: '/credits', ...options }),
    close: () => stage.close(),
  };
}

async function stripeTill(): Promise<Till & { stripe: FakeStripe }> {
  const stripe = await startFakeStripe();
  const stage = await openStage({
    env: {
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      STRIPE_API_URL: stripe.url,
    },
  });
  const url = `${stage.url}/api/v1/payments/stripe-webhook/`;
  stripe.webhooks.endpoints.push({ url, secret: stripe.webhookSecret });
  return {
    stage,
    stripe,
    async open(as, options) {
      const tab = await stage.tab({ as, path: '/credits', ...options });
      await routeStripe(tab.context as never, stripe.url);
      // the only other hosts that this screen may ask
      tab.expectError(/^asked another host: https:\/\/(js|api)\.stripe\.com$/);
      return tab;
    },
    async close() {
      await stage.close();
      await stripe.close();
    },
  };
}

const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
const bundle = (page: Page, credits: string): Locator =>
  page.getByRole('article', { name: `${credits} credits` }).getByRole('button', { name: 'Purchase Bundle' });
const savedCard = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Saved cards' }).getByRole('button', { name: new RegExp(`^${name}`) });
const says = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();
const balanceIs = (page: Page, credits: string): Promise<void> =>
  page.getByRole('region', { name: 'Current Balance' }).getByText(credits, { exact: true }).waitFor();

async function enter(page: Page, card: string): Promise<void> {
  await page.getByLabel('Card number').fill(card);
  await page.getByLabel('Expiration date').fill('1234');
  await page.getByLabel('Security code').fill('123');
}

async function pay(page: Page, card: string): Promise<void> {
  await enter(page, card);
  await button(page, 'Complete Payment').click();
}

/** What the service keeps is not the browser's business: a saved card to begin with. */
async function buyWithNewCard(page: Page, credits: string, card: string): Promise<void> {
  await bundle(page, credits).click();
  await pay(page, card);
}

describe.each([
  ['test cards', sandboxTill],
  ['Stripe', stripeTill],
] as const)('with %s', (_, openTill) => {
  let till: Till;
  beforeAll(async () => {
    till = await openTill();
  });
  afterAll(() => till?.close());

  test('a bundle is bought with a new card, which is saved and pays for the next one', async () => {
    const alice = await till.stage.signUp('Alice');
    await using tab = await till.open(alice);
    const { page } = tab;
    await balanceIs(page, '25');
    await bundle(page, '1,000').click();

    await page.getByRole('heading', { name: 'Complete Payment' }).waitFor();
    await says(page, 'Securely stored by Stripe for faster checkout');
    const saves = page.getByLabel('Save payment method for future purchases');
    await eventually(async () => expect(await saves.isChecked()).toBe(true));
    await eventually(async () => expect(await page.getByText('$18.00').count()).toBe(1));
    await pay(page, GOOD);
    await says(page, 'Successfully purchased 1,000 credits! Payment method saved for future use.');
    await page.getByRole('heading', { name: 'Purchase Credits' }).waitFor();
    await balanceIs(page, '1,025');
    await page.getByRole('cell', { name: 'Credit bundle: 1,000 credits' }).waitFor();

    await bundle(page, '500').click();
    await page.getByRole('heading', { name: 'Choose Payment Method' }).waitFor();
    await says(page, 'Expires 12/2034');
    await savedCard(page, 'Visa ending in 4242').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm Purchase' });
    await dialog
      .getByText('You are about to purchase 500 credits for $9.50 using your Visa card ending in 4242')
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await savedCard(page, 'Visa ending in 4242').click();
    await dialog.getByRole('button', { name: 'Confirm Purchase' }).click();
    await says(page, /^Successfully purchased 500 credits!$/);
    await balanceIs(page, '1,525');
  });

  test('a custom amount is bought at its quote, and the card is not kept', async () => {
    const bob = await till.stage.signUp('Bob');
    await using tab = await till.open(bob, { clock: true });
    const { page, calls } = tab;
    await page.getByRole('tab', { name: 'Custom Amount' }).click();
    await says(page, 'Base rate: $0.02 per credit • Bulk discounts available');
    await balanceIs(page, '25');
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByLabel('Number of credits').pressSequentially('1234');
    await says(page, 'Calculating pricing...');
    await page.clock.runFor(499);
    expect(calls.filter((call) => call.includes('calculate-price'))).toEqual([]);
    await page.clock.resume();
    await button(page, 'Purchase 1,234 Credits').waitFor();
    expect(calls.filter((call) => call.includes('calculate-price'))).toHaveLength(1);
    expect(await page.locator('s').textContent()).toBe('$24.68');
    for (const text of ['10% discount', 'You save $2.47', '$22.21', '$0.0180 per credit'])
      await says(page, text);

    await button(page, 'Purchase 1,234 Credits').click();
    // another payment, with a form of its own
    const saves = page.getByLabel('Save payment method for future purchases');
    await saves.click();
    await expect.poll(() => saves.isChecked()).toBe(false);
    await expect.poll(() => button(page, 'Complete Payment').isEnabled()).toBe(true);
    await pay(page, GOOD);
    await says(page, /^Successfully purchased 1,234 credits!$/);
    await balanceIs(page, '1,259');
    await bundle(page, '100').click();
    await page.getByRole('heading', { name: 'Complete Payment' }).waitFor();
  });

  test('a declined card says why, and another one pays', async () => {
    const carol = await till.stage.signUp('Carol');
    await using tab = await till.open(carol);
    tab.expectError('status of 402');
    const { page } = tab;
    await buyWithNewCard(page, '100', DECLINED);
    await page.getByRole('alert').getByText('Your card was declined.').waitFor();
    await balanceIs(page, '25');
    await pay(page, GOOD);
    await says(page, /^Successfully purchased 100 credits!/);
    await balanceIs(page, '125');
    expect(await page.getByRole('row', { name: /Credit bundle: 100 credits/ }).count()).toBe(1);
  });

  test('a card that asks for confirmation, new and saved, is charged only after it', async () => {
    const dave = await till.stage.signUp('Dave');
    await using tab = await till.open(dave);
    tab.expectError('status of 402');
    const { page } = tab;
    const unable = /^We are unable to authenticate your payment method/;
    await buyWithNewCard(page, '100', ASKS);
    await button(page, 'Fail authentication').click();
    await says(page, unable);
    await pay(page, ASKS);
    await button(page, 'Complete authentication').click();
    await says(page, /^Successfully purchased 100 credits!/);
    await balanceIs(page, '125');

    await bundle(page, '500').click();
    for (const answer of ['Fail', 'Complete'] as const) {
      await savedCard(page, 'Visa ending in 3155').click();
      await button(page, 'Confirm Purchase').click();
      await button(page, `${answer} authentication`).click();
      if (answer === 'Fail') await says(page, unable);
    }
    await says(page, /^Successfully purchased 500 credits!$/);
    await balanceIs(page, '625');
  });

  test('back leads to the packages from every step, by its button and by the browser’s', async () => {
    const erin = await till.stage.signUp('Erin');
    await using tab = await till.open(erin);
    const { page } = tab;
    const packages = page.getByRole('heading', { name: 'Purchase Credits' });
    const payment = page.getByRole('heading', { name: 'Complete Payment' });
    const choice = page.getByRole('heading', { name: 'Choose Payment Method' });
    await bundle(page, '100').click();
    await payment.waitFor();
    await button(page, 'Back').click();
    await packages.waitFor();
    await bundle(page, '100').click();
    await payment.waitFor();
    await page.goBack();
    await packages.waitFor();

    await buyWithNewCard(page, '100', GOOD);
    await says(page, /^Successfully purchased/);
    await bundle(page, '500').click();
    await choice.waitFor();
    await button(page, 'Back to Packages').click();
    await packages.waitFor();
    await bundle(page, '500').click();
    await button(page, 'Add New Payment Method').click();
    await payment.waitFor();
    await page.goBack();
    await choice.waitFor();
    await button(page, 'Add New Payment Method').click();
    await button(page, 'Back').click();
    await packages.waitFor();

    // a payment is not carried over a reload, and neither is a step
    await bundle(page, '500').click();
    await choice.waitFor();
    await page.reload();
    await packages.waitFor();
    await balanceIs(page, '125');
  });

  test('a saved card is removed', async () => {
    const frank = await till.stage.signUp('Frank');
    await using tab = await till.open(frank);
    const { page } = tab;
    await buyWithNewCard(page, '100', GOOD);
    await says(page, /^Successfully purchased/);
    await bundle(page, '100').click();
    await button(page, 'Remove Visa ending in 4242').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await says(page, 'Payment method removed');
    await savedCard(page, 'Visa').waitFor({ state: 'detached' });
    await button(page, 'Back to Packages').click();
    await bundle(page, '100').click();
    await page.getByRole('heading', { name: 'Complete Payment' }).waitFor();
  });
});

describe('Stripe’s script', () => {
  test('is asked for with the first card only, and its absence is said', async () => {
    const till = await stripeTill();
    const alice = await till.stage.signUp('Alice');
    {
      await using tab = await till.open(alice);
      const { page } = tab;
      tab.expectError(/js\.stripe\.com|Failed to load Stripe/);
      const asked: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).host === 'js.stripe.com') asked.push(request.url());
      });
      await page.getByText('$18.00').waitFor();
      expect(asked).toEqual([]);
      await tab.context.route('https://js.stripe.com/**', (route) => route.abort());
      await bundle(page, '100').click();
      await says(page, 'Payment system not ready. Please try again.');
      expect(asked.length).toBeGreaterThan(0);
      await button(page, 'Complete Payment').click();
      expect(await page.getByText('Payment system not ready. Please try again.').count()).toBe(1);
      await tab.context.unroute('https://js.stripe.com/**');
      await routeStripe(tab.context as never, till.stripe.url);
      await button(page, 'Try Again').click();
      await button(page, 'Complete Payment').click();
      await says(page, 'Your card number is incomplete.');
    }
    await till.close();
  });
});

describe('in a sandbox', () => {
  let till: Till;
  beforeAll(async () => {
    till = await sandboxTill();
  });
  afterAll(() => till?.close());

  /** Answers the next calls of a path otherwise than the service would. */
  const answering = async (page: Page, path: string, answer: object | 'nothing', status = 200) => {
    await page.route(`**/payments/${path}/`, (route) =>
      answer === 'nothing' ? route.abort() : route.fulfill({ status, json: answer }),
    );
    return () => page.unroute(`**/payments/${path}/`);
  };
  const anyFailure = (tab: Tab): void =>
    tab.expectError(/ApiError|status of [45]|net::ERR_FAILED|Query failed/);

  test('every failure of a quote and of an intent has its sentence', async () => {
    const alice = await till.stage.signUp('Alice');
    await using tab = await till.open(alice);
    anyFailure(tab);
    const { page } = tab;
    await page.getByRole('tab', { name: 'Custom Amount' }).click();
    await button(page, 'Purchase Credits').click();
    await says(page, 'Please enter a valid credit amount');
    const amount = page.getByLabel('Number of credits');
    expect(await page.evaluate('document.activeElement.placeholder')).toBe('1-100,000');
    await amount.fill('100001');
    await says(page, 'At most 100,000 credits can be bought at once');
    await amount.fill('24');
    await button(page, 'Purchase 24 Credits').click();
    await says(page, /^Please buy at least 25 credits/);

    let again = await answering(page, 'calculate-price', 'nothing');
    await amount.fill('700');
    await page.getByRole('alert').getByText('Failed to calculate pricing').waitFor();
    await again();
    again = await answering(page, 'calculate-price', { error: 'No prices today' }, 400);
    await amount.fill('800');
    await page.getByRole('alert').getByText('No prices today').waitFor();
    await again();

    await page.getByRole('tab', { name: 'Credit Bundles' }).click();
    again = await answering(page, 'create-intent', 'nothing');
    await bundle(page, '500').click();
    await says(page, 'Failed to create payment intent');
    await again();
    again = await answering(page, 'create-intent', { success: false, error: 'Not with us' });
    await bundle(page, '500').click();
    await says(page, 'Not with us');
    await again();
    await bundle(page, '500').click();
    await page.getByLabel('Card number').waitFor();
  });

  test('every failure of a new card has its sentence, and the card can be tried again', async () => {
    const bob = await till.stage.signUp('Bob');
    await using tab = await till.open(bob);
    anyFailure(tab);
    const { page } = tab;
    const alert = page.getByRole('alert');
    await bundle(page, '500').click();
    await page.getByLabel('Card number').waitFor();
    await button(page, 'Complete Payment').click();
    await alert.getByText('Please check your payment details').waitFor();
    await says(page, 'Your card number is incomplete.');
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
      await says(page, sentence);
      await again();
    }
    const again = await answering(page, 'confirm', { success: false, status: 'requires_capture' });
    await pay(page, GOOD);
    await says(page, 'Payment requires_capture. Please try again.');
    await again();
    await pay(page, GOOD);
    await says(page, /^Successfully purchased 500 credits!/);
    await balanceIs(page, '525');
  });

  test('a saved card that fails says why, and a lost answer is asked for again under the same key', async () => {
    const carol = await till.stage.signUp('Carol');
    await using tab = await till.open(carol);
    anyFailure(tab);
    const { page } = tab;
    await buyWithNewCard(page, '100', GOOD);
    await says(page, /^Successfully purchased/);
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
      // the service acts, but its answer is lost
      await route.fetch();
      await route.abort();
    });
    await charge();
    await page.getByRole('alert').getByText('Payment failed').waitFor();
    await page.unroute('**/payments/create-with-saved/');
    await charge();
    await says(page, /^Successfully purchased 500 credits!/);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    await balanceIs(page, '625');

    await bundle(page, '500').click();
    const again = await answering(page, 'create-with-saved', { error: 'Your card has expired.' }, 402);
    await charge();
    await page.getByRole('alert').getByText('Your card has expired.').waitFor();
    await again();
  });

  test('a price that has changed is shown before anything is charged', async () => {
    const dave = await till.stage.signUp('Dave');
    await using tab = await till.open(dave);
    anyFailure(tab);
    const { page } = tab;
    const stale = (await till.stage.service.call(listPackages, { bearer: dave.access })).body.map((one) => ({
      ...one,
      price_usd_cents: 1,
      price_display: '$0.01',
    }));
    await page.route('**/payments/packages/', (route) => route.fulfill({ json: stale }));
    await page.reload();
    await bundle(page, '1,000').click();
    await says(page, 'The price has changed. Please review it and try again.');
    const review = page.getByRole('region', { name: 'New price' });
    await review.getByText('1,000 credits now cost $18.00.').waitFor();
    await review.getByRole('button', { name: 'Buy for $18.00' }).click();
    await pay(page, GOOD);
    await says(page, /^Successfully purchased 1,000 credits!/);
  });

  test('payment history is searched, sorted and paged by its address, and a purchase has a receipt', async () => {
    const erin = await till.stage.signUp('Erin');
    const { service } = till.stage;
    for (let bought = 0; bought < 12; bought += 1) {
      const { body } = await service.call(createIntent, {
        bearer: erin.access,
        body: { ...priced(bought === 5 ? 1000 : 100 + bought), save_payment_method: false },
      });
      const card = { number: GOOD, exp_month: 12, exp_year: 2034, cvc: '123' };
      const client_secret = body.client_secret ?? '';
      await service.call(confirmSandboxPayment, { bearer: erin.access, body: { client_secret, card } });
    }
    await using tab = await till.open(erin);
    anyFailure(tab);
    const { page } = tab;
    const table = page.getByRole('table', { name: 'Payment History' });
    const column = (place: number): Promise<string[]> => texts(table.locator(`tbody td:nth-child(${place})`));
    await says(page, 'Showing 1-10 of 13 transaction(s)');
    expect(await column(1)).toHaveLength(10);
    expect((await column(5))[0]).toMatch(/^[A-Z][a-z]{2} \d{2}, \d{4} \d{2}:\d{2}$/);
    await button(page, 'Next').click();
    await says(page, 'Page 2 of 2');
    expect((await column(2)).at(-1)).toBe('+25');
    expect((await column(3)).at(-1)).toBe('-');
    expect((await column(4)).at(-1)).toBe('Completed');

    await table.getByRole('button', { name: 'Credits' }).click();
    await says(page, 'Page 1 of 2');
    await expect.poll(async () => (await column(2))[0]).toBe('+25');
    await table.getByRole('button', { name: 'Amount' }).click();
    await table.getByRole('button', { name: 'Amount' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('ordering')).toBe('-price_usd_cents');
    for (const name of ['Transaction', 'Status', 'Date']) await table.getByRole('button', { name }).click();

    await page.getByPlaceholder('Search transactions...').fill('bundle: 1,000');
    await says(page, 'Showing 1-1 of 1 transaction(s) (filtered)');
    expect(await column(2)).toEqual(['+1,000']);
    await page.reload();
    expect(await column(2)).toEqual(['+1,000']);

    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    for (const text of [
      /^R-\d{6}$/,
      erin.email,
      'Visa ending in 4242',
      '1,000 credits at $0.0180 per credit',
    ])
      await says(page, text);
    expect(await page.getByRole('row', { name: 'Total paid $18.00' }).count()).toBe(1);
    await expectAccessible(page);
    await page.emulateMedia({ media: 'print' });
    expect(await button(page, 'Print').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    const { pathname } = new URL(page.url());
    await service.app.db.run(
      `insert into order_reversals (id, order_id, cents, state, changed_at)
       select 're_1', o.id, 250, 'taken', o.created_at from orders o join accounts a on a.id = o.account_id
       where a.email = $1 and o.credits = 1000`,
      [erin.email],
    );
    await page.reload();
    await page.getByRole('row', { name: /^Returned to the card on .+ −\$2\.50$/ }).waitFor();
    expect(await page.getByRole('row', { name: 'Total after returns $15.50' }).count()).toBe(1);
    await page.getByRole('link', { name: 'Back to Credits' }).click();

    await page.getByPlaceholder('Search transactions...').fill('nothing like it');
    await says(page, 'No transactions found');
    await button(page, 'Clear search').last().click();
    await says(page, 'Showing 1-10 of 13 transaction(s)');
    await failUntilTriedAgain(page, '**/payments/history/**');
    await page.reload();
    await says(page, 'Failed to fetch transactions');
    await button(page, 'Try Again').click();
    await says(page, 'Showing 1-10 of 13 transaction(s)');

    const mallory = await till.stage.signUp('Mallory');
    await using other = await till.open(mallory, { path: pathname });
    anyFailure(other);
    await other.page.getByRole('heading', { name: 'Not Found' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('every step is accessible in %s', async (colorScheme) => {
    const frank = await till.stage.signUp('Frank');
    await using tab = await till.open(frank, { colorScheme, width: colorScheme === 'dark' ? 360 : 1280 });
    anyFailure(tab);
    const { page } = tab;
    await page.getByText('$18.00').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await page.getByRole('tab', { name: 'Custom Amount' }).click();
    await page.getByLabel('Number of credits').fill('500');
    await button(page, 'Purchase 500 Credits').waitFor();
    await expectAccessible(page);
    await button(page, 'Purchase 500 Credits').click();
    await page.getByLabel('Card number').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Complete Payment');
    await button(page, 'Complete Payment').click();
    await says(page, 'Please check your payment details');
    await expectAccessible(page);
    await pay(page, ASKS);
    await button(page, 'Complete authentication').waitFor();
    await expectAccessible(page);
    await button(page, 'Complete authentication').click();
    await says(page, /^Successfully purchased/);
    await bundle(page, '500').click();
    await savedCard(page, 'Visa ending in 3155').waitFor();
    await expectAccessible(page);
    await savedCard(page, 'Visa ending in 3155').click();
    await button(page, 'Confirm Purchase').waitFor();
    await expectAccessible(page);
  });

  test('a low balance is said on every screen', async () => {
    const grace = await till.stage.signUp('Grace');
    await till.stage.service.call(updateBranding, {
      bearer: grace.access,
      body: { low_balance_threshold: 30 },
    });
    await using tab = await till.open(grace, { path: '/logs' });
    const notice = tab.page.getByRole('complementary', { name: 'Balance' });
    await notice.getByText('Your balance is low: 25 credits left.').waitFor();
    await notice.getByRole('link', { name: 'Buy Credits' }).click();
    await buyWithNewCard(tab.page, '100', GOOD);
    await balanceIs(tab.page, '125');
    await notice.waitFor({ state: 'detached' });
  });
});

test('where nobody takes cards, that is said in place of prices', async () => {
  const stage = await openStage();
  const alice = await stage.signUp('Alice');
  {
    await using tab = await stage.tab({ as: alice, path: '/sandbox' });
    await tab.page.route('**/config.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cards: 'none' } });
    });
    await tab.page.goto('/credits');
    await says(tab.page, 'Card payments are not set up on this service.');
    expect(await tab.page.getByText('Purchase Bundle').count()).toBe(0);
    await says(tab.page, 'Welcome credits');
  }
  await stage.close();
});
