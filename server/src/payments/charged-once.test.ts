import { createIntent, createWithSaved } from '@sixdigit/contract/payments.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { checkPayments } from '../operations/commands/doctor/payments.ts';
import type { Tx } from '../platform/db/sql.ts';
import {
  countUnpaid,
  findOrderOfRequest,
  findUnresolvedOrder,
  type NewOrder,
  sumOfOwnPurchases,
} from './orders.ts';
import { stripeClient } from './stripe.ts';

const shop = fixture(stripeShop);
let buyers = 0;

const HOUR = 3_600_000;
const MINUTE = 60_000;

interface Buyer extends Customer {
  card: string;
}
/** An account with 100 credits and a saved card. */
async function buyer(): Promise<Buyer> {
  const customer = await shop.service.customer(`Buyer${++buyers}`, { credits: 0 });
  await shop.buy(customer, 100);
  return { ...customer, card: await shop.card(customer) };
}
const charges = () =>
  [...shop.stripe.account.charges.values()].filter(({ status }) => status === 'succeeded').length;
const buy = (who: Buyer, key: string, credits = 500) =>
  shop.as(who, createWithSaved, {
    body: { ...priced(credits), payment_method_id: who.card },
    headers: { 'idempotency-key': key },
  });
const begin = (who: Buyer, key: string, credits = 500) =>
  shop.as(who, createIntent, { body: priced(credits), headers: { 'idempotency-key': key } });
const outcome = (status: string) => ({
  status: 400,
  body: { reason: 'idempotency_key_used', purchase: { status, ...priced(500) } },
});

test('an Idempotency-Key reused after 24 hours, even ten times in parallel, returns the purchase without a charge', async () => {
  const alice = await buyer();
  expect((await buy(alice, 'once')).body).toEqual({ success: true });
  const before = charges();
  await shop.service.clock.advance(25 * HOUR);
  expect(await buy(alice, 'once')).toMatchObject(outcome('succeeded'));
  expect(await buy(alice, 'once', 1000)).toMatchObject(outcome('succeeded'));
  const answers = await Promise.all(Array.from({ length: 10 }, () => buy(alice, 'once')));
  for (const { status, body } of answers)
    expect([400, 409]).toContain(status === 400 && body.reason !== 'idempotency_key_used' ? body : status);
  await shop.settle();
  expect(charges()).toBe(before);
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
  expect((await buy(alice, 'another')).body).toEqual({ success: true });
});

test('an Idempotency-Key reused after a crash finds and credits the charge instead of repeating it', async () => {
  const alice = await buyer();
  shop.stripe.webhooks.drop('*', 100);
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  expect((await buy(alice, 'lost')).status).toBe(503);
  const before = charges();
  await shop.service.clock.advance(25 * HOUR);
  expect(await buy(alice, 'lost')).toMatchObject(outcome('succeeded'));
  shop.stripe.webhooks.clearFaults();
  await shop.settle();
  expect(charges()).toBe(before);
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
});

test('the Idempotency-Key of a purchase with a new card returns its outcome after 24 hours', async () => {
  const alice = await buyer();
  const { body } = await begin(alice, 'new-card');
  await shop.stripe.browser.confirmPayment(body.client_secret ?? '', '4242424242424242');
  await shop.settle();
  const intents = shop.stripe.account.paymentIntents.size;
  await shop.service.clock.advance(25 * HOUR);
  expect(await begin(alice, 'new-card')).toMatchObject(outcome('succeeded'));
  expect(shop.stripe.account.paymentIntents.size).toBe(intents);
});

test('an Idempotency-Key is free after 24 hours if its purchase was not charged', async () => {
  const alice = await buyer();
  const first = intentIdOf((await begin(alice, 'free')).body.client_secret ?? '');
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  const again = await begin(alice, 'free');
  expect(again.status).toBe(200);
  expect(intentIdOf(again.body.client_secret ?? '')).not.toBe(first);

  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'refused', times: 2 });
  expect((await buy(alice, 'never-received')).status).toBe(503);
  await shop.service.clock.advance(25 * HOUR);
  expect((await buy(alice, 'never-received')).body).toEqual({ success: true });
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
});

