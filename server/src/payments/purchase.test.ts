import {
  calculatePrice,
  confirmPayment,
  createIntent,
  createWithSaved,
  listPackages,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { quote } from './pricing.ts';

const shop = fixture(stripeShop);
const alice = fixture(() => shop.service.customer('Alice', { credits: 0 }));
const bob = fixture(() => shop.service.customer('Bob', { credits: 0 }));
let card: string;
beforeAll(async () => {
  await shop.buy(alice, 100);
  card = await shop.card(alice);
});

const state = () => shop.state(alice);

describe('prices', () => {
  test.each([
    [1, 2, 0],
    [25, 50, 0],
    [499, 998, 0],
    [500, 950, 5],
    [501, 952, 5],
    [999, 1898, 5],
    [1_000, 1_800, 10],
    [5_000, 8_500, 15],
    [10_000, 16_000, 20],
    [50_000, 75_000, 25],
    [100_000, 150_000, 25],
  ])('%i credits cost %i cents, a discount of %i %%', (credits, price_usd_cents, discount) => {
    expect(quote(DEFAULT_PRICES, credits)).toMatchObject({
      price_usd_cents,
      discount,
      base_price_cents: credits * 2,
      savings_cents: credits * 2 - price_usd_cents,
    });
  });

  test('bundles are offered, and any number of credits is quoted at the default prices', async () => {
    const { body } = await shop.as(alice, listPackages);
    expect(body.map(({ credits }) => credits)).toEqual([100, 500, 1_000, 5_000, 10_000, 50_000]);
    expect(body.filter(({ popular }) => popular)).toEqual([
      { credits: 1_000, price_usd_cents: 1_800, price_display: '$18.00', popular: true, discount: 10 },
    ]);
    const quoted = await shop.as(alice, calculatePrice, { body: { credits: 50_000 } });
    expect(quoted.body).toMatchObject({ price_display: '$750.00', savings_cents: 25_000 });
  });
});

test.each([
  ['a price of 1 cent', { credits: 1000, price_usd_cents: 1 }, 'price_changed'],
  ['a price of nothing', { credits: 1000, price_usd_cents: 0 }, 'price_changed'],
  ['yesterday’s price', { credits: 1000, price_usd_cents: 1900 }, 'price_changed'],
  ['a negative price', { credits: 1000, price_usd_cents: -1800 }, 'price_usd_cents'],
  ['negative credits', { credits: -1000, price_usd_cents: 1800 }, 'credits'],
  ['no credits', { credits: 0, price_usd_cents: 0 }, 'credits'],
  ['half a credit', { credits: 100.5, price_usd_cents: 201 }, 'credits'],
  ['too many credits', { credits: 100_001, price_usd_cents: 150_002 }, 'credits'],
  ['more than a number holds', { credits: 1e300, price_usd_cents: 1 }, 'credits'],
  ['credits as text', { credits: '1000', price_usd_cents: 1800 }, 'credits'],
  ['credits left out', { price_usd_cents: 1800 }, 'credits'],
  ['less than the cards’ minimum', { credits: 24, price_usd_cents: 48 }, 'credits'],
])('a purchase with %s is refused and changes nothing', async (_, body, expected) => {
  const before = await state();
  for (const [route, more] of [
    [createIntent, {}],
    [createWithSaved, { payment_method_id: card }],
  ] as const) {
    const answer = await shop.as(alice, route, { body: { ...body, ...more } });
    expect(answer.status).toBe(400);
    if (expected === 'price_changed')
      expect(answer.body).toMatchObject({ reason: 'price_changed', quote: quote(DEFAULT_PRICES, 1000) });
    else expect(answer.body).toHaveProperty(expected);
  }
  expect(await state()).toEqual(before);
});

test('a purchase below the minimum gets an error that states the minimum', async () => {
  const { body } = await shop.as(alice, createIntent, { body: priced(24) });
  expect(body.credits).toEqual([expect.stringContaining('$0.50')]);
  expect(String(body.credits)).toContain('25 credits');
  expect((await shop.as(alice, createIntent, { body: priced(25) })).status).toBe(200);
});

test('an unpaid intent that the client confirms is not credited', async () => {
  const secret = await shop.intent(alice, 500);
  const before = await shop.balance(alice);
  const { status, body } = await shop.as(alice, confirmPayment, {
    body: { payment_intent_id: intentIdOf(secret) },
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: { success: false, status: 'requires_payment_method' },
  });
  expect(await shop.balance(alice)).toEqual(before);
});

test('confirming another account’s intent returns 404 and credits neither account', async () => {
  const hold = shop.stripe.webhooks.hold('*');
  const secret = await shop.intent(alice, 500);
  await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
  const before = [await shop.balance(alice), await shop.balance(bob)];
  for (const payment_intent_id of [intentIdOf(secret), 'pi_none', 'x'.repeat(200)])
    expect((await shop.as(bob, confirmPayment, { body: { payment_intent_id } })).status).toBe(404);
  expect([await shop.balance(alice), await shop.balance(bob)]).toEqual(before);
  hold.release();
  await shop.settle();
});

const headers = (key: string) => ({ 'idempotency-key': key });

test('a purchase repeated with one Idempotency-Key happens once and returns the same response', async () => {
  const input = { body: { ...priced(500), payment_method_id: card }, headers: headers('buy-once') };
  const before = await state();
  const first = await shop.as(alice, createWithSaved, input);
  const again = await shop.as(alice, createWithSaved, input);
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect((await state()).charges).toBe(before.charges + 1);
  const other = { body: { ...priced(1000), payment_method_id: card }, headers: headers('buy-once') };
  expect(await shop.as(alice, createWithSaved, other)).toMatchObject({
    status: 400,
    body: { reason: 'idempotency_key_reused' },
  });
});

test('of two parallel purchases with one Idempotency-Key, one succeeds and the other returns 409', async () => {
  const input = { body: { ...priced(500), payment_method_id: card }, headers: headers('at-once') };
  const before = await state();
  const answers = await Promise.all(Array.from({ length: 10 }, () => shop.as(alice, createWithSaved, input)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  expect((await state()).charges).toBe(before.charges + 1);
});

test('an Idempotency-Key continues the charge after a lost response and starts a new one after a decline', async () => {
  const input = { body: { ...priced(500), payment_method_id: card }, headers: headers('lost') };
  const before = await state();
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  expect((await shop.as(alice, createWithSaved, input)).status).toBe(503);
  expect(await shop.as(alice, createWithSaved, input)).toMatchObject({
    status: 200,
    body: { success: true },
  });
  expect((await state()).charges).toBe(before.charges + 1);

  const declined = { ...input, headers: headers('declined') };
  shop.stripe.declineNext('generic_decline', { paymentMethod: card });
  expect((await shop.as(alice, createWithSaved, declined)).status).toBe(402);
  expect((await shop.as(alice, createWithSaved, declined)).status).toBe(200);
});

test('the response stored under an Idempotency-Key has the client secret encrypted', async () => {
  const input = { body: priced(500), headers: headers('secret') };
  const first = await shop.as(alice, createIntent, input);
  expect((await shop.as(alice, createIntent, input)).body).toEqual(first.body);
  const rows = await shop.service.app.db.rows('select * from idempotency_keys');
  expect(JSON.stringify(rows)).not.toContain('_secret_');
});

test('an account may start at most 60 unpaid purchases an hour', async () => {
  const frank = await shop.service.customer('Frank', { credits: 0 });
  const start = () => shop.as(frank, createIntent, { body: priced(100) });
  for (let n = 0; n < 60; n++) expect((await start()).status).toBe(200);
  const refused = await start();
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  expect(refused.headers['retry-after']).toBe('3600');
  await shop.service.clock.advance(3_601_000);
  expect((await start()).status).toBe(200);
});

test('an unavailable card provider returns 503, and the purchase can be retried', async () => {
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'refused', times: 2 });
  const answer = await shop.as(alice, createIntent, { body: priced(100) });
  expect(answer).toMatchObject({ status: 503, body: { reason: 'payment_provider_unavailable' } });
  expect((await shop.as(alice, createIntent, { body: priced(100) })).status).toBe(200);
});

test('without Stripe keys outside a sandbox, a purchase fails because payments are not set up', async () => {
  await using service = await testService({ env: { SANDBOX: '0' } });
  const someone = await service.customer('Alice');
  const bearer = await signedIn(service, someone);
  for (const [route, body] of [
    [createIntent, priced(100)],
    [createWithSaved, { ...priced(100), payment_method_id: 'pm_1' }],
    [confirmPayment, { payment_intent_id: 'pi_1' }],
  ] as const)
    expect(await service.call(route, { bearer, body } as never)).toMatchObject({
      status: 400,
      body: { reason: 'payments_not_configured' },
    });
  expect((await service.call(listPaymentMethods, { bearer })).body).toEqual({ payment_methods: [] });
});
