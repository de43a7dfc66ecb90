import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { createIntent } from '@sixdigit/contract/payments.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeStripe } from '../../server/test/fakes/stripe/stub.ts';
import { intentIdOf, priced } from '../../server/test/payments.ts';
import type { Person } from '../../server/test/person.ts';
import { sender } from '../../server/test/sender.ts';
import { signedIn } from '../../server/test/signed-in.ts';
import { eventually, sharedTab } from './browser.ts';
import {
  ASKS,
  answerBank,
  balanceIs,
  bundle,
  button,
  buyWithNewCard,
  DECLINED,
  GOOD,
  openSandboxTill,
  openStripeTill,
  pay,
  savedCard,
  shows,
  type Till,
} from './till.ts';

const creditsOf = async ({ stage }: Till, { access }: Person): Promise<number> =>
  (await stage.service.call(getMe, { bearer: access })).body.credits;

/** Tests for both providers. */
function purchases(tillOf: () => Till): void {
  let till: Till;
  let alice: Person;
  beforeAll(async () => {
    till = tillOf();
    alice = await till.stage.signUp('Alice');
  });
  const tab = sharedTab(() => till.open(alice));

  test('a customer buys a bundle with another card after a declined one, and the saved card pays for the next', async () => {
    const { page } = tab();
    tab().expectError('status of 402');
    await balanceIs(page, '25');
    await bundle(page, '1,000').click();

    await page.getByRole('heading', { name: 'Complete Payment' }).waitFor();
    await shows(page, 'Securely stored by Stripe for faster checkout');
    const saves = page.getByLabel('Save payment method for future purchases');
    await expect.poll(() => saves.isChecked()).toBe(true);
    // The history below may also show it as a pending payment.
    const price = page.getByRole('definition').filter({ hasText: '$18.00' });
    await expect.poll(() => price.count()).toBe(1);
    await pay(page, DECLINED);
    await page.getByRole('alert').getByText('Your card was declined.').waitFor();
    expect(await creditsOf(till, alice)).toBe(25);
    await pay(page, GOOD);
    await shows(page, 'Successfully purchased 1,000 credits! Payment method saved for future use.');
    await page.getByRole('heading', { name: 'Purchase Credits' }).waitFor();
    await balanceIs(page, '1,025');
    const bought = page.getByRole('cell', { name: 'Credit bundle: 1,000 credits' });
    await bought.waitFor();
    await expect.poll(() => bought.count()).toBe(1);

    await bundle(page, '500').click();
    await page.getByRole('heading', { name: 'Choose Payment Method' }).waitFor();
    await shows(page, 'Expires 12/2034');
    await savedCard(page, 'Visa ending in 4242').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm Purchase' });
    await dialog
      .getByText('You are about to purchase 500 credits for $9.50 using your Visa card ending in 4242')
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await savedCard(page, 'Visa ending in 4242').click();
    await dialog.getByRole('button', { name: 'Confirm Purchase' }).click();
    await shows(page, /^Successfully purchased 500 credits!$/);
    await balanceIs(page, '1,525');
  });

  test('a new or saved card that requires authentication is charged only afterwards', async () => {
    const { page } = tab();
    const unable = page.getByText(/^We are unable to authenticate your payment method/).first();
    await bundle(page, '100').click();
    await button(page, 'Add New Payment Method').click();
    await pay(page, ASKS);
    await answerBank(page, 'Fail');
    await unable.waitFor();
    await pay(page, ASKS);
    await answerBank(page, 'Complete');
    await shows(page, /^Successfully purchased 100 credits!/);
    await balanceIs(page, '1,625');

    await bundle(page, '500').click();
    for (const answer of ['Fail', 'Complete'] as const) {
      await savedCard(page, 'Visa ending in 3155').click();
      await button(page, 'Confirm Purchase').click();
      await answerBank(page, answer);
      if (answer === 'Fail') await unable.waitFor();
    }
    await balanceIs(page, '2,125');
  });
}

