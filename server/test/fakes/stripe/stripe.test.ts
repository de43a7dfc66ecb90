import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeStripe, startFakeStripe } from './stripe.ts';

let fake: FakeStripe;
let stripe: Stripe;
let time = new Date();

const client = (key: string, config: Stripe.StripeConfig = {}) => {
  const { hostname, port } = new URL(fake.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, ...config });
};

beforeAll(async () => {
  fake = await startFakeStripe({ now: () => time });
  stripe = client(fake.secretKey);
});
afterAll(() => fake.close());

describe('the wire', () => {
  test('a wrong key, no key and a publishable key are refused', async () => {
    await expect(client('sk_test_other').customers.list()).rejects.toMatchObject({
      type: 'StripeAuthenticationError',
      statusCode: 401,
    });
    const silent = await fetch(`${fake.url}/v1/customers`);
    expect([silent.status, ((await silent.json()) as { error: object }).error]).toMatchObject([
      401,
      { type: 'invalid_request_error' },
    ]);
    await expect(client(fake.publishableKey).customers.list()).rejects.toMatchObject({
      code: 'secret_key_required',
    });
  });

  test('basic authentication works like bearer', async () => {
    const authorization = `Basic ${Buffer.from(`${fake.secretKey}:`).toString('base64')}`;
    const answer = await fetch(`${fake.url}/v1/customers`, { headers: { authorization } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
  });

  test('the version is echoed, and an invalid version is refused', async () => {
    const list = await stripe.customers.list();
    expect(list.lastResponse.apiVersion).toBe('2026-10-28.endive');
    await expect(stripe.customers.list({}, { apiVersion: 'latest' })).rejects.toMatchObject({
      message: 'Invalid Stripe API version: latest',
    });
  });

  test('unknown parameters, missing ones and wrong types are refused by name', async () => {
    const odd = { email: 'a@example.com', favourite_colour: 'blue' } as Stripe.CustomerCreateParams;
    await expect(stripe.customers.create(odd)).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      code: 'parameter_unknown',
      param: 'favourite_colour',
    });
    const without = { currency: 'usd' } as Stripe.PaymentIntentCreateParams;
    await expect(stripe.paymentIntents.create(without)).rejects.toMatchObject({
      code: 'parameter_missing',
      param: 'amount',
    });
    await expect(stripe.paymentIntents.create({ amount: 10.5, currency: 'usd' })).rejects.toMatchObject({
      code: 'parameter_invalid_integer',
    });
    await expect(stripe.paymentIntents.create({ amount: 20, currency: 'usd' })).rejects.toMatchObject({
      code: 'amount_too_small',
    });
  });

  test('an unknown path and an unknown object are 404', async () => {
    await expect(stripe.products.list()).rejects.toMatchObject({ statusCode: 404 });
    await expect(stripe.customers.retrieve('cus_nobody')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such customer: 'cus_nobody'",
    });
  });
});

describe('idempotency keys', () => {
  const email = 'ida@example.com';

  test('a repeated request gets the same response and executes once', async () => {
    const first = await stripe.customers.create({ email }, { idempotencyKey: 'same' });
    const again = await stripe.customers.create({ email }, { idempotencyKey: 'same' });
    expect(again.id).toBe(first.id);
    expect(fake.requests.filter((one) => one.idempotencyKey === 'same').map((one) => one.isReplayed)).toEqual(
      [false, true],
    );
  });

  test('other parameters or another path under a used key are an error', async () => {
    await stripe.customers.create({ email, metadata: { a: '1' } }, { idempotencyKey: 'other' });
    const changed = stripe.customers.create({ email, metadata: { a: '2' } }, { idempotencyKey: 'other' });
    await expect(changed).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    const elsewhere = stripe.paymentIntents.create(
      { amount: 100, currency: 'usd' },
      { idempotencyKey: 'other' },
    );
    await expect(elsewhere).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
  });

  test('the same key while the first is running is a conflict', async () => {
    const held = fake.faults.add({ on: 'POST /v1/customers', kind: 'hold' });
    const first = stripe.customers.create({ email }, { idempotencyKey: 'busy' });
    await held.reached;
    await expect(stripe.customers.create({ email }, { idempotencyKey: 'busy' })).rejects.toMatchObject({
      statusCode: 409,
      code: 'idempotency_key_in_use',
    });
    held.release();
    await expect(first).resolves.toMatchObject({ email });
  });

  test('a decline is stored for its key, a validation error is not', async () => {
    const options = { idempotencyKey: 'fixed' };
    await expect(stripe.customers.create({ email: 'nobody' }, options)).rejects.toThrow('Invalid email');
    await expect(stripe.customers.create({ email }, options)).resolves.toMatchObject({ email });
    const pay = () =>
      stripe.paymentIntents.create(
        {
          amount: 500,
          currency: 'usd',
          confirm: true,
          payment_method: 'pm_card_chargeDeclined',
          return_url: 'https://example.com',
        },
        { idempotencyKey: 'declined' },
      );
    const declined = await pay().catch((error: Stripe.errors.StripeCardError) => error.charge);
    expect(await pay().catch((error: Stripe.errors.StripeCardError) => error.charge)).toBe(declined);
  });

  test('a key is forgotten after 24 hours', async () => {
    const first = await stripe.customers.create({ email }, { idempotencyKey: 'daily' });
    time = new Date(time.getTime() + 25 * 3600_000);
    const next = await stripe.customers.create({ email }, { idempotencyKey: 'daily' });
    expect(next.id).not.toBe(first.id);
  });
});

