/** Rare responses from Stripe, and steps that follow after an earlier one has been processed. */

import {
  confirmPayment,
  createIntent,
  createWithSaved,
  getReceipt,
  listTransactions,
} from '@sixdigit/contract/payments.ts';
import { describe, expect, test } from 'vitest';
import { emit } from '../../test/fakes/stripe/account.ts';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { checkPayments } from '../operations/commands/doctor/payments.ts';
import type { Intent } from './card-provider.ts';
import { failOrder, settle } from './fulfil.ts';
import { findOrder, type Order } from './orders.ts';
import { stripeClient } from './stripe.ts';

const shop = fixture(stripeShop);
let count = 0;

const HOUR = 3_600_000;
const someone = () => shop.service.customer(`Buyer${++count}`, { credits: 0 });
const rows = async (buyer: Customer) =>
  (await shop.as(buyer, listTransactions)).body.results.map(
    ({ kind, transaction_type, amount, price_display, payment_status }) =>
      [kind, transaction_type, amount, price_display, payment_status] as const,
  );
const orderOf = ({ account_id }: Customer) =>
  shop.service.app.db.one<{ id: string; intent_id: string; status: string; failure: string | null }>(
    'select id, intent_id, status, failure from orders where account_id = $1 order by id desc limit 1',
    [account_id],
  );
const stripe = () => {
  const { stripe: settings } = shop.service.app.config;
  if (!settings) throw new Error('no Stripe');
  return stripeClient(settings);
};
const refundsOf = (intent: string) =>
  [...shop.stripe.account.refunds.values()].filter(({ payment_intent }) => payment_intent === intent);

async function refund(payment_intent: string, amount: number, status?: 'pending'): Promise<string> {
  const { id } = await stripe().refunds.create({ payment_intent, amount });
  const made = shop.stripe.account.refunds.get(id);
  if (made && status) made.status = status;
  await shop.settle();
  return id;
}
/** The operator cancels a refund that waits: Stripe says so in `refund.updated`, and the charge shows nothing of it. */
async function cancelRefund(id: string): Promise<void> {
  const { account } = shop.stripe;
  const canceled = account.refunds.get(id);
  const charge = canceled && account.charges.get(String(canceled.charge));
  if (!canceled || !charge) throw new Error(`No refund ${id}`);
  canceled.status = 'canceled';
  charge.amount_refunded -= canceled.amount;
  charge.refunded = false;
  emit(account, 'refund.updated', canceled);
  await shop.settle();
}
/** Sets the state of an intent, as the provider or the bank decides it, and sends the event. */
async function becomes(
  intent: string,
  status: 'processing' | 'canceled' | 'requires_payment_method',
  failure?: string,
): Promise<void> {
  const { account } = shop.stripe;
  const held = account.paymentIntents.get(intent);
  if (!held) throw new Error(`No intent ${intent}`);
  held.status = status;
  if (failure) held.last_payment_error = { type: 'card_error', code: 'card_declined', message: failure };
  const event = status === 'requires_payment_method' ? 'payment_failed' : status;
  emit(account, `payment_intent.${event}`, held as never);
  await shop.settle();
}

test.each([
  ['of half the price', 900, 500],
  ['of less than a credit', 1, 1000],
])(
  'a canceled refund %s restores the credits and disappears from the receipt',
  async (_, cents, meanwhile) => {
    const alice = await someone();
    const intent = await shop.buy(alice, 1000); // $18.00
    const id = await refund(intent, cents, 'pending');
    expect(await shop.balance(alice)).toEqual({ credits: meanwhile, debt: 0 });
    await cancelRefund(id);
    expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
    const { results } = (await shop.as(alice, listTransactions)).body;
    const params = { id: results.find(({ has_receipt }) => has_receipt)?.id ?? '' };
    expect((await shop.as(alice, getReceipt, { params })).body).toMatchObject({
      returned: [],
      total_display: '$18.00',
    });
  },
);