describe('with test cards', () => {
  let till: Till;
  beforeAll(async () => {
    till = await openSandboxTill();
  });
  afterAll(() => till?.close());
  purchases(() => till);

  test('a customer buys a custom amount at its quoted price without saving the card', async () => {
    const bob = await till.stage.signUp('Bob');
    await using tab = await till.open(bob, { clock: true });
    const { page, calls } = tab;
    await page.getByRole('tab', { name: 'Custom Amount' }).click();
    await shows(page, 'Base rate: $0.02 per credit • Bulk discounts available');
    await balanceIs(page, '25');
    await tab.pauseClock();
    await page.getByLabel('Number of credits').pressSequentially('1234');
    await shows(page, 'Calculating pricing...');
    await tab.advance(499);
    expect(calls.filter((call) => call.includes('calculate-price'))).toEqual([]);
    await page.clock.resume();
    await button(page, 'Purchase 1,234 Credits').waitFor();
    expect(calls.filter((call) => call.includes('calculate-price'))).toHaveLength(1);
    await expect.poll(() => page.locator('s').textContent()).toBe('$24.68');
    for (const text of ['10% discount', 'You save $2.47', '$22.21', '$0.0180 per credit'])
      await shows(page, text);

    await button(page, 'Purchase 1,234 Credits').click();
    // Another payment has its own form.
    const saves = page.getByLabel('Save payment method for future purchases');
    await saves.click();
    await expect.poll(() => saves.isChecked()).toBe(false);
    await expect.poll(() => button(page, 'Complete Payment').isEnabled()).toBe(true);
    await pay(page, GOOD);
    await shows(page, /^Successfully purchased 1,234 credits!$/);
    await balanceIs(page, '1,259');
    await bundle(page, '100').click();
    await page.getByRole('heading', { name: 'Complete Payment' }).waitFor();
  });

  test('each purchase step returns to the packages with its own button and the browser’s, and a saved card can be removed', async () => {
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
    await buyWithNewCard(page, '100', GOOD);
    await shows(page, /^Successfully purchased/);
    await bundle(page, '500').click();
    await choice.waitFor();
    await button(page, 'Back to Packages').click();
    await packages.waitFor();
    await bundle(page, '500').click();
    await button(page, 'Add New Payment Method').click();
    await payment.waitFor();
    await page.goBack();
    await choice.waitFor();
    await page.goBack();
    await packages.waitFor();

    // A reload keeps neither the payment nor the step.
    await bundle(page, '500').click();
    await choice.waitFor();
    await page.reload();
    await packages.waitFor();
    await balanceIs(page, '125');

    await bundle(page, '100').click();
    await button(page, 'Remove Visa ending in 4242').click();
    await page.getByRole('dialog', { name: 'Remove Payment Method' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await shows(page, 'Payment method removed');
    await savedCard(page, 'Visa').waitFor({ state: 'detached' });
    await button(page, 'Back to Packages').click();
    await bundle(page, '100').click();
    await payment.waitFor();
  });
});

describe('with Stripe', () => {
  let till: Awaited<ReturnType<typeof openStripeTill>>;
  let olivia: Person;
  beforeAll(async () => {
    till = await openStripeTill();
    // The first account is the operator.
    olivia = await till.stage.signUp('Olivia');
  });
  afterAll(() => till?.close());
  purchases(() => till);

  test('Stripe’s script loads only when a card form opens, and a failed load shows an error', async () => {
    const carol = await till.stage.signUp('Carol');
    await using tab = await till.open(carol);
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
    await shows(page, 'Payment system not ready. Please try again.');
    expect(asked.length).toBeGreaterThan(0);
    await button(page, 'Complete Payment').click();
    await expect.poll(() => page.getByText('Payment system not ready. Please try again.').count()).toBe(1);
    await tab.context.unroute('https://js.stripe.com/**');
    await routeStripe(tab.context as never, till.stripe.url);
    await button(page, 'Try Again').click();
    await button(page, 'Complete Payment').click();
    await shows(page, 'Your card number is incomplete.');
  });

  test('the console shows a dispute with the day by which Stripe needs evidence', async () => {
    const { service } = till.stage;
    const paula = await sender(service, 'Paula', { credits: 0 });
    const bearer = await signedIn(service, paula);
    const { body } = await service.call(createIntent, { bearer, body: priced(1_000) });
    await till.stripe.browser.confirmPayment(body.client_secret ?? '', GOOD);
    await eventually(async () => expect(await paula.balance()).toBe(1_000));
    const intent = intentIdOf(body.client_secret ?? '');
    till.stripe.disputes.open(intent, { amount: 1_800, reason: 'product_not_received' });
    await eventually(async () => expect(await paula.balance()).toBe(0));
    await using tab = await till.stage.tab({ as: olivia, path: '/operator/payments' });
    const disputes = tab.page.getByRole('region', { name: 'Disputes' });
    await disputes.getByText('Product not received').waitFor();
    await disputes.getByText(/^Evidence is due by/).waitFor();
    await disputes.getByRole('link', { name: 'Open in Stripe' }).waitFor();
    await tab.page.getByRole('row').filter({ hasText: paula.email }).getByText('Disputed').waitFor();
  });
});