test('while the card provider hangs, repetitions with one Idempotency-Key are refused and one charge is made', async () => {
  const alice = await buyer();
  const before = charges();
  const held = shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'hold' });
  const first = buy(alice, 'hangs');
  await held.reached;
  const repeated = await Promise.all(Array.from({ length: 10 }, () => buy(alice, 'hangs')));
  expect(repeated.map(({ status }) => status)).toEqual(Array(10).fill(409));
  held.release();
  expect((await first).body).toEqual({ success: true });
  expect(charges()).toBe(before + 1);
});

test('after a crash, another process continues a purchase by its Idempotency-Key with the same intent', async () => {
  const alice = await buyer();
  const before = charges();
  const held = shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'hold' });
  const first = buy(alice, 'dies');
  await held.reached;
  // The lease of the first process has expired.
  await shop.service.clock.advance(3 * MINUTE);
  const second = buy(alice, 'dies');
  held.release();
  expect((await second).body).toEqual({ success: true });
  await first;
  await shop.settle();
  expect(charges()).toBe(before + 1);
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
});

test('a purchase Idempotency-Key that a crash left before the order is not taken by another purchase', async () => {
  const alice = await buyer();
  const held = shop.stripe.faults.add({ on: 'GET /v1/customers/*/payment_methods', kind: 'hold' });
  const first = buy(alice, 'left');
  await held.reached;
  await shop.service.clock.advance(3 * MINUTE);
  expect(await buy(alice, 'left', 1000)).toMatchObject({
    status: 400,
    body: { reason: 'idempotency_key_reused' },
  });
  held.release();
  await first;
});

test('a purchase Idempotency-Key is refused with another body after a lost response, and belongs to one endpoint', async () => {
  const alice = await buyer();
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  expect((await buy(alice, 'shared')).status).toBe(503);
  expect(await buy(alice, 'shared', 1000)).toMatchObject({
    status: 400,
    body: { reason: 'idempotency_key_reused' },
  });
  expect((await begin(alice, 'shared')).status).toBe(200);
  expect((await buy(alice, 'shared')).body).toEqual({ success: true });
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
});

test('the database refuses a second intent for an order, and a request for one after 23 hours', async () => {
  const alice = await buyer();
  const { db } = shop.service.app;
  const refused = { constraint: 'one_intent_an_order' };
  await expect(
    db.run(`update orders set asked_at = clock_now() where account_id = $1`, [alice.account_id]),
  ).rejects.toMatchObject(refused);
  await expect(
    db.run(`update orders set intent_id = 'pi_other' where account_id = $1`, [alice.account_id]),
  ).rejects.toMatchObject(refused);

  const bob = await shop.service.customer(`Buyer${++buyers}`, { credits: 0 });
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'refused', times: 2 });
  expect((await shop.as(bob, createIntent, { body: priced(100) })).status).toBe(503);
  const ask = () =>
    db.run(`update orders set asked_at = clock_now() where account_id = $1`, [bob.account_id]);
  expect(await ask()).toBe(1);
  await shop.service.clock.advance(23 * HOUR);
  await expect(ask()).rejects.toMatchObject(refused);
});

const BOBS = { account: 'bob' };
const PAID = { status: 'succeeded', intent_id: 'pi_paid' };
const CHECKED = { check_at: '2100-01-01T00:00:00Z' };

