import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeStripe, startFakeStripe } from './stripe.ts';

let fake: FakeStripe;
let stripe: Stripe;
let customer: Stripe.Customer;

beforeAll(async () => {
  fake = await startFakeStripe();
  const { hostname, port } = new URL(fake.url);
  stripe = new Stripe(fake.secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
  customer = await stripe.customers.create({ email: 'alice@example.com' });
});
afterAll(() => fake.close());

const noRedirects = { enabled: true, allow_redirects: 'never' } as const;
const order = (more: Partial<Stripe.PaymentIntentCreateParams> = {}): Stripe.PaymentIntentCreateParams => ({
  amount: 2500,
  currency: 'usd',
  customer: customer.id,
  automatic_payment_methods: noRedirects,
  metadata: { order_id: 'o1' },
  ...more,
});
const pay = (paymentMethod: string, more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
  stripe.paymentIntents.create(order({ payment_method: paymentMethod, confirm: true, ...more }));
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: Stripe.errors.StripeCardError) => error,
  );
const typesOf = (id: string) =>
  [...fake.account.events.values()]
    .filter((event) => JSON.stringify(event.data.object).includes(id))
    .map((event) => event.type);

describe('a payment intent', () => {
  test('is confirmed in the browser with a new card, which is saved', async () => {
    const intent = await stripe.paymentIntents.create(order({ setup_future_usage: 'off_session' }));
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      amount: 2500,
      automatic_payment_methods: { enabled: true },
      metadata: { order_id: 'o1' },
    });
    const secret = intent.client_secret ?? '';
    const { paymentIntent } = await fake.browser.confirmPayment(secret, '4242424242424242');
    expect(paymentIntent).toMatchObject({ status: 'succeeded' });
    expect(paymentIntent).not.toHaveProperty('metadata');

    const paid = await stripe.paymentIntents.retrieve(intent.id, {
      expand: ['latest_charge.balance_transaction', 'payment_method', 'customer'],
    });
    expect(paid).toMatchObject({
      amount_received: 2500,
      customer: { id: customer.id, email: 'alice@example.com' },
      payment_method: { customer: customer.id, card: { last4: '4242' } },
      latest_charge: {
        paid: true,
        payment_method_details: { card: { brand: 'visa', last4: '4242' } },
        balance_transaction: { amount: 2500, fee: 103, net: 2397 },
        metadata: { order_id: 'o1' },
      },
    });
    const charge = paid.latest_charge as Stripe.Charge;
    expect(typesOf(intent.id)).toEqual([
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
    ]);
    const charges = await stripe.charges.list({ payment_intent: intent.id });
    expect(charges.data).toEqual([await stripe.charges.retrieve(charge.id)]);
  });

  test('cannot be confirmed twice; the error contains the intent', async () => {
    const intent = await pay('pm_card_visa');
    const error = await failure(stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' }));
    expect(error).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { id: intent.id },
    });
  });

  test('needs its own client secret in the browser', async () => {
    const { id } = await stripe.paymentIntents.create(order());
    const answer = await fake.browser.confirmPayment(`${id}_secret_guess`, '4242424242424242');
    expect(answer.error).toMatchObject({ param: 'client_secret' });
  });

  test('cannot be confirmed on the server without a return_url unless redirects are excluded', async () => {
    const open = stripe.paymentIntents.create(
      order({ automatic_payment_methods: { enabled: true }, payment_method: 'pm_card_visa', confirm: true }),
    );
    await expect(open).rejects.toThrow('must provide a `return_url`');
  });

  test('can be updated, canceled and listed', async () => {
    const intent = await stripe.paymentIntents.create(order());
    const more = await stripe.paymentIntents.update(intent.id, { amount: 3000, metadata: { extra: 'yes' } });
    expect(more).toMatchObject({ amount: 3000, metadata: { order_id: 'o1', extra: 'yes' } });
    const cancelled = await stripe.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' });
    expect(cancelled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    await expect(stripe.paymentIntents.cancel(intent.id)).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    const list = await stripe.paymentIntents.list({ customer: customer.id, limit: 1 });
    expect(list.data[0]?.id).toBe(intent.id);
  });

  test("does not take another customer's payment method", async () => {
    const bob = await stripe.customers.create();
    const his = await stripe.paymentMethods.attach('pm_card_visa', { customer: bob.id });
    await expect(pay(his.id)).rejects.toMatchObject({ code: 'resource_missing', param: 'payment_method' });
  });

  test('a card used once without saving is spent', async () => {
    const once = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
    await pay(once.id);
    await expect(pay(once.id)).rejects.toThrow('may not be used again');
  });
});

