import {
  confirmPayment,
  confirmSandboxPayment,
  createWithSaved,
  deletePaymentMethod,
  getReceipt,
  listPaymentMethods,
  listTransactions,
} from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../test/held-lock.ts';
import { intentIdOf, priced, sandboxShop, stripeShop } from '../../test/payments.ts';
import type { Order } from './orders.ts';

const shop = fixture(sandboxShop);
const alice = fixture(() => shop.service.customer('Alice', { credits: 0 }));

const pay = async (client_secret: string, number: string, more = {}, who = alice) =>
  (
    await shop.as(who, confirmSandboxPayment, {
      body: { client_secret, card: { number, exp_month: 12, exp_year: 2040, cvc: '123', ...more } },
    })
  ).body;
const answer = async (client_secret: string, authentication: 'completed' | 'failed') =>
  (await shop.as(alice, confirmSandboxPayment, { body: { client_secret, authentication } })).body;
const saved = async () => (await shop.as(alice, listPaymentMethods)).body.payment_methods;

test('test card 4242… pays, is saved and is credited once, even if it is entered twice at once', async () => {
  const secret = await shop.intent(alice, 500, { save_payment_method: true });
  await using held = await holdLock(shop.service, 'select from sandbox_intents for update', []);
  const paying = Promise.all([1, 2].map(() => pay(secret, '4242 4242 4242 4242')));
  await untilWaiting(shop.service, 2);
  await held.commit();
  for (const paid of await paying)
    expect(paid).toEqual({ payment_intent_id: intentIdOf(secret), status: 'succeeded' });
  const body = { payment_intent_id: intentIdOf(secret) };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => shop.as(alice, confirmPayment, { body })),
  );
  for (const one of answers) expect(one.body).toEqual({ success: true, credits: 500, status: 'succeeded' });
  expect(await pay(secret, '4242424242424242')).toMatchObject({ status: 'succeeded' });
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
  expect(await saved()).toEqual([
    { id: expect.stringContaining('pm_'), brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 },
  ]);
});

test.each([
  ['4000 0000 0000 0002', {}, 'Your card was declined.'],
  ['4000 0000 0000 9995', {}, 'Your card has insufficient funds.'],
  ['4000 0000 0000 0069', {}, 'Your card has expired.'],
  ['4242 4242 4242 4241', {}, 'Your card number is incorrect.'],
  ['not a number', {}, 'Your card number is incorrect.'],
  ['4242 4242 4242 4242', { exp_year: 2020 }, "Your card's expiration date is in the past."],
  ['4242 4242 4242 4242', { cvc: '1' }, "Your card's security code is invalid."],
  ['4111 1111 1111 1111', {}, expect.stringContaining('test cards only')],
])('test card %s %j fails with its reason, and another card can then pay', async (number, more, error) => {
  const before = await shop.balance(alice);
  const secret = await shop.intent(alice, 100);
  expect(await pay(secret, number, more)).toEqual({
    payment_intent_id: intentIdOf(secret),
    status: 'requires_payment_method',
    error,
  });
  expect(await shop.balance(alice)).toEqual(before);
  expect(await pay(secret, '5555555555554444')).toMatchObject({ status: 'succeeded' });
  expect((await shop.balance(alice)).credits).toBe(before.credits + 100);
});

test('test card …3155 pays only if its authentication succeeds', async () => {
  const before = await shop.balance(alice);
  const secret = await shop.intent(alice, 100, { save_payment_method: true });
  expect(await pay(secret, '4000002500003155')).toMatchObject({ status: 'requires_action' });
  expect(await shop.balance(alice)).toEqual(before);
  expect(await answer(secret, 'failed')).toMatchObject({
    status: 'requires_payment_method',
    error: expect.stringContaining('unable to authenticate'),
  });
  expect(await pay(secret, '4000002500003155')).toMatchObject({ status: 'requires_action' });
  expect(await answer(secret, 'completed')).toMatchObject({ status: 'succeeded' });
  expect((await shop.balance(alice)).credits).toBe(before.credits + 100);
});

test('the number of a new test card is stored nowhere', async () => {
  const rows = await shop.service.app.db.rows(
    `select row_to_json(c)::text from sandbox_cards c union all select row_to_json(i)::text from sandbox_intents i`,
  );
  expect(JSON.stringify(rows)).not.toMatch(/4242424242|2500003155/);
});