test('a canceled refund does not count in the next refund', async () => {
  const alice = await someone();
  const intent = await shop.buy(alice, 1000);
  await cancelRefund(await refund(intent, 900, 'pending'));
  await refund(intent, 450);
  expect(await shop.balance(alice)).toEqual({ credits: 750, debt: 0 });
  expect(await rows(alice)).toEqual([
    ['card_refund', 'usage', 250, '-$4.50', 'succeeded'],
    ['card_refund', 'refund', 500, '$9.00', 'succeeded'],
    ['card_refund', 'usage', 500, '-$9.00', 'succeeded'],
    ['purchase', 'purchase', 1000, '$18.00', 'succeeded'],
  ]);
});

test('a payment in processing stays pending, even after a day, and is credited when it succeeds', async () => {
  const alice = await someone();
  const intent = intentIdOf(await shop.intent(alice, 1000));
  await becomes(intent, 'processing');
  const confirmed = await shop.as(alice, confirmPayment, { body: { payment_intent_id: intent } });
  expect(confirmed.body).toEqual({ success: false, status: 'processing' });
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(shop.stripe.requests.filter(({ path }) => path === `/v1/payment_intents/${intent}/cancel`)).toEqual(
    [],
  );
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  expect(await rows(alice)).toEqual([['purchase', 'purchase', 1000, '$18.00', 'pending']]);

  const held = shop.stripe.account.paymentIntents.get(intent);
  if (held) Object.assign(held, { status: 'succeeded', amount_received: held.amount });
  if (held) emit(shop.stripe.account, 'payment_intent.succeeded', held);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
  expect(await rows(alice)).toEqual([['purchase', 'purchase', 1000, '$18.00', 'succeeded']]);
});

test('a payment in processing that fails shows the bank’s reason and can then be paid with another card', async () => {
  const alice = await someone();
  const secret = await shop.intent(alice, 1000);
  const intent = intentIdOf(secret);
  await becomes(intent, 'processing');
  await becomes(intent, 'requires_payment_method', 'The bank refused.');
  expect(await orderOf(alice)).toMatchObject({ status: 'failed', failure: 'The bank refused.' });
  await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
  await shop.settle();
  expect(await orderOf(alice)).toMatchObject({ status: 'succeeded', failure: null });
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
});

test('a repeated request does not charge a saved card again while its payment is in processing', async () => {
  const alice = await someone();
  await shop.buy(alice, 100);
  const body = { ...priced(1000), payment_method_id: await shop.card(alice) };
  const late = shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  const first = await shop.as(alice, createWithSaved, { body });
  late.release();
  expect(first.status).toBe(503);
  const charged = [...shop.stripe.account.paymentIntents.values()].at(-1);
  if (charged) Object.assign(charged, { status: 'processing', amount_received: 0 });
  const intents = shop.stripe.account.paymentIntents.size;
  await shop.as(alice, createWithSaved, { body });
  expect(shop.stripe.account.paymentIntents.size).toBe(intents);
});

test('the payment history has no row for an opened payment form, even after its order has ended', async () => {
  const alice = await someone();
  const intent = intentIdOf(await shop.intent(alice, 1000));
  await shop.intent(alice, 500);
  await shop.settle();
  expect(await rows(alice)).toEqual([]);
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(shop.stripe.account.paymentIntents.get(intent)?.status).toBe('canceled');
  expect(await orderOf(alice)).toMatchObject({ status: 'canceled' });
  expect(await rows(alice)).toEqual([]);
});

test('the payment history has no row for a payment form that the card provider refused to open', async () => {
  const alice = await someone();
  const error = { type: 'invalid_request_error', message: 'This key may not charge.' } as const;
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'error', status: 403, error });
  await expect(shop.intent(alice, 1000)).rejects.toThrow('payment_provider_refused');
  expect(await orderOf(alice)).toMatchObject({ status: 'failed' });
  expect(await rows(alice)).toEqual([]);
});