describe('a declined card', () => {
  test.each([
    ['4000000000000002', 'card_declined', 'generic_decline', 'Your card was declined.'],
    ['4000000000009995', 'card_declined', 'insufficient_funds', 'Your card has insufficient funds.'],
    ['4000000000000069', 'expired_card', 'expired_card', 'Your card has expired.'],
  ])('%s returns %s / %s and leaves the intent open', async (number, code, decline_code, message) => {
    const intent = await stripe.paymentIntents.create(order());
    const { error } = await fake.browser.confirmPayment(intent.client_secret ?? '', number);
    expect(error).toMatchObject({ type: 'card_error', code, decline_code, message });
    const after = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    expect(after).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { code, payment_method: { card: { last4: number.slice(-4) } } },
      latest_charge: { status: 'failed', paid: false, failure_code: code },
    });
    expect(typesOf(intent.id)).toContain('payment_intent.payment_failed');
    const retried = await fake.browser.confirmPayment(intent.client_secret ?? '', '4242424242424242');
    expect(retried.paymentIntent?.status).toBe('succeeded');
  });

  test('…0341 is saved and then declines every charge', async () => {
    const saved = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id });
    for (const off_session of [true, false]) {
      const error = await failure(pay(saved.id, { off_session }));
      expect(error).toMatchObject({
        type: 'StripeCardError',
        statusCode: 402,
        decline_code: 'generic_decline',
        payment_intent: { status: 'requires_payment_method' },
      });
    }
  });

  test('can be simulated for any card', async () => {
    const saved = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    fake.declineNext('insufficient_funds', { paymentMethod: saved.id });
    expect(await failure(pay(saved.id))).toMatchObject({ decline_code: 'insufficient_funds' });
    expect(await pay(saved.id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('authentication', () => {
  const save = async (token: string) =>
    stripe.paymentMethods.attach(token, { customer: customer.id }).then((one) => one.id);

  test.each(['pm_card_authenticationRequiredOnSetup', 'pm_card_authenticationRequired'])(
    '%s requires authentication on-session and declines off-session',
    async (token) => {
      const card = await save(token);
      const error = await failure(pay(card, { off_session: true }));
      expect(error).toMatchObject({
        statusCode: 402,
        code: 'authentication_required',
        payment_intent: { status: 'requires_payment_method' },
        payment_method: { id: card },
      });
      const secret = error.payment_intent?.client_secret ?? '';
      const asked = await fake.browser.confirmPayment(secret, card);
      expect(asked.paymentIntent).toMatchObject({
        status: 'requires_action',
        next_action: { type: 'use_stripe_sdk' },
      });
      const done = await fake.browser.authenticate(secret, 'complete');
      expect(done.paymentIntent?.status).toBe('succeeded');
    },
  );

  test('a failed authentication leaves the intent without a payment method', async () => {
    const intent = await pay(await save('pm_card_authenticationRequired'));
    expect(intent.status).toBe('requires_action');
    const after = fake.authenticate(intent.id, 'fail');
    expect(after).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { code: 'payment_intent_authentication_failure' },
    });
    expect((await stripe.charges.list({ payment_intent: intent.id })).data).toEqual([]);
  });

  test('after authentication while saving, …3155 succeeds off-session and …3184 does not', async () => {
    for (const [number, isAccepted] of [
      ['4000002500003155', true],
      ['4000002760003184', false],
    ] as const) {
      const intent = await stripe.paymentIntents.create(order({ setup_future_usage: 'off_session' }));
      await fake.browser.confirmPayment(intent.client_secret ?? '', number);
      const { payment_method: card } = fake.authenticate(intent.id, 'complete');
      const later = pay(String(card), { off_session: true });
      if (isAccepted) expect(await later).toMatchObject({ status: 'succeeded' });
      else expect(await failure(later)).toMatchObject({ code: 'authentication_required' });
    }
  });

  test('a setup intent saves a card without charging it', async () => {
    const intent = await stripe.setupIntents.create({ customer: customer.id });
    const confirmed = await stripe.setupIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(confirmed).toMatchObject({ status: 'succeeded' });
    const card = String(confirmed.payment_method);
    expect((await stripe.paymentMethods.retrieve(card)).customer).toBe(customer.id);
    expect(await stripe.setupIntents.retrieve(intent.id)).toEqual(confirmed);
    const asked = await stripe.setupIntents.create({
      customer: customer.id,
      payment_method: 'pm_card_authenticationRequiredOnSetup',
      confirm: true,
    });
    const done = await fake.browser.authenticate(asked.client_secret ?? '', 'complete');
    expect(done.paymentIntent?.status).toBe('succeeded');
    expect(await pay(String(asked.payment_method), { off_session: true })).toMatchObject({
      status: 'succeeded',
    });
  });
});
