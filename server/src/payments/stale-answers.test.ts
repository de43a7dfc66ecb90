import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import type { Intent } from './card-provider.ts';
import { failOrder, settle } from './fulfil.ts';
import { findOrder, type Order } from './orders.ts';

/** Late responses of the card provider, and responses for another account. */
const shop = fixture(stripeShop);
let count = 0;

const someone = () => shop.service.customer(`Buyer${++count}`, { credits: 0 });

async function intentOf(id: string): Promise<Intent> {
  const intent = await shop.service.app.cards?.findIntent(id);
  if (!intent) throw new Error(`No intent ${id}`);
  return intent;
}

async function orderOf({ order_id }: Intent): Promise<Order> {
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
  expect((await orderOf(intent)).status).toBe('pending');
});

test('an earlier response applied late never undoes a success', async () => {
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
    expect(await orderOf(intent)).toMatchObject({ status: 'succeeded', failure: null });
  }
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('a refusal applied after the success does not fail the order', async () => {
  const alice = await someone();
  const intent = await paid(alice);
  await failOrder(shop.service.app, await orderOf(intent), { code: 'refused', message: 'Refused.' });
  expect(await orderOf(intent)).toMatchObject({ status: 'succeeded', failure: null });
});

test('a refusal applied twice sends one notice', async () => {
  const alice = await someone();
  const order = await orderOf(await open(alice));
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