test('the payment history shows a payment as pending while the bank authenticates it, and as canceled after a day', async () => {
  const alice = await someone();
  const secret = await shop.intent(alice, 1000);
  await shop.stripe.browser.confirmPayment(secret, '4000002500003155');
  await shop.settle();
  expect(await rows(alice)).toEqual([['purchase', 'purchase', 1000, '$18.00', 'pending']]);
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(await rows(alice)).toEqual([['purchase', 'purchase', 1000, '$18.00', 'canceled']]);
});

test('the payment history keeps a declined payment that the customer retries', async () => {
  const alice = await someone();
  const secret = await shop.intent(alice, 1000);
  await shop.stripe.browser.confirmPayment(secret, '4000000000000002');
  await shop.settle();
  expect(await rows(alice)).toEqual([['purchase', 'purchase', 1000, '$18.00', 'failed']]);
  await shop.stripe.browser.confirmPayment(secret, '4000002500003155');
  await shop.settle();
  expect(await rows(alice)).toEqual([['purchase', 'purchase', 1000, '$18.00', 'pending']]);
});

/** A payment whose order a restored backup does not have. */
describe('a payment without its order', () => {
  const lose = async (buyer: Customer): Promise<void> => {
    await shop.service.app.db.run('delete from orders where account_id = $1', [buyer.account_id]);
  };
  test.each([
    ['at another price', { amount: 1799 }],
    ['at a price of no list', { amount: 50 }],
    ['in another currency', { currency: 'jpy' }],
  ])('a payment without its order %s is refunded once and adds no credits', async (_, change) => {
    const alice = await someone();
    const secret = await shop.intent(alice, 1000);
    const intent = intentIdOf(secret);
    const held = shop.stripe.account.paymentIntents.get(intent);
    if (held) Object.assign(held, change);
    await lose(alice);
    await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
    await shop.settle();
    expect(refundsOf(intent)).toMatchObject([{ amount: held?.amount, status: 'succeeded' }]);
    await shop.service.clock.advance(25 * HOUR);
    await shop.settle();
    expect(refundsOf(intent)).toHaveLength(1);
    expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
    expect(await orderOf(alice)).toMatchObject({ intent_id: intent, status: 'failed' });
  });

  test('a payment without its order for a deleted account adds no credits', async () => {
    const alice = await someone();
    const secret = await shop.intent(alice, 1000);
    await lose(alice);
    await shop.service.app.db.run('update accounts set deleted_at = clock_now() where id = $1', [
      alice.account_id,
    ]);
    await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
    await shop.settle();
    expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  });

  test.each(['0', '-5', '1.5', '100001', '1e9', 'many', ''])(
    'a payment without its order for %j credits is ignored, because this service did not create it',
    async (credits) => {
      const alice = await someone();
      const secret = await shop.intent(alice, 1000);
      const held = shop.stripe.account.paymentIntents.get(intentIdOf(secret));
      if (held) held.metadata.credits = credits;
      await lose(alice);
      await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
      await shop.settle();
      expect(refundsOf(intentIdOf(secret))).toEqual([]);
      expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
    },
  );
});

async function intentOf(id: string): Promise<Intent> {
  const intent = await shop.service.app.cards?.findIntent(id);
  if (!intent) throw new Error(`No intent ${id}`);
  return intent;
}

async function orderById({ order_id }: Intent): Promise<Order> {
  const order = await findOrder(shop.service.app.db, order_id ?? '');
  if (!order) throw new Error('No order of the intent');
  return order;
}

/** An open order at the provider. */
const open = async (buyer: Customer) => intentOf(intentIdOf(await shop.intent(buyer, 100)));
/** An order that was paid and credited. */
const paid = async (buyer: Customer) => intentOf(await shop.buy(buyer, 100));

