import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeStripe, startFakeStripe } from './stripe.ts';

let fake: FakeStripe;
let stripe: Stripe;

beforeAll(async () => {
  fake = await startFakeStripe();
  const { hostname, port } = new URL(fake.url);
  stripe = new Stripe(fake.secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
});
afterAll(() => fake.close());

const pay = (paymentMethod: string) =>
  stripe.paymentIntents.create({
    amount: 2500,
    currency: 'usd',
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    payment_method: paymentMethod,
    confirm: true,
  });
const typesOf = (id: string) =>
  [...fake.account.events.values()]
    .filter((event) => JSON.stringify(event.data.object).includes(id))
    .map((event) => event.type);

describe('refunds', () => {
  test('may be partial until the whole amount is refunded', async () => {
    const intent = await pay('pm_card_visa');
    const first = await stripe.refunds.create({ payment_intent: intent.id, amount: 1000 });
    expect(first).toMatchObject({ amount: 1000, status: 'succeeded', charge: intent.latest_charge });
    await expect(stripe.refunds.create({ payment_intent: intent.id, amount: 1501 })).rejects.toThrow(
      'greater than unrefunded amount',
    );
    const rest = await stripe.refunds.create({ charge: String(intent.latest_charge), reason: 'duplicate' });
    expect(rest.amount).toBe(1500);
    await expect(stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    });
    const charge = await stripe.charges.retrieve(String(intent.latest_charge), { expand: ['refunds'] });
    expect(charge).toMatchObject({ amount_refunded: 2500, refunded: true });
    expect(charge.refunds?.data.map((one) => one.id)).toEqual([rest.id, first.id]);
    const list = await stripe.refunds.list({ payment_intent: intent.id });
    expect(list.data.map((one) => one.id)).toEqual([rest.id, first.id]);
    expect(await stripe.refunds.retrieve(first.id)).toEqual(first);
    const events = await stripe.events.list({ type: 'charge.refunded', limit: 2 });
    const amounts = events.data.map((event) => (event.data.object as Stripe.Charge).amount_refunded);
    expect(amounts).toEqual([2500, 1000]);
    expect(events.data[0]?.data.previous_attributes).toMatchObject({
      amount_refunded: 1000,
      refunded: false,
    });
  });

  test('can fail at the bank afterwards', async () => {
    const intent = await pay('pm_card_visa');
    const refund = await stripe.refunds.create({ payment_intent: intent.id });
    fake.failRefund(refund.id);
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'failed' });
    expect(await stripe.charges.retrieve(String(intent.latest_charge))).toMatchObject({ amount_refunded: 0 });
    expect(typesOf(refund.id)).toEqual(['refund.created', 'refund.failed']);
  });
});

describe('disputes', () => {
  test('…0259 opens a dispute automatically, and a won dispute returns the money', async () => {
    const intent = await pay('pm_card_createDispute');
    const { data } = await stripe.disputes.list({ payment_intent: intent.id });
    const [dispute] = data;
    expect(dispute).toMatchObject({
      amount: 2500,
      status: 'needs_response',
      reason: 'fraudulent',
      balance_transactions: [{ amount: -2500, fee: 1500, net: -4000, reporting_category: 'dispute' }],
    });
    await expect(stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_disputed',
    });
    const won = fake.disputes.win(dispute?.id ?? '');
    expect(won.balance_transactions.map((one) => one.amount)).toEqual([-2500, 2500]);
    expect(typesOf(won.id)).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated',
      'charge.dispute.closed',
    ]);
    expect(await stripe.refunds.create({ payment_intent: intent.id })).toMatchObject({ amount: 2500 });
  });

  test('a lost dispute closes without returning the money', async () => {
    const intent = await pay('pm_card_visa');
    const dispute = fake.disputes.open(intent.id, { reason: 'product_not_received', amount: 1000 });
    fake.disputes.lose(dispute.id);
    expect(await stripe.disputes.retrieve(dispute.id, { expand: ['charge'] })).toMatchObject({
      status: 'lost',
      amount: 1000,
      charge: { id: intent.latest_charge, disputed: true },
    });
    expect(typesOf(dispute.id).slice(2)).toEqual(['charge.dispute.closed']);
    expect(() => fake.disputes.win(dispute.id)).toThrow('already lost');
  });

  test('evidence decides as in test mode, and an accepted dispute is lost', async () => {
    const open = async () => fake.disputes.open((await pay('pm_card_visa')).id).id;
    const evidence = { uncategorized_text: 'winning_evidence' };
    expect(await stripe.disputes.update(await open(), { evidence })).toMatchObject({ status: 'won' });
    expect(await stripe.disputes.close(await open())).toMatchObject({ status: 'lost' });
  });
});
