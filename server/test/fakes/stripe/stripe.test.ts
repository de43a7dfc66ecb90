import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../receiver.ts';
import { type FakeStripe, startFakeStripe } from './stripe.ts';

let fake: FakeStripe;
let receiver: Receiver;
let stripe: Stripe;
let customer: Stripe.Customer;
let time: Date;

const client = (key: string) => {
  const { hostname, port } = new URL(fake.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
};

beforeEach(async () => {
  time = new Date();
  receiver = await startReceiver();
  fake = await startFakeStripe({ now: () => time, retryDelaysMs: [60_000, 60_000] });
  stripe = client(fake.secretKey);
  customer = await stripe.customers.create({ email: 'alice@example.com', metadata: { note: 'a=b&c' } });
  fake.webhooks.endpoints.push({ url: receiver.at('/ok'), secret: fake.webhookSecret });
});
afterEach(async () => {
  await fake.close();
  await receiver.close();
});

const order = (more: Partial<Stripe.PaymentIntentCreateParams> = {}): Stripe.PaymentIntentCreateParams => ({
  amount: 2500,
  currency: 'usd',
  customer: customer.id,
  automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  metadata: { order_id: 'o1' },
  ...more,
});
/** Pays with a new card, which is saved. Returns the intent with its card. */
async function pay(number = '4242424242424242'): Promise<Stripe.PaymentIntent & { payment_method: string }> {
  const { id, client_secret } = await stripe.paymentIntents.create(
    order({ setup_future_usage: 'off_session' }),
  );
  const { paymentIntent } = await fake.browser.confirmPayment(client_secret ?? '', number);
  if (paymentIntent?.status === 'requires_action') {
    await fake.browser.authenticate(client_secret ?? '', 'complete');
  }
  return (await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })) as never;
}
const payAgain = (payment_method: string, more = {}, idempotencyKey = 'again') =>
  stripe.paymentIntents.create(order({ payment_method, confirm: true, ...more }), { idempotencyKey });

describe('a request', () => {
  test("the Stripe fake requires the secret key, or the publishable key with an intent's client secret", async () => {
    await expect(client('sk_test_other').paymentIntents.list()).rejects.toMatchObject({ statusCode: 401 });
    await expect(client(fake.publishableKey).paymentIntents.list()).rejects.toMatchObject({
      code: 'secret_key_required',
    });
    const { id } = await stripe.paymentIntents.create(order());
    const { error } = await fake.browser.confirmPayment(`${id}_secret_guess`, '4242424242424242');
    expect(error).toMatchObject({ param: 'client_secret' });
  });

  test.each([
    ['an unknown parameter', { capture_method: 'manual' }, { code: 'parameter_unknown' }],
    ['a missing parameter', { currency: '' }, { code: 'parameter_missing', param: 'currency' }],
    ['a fraction of a cent', { amount: 100.5 }, { code: 'parameter_invalid_integer' }],
    ['an amount below the least', { amount: 49 }, { code: 'amount_too_small' }],
    [
      'a customer who does not exist',
      { customer: 'cus_no' },
      { code: 'resource_missing', param: 'customer' },
    ],
    ['off_session without confirm', { off_session: true }, { param: 'off_session' }],
    ['metadata that is too long', { metadata: { a: 'x'.repeat(501) } }, { param: 'metadata[a]' }],
    ['an unknown property to expand', { expand: ['review'] }, { code: 'property_cannot_be_expanded' }],
  ] as const)('the Stripe fake refuses a request with %s and names it', async (_, more, error) => {
    await expect(stripe.paymentIntents.create(order(more as object))).rejects.toMatchObject(error);
  });

  test('the Stripe fake returns 404 for an unknown path or object', async () => {
    await expect(stripe.products.list()).rejects.toMatchObject({ statusCode: 404 });
    await expect(stripe.paymentIntents.retrieve('pi_no')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
  });
});

describe('an idempotency key', () => {
  const make = (email: string, idempotencyKey = 'k') =>
    stripe.customers.create({ email }, { idempotencyKey });

  test('the Stripe fake replays the response of an idempotency key for 24 hours', async () => {
    const first = await make('ida@example.com');
    expect((await make('ida@example.com')).id).toBe(first.id);
    time = new Date(time.getTime() + 25 * 3600_000);
    expect((await make('ida@example.com')).id).not.toBe(first.id);
  });

  test('the Stripe fake refuses an idempotency key with other parameters or another path', async () => {
    await make('ida@example.com');
    await expect(make('eve@example.com')).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
    await expect(stripe.paymentIntents.create(order(), { idempotencyKey: 'k' })).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    });
  });

  test('the Stripe fake stores declines and server errors under an idempotency key, but not refused parameters', async () => {
    await expect(make('nobody')).rejects.toMatchObject({ code: 'email_invalid' });
    await make('ida@example.com');
    const { payment_method } = await pay();
    fake.declineNext('insufficient_funds', { paymentMethod: payment_method });
    const declined = { code: 'card_declined', payment_intent: { status: 'requires_payment_method' } };
    await expect(payAgain(payment_method)).rejects.toMatchObject(declined);
    await expect(payAgain(payment_method)).rejects.toMatchObject(declined);
    fake.faults.add({ on: 'POST /v1/payment_intents', kind: 'error' });
    for (let n = 0; n < 2; n += 1) {
      await expect(payAgain(payment_method, {}, 'k2')).rejects.toMatchObject({ statusCode: 500 });
    }
    await expect(payAgain(payment_method, {}, 'k3')).resolves.toMatchObject({ status: 'succeeded' });
  });
});