describe('customers', () => {
  test('are created, read, changed, listed and deleted', async () => {
    const customer = await stripe.customers.create({
      email: 'alice@example.com',
      name: 'Alice & Söhne',
      metadata: { account_id: '42', note: 'a=b&c' },
    });
    expect(customer).toMatchObject({ name: 'Alice & Söhne', metadata: { account_id: '42', note: 'a=b&c' } });
    const changed = await stripe.customers.update(customer.id, {
      name: '',
      metadata: { note: '', more: 'x' },
    });
    expect(changed).toMatchObject({ name: null, metadata: { account_id: '42', more: 'x' } });
    expect(changed.metadata).not.toHaveProperty('note');
    const found = await stripe.customers.list({ email: 'alice@example.com' });
    expect(found.data.map((one) => one.id)).toEqual([customer.id]);
    await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    expect(await stripe.customers.del(customer.id)).toMatchObject({ deleted: true });
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
    await expect(stripe.customers.update(customer.id, { name: 'x' })).rejects.toMatchObject({
      statusCode: 404,
    });
  });

  test('lists come newest first, in pages', async () => {
    const email = 'many@example.com';
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.unshift((await stripe.customers.create({ email })).id);
    const first = await stripe.customers.list({ email, limit: 2 });
    expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/customers' });
    const rest = await stripe.customers.list({ email, limit: 3, starting_after: first.data[1]?.id ?? '' });
    expect(rest.has_more).toBe(false);
    expect([...first.data, ...rest.data].map((one) => one.id)).toEqual(made);
    const back = await stripe.customers.list({ email, limit: 1, ending_before: made[2] ?? '' });
    expect(back).toMatchObject({ has_more: true, data: [{ id: made[1] }] });
    const all = await stripe.customers.list({ email, limit: 2 }).autoPagingToArray({ limit: 100 });
    expect(all.map((one) => one.id)).toEqual(made);
  });
});

describe('payment methods', () => {
  test('are created from a number, attached and listed, and cannot be used after they were detached', async () => {
    const customer = await stripe.customers.create({ email: 'bob@example.com' });
    const card = { number: '5555555555554444', exp_month: 4, exp_year: 2041, cvc: '314' };
    const made = await stripe.paymentMethods.create({ type: 'card', card, billing_details: { name: 'Bob' } });
    expect(made).toMatchObject({
      customer: null,
      billing_details: { name: 'Bob' },
      card: { brand: 'mastercard', last4: '4444', exp_month: 4, exp_year: 2041 },
    });
    await stripe.paymentMethods.attach(made.id, { customer: customer.id });
    const visa = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
    const mine = await stripe.customers.listPaymentMethods(customer.id, { type: 'card' });
    expect(mine.data.map((one) => one.id)).toEqual([visa.id, made.id]);
    const same = await stripe.paymentMethods.list({ customer: customer.id });
    expect(same.data).toHaveLength(2);
    expect(await stripe.customers.retrievePaymentMethod(customer.id, visa.id)).toMatchObject({ id: visa.id });
    const bobs = await stripe.customers.update(customer.id, {
      invoice_settings: { default_payment_method: made.id },
    });
    expect(bobs.invoice_settings.default_payment_method).toBe(made.id);

    expect(await stripe.paymentMethods.detach(made.id)).toMatchObject({ customer: null });
    await expect(stripe.paymentMethods.attach(made.id, { customer: customer.id })).rejects.toThrow(
      'may not be used again',
    );
    await expect(stripe.paymentMethods.detach(made.id)).rejects.toMatchObject({ statusCode: 400 });
    await expect(stripe.customers.retrievePaymentMethod(customer.id, made.id)).rejects.toMatchObject({
      statusCode: 404,
    });
    const after = (await stripe.customers.retrieve(customer.id)) as Stripe.Customer;
    expect(after.invoice_settings.default_payment_method).toBeNull();
  });

  test.each([
    ['4242424242424241', 'incorrect_number'],
    ['4111111111111111', 'card_declined'],
  ])('the number %s is refused as %s', async (number, code) => {
    const card = { number, exp_month: 4, exp_year: 2041, cvc: '314' };
    await expect(stripe.paymentMethods.create({ type: 'card', card })).rejects.toMatchObject({
      type: 'StripeCardError',
      code,
    });
  });

  test('a card that declines cannot be attached; one that declines later can', async () => {
    const customer = await stripe.customers.create();
    await expect(
      stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer: customer.id }),
    ).rejects.toMatchObject({ code: 'card_declined' });
    await expect(
      stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id }),
    ).resolves.toMatchObject({ customer: customer.id });
  });
});
