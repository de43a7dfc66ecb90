import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWithSaved, getReceipt, listTransactions } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { deposit } from '../credits/credits.ts';
import { processEvents } from './events.ts';
import { stripeClient } from './stripe.ts';

const shop = fixture(stripeShop);

let count = 0;
const buyer = () => shop.service.customer(`Buyer${++count}`, { credits: 0 });
const bought = async (credits: number): Promise<[Customer, string]> => {
  const alice = await buyer();
  return [alice, await shop.buy(alice, credits)];
};
const refund = async (payment_intent: string, amount?: number) => {
  const { stripe: settings } = shop.service.app.config;
  if (!settings) throw new Error('no Stripe');
  const made = await stripeClient(settings).refunds.create({
    payment_intent,
    ...(amount === undefined ? {} : { amount }),
  });
  await shop.settle();
  return made.id;
};
/** Opens a dispute, whose events are processed. */
const disputed = async (intent: string, options?: { amount: number }) => {
  const { disputes } = shop.stripe;
  const { id } = disputes.open(intent, options);
  await shop.settle();
  const end = async (how: (id: string) => unknown) => {
    how(id);
    await shop.settle();
  };
  return { win: () => end((id) => disputes.win(id)), lose: () => end((id) => disputes.lose(id)) };
};

test('a full refund deducts all credits of the purchase once', async () => {
  const [alice, intent] = await bought(1000);
  shop.stripe.webhooks.duplicate('charge.refunded', 5);
  await refund(intent);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
});

test('partial refunds add up and deduct credits rounded in the customer’s favor', async () => {
  const [alice, intent] = await bought(1000); // $18.00
  await refund(intent, 1);
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
  await refund(intent, 599);
  expect(await shop.balance(alice)).toEqual({ credits: 667, debt: 0 });
  await refund(intent, 600);
  expect(await shop.balance(alice)).toEqual({ credits: 334, debt: 0 });
  await refund(intent);
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
});

test('a receipt shows the refunded amount and the remaining amount', async () => {
  const [alice, intent] = await bought(1000); // $18.00
  const { body } = await shop.as(alice, listTransactions, { query: {} });
  const params = { id: body.results.find(({ has_receipt }) => has_receipt)?.id ?? '' };
  const returns = async () => {
    const { returned, total_display } = (await shop.as(alice, getReceipt, { params })).body;
    return [...returned.map(({ price_display }) => price_display), total_display];
  };
  expect(await returns()).toEqual(['$18.00']);
  await refund(intent, 250);
  const failed = await refund(intent, 1000);
  expect(await returns()).toEqual(['$2.50', '$10.00', '$5.50']);
  shop.stripe.failRefund(failed);
  await shop.settle();
  expect(await returns()).toEqual(['$2.50', '$15.50']);
});

test('a refund that fails at the bank restores its credits', async () => {
  const [alice, intent] = await bought(1000);
  const failed = await refund(intent, 900);
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
  shop.stripe.failRefund(failed);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
});

test('opening a dispute deducts its credits, and winning it restores exactly those', async () => {
  const [alice, intent] = await bought(1000);
  const dispute = await disputed(intent);
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  shop.stripe.webhooks.duplicate('charge.dispute.funds_reinstated', 5);
  await dispute.win();
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
});

test('losing a dispute changes nothing further', async () => {
  const [alice, intent] = await bought(1000);
  const dispute = await disputed(intent);
  await dispute.lose();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
});

test('a refund after a won dispute deducts the credits again', async () => {
  const [alice, intent] = await bought(1000);
  const dispute = await disputed(intent);
  await dispute.win();
  await refund(intent, 900);
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
  await refund(intent);
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
});

test('winning a dispute after a partial refund restores the remaining credits', async () => {
  const [alice, intent] = await bought(1000);
  await refund(intent, 600);
  const dispute = await disputed(intent);
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  await dispute.win();
  expect(await shop.balance(alice)).toEqual({ credits: 667, debt: 0 });
});

