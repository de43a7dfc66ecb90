import { getBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWithSaved, deletePaymentMethod, listTransactions } from '@sixdigit/contract/payments.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { priced, type StripeShop, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { autoPurchase } from './auto-purchase.ts';

let shop: StripeShop;
let alice: Customer;
beforeEach(async () => {
  shop = await stripeShop();
  alice = await shop.service.customer('Alice', { credits: 0 });
});
afterEach(() => shop[Symbol.asyncDispose]());

const HOUR = 3_600_000;
const db = () => shop.service.app.db;
const switchOn = (threshold = 50, amount = 500) =>
  db().run(
    `update accounts set auto_purchase_enabled = true, auto_purchase_threshold = $2, auto_purchase_amount = $3
     where id = $1`,
    [alice.account_id, threshold, amount],
  );
const isOn = async () =>
  (
    await db().one<{ on: boolean }>('select auto_purchase_enabled as on from accounts where id = $1', [
      alice.account_id,
    ])
  ).on;
const autoOrders = () =>
  db().rows<{ status: string; failure: string | null }>(
    `select status, failure from orders where account_id = $1 and kind = 'auto' order by id`,
    [alice.account_id],
  );
/** Spends down to a balance. */
const leave = async (credits: number) => shop.spend(alice, (await shop.balance(alice)).credits - credits);
const autoJob = async () => {
  const { app } = shop.service;
  if (app.cards) while (await autoPurchase(app, app.cards));
};

test('500 parallel sends across the threshold trigger one auto-purchase, even with parallel checks', async () => {
  await shop.buy(alice, 500);
  const charges = shop.stripe.account.charges.size;
  await switchOn(100, 1000);
  const keys = [alice.api_key];
  while (keys.length < 20) keys.push((await shop.service.anotherKey(alice.account_id)).key);
  const sends = Array.from({ length: 500 }, (_, n) =>
    shop.service.call(sendOtp, {
      body: { channel: 'email', recipient: `user${n}@example.com` },
      apiKey: keys[n % keys.length] ?? '',
    }),
  );
  const looks = (async () => {
    for (let n = 0; n < 10; n++) await Promise.all(Array.from({ length: 5 }, autoJob));
  })();
  const answers = await Promise.all(sends);
  await looks;
  const sent = answers.filter(({ status }) => status === 201).length;
  expect(sent).toBeGreaterThan(400);
  await Promise.all(Array.from({ length: 10 }, autoJob));
  expect(shop.stripe.account.charges.size).toBe(charges + 1);
  expect(await autoOrders()).toEqual([{ status: 'succeeded', failure: null }]);
  expect(await shop.balance(alice)).toEqual({ credits: 1500 - sent, debt: 0 });
});

test('an auto-purchase is reported by mail and in the history', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  await leave(49);
  expect(await shop.subjects(alice)).toEqual(['500 credits were added']);
  expect(await shop.balance(alice)).toEqual({ credits: 549, debt: 0 });
  const { body } = await shop.as(alice, listTransactions);
  expect(body.results[0]).toMatchObject({
    transaction_type: 'purchase',
    description: 'Auto-purchase: 500 credits',
    price_display: '$9.50',
  });
});

test('a balance equal to the threshold triggers no auto-purchase', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  await leave(50);
  await shop.settle();
  expect(await autoOrders()).toEqual([]);
});

test('auto-purchase does not run for a suspended account until it is resumed', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  const suspend = (at: string) =>
    db().run(`update accounts set suspended_at = ${at} where id = $1`, [alice.account_id]);
  await suspend('clock_now()');
  await leave(10);
  await shop.settle();
  expect(await autoOrders()).toEqual([]);
  await suspend('null');
  await shop.settle();
  expect(await autoOrders()).toEqual([{ status: 'succeeded', failure: null }]);
});

test('an auto-purchase charges the card that was used last', async () => {
  await shop.buy(alice, 100, '4242424242424242');
  const visa = await shop.card(alice);
  await shop.buy(alice, 100, '5555555555554444');
  await shop.as(alice, createWithSaved, { body: { ...priced(100), payment_method_id: visa } });
  await switchOn();
  await leave(10);
  await shop.settle();
  const { card_last4 } = await db().one<{ card_last4: string }>(
    `select card_last4 from orders where kind = 'auto'`,
  );
  expect(card_last4).toBe('4242');
});

test('a bank that requires authentication pauses auto-purchase, with a mail, until the next manual purchase', async () => {
  await shop.buy(alice, 100, '4000002760003184');
  await switchOn();
  await leave(10);
  expect(await shop.subjects(alice)).toEqual(['Your bank wants you to confirm a purchase']);
  await shop.service.clock.advance(3 * HOUR);
  await shop.settle();
  expect(await autoOrders()).toEqual([
    { status: 'failed', failure: expect.stringContaining('requires authentication') },
  ]);
  expect(await isOn()).toBe(true);
  const [mail] = await shop.service.inbox(alice.email);
  expect(mail?.text).toContain('http://sixdigit.test/credits');

  await shop.buy(alice, 100, '4242424242424242');
  await leave(10);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 510, debt: 0 });
});

