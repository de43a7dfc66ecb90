import { describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { checkPayments } from '../operations/commands/doctor/payments.ts';
import { stripeClient } from './stripe.ts';

const shop = fixture(stripeShop);
let buyers = 0;

const HOUR = 3_600_000;
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

test('a second payment of one order is refunded once instead of credited, and appears in the account, the log, the metrics and doctor', async () => {
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
    ['in another currency', { currency: 'jpy' }, 'We refunded a payment of ¥8,500'],
    ['in another amount', { amount: 50 }, 'We refunded a payment of $0.50'],
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
