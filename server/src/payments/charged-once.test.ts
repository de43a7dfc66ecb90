import { createIntent, createWithSaved } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';

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

test('an Idempotency-Key that is reused after 24 hours charges nothing and returns the outcome of the purchase, even ten times in parallel', async () => {
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

test('an Idempotency-Key within 24 hours refuses every repetition while the card provider hangs, and charges once', async () => {
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

test('another process continues the Idempotency-Key of a crashed one with the same intent', async () => {
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

test('an Idempotency-Key is refused with another body after a lost response, and belongs to one endpoint', async () => {
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
