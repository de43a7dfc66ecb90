import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  confirmPayment,
  createWithSaved,
  deletePaymentMethod,
  listPaymentMethods,
} from '#contract/payments.ts';
import { intentIdOf, priced, type StripeShop, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { hasSavedCard } from './payments.ts';

let shop: StripeShop;
let alice: Customer;
let bob: Customer;
let card: string;
beforeAll(async () => {
  shop = await stripeShop();
  alice = await shop.service.customer('Alice', { credits: 0 });
  bob = await shop.service.customer('Bob', { credits: 0 });
  await shop.buy(alice, 100);
  card = await shop.card(alice);
});
afterAll(() => shop[Symbol.asyncDispose]());

const state = () => shop.state(alice);

describe('saved cards', () => {
  test('are listed with only the displayed fields', async () => {
    const { body } = await shop.as(alice, listPaymentMethods);
    expect(body).toEqual({
      payment_methods: [{ id: card, brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 }],
    });
    expect((await shop.as(bob, listPaymentMethods)).body).toEqual({ payment_methods: [] });
    expect(await hasSavedCard(shop.service.app, alice.account_id)).toBe(true);
    expect(await hasSavedCard(shop.service.app, bob.account_id)).toBe(false);
  });

  test('pay immediately', async () => {
    const before = await shop.balance(alice);
    const answer = await shop.as(alice, createWithSaved, {
      body: { ...priced(500), payment_method_id: card },
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect((await shop.balance(alice)).credits).toBe(before.credits + 500);
  });

  test('of another account cannot be charged or removed', async () => {
    await shop.buy(bob, 100);
    const his = await shop.card(bob);
    const before = await state();
    const body = { ...priced(500), payment_method_id: his };
    expect((await shop.as(alice, createWithSaved, { body })).status).toBe(404);
    expect((await shop.as(alice, deletePaymentMethod, { params: { id: his } })).status).toBe(404);
    expect((await shop.as(alice, deletePaymentMethod, { params: { id: 'pm_none' } })).status).toBe(404);
    expect(await state()).toEqual(before);
    expect(shop.stripe.account.paymentMethods.get(his)?.customer).not.toBeNull();
  });

  test('that are declined return the reason and no credit', async () => {
    shop.stripe.declineNext('insufficient_funds', { paymentMethod: card });
    const before = await shop.balance(alice);
    const answer = await shop.as(alice, createWithSaved, {
      body: { ...priced(500), payment_method_id: card },
    });
    expect(answer).toMatchObject({
      status: 402,
      body: { reason: 'card_declined', error: 'Your card has insufficient funds.' },
    });
    await shop.settle();
    expect(await shop.balance(alice)).toEqual(before);
  });

  test('whose bank requires authentication continue in the browser', async () => {
    const carol = await shop.service.customer('Carol', { credits: 0 });
    await shop.buy(carol, 100, '4000002760003184');
    const body = { ...priced(500), payment_method_id: await shop.card(carol) };
    const asked = await shop.as(carol, createWithSaved, { body });
    expect(asked).toMatchObject({ status: 200, body: { success: false, requires_action: true } });
    const secret = asked.body.client_secret ?? '';
    expect(await shop.balance(carol)).toMatchObject({ credits: 100 });
    await shop.stripe.browser.authenticate(secret, 'complete');
    const confirmed = await shop.as(carol, confirmPayment, {
      body: { payment_intent_id: intentIdOf(secret) },
    });
    expect(confirmed.body).toEqual({ success: true, credits: 500, status: 'succeeded' });
    await shop.settle();
    expect(await shop.balance(carol)).toMatchObject({ credits: 600 });
  });

  test('can be removed', async () => {
    const dave = await shop.service.customer('Dave', { credits: 0 });
    await shop.buy(dave, 100);
    const id = await shop.card(dave);
    expect((await shop.as(dave, deletePaymentMethod, { params: { id } })).status).toBe(204);
    expect((await shop.as(dave, listPaymentMethods)).body).toEqual({ payment_methods: [] });
    const body = { ...priced(500), payment_method_id: id };
    expect((await shop.as(dave, createWithSaved, { body })).status).toBe(404);
  });

  test('are removed at the provider with their account', async () => {
    const erin = await shop.service.customer('Erin', { credits: 0 });
    await shop.buy(erin, 100);
    const id = await shop.card(erin);
    await shop.service.app.db.run('update accounts set deleted_at = clock_now() where id = $1', [
      erin.account_id,
    ]);
    await shop.settle();
    expect(shop.stripe.account.paymentMethods.get(id)?.customer).toBeNull();
  });
});