describe('a fault', () => {
  const on = 'POST /v1/customers';

  test.each([
    ['lost', 2],
    ['refused', 1],
  ] as const)(
    'with the fault "%s" of the Stripe fake, %i customers exist before the next try',
    async (kind, customers) => {
      // The package repeats a request once after a lost connection.
      fake.faults.add({ on, kind, times: 2 });
      const make = () => stripe.customers.create({}, { idempotencyKey: 'k' });
      await expect(make()).rejects.toMatchObject({ type: 'StripeConnectionError' });
      expect(fake.account.customers.size).toBe(customers);
      await make();
      expect(fake.account.customers.size).toBe(2);
    },
  );

  test('a fault of the Stripe fake can hold a response so that events arrive first', async () => {
    const held = fake.faults.add({ on: 'POST /v1/payment_intents', kind: 'hold' });
    let isAnswered = false;
    const made = stripe.paymentIntents.create(order()).finally(() => {
      isAnswered = true;
    });
    await held.reached;
    await fake.webhooks.drain();
    expect([isAnswered, receiver.requests.length]).toEqual([false, 1]);
    held.release();
    await expect(made).resolves.toMatchObject({ status: 'requires_payment_method' });
  });

  test('a fault of the Stripe fake affects the given number of calls', async () => {
    fake.faults.add({ on: 'GET /v1/payment_intents/*', kind: 'error', status: 429, times: 2 });
    const { id } = await stripe.paymentIntents.create(order());
    const find = () => stripe.paymentIntents.retrieve(id);
    await expect(find()).rejects.toMatchObject({ type: 'StripeRateLimitError' });
    await expect(find()).rejects.toMatchObject({ type: 'StripeRateLimitError' });
    await expect(find()).resolves.toMatchObject({ id });
  });
});

