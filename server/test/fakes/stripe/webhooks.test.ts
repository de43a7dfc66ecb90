import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../receiver.ts';
import { type FakeStripe, startFakeStripe } from './stripe.ts';
import { signWebhook } from './webhooks.ts';

let fake: FakeStripe;
let stripe: Stripe;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  fake = await startFakeStripe({ webhookUrl: receiver.at('/ok'), retryDelaysMs: [60_000, 60_000] });
  const { hostname, port } = new URL(fake.url);
  stripe = new Stripe(fake.secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
});
afterEach(async () => {
  await fake.close();
  await receiver.close();
});

const makeCustomers = async (...names: string[]) => {
  for (const name of names) await stripe.customers.create({ name });
};
const received = () =>
  receiver.requests.map((request) => {
    const signature = request.headers['stripe-signature'] ?? '';
    return stripe.webhooks.constructEvent(request.body, signature, fake.webhookSecret);
  });
const receivedNames = () => received().map((event) => (event.data.object as Stripe.Customer).name);

describe('events', () => {
  test('arrive with a signature that the package accepts and the request that caused them', async () => {
    const customer = await stripe.customers.create({ name: 'Alice' }, { idempotencyKey: 'k1' });
    await fake.webhooks.drain();
    const [event] = received();
    expect(event).toMatchObject({
      object: 'event',
      type: 'customer.created',
      api_version: '2026-10-28.endive',
      livemode: false,
      pending_webhooks: 1,
      request: { id: customer.lastResponse.requestId, idempotency_key: 'k1' },
      data: { object: { id: customer.id } },
    });
    expect(await stripe.events.retrieve(event?.id ?? '')).toMatchObject({ pending_webhooks: 0 });
    const forged = signWebhook(receiver.requests[0]?.text ?? '', 'whsec_other', new Date());
    expect(() => {
      stripe.webhooks.constructEvent(receiver.requests[0]?.body ?? '', forged, fake.webhookSecret);
    }).toThrow('No signatures found');
  });

  test('contain the object as of the event', async () => {
    const customer = await stripe.customers.create({ name: 'before' });
    await stripe.customers.update(customer.id, { name: 'after' });
    await fake.webhooks.drain();
    expect(receivedNames()).toEqual(['before', 'after']);
    expect(received()[1]?.data.previous_attributes).toEqual({ name: 'before' });
  });

  test('can be listed by type and time, even before an endpoint accepted them', async () => {
    receiver.answer = () => 500;
    await makeCustomers('a');
    await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    const types = await stripe.events.list({ types: ['customer.created', 'customer.deleted'] });
    expect(types.data.map((one) => one.type)).toEqual(['customer.created']);
    const undelivered = await stripe.events.list({ delivery_success: false });
    expect(undelivered.data).toHaveLength(2);
    const later = await stripe.events.list({ created: { gt: Math.floor(Date.now() / 1000) + 5 } });
    expect(later.data).toEqual([]);
  });

  test('go only to the endpoints that subscribe to them', async () => {
    fake.webhooks.endpoints.splice(0);
    fake.webhooks.endpoints.push({
      url: receiver.at('/ok'),
      secret: 'whsec_fake',
      events: ['payment_intent.*'],
    });
    await makeCustomers('a');
    await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    await fake.webhooks.drain();
    expect(received().map((event) => event.type)).toEqual(['payment_intent.created']);
  });
});

describe('delivery', () => {
  test('is retried with a new signature until an endpoint accepts it', async () => {
    receiver.answer = () => (receiver.requests.length < 3 ? 503 : 200);
    await makeCustomers('a');
    await fake.webhooks.drain();
    expect(fake.webhooks.deliveries.map((one) => [one.attempt, one.status])).toEqual([
      [1, 503],
      [2, 503],
      [3, 200],
    ]);
    expect(new Set(received().map((event) => event.id)).size).toBe(1);
  });

  test('stops after the last try', async () => {
    receiver.answer = () => 'reset';
    await makeCustomers('a');
    await fake.webhooks.drain();
    await fake.webhooks.drain();
    expect(fake.webhooks.deliveries).toHaveLength(3);
    expect(fake.webhooks.deliveries[2]).not.toHaveProperty('status');
  });

  test('does not follow redirects', async () => {
    receiver.answer = () => ({ status: 302, headers: { location: receiver.at('/ok') } });
    await makeCustomers('a');
    await fake.webhooks.drain();
    expect(fake.webhooks.deliveries.map((one) => one.status)).toEqual([302, 302, 302]);
  });
});

describe('faults of delivery', () => {
  test('drop: the event exists but never arrives', async () => {
    fake.webhooks.drop('customer.created');
    await makeCustomers('lost', 'found');
    await fake.webhooks.drain();
    expect(receivedNames()).toEqual(['found']);
    expect((await stripe.events.list()).data).toHaveLength(2);
  });

  test('delay: it arrives late', async () => {
    fake.webhooks.delay('customer.created', 30);
    await makeCustomers('late', 'early');
    await receiver.waitFor(2);
    expect(receivedNames()).toEqual(['early', 'late']);
  });

  test('duplicate: it arrives many times at once', async () => {
    fake.webhooks.duplicate('customer.created', 10);
    await makeCustomers('many');
    await fake.webhooks.drain();
    expect(receivedNames()).toEqual(Array(10).fill('many'));
  });

  test('reorder: the last comes first', async () => {
    fake.webhooks.reorder('customer.*', 3);
    await makeCustomers('a', 'b', 'c', 'd');
    await fake.webhooks.drain();
    expect(receivedNames()).toEqual(['c', 'b', 'a', 'd']);
  });

  test('hold: events arrive only after the release', async () => {
    const held = fake.webhooks.hold('*');
    await makeCustomers('a', 'b');
    await fake.webhooks.drain();
    expect([held.count, receiver.requests.length]).toEqual([2, 0]);
    held.release('reversed');
    await fake.webhooks.drain();
    expect(receivedNames()).toEqual(['b', 'a']);
    const never = fake.webhooks.hold('*');
    await makeCustomers('c');
    never.drop();
    await fake.webhooks.drain();
    expect(receiver.requests).toHaveLength(2);
  });

  test('resend: an old event arrives again', async () => {
    await makeCustomers('a');
    await fake.webhooks.drain();
    await fake.webhooks.resend(received()[0]?.id ?? '');
    expect(receivedNames()).toEqual(['a', 'a']);
  });

  test('events can be delivered without a network', async () => {
    const taken: string[] = [];
    await using direct = await startFakeStripe({
      webhookUrl: 'http://app/hook',
      sendWebhook: async ({ url, headers }) => {
        taken.push(`${url} ${headers['stripe-signature']?.slice(0, 2)}`);
        return 200;
      },
    });
    await fetch(`${direct.url}/v1/customers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${direct.secretKey}` },
    });
    await direct.webhooks.drain();
    expect(taken).toEqual(['http://app/hook t=']);
  });
});
