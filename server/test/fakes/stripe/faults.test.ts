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