test('a refund and a dispute that exceed the payment deduct no more than was bought', async () => {
  const [alice, intent] = await bought(1000);
  await refund(intent, 900);
  const dispute = await disputed(intent, { amount: 1800 });
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  await dispute.win();
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
});

test('a late response from before a won dispute deducts nothing again', async () => {
  const [alice, intent] = await bought(1000);
  const { app } = shop.service;
  const late = shop.stripe.faults.add({ on: 'GET /v1/disputes', kind: 'hold' });
  const dispute = shop.stripe.disputes.open(intent);
  await shop.stripe.webhooks.drain();
  const first = app.cards && processEvents(app, app.cards);
  await late.reached;
  shop.stripe.disputes.win(dispute.id);
  await shop.stripe.webhooks.drain();
  if (app.cards) await processEvents(app, app.cards);
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
  late.release();
  await first;
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
});

test('dispute events in reverse order end in the same balance', async () => {
  const [alice, intent] = await bought(1000);
  const held = shop.stripe.webhooks.hold('charge.*');
  const dispute = shop.stripe.disputes.open(intent);
  held.release('reversed');
  const later = shop.stripe.webhooks.hold('charge.*');
  await shop.settle();
  shop.stripe.disputes.win(dispute.id);
  later.release('reversed');
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
});

test('a refund event before the payment event ends in the same balance', async () => {
  const alice = await buyer();
  const held = shop.stripe.webhooks.hold('*');
  const intent = await shop.buy(alice, 1000);
  await refund(intent, 900);
  held.release('reversed');
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
});

test('refunding spent credits creates a debt, which blocks sends and is paid first by the next purchase', async () => {
  const [alice, intent] = await bought(1000);
  await shop.spend(alice, 900);
  await refund(intent);
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 900 });

  await shop.service.app.db.transaction((tx) =>
    deposit(tx, {
      account_id: alice.account_id,
      id: shop.service.app.random.uuid(),
      kind: 'welcome',
      reference: `welcome:again:${alice.account_id}`,
      credits: 100,
      description: 'A gift',
    }),
  );
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 800 });
  const send = { body: { channel: 'email', recipient: 'user@example.com' }, apiKey: alice.api_key } as const;
  expect((await shop.service.call(sendOtp, send)).status).toBe(402);

  const body = { ...priced(1000), payment_method_id: await shop.card(alice) };
  expect((await shop.as(alice, createWithSaved, { body })).status).toBe(200);
  expect(await shop.balance(alice)).toEqual({ credits: 200, debt: 0 });
  expect((await shop.service.call(sendOtp, send)).status).toBe(201);
});

test('a debt from a dispute ends when the dispute is won', async () => {
  const [alice, intent] = await bought(1000);
  await shop.spend(alice, 900);
  const dispute = await disputed(intent);
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 900 });
  await dispute.win();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('a refund whose events were lost is found within a day', async () => {
  const [alice, intent] = await bought(1000);
  shop.stripe.webhooks.drop('*', 100);
  await refund(intent, 900);
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
  await shop.service.clock.advance(25 * 3_600_000);
  await shop.settle();
  shop.stripe.webhooks.clearFaults();
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
});

test('a low balance after a refund triggers no auto-purchase', async () => {
  const [alice, intent] = await bought(1000);
  await shop.service.app.db.run('update accounts set auto_purchase_enabled = true where id = $1', [
    alice.account_id,
  ]);
  await refund(intent);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
});

test('the payment history shows refunds and disputes', async () => {
  const [alice, intent] = await bought(1000);
  const dispute = await disputed(intent);
  await dispute.win();
  await refund(intent, 900);
  const { body } = await shop.as(alice, listTransactions);
  expect(
    body.results.map(({ transaction_type, amount, description }) => [transaction_type, amount, description]),
  ).toEqual([
    ['usage', 500, 'Card refund of $9.00'],
    ['refund', 1000, 'Dispute of $18.00 won'],
    ['usage', 1000, 'Disputed payment of $18.00'],
    ['purchase', 1000, 'Credit bundle: 1,000 credits'],
  ]);
});