/** Statements with rows that they find, and rows that they do not, by how the row differs from the wanted purchase. */
test.each<[string, (tx: Tx, wanted: NewOrder) => Promise<unknown>, found: object[], missed: object[]]>([
  [
    'the unresolved order of a repeated purchase',
    findUnresolvedOrder,
    [{}, { ago: '22 hours' }],
    [
      ...[BOBS, { method_id: 'pm_2' }, { credits: 101 }, { price_usd_cents: 201 }, { provider: 'sandbox' }],
      ...[{ kind: 'auto' }, { status: 'failed' }, { intent_id: 'pi_1' }, { ago: '23 hours' }],
    ],
  ],
  [
    'the order of an Idempotency-Key',
    findOrderOfRequest,
    [{}, { ago: '25 hours' }, PAID],
    [BOBS, { request_key: '\\x02' }, { method_id: null }],
  ],
  [
    'what purchases may charge in a day',
    (tx, { account_id }) => sumOfOwnPurchases(tx, account_id),
    [{}, { ago: '71 hours' }, PAID, { status: 'failed', ...CHECKED }],
    [
      ...[BOBS, { kind: 'auto' }, { ago: '73 hours' }, { status: 'failed' }],
      ...[
        { status: 'canceled', ...CHECKED },
        { ...PAID, ago: '25 hours' },
      ],
    ],
  ],
  [
    'the unpaid purchases of an hour',
    (tx, { account_id }) => countUnpaid(tx, account_id),
    [{}, { status: 'failed' }, { ago: '59 minutes' }],
    [BOBS, PAID, { ago: '61 minutes' }],
  ],
])('%s is found among purchases that differ in one respect', async (_, find, found, missed) => {
  const { db, random } = shop.service.app;
  const [alice, bob] = [await buyer(), await buyer()];
  const common = { kind: 'custom', credits: 100, price_usd_cents: 200, provider: 'stripe_test' } as const;
  const wanted = { ...common, account_id: alice.account_id, customer_id: 'cus_1', method_id: 'pm_1' };
  await db.run('delete from orders where account_id = $1', [alice.account_id]);
  for (const row of [...found, ...missed]) {
    const { account, ago = '0', ...change } = row as { account?: string; ago?: string };
    const other = { saves_method: false, status: 'pending', is_tried: false, credits_taken: 0 };
    await db.run(
      `insert into orders select (jsonb_populate_record(null::orders, $1::jsonb || jsonb_build_object('asked_at', clock_now(),
         'id', uuid_floor(clock_now() - $2::interval), 'created_at', clock_now() - $2::interval))).*`,
      [
        JSON.stringify({
          ...{ ...wanted, ...other, request_key: '\\x01', ...change },
          ...(account && { account_id: bob.account_id }),
        }),
        ago,
      ],
    );
    const order = { ...wanted, id: random.uuid(), saves_method: false, request_key: Buffer.from([1]) };
    const isFound = Boolean(await db.transaction((tx) => find(tx, order)));
    expect([row, isFound]).toEqual([row, found.includes(row)]);
    await db.run(`delete from orders where customer_id = 'cus_1'`);
  }
});

const someone = () => shop.service.customer(`Buyer${++buyers}`, { credits: 0 });
const refundsOf = (intent_id: string) =>
  [...shop.stripe.account.refunds.values()].filter(({ payment_intent }) => payment_intent === intent_id);
const orderOf = ({ account_id }: Customer) =>
  shop.service.app.db.one<{ id: string; intent_id: string; customer_id: string; status: string }>(
    'select id, intent_id, customer_id, status from orders where account_id = $1 order by id desc limit 1',
    [account_id],
  );
const says = async () => (await checkPayments(shop.service.app.db)).map(({ says }) => says).join('\n');

/** A second payment of a paid order, as caused by other software or by mistake. */
async function payAgain(of: Customer): Promise<string> {
  const { stripe: settings } = shop.service.app.config;
  if (!settings) throw new Error('no Stripe');
  const order = await orderOf(of);
  const { id } = await stripeClient(settings).paymentIntents.create({
    amount: priced(500).price_usd_cents,
    currency: 'usd',
    customer: order.customer_id,
    payment_method: await shop.card(of),
    confirm: true,
    off_session: true,
    metadata: { order_id: order.id, account_id: of.account_id, credits: '500' },
  });
  return id;
}