test('a saved test card pays, or requires authentication on each use', async () => {
  const cards = await saved();
  const visa = cards.find(({ last4 }) => last4 === '4242')?.id ?? '';
  const asks = cards.find(({ last4 }) => last4 === '3155')?.id ?? '';
  const before = await shop.balance(alice);
  const paid = await shop.as(alice, createWithSaved, { body: { ...priced(100), payment_method_id: visa } });
  expect(paid.body).toEqual({ success: true });
  const asked = await shop.as(alice, createWithSaved, {
    body: { ...priced(100), payment_method_id: asks },
  });
  expect(asked.body).toMatchObject({ success: false, requires_action: true });
  expect(await answer(asked.body.client_secret ?? '', 'completed')).toMatchObject({ status: 'succeeded' });
  expect((await shop.balance(alice)).credits).toBe(before.credits + 200);
  // A repeated request for the payment does not charge the card again.
  const { app } = shop.service;
  const order = await app.db.one<Order>('select * from orders where method_id = $1', [asks]);
  expect(await app.cards?.createIntent(order)).toMatchObject({ id: order.intent_id, status: 'succeeded' });
});

test('a saved test card is charged by auto-purchase, which pauses if the card requires authentication', async () => {
  const { db } = shop.service.app;
  const carol = await shop.service.customer('Carol', { credits: 0 });
  const buy = async (number: string) => {
    const secret = await shop.intent(carol, 100, { save_payment_method: true });
    await pay(secret, number, {}, carol);
    if (number.endsWith('3155'))
      await shop.as(carol, confirmSandboxPayment, {
        body: { client_secret: secret, authentication: 'completed' },
      });
  };
  await buy('4242424242424242');
  await db.run(
    'update accounts set auto_purchase_enabled = true, auto_purchase_threshold = 200 where id = $1',
    [carol.account_id],
  );
  expect(await shop.subjects(carol)).toEqual(['500 credits were added']);
  expect(await shop.balance(carol)).toEqual({ credits: 600, debt: 0 });
  await buy('4000002500003155');
  await db.run('update accounts set auto_purchase_threshold = 1000 where id = $1', [carol.account_id]);
  expect((await shop.subjects(carol)).at(-1)).toBe('Your bank wants you to confirm a purchase');
  expect(await shop.balance(carol)).toEqual({ credits: 700, debt: 0 });
});

test('a saved test card can be removed', async () => {
  const [card] = await saved();
  expect((await shop.as(alice, deletePaymentMethod, { params: { id: card?.id ?? '' } })).status).toBe(204);
  expect((await saved()).map(({ id }) => id)).not.toContain(card?.id);
});

test('after a browser closes, the reconciler keeps paid test orders and cancels unpaid ones', async () => {
  const before = await shop.balance(alice);
  await shop.intent(alice, 100);
  await shop.service.clock.advance(25 * 3_600_000);
  await shop.service.drain();
  expect(await shop.balance(alice)).toEqual(before);
  const open = await shop.service.app.db.rows(`select 1 from orders where status = 'pending'`);
  expect(open).toEqual([]);
});

test('purchases with test cards have receipts', async () => {
  const { body } = await shop.as(alice, listTransactions, { query: { ordering: 'created_at' } });
  const [first] = body.results;
  expect(first).toMatchObject({ amount: 500, price_display: '$9.50', has_receipt: true });
  const receipt = await shop.as(alice, getReceipt, { params: { id: first?.id ?? '' } });
  expect(receipt.body).toEqual({
    number: expect.stringMatching(/^R-\d{6}$/),
    issued_at: first?.created_at,
    seller: 'Sixdigit',
    support_email: 'support@sixdigit.test',
    buyer: 'alice@customers.test',
    description: 'Credit bundle: 500 credits',
    credits: 500,
    price_display: '$9.50',
    price_usd_cents: 950,
    currency: 'USD',
    card: 'Visa ending in 4242',
    payment_intent_id: expect.stringContaining('pi_sandbox_'),
    returned: [],
    total_display: '$9.50',
  });
});

test('test cards do not exist if Stripe is configured', async () => {
  await using other = await stripeShop();
  const bob = await other.service.customer('Bob');
  const body = { client_secret: 'pi_1_secret_1', authentication: 'completed' };
  expect((await other.as(bob, confirmSandboxPayment, { body })).status).toBe(404);
});
