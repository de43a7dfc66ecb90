import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startReceiver } from '../receiver.ts';
import { type FakeStripe, startFakeStripe } from './stripe.ts';

let fake: FakeStripe;
const client = (config: Stripe.StripeConfig = {}) => {
  const { hostname, port } = new URL(fake.url);
  return new Stripe(fake.secretKey, { host: hostname, port, protocol: 'http', ...config });
};

beforeEach(async () => {
  fake = await startFakeStripe();
});
afterEach(() => fake.close());

const pay = (stripe: Stripe, key: string) =>
  stripe.paymentIntents.create(
    {
      amount: 900,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    },
    { idempotencyKey: key },
  );
const on = 'POST /v1/payment_intents';

describe('faults of the API', () => {
  test('a 500 before execution is replayed for its key, and a new key executes', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    fake.faults.add({ on, kind: 'error' });
    for (let tries = 0; tries < 2; tries++) {
      await expect(pay(stripe, 'k')).rejects.toMatchObject({ type: 'StripeAPIError', statusCode: 500 });
    }
    expect(fake.account.charges.size).toBe(0);
    await expect(pay(stripe, 'k2')).resolves.toMatchObject({ status: 'succeeded' });
  });

  test('a 500 after execution has charged, and the response for its key stays 500', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    fake.faults.add({ on, kind: 'error', when: 'after' });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ statusCode: 500 });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ statusCode: 500 });
    expect(fake.account.charges.size).toBe(1);
  });

  test('any status and body can be simulated, such as a rate limit', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    fake.faults.add({ on: 'GET /v1/customers/*', kind: 'error', status: 429, error: { code: 'rate_limit' } });
    await expect(stripe.customers.retrieve('cus_1')).rejects.toMatchObject({ type: 'StripeRateLimitError' });
  });

  test('a response lost after the commit: the package retries, and the card is charged once', async () => {
    const fault = fake.faults.add({ on, kind: 'lost' });
    await expect(pay(client(), 'k')).resolves.toMatchObject({ status: 'succeeded' });
    expect([fault.met, fake.account.charges.size]).toEqual([1, 1]);
    expect(fake.requests.map((one) => [one.status, one.isReplayed])).toEqual([
      [undefined, false],
      [200, true],
    ]);
  });

  test('a response lost twice: the caller gets an error, and the card is charged once', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    fake.faults.add({ on, kind: 'lost', times: 2 });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(fake.account.charges.size).toBe(1);
    await expect(pay(stripe, 'k')).resolves.toMatchObject({ status: 'succeeded' });
    expect(fake.account.charges.size).toBe(1);
  });

  test('refused: the connection closes before execution', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    fake.faults.add({ on, kind: 'refused', times: 2 });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(fake.account.charges.size).toBe(0);
    await expect(pay(stripe, 'k')).resolves.toMatchObject({ status: 'succeeded' });
  });

  test('hang: the caller times out, and the next try finds the executed request', async () => {
    const stripe = client({ maxNetworkRetries: 0, timeout: 150 });
    fake.faults.add({ on, kind: 'hang', when: 'after' });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    const again = await pay(stripe, 'k');
    expect([again.status, fake.account.charges.size]).toEqual(['succeeded', 1]);
    fake.faults.add({ on, kind: 'hang' });
    await expect(pay(stripe, 'k2')).rejects.toMatchObject({ type: 'StripeConnectionError' });
    expect(fake.account.charges.size).toBe(1);
  });

  test('hold: the webhook arrives before the response', async () => {
    await using receiver = await startReceiver({ answer: () => 200 });
    fake.webhooks.endpoints.push({ url: receiver.at('/ok'), secret: fake.webhookSecret });
    const held = fake.faults.add({ on, kind: 'hold', when: 'after' });
    let isAnswered = false;
    const paid = pay(client(), 'k').then((intent) => {
      isAnswered = true;
      return intent;
    });
    await held.reached;
    await fake.webhooks.drain();
    expect([isAnswered, receiver.requests.length]).toEqual([false, 3]);
    held.release();
    await expect(paid).resolves.toMatchObject({ status: 'succeeded' });
  });
});

describe('the control port', () => {
  const order = async (path: string, body: object = {}) => {
    const answer = await fetch(`${fake.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, answer: (await answer.json()) as Record<string, unknown> };
  };

  test('adds and releases faults', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    await order('/faults', { on, kind: 'error', status: 503 });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ statusCode: 503 });
    const { answer } = await order('/faults', { on, kind: 'hold' });
    const held = pay(stripe, 'k2');
    await order(`/faults/${answer.fault}/release`);
    await expect(held).resolves.toMatchObject({ status: 'succeeded' });
    await order('/faults', { on, kind: 'error' });
    await order('/faults/clear');
    await expect(pay(stripe, 'k4')).resolves.toMatchObject({ status: 'succeeded' });
    const requests = (await (await fetch(`${fake.controlUrl}/requests`)).json()) as unknown[];
    expect(requests).toHaveLength(3);
  });

  test('simulates declines and advances authentications, refunds and disputes', async () => {
    const stripe = client({ maxNetworkRetries: 0 });
    await order('/declines', { name: 'expired_card' });
    await expect(pay(stripe, 'k')).rejects.toMatchObject({ code: 'expired_card' });
    expect(await order('/declines', { name: 'nonsense' })).toMatchObject({ status: 400 });
    const paid = await pay(stripe, 'k2');
    const { answer } = await order('/disputes', { charge: paid.id, amount: 300 });
    expect(answer).toMatchObject({ status: 'needs_response', amount: 300 });
    expect((await order(`/disputes/${answer.id}/win`)).answer).toMatchObject({ status: 'won' });
    const refund = await stripe.refunds.create({ payment_intent: paid.id });
    expect((await order(`/refunds/${refund.id}/fail`)).answer).toMatchObject({ status: 'failed' });
    const asked = await stripe.paymentIntents.create({
      amount: 900,
      currency: 'usd',
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
      use_stripe_sdk: true,
    });
    const path = `/payment_intents/${asked.id}/authenticate`;
    expect((await order(path, { outcome: 'complete' })).answer).toMatchObject({ status: 'succeeded' });
  });

  test('controls webhooks', async () => {
    await using receiver = await startReceiver({ answer: () => 200 });
    const stripe = client();
    await order('/webhooks/endpoints', { url: receiver.at('/ok'), events: ['customer.*'] });
    await order('/webhooks/drop', { type: 'customer.created' });
    const { id } = await stripe.customers.create();
    await order('/webhooks/duplicate', { type: 'customer.updated', copies: 3 });
    await stripe.customers.update(id, { name: 'x' });
    await order('/webhooks/hold', { type: 'customer.deleted' });
    await stripe.customers.del(id);
    await order('/webhooks/drain');
    expect(receiver.requests).toHaveLength(3);
    await order('/webhooks/release');
    await order('/webhooks/drain');
    const deliveries = await (await fetch(`${fake.controlUrl}/deliveries`)).json();
    expect(deliveries).toMatchObject([{}, {}, {}, { type: 'customer.deleted', status: 200 }]);
    expect((await order('/nowhere')).status).toBe(400);
  });
});