describe('a payment', () => {
  test('a payment in the Stripe fake charges and saves a new card', async () => {
    const paid = await pay();
    expect(paid).toMatchObject({
      status: 'succeeded',
      amount_received: 2500,
      latest_charge: { paid: true, payment_method_details: { card: { brand: 'visa', last4: '4242' } } },
    });
    const { data } = await stripe.customers.listPaymentMethods(customer.id, { type: 'card' });
    expect(data).toMatchObject([{ id: paid.payment_method, card: { exp_month: 12, exp_year: 2040 } }]);
    await stripe.paymentMethods.detach(paid.payment_method);
    await expect(payAgain(paid.payment_method)).rejects.toMatchObject({ code: 'resource_missing' });
  });

  test('a declined card in the Stripe fake leaves the intent open', async () => {
    expect(await pay('4000000000000002')).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { type: 'card_error', code: 'card_declined' },
      latest_charge: { status: 'failed', paid: false },
    });
  });

  test.each([
    ['4000002500003155', 'succeeded'],
    ['4000002760003184', 'authentication_required'],
  ])(
    'card %s in the Stripe fake requires authentication on-session and ends off-session as %s',
    async (number, end) => {
      const { status, payment_method } = await pay(number);
      expect(status).toBe('succeeded');
      const asked = await payAgain(payment_method);
      expect(asked.status).toBe('requires_action');
      const failed = await fake.browser.authenticate(asked.client_secret ?? '', 'fail');
      expect(failed.paymentIntent).toMatchObject({ status: 'requires_payment_method' });
      const later = await payAgain(payment_method, { off_session: true }, 'later').catch((error) => error);
      expect(later.code ?? later.status).toBe(end);
    },
  );

  test('a payment in the Stripe fake can be refunded up to its amount, but not while it is disputed', async () => {
    const { id } = await pay();
    const { id: dispute } = fake.disputes.open(id);
    const refund = (amount?: number) =>
      stripe.refunds.create({ payment_intent: id, ...(amount && { amount }) });
    await expect(refund()).rejects.toMatchObject({ code: 'charge_disputed' });
    fake.disputes.win(dispute);
    const { data } = await stripe.disputes.list({ payment_intent: id });
    expect(data).toMatchObject([
      { status: 'won', balance_transactions: [{ amount: -2500 }, { amount: 2500 }] },
    ]);
    await refund(1000);
    await expect(refund(1501)).rejects.toMatchObject({ param: 'amount' });
    expect(await refund()).toMatchObject({ amount: 1500 });
    await expect(refund()).rejects.toMatchObject({ code: 'charge_already_refunded' });
  });

  test('the Stripe fake lists payments in pages, newest first', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift((await stripe.paymentIntents.create(order())).id);
    const all = stripe.paymentIntents.list({ customer: customer.id, limit: 2 });
    expect((await all.autoPagingToArray({ limit: 100 })).map(({ id }) => id)).toEqual(made);
  });
});

describe('an event', () => {
  const received = () =>
    receiver.requests.map(({ body, headers }) =>
      stripe.webhooks.constructEvent(body, headers['stripe-signature'] ?? '', fake.webhookSecret),
    );
  const types = () => received().map(({ type }) => type.replace('payment_intent.', ''));

  test('an event of the Stripe fake has a valid signature and a snapshot of its object', async () => {
    await pay();
    await fake.webhooks.drain();
    expect(types()).toEqual(['created', 'charge.succeeded', 'succeeded']);
    expect(received()[0]?.data.object).toMatchObject({ status: 'requires_payment_method' });
  });

  test('the Stripe fake resends an event until the endpoint accepts it or the retries end', async () => {
    receiver.answer = () => (receiver.requests.length < 3 ? 503 : 200);
    await stripe.paymentIntents.create(order());
    await fake.webhooks.drain();
    expect(types()).toEqual(['created', 'created', 'created']);
    receiver.answer = () => 'reset';
    await stripe.paymentIntents.create(order());
    await fake.webhooks.drain();
    await fake.webhooks.drain();
    expect(receiver.requests).toHaveLength(6);
  });

  test('an event of the Stripe fake can be dropped, duplicated, reordered, held and resent', async () => {
    fake.webhooks.drop('payment_intent.created', 1);
    fake.webhooks.duplicate('charge.*', 3);
    await pay();
    await fake.webhooks.drain();
    expect(types()).toEqual([...Array(3).fill('charge.succeeded'), 'succeeded']);
    fake.webhooks.reorder('*', 3);
    await pay();
    await fake.webhooks.drain();
    expect(types().slice(4)).toEqual(['succeeded', 'charge.succeeded', 'created']);
    const held = fake.webhooks.hold('*');
    await stripe.paymentIntents.create(order());
    await fake.webhooks.drain();
    expect(receiver.requests).toHaveLength(7);
    held.release();
    await fake.webhooks.drain();
    await fake.webhooks.resend(received().at(-1)?.id ?? '');
    expect(types().slice(7)).toEqual(['created', 'created']);
  });
});
