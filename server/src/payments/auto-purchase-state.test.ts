import { getBranding } from '@sixdigit/contract/accounts/branding.ts';
import { deletePaymentMethod, getAutoPurchase, updateAutoPurchase } from '@sixdigit/contract/payments.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StripeShop, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';

let shop: StripeShop;
let alice: Customer;
beforeEach(async () => {
  shop = await stripeShop();
  alice = await shop.service.customer('Alice', { credits: 0 });
});
afterEach(() => shop[Symbol.asyncDispose]());

const HOUR = 3_600_000;
const ON = { auto_purchase_enabled: true, auto_purchase_threshold: 50, auto_purchase_amount: 500 };
const OFF = { ...ON, auto_purchase_enabled: false };
const state = async (of = alice) => (await shop.as(of, getAutoPurchase)).body;
const change = (body: object, of = alice) => shop.as(of, updateAutoPurchase, { body });
const leave = async (credits: number) => {
  await shop.spend(alice, (await shop.balance(alice)).credits - credits);
  await shop.settle();
};

test('auto-purchase is off at first, and turning it on needs a saved card', async () => {
  expect(await state()).toEqual({
    ...OFF,
    state: 'off',
    next_at: null,
    price_display: '$9.50',
    card: null,
    is_card_known: true,
    last_attempt: null,
  });
  expect(await change(ON)).toMatchObject({
    status: 400,
    body: { auto_purchase_enabled: ['Please add a payment method first.'] },
  });
  await shop.buy(alice, 100);
  const { status, body } = await change({ ...ON, auto_purchase_amount: 1_000 });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { state: 'on', price_display: '$18.00', card: { brand: 'visa', last4: '4242' } },
  });
});

test('a change of auto-purchase leaves every other setting alone, and invalid numbers are field errors', async () => {
  await shop.buy(alice, 100);
  await shop.service.app.db.run(`update accounts set sender_name = 'Acme' where id = $1`, [alice.account_id]);
  await change({ ...ON, auto_purchase_threshold: 70 });
  expect((await shop.as(alice, getBranding)).body).toMatchObject({
    sender_name: 'Acme',
    auto_purchase_enabled: true,
    auto_purchase_threshold: 70,
  });
  expect(await change({ ...ON, auto_purchase_threshold: 0, auto_purchase_amount: 99 })).toMatchObject({
    status: 400,
    body: {
      auto_purchase_threshold: ['Auto-purchase threshold must be at least 1 credit'],
      auto_purchase_amount: ['Auto-purchase amount must be at least 100 credits'],
    },
  });
});

test('the state names the last attempt, and a decline with its reason and the next attempt', async () => {
  await shop.buy(alice, 100);
  await change(ON);
  await leave(49);
  expect(await state()).toMatchObject({
    state: 'on',
    last_attempt: { status: 'succeeded', credits: 500, price_display: '$9.50', failure: null },
  });
  shop.stripe.declineNext('insufficient_funds', { times: 3 });
  await leave(10);
  const { state: now, next_at, last_attempt } = await state();
  expect({ now, last_attempt }).toMatchObject({
    now: 'retrying',
    last_attempt: { status: 'failed', failure: 'Your card has insufficient funds.' },
  });
  const waitMs = Date.parse(next_at ?? '') - shop.service.app.clock.now().getTime();
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(HOUR);
  for (let n = 0; n < 2; n++) {
    await shop.service.clock.advance(HOUR + 1_000);
    await shop.settle();
  }
  expect(await state()).toMatchObject({ state: 'stopped_declined', auto_purchase_enabled: false });
  await change(ON);
  expect((await state()).state).toBe('on');
});

test('a bank that requires authentication and a missing card have their own states', async () => {
  await shop.buy(alice, 100, '4000002760003184');
  await change(ON);
  await leave(10);
  expect((await state()).state).toBe('paused_authentication');
  await shop.buy(alice, 100, '4242424242424242');
  expect((await state()).state).toBe('on');
  const id = await shop.card(alice);
  await shop.as(alice, deletePaymentMethod, { params: { id } });
  const first = (await state()).card;
  await shop.as(alice, deletePaymentMethod, { params: { id: first?.id ?? '' } });
  // A card is needed only to turn it on.
  expect((await change({ ...ON, auto_purchase_threshold: 60 })).status).toBe(200);
  await leave(10);
  expect(await state()).toMatchObject({ state: 'stopped_no_card', card: null });
});

test('after the purchases of a day, the state names the time of the next one', async () => {
  await shop.buy(alice, 100);
  await change(ON);
  for (let n = 0; n < 3; n++) await leave(10);
  const { state: now, next_at } = await state();
  expect(now).toBe('limited');
  const waitMs = Date.parse(next_at ?? '') - shop.service.app.clock.now().getTime();
  expect(waitMs).toBeGreaterThan(23 * HOUR);
  expect(waitMs).toBeLessThanOrEqual(24 * HOUR);
});

test('the state is shown while the card provider is unavailable, and never shows another account', async () => {
  await shop.buy(alice, 100);
  await change(ON);
  shop.stripe.faults.add({ on: 'GET /v1/customers/*/payment_methods', kind: 'lost', times: 10 });
  expect(await state()).toMatchObject({ state: 'on', card: null, is_card_known: false });
  const bob = await shop.service.customer('Bob', { credits: 0 });
  expect(await state(bob)).toMatchObject({ state: 'off', card: null, last_attempt: null });
});

test('turning auto-purchase on is refused while the card provider is unavailable or refuses to list the cards', async () => {
  await shop.buy(alice, 100);
  const on = 'GET /v1/customers/*/payment_methods';
  const error = { type: 'invalid_request_error', message: 'The key lacks a permission.' } as const;
  shop.stripe.faults.add({ on, kind: 'error', status: 403, error });
  expect(await change(ON)).toMatchObject({ status: 502, body: { reason: 'payment_provider_refused' } });
  shop.stripe.faults.add({ on, kind: 'lost', times: 10 });
  expect(await change(ON)).toMatchObject({ status: 503, body: { reason: 'payment_provider_unavailable' } });
  expect((await state()).auto_purchase_enabled).toBe(false);
});

test('without a session, auto-purchase is neither shown nor changed', async () => {
  expect((await shop.service.call(getAutoPurchase)).status).toBe(401);
  expect((await shop.service.call(updateAutoPurchase, { body: ON })).status).toBe(401);
});