test('a success whose intent belongs to another account credits neither account', async () => {
  const [alice, bob] = [await someone(), await someone()];
  const intent = await open(alice);
  const forged: Intent = { ...intent, status: 'succeeded', account_id: bob.account_id };
  expect(await settle(shop.service.app, forged)).toBeUndefined();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  expect(await shop.balance(bob)).toEqual({ credits: 0, debt: 0 });
  expect((await orderById(intent)).status).toBe('pending');
});

test('an earlier Stripe response applied late never reverts a successful payment', async () => {
  const alice = await someone();
  const intent = await paid(alice);
  const declined = { code: 'card_declined', message: 'Your card was declined.' };
  for (const stale of [
    { status: 'requires_payment_method', failure: declined },
    { status: 'processing', failure: null },
    { status: 'canceled', failure: declined },
    { status: 'canceled', failure: null },
  ]) {
    await settle(shop.service.app, { ...intent, ...stale });
    expect(await orderById(intent)).toMatchObject({ status: 'succeeded', failure: null });
  }
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('a decline applied after the success does not fail the order', async () => {
  const alice = await someone();
  const intent = await paid(alice);
  await failOrder(shop.service.app, await orderById(intent), { code: 'refused', message: 'Refused.' });
  expect(await orderById(intent)).toMatchObject({ status: 'succeeded', failure: null });
});

test('a decline applied twice sends one notice', async () => {
  const alice = await someone();
  const order = await orderById(await open(alice));
  const failure = { code: 'refused', message: 'Your saved card could not be charged.' };
  await shop.service.app.db.run(`update orders set kind = 'auto' where id = $1`, [order.id]);
  const auto: Order = { ...order, kind: 'auto' };
  await Promise.all([failOrder(shop.service.app, auto, failure), failOrder(shop.service.app, auto, failure)]);
  const { declines } = await shop.service.app.db.one<{ declines: number }>(
    'select declines from auto_purchases where account_id = $1',
    [alice.account_id],
  );
  expect(declines).toBe(1);
});

const says = async () => (await checkPayments(shop.service.app.db)).map(({ says }) => says).join('\n');

test.each([
  ['a request that Stripe does not accept', 400, 'invalid_request_error', 'Cards are not enabled.'],
  ['a wrong key', 401, 'invalid_request_error', 'Invalid API Key provided: sk_test_****abcd'],
  ['a key without the permission', 403, 'invalid_request_error', 'The key lacks a permission.'],
] as const)(
  'after %s, the customer gets a general error and the operator the cause',
  async (_, status, type, message) => {
    const alice = await shop.service.customer(`Alice${status}`, { credits: 0 });
    shop.stripe.faults.add({
      on: 'POST /v1/payment_intents',
      kind: 'error',
      status,
      error: { type, message },
    });
    const answer = await shop.as(alice, createIntent, { body: priced(100) });
    expect(answer).toMatchObject({
      status: 502,
      body: {
        reason: 'payment_provider_refused',
        error:
          'We could not start the payment because of a problem on our side. You were not charged. Please contact support.',
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain(message);
    expect(shop.service.logLines.findLast((line) => line.includes('refused a request'))).toContain(message);
    expect(await says()).toContain(`${message} (HTTP ${status}`);
    await shop.buy(alice, 100);
    expect(await says()).not.toContain(message);
  },
);

test('a card that Stripe declines before creating an intent is reported as a declined card', async () => {
  const bob = await shop.service.customer('Bob', { credits: 0 });
  await shop.buy(bob, 100);
  const error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' } as const;
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'error', status: 402, error });
  const body = { ...priced(100), payment_method_id: await shop.card(bob) };
  expect(await shop.as(bob, createWithSaved, { body })).toMatchObject({
    status: 402,
    body: { reason: 'card_declined', error: 'Your card was declined.' },
  });
  expect(await says()).not.toContain('declined');
});