test('each decline pauses auto-purchase for an hour, the third disables it, and each sends a mail', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  shop.stripe.declineNext('insufficient_funds', { times: 5 });
  await leave(10);
  await shop.settle();
  await shop.settle();
  expect((await autoOrders()).length).toBe(1);
  await shop.service.clock.advance(HOUR + 1000);
  await shop.settle();
  expect((await autoOrders()).length).toBe(2);
  expect(await isOn()).toBe(true);
  await shop.service.clock.advance(HOUR + 1000);
  await shop.settle();
  expect(await isOn()).toBe(false);
  expect(await shop.subjects(alice)).toEqual([
    'An automatic purchase failed',
    'An automatic purchase failed',
    'Automatic purchases are disabled',
  ]);
  await shop.service.clock.advance(24 * HOUR);
  await shop.settle();
  expect(await autoOrders()).toEqual(
    Array(3).fill({ status: 'failed', failure: 'Your card has insufficient funds.' }),
  );
  shop.stripe.account.orderedDeclines.length = 0;
  await switchOn();
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 510, debt: 0 });
});

test('a problem of the service delays auto-purchase for an hour, but is no decline', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  const error = { type: 'invalid_request_error', message: 'The key lacks a permission.' } as const;
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'error', status: 403, error, times: 3 });
  await leave(10);
  await shop.settle();
  for (let n = 0; n < 2; n++) {
    await shop.service.clock.advance(HOUR + 1000);
    await shop.settle();
  }
  expect(await autoOrders()).toEqual(
    Array(3).fill({ status: 'failed', failure: 'We could not start the payment.' }),
  );
  expect([await isOn(), await shop.subjects(alice)]).toEqual([true, []]);
  await shop.service.clock.advance(HOUR + 1000);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 510, debt: 0 });
});

test('auto-purchase has a daily limit', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  for (let n = 0; n < 5; n++) {
    await leave(10);
    await shop.settle();
  }
  expect((await autoOrders()).length).toBe(3);
  expect(await shop.balance(alice)).toEqual({ credits: 10, debt: 0 });
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 510, debt: 0 });
});

test('a lost Stripe response after an auto-purchase results in one charge, even without an event', async () => {
  await shop.buy(alice, 100);
  const charges = shop.stripe.account.charges.size;
  await switchOn();
  shop.stripe.webhooks.drop('*', 100);
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  await leave(10);
  await shop.settle();
  expect(await autoOrders()).toEqual([{ status: 'pending', failure: null }]);
  await shop.service.clock.advance(60_000);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 510, debt: 0 });
  expect(shop.stripe.account.charges.size).toBe(charges + 1);
});

test('a batch of accounts whose cards the provider does not list waits for the next run', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const { account_id } = await shop.service.customer(`Buyer ${n}`, { credits: 0 });
      await db().run('update accounts set auto_purchase_enabled = true where id = $1', [account_id]);
      await db().run(
        `insert into payment_customers (account_id, provider, customer_id, created_at)
         values ($1, $2, $3, clock_now())`,
        [account_id, shop.service.app.cards?.name, `cus_${n}`],
      );
    }),
  );
  const on = 'GET /v1/customers/*/payment_methods';
  const error = { type: 'invalid_request_error', message: 'The key lacks a permission.' } as const;
  shop.stripe.faults.add({ on, kind: 'error', status: 403, error, times: 20 });
  const { app } = shop.service;
  expect(app.cards && (await autoPurchase(app, app.cards))).toBe(false);
  expect(await db().rows(`select from accounts where auto_purchase_enabled`)).toHaveLength(20);
});

test('without a saved card, auto-purchase is disabled and the owner gets a mail', async () => {
  await shop.buy(alice, 100);
  await switchOn();
  await shop.as(alice, deletePaymentMethod, { params: { id: await shop.card(alice) } });
  await leave(10);
  expect(await shop.subjects(alice)).toEqual(['Automatic purchases are disabled']);
  expect(await isOn()).toBe(false);
});

test('enabling auto-purchase without a saved card is a field error', async () => {
  const { body } = await shop.as(alice, getBranding);
  const on = { body: { ...body, auto_purchase_enabled: true } };
  expect(await shop.as(alice, updateBranding, on)).toMatchObject({
    status: 400,
    body: { auto_purchase_enabled: ['Please add a payment method first.'] },
  });
  expect(await isOn()).toBe(false);
  await shop.buy(alice, 100);
  expect((await shop.as(alice, updateBranding, on)).status).toBe(200);
  expect(await isOn()).toBe(true);
});