test('a second payment of one order is refunded, not credited, and is in the history, the log, the metrics and doctor', async () => {
  const alice = await someone();
  await shop.buy(alice, 500);
  const second = await payAgain(alice);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
  expect(refundsOf(second)).toMatchObject([{ amount: priced(500).price_usd_cents, status: 'succeeded' }]);
  expect(await shop.subjects(alice)).toEqual(['We refunded a payment of $9.50']);
  expect(shop.service.logLines.join('')).toContain('a payment that could not be credited was refunded');
  const { text } = await shop.service.app.metrics.scrape(shop.service.app.db);
  expect(text).toContain('sixdigit_unmatched_payments{state="refunded"} 1');
  expect(await says()).toContain('1 payment of the last 30 days belonged to no order and was refunded');
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(refundsOf(second)).toHaveLength(1);
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
});

test('a second payment of one order is found by the daily comparison if its event is lost', async () => {
  const alice = await someone();
  await shop.buy(alice, 500);
  shop.stripe.webhooks.drop('*', 100);
  const second = await payAgain(alice);
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  shop.stripe.webhooks.clearFaults();
  expect(refundsOf(second)).toHaveLength(1);
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
});

test('a second payment of one order is refunded once, even if the refund response is lost or Stripe refuses at first', async () => {
  const alice = await someone();
  await shop.buy(alice, 500);
  shop.stripe.faults.add({ on: 'POST /v1/refunds', kind: 'lost', times: 2 });
  const lost = await payAgain(alice);
  await shop.settle();
  expect(await says()).toContain('could not be refunded yet');
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(refundsOf(lost)).toHaveLength(1);
  expect(await shop.subjects(alice)).toEqual(['We refunded a payment of $9.50']);

  const error = { type: 'invalid_request_error', message: 'This key may not refund.' } as const;
  shop.stripe.faults.add({ on: 'POST /v1/refunds', kind: 'error', status: 403, error });
  const refused = await payAgain(alice);
  await shop.settle();
  expect(refundsOf(refused)).toEqual([]);
  expect(await says()).toContain('This key may not refund.');
  await shop.service.clock.advance(HOUR);
  await shop.settle();
  expect(refundsOf(refused)).toHaveLength(1);
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
});

describe('a payment that differs from its order is refunded and not credited', () => {
  test.each([
    [
      'a payment in another currency than its order is refunded',
      { currency: 'jpy' },
      'We refunded a payment of ¥8,500',
    ],
    [
      'a payment of another amount than its order is refunded',
      { amount: 50 },
      'We refunded a payment of $0.50',
    ],
  ])('%s', async (_, change, subject) => {
    const alice = await someone();
    const secret = await shop.intent(alice, 5000);
    const intent = shop.stripe.account.paymentIntents.get(intentIdOf(secret));
    if (intent) Object.assign(intent, change);
    await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
    await shop.settle();
    expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
    expect(refundsOf(intentIdOf(secret))).toHaveLength(1);
    expect(await orderOf(alice)).toMatchObject({ status: 'failed' });
    expect(await shop.subjects(alice)).toEqual([subject]);
  });
});

test('a payment whose order is missing from a restored backup is credited', async () => {
  const alice = await someone();
  const intent = await shop.buy(alice, 500);
  const { db } = shop.service.app;
  const order = await orderOf(alice);
  await db.run('alter table ledger disable trigger user');
  await db.run('delete from ledger where account_id = $1', [alice.account_id]);
  await db.run('alter table ledger enable trigger user');
  await db.run('update balances set credits = 0 where account_id = $1', [alice.account_id]);
  await db.run('delete from orders where id = $1', [order.id]);
  await shop.service.clock.advance(25 * HOUR);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
  expect(await orderOf(alice)).toMatchObject({ id: order.id, intent_id: intent, status: 'succeeded' });
  expect(refundsOf(intent)).toEqual([]);
});
