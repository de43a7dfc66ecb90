import { type DisputeStatus, listDisputes } from '@sixdigit/contract/operator/disputes.ts';
import { getOverview } from '@sixdigit/contract/operator/overview.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testOperator } from '../../../test/operator.ts';
import { stripeShop } from '../../../test/payments.ts';
import type { Customer } from '../../../test/service.ts';
import { checkPayments } from '../../operations/commands/doctor/payments.ts';

let count = 0;
const shop = fixture(stripeShop);
const sam = fixture(() => testOperator(shop.service, { role: 'support', name: 'Sam' }));

/** 1,000 credits for $18.00. */
const bought = async (): Promise<[Customer, string]> => {
  const buyer = await shop.service.customer(`Buyer${++count}`, { credits: 0 });
  return [buyer, await shop.buy(buyer, 1_000)];
};
const disputesOf = async (search: string, state: 'all' | 'open' | 'closed' = 'all') =>
  (await sam.call(listDisputes, { query: { search, state } })).body.results;

test('a dispute is listed with its amount, reason, deadline, purchase and account until it is decided', async () => {
  const [alice, intent] = await bought();
  const { id } = shop.stripe.disputes.open(intent, { reason: 'product_not_received' });
  await shop.settle();
  const [opened] = await disputesOf(alice.account_id);
  expect(opened).toMatchObject({
    id,
    email: alice.email,
    payment_intent_id: intent,
    cents: 1_800,
    currency: 'usd',
    reason: 'product_not_received',
    status: 'needs_response',
    has_evidence: false,
    funds: 'taken',
    closed_at: null,
  });
  const { evidence_due_at, opened_at, order_id } = opened ?? {};
  expect(Date.parse(evidence_due_at ?? '') - Date.parse(opened_at ?? '')).toBe(9 * 86_400_000);
  for (const search of [id, intent, order_id ?? '']) expect(await disputesOf(search)).toEqual([opened]);

  shop.stripe.disputes.answer(id);
  await shop.settle();
  expect(await disputesOf(id)).toMatchObject([{ status: 'under_review', has_evidence: true }]);
  shop.stripe.disputes.win(id);
  await shop.settle();
  expect(await disputesOf(id, 'open')).toEqual([]);
  expect(await disputesOf(id, 'closed')).toMatchObject([
    { status: 'won', funds: 'returned', closed_at: expect.any(String) },
  ]);
  expect(await shop.balance(alice)).toEqual({ credits: 1_000, debt: 0 });
});

test('an inquiry is listed, and deducts credits only once the bank escalates it', async () => {
  const [bob, intent] = await bought();
  const { id } = shop.stripe.disputes.open(intent, { isInquiry: true });
  await shop.settle();
  expect(await disputesOf(id)).toMatchObject([{ status: 'warning_needs_response', funds: 'none' }]);
  expect(await shop.balance(bob)).toEqual({ credits: 1_000, debt: 0 });
  shop.stripe.disputes.escalate(id);
  await shop.settle();
  expect(await disputesOf(id)).toMatchObject([{ status: 'needs_response', funds: 'taken' }]);
  expect(await shop.balance(bob)).toEqual({ credits: 0, debt: 0 });
});

test('an inquiry that ends without a chargeback moves no credits', async () => {
  const [carol, intent] = await bought();
  const { id } = shop.stripe.disputes.open(intent, { isInquiry: true });
  shop.stripe.disputes.closeInquiry(id);
  await shop.settle();
  expect(await disputesOf(id, 'closed')).toMatchObject([{ status: 'warning_closed', funds: 'none' }]);
  expect(await shop.balance(carol)).toEqual({ credits: 1_000, debt: 0 });
});

test('duplicate dispute events in reverse order end in the same state', async () => {
  const [dave, intent] = await bought();
  const held = shop.stripe.webhooks.hold('charge.dispute.*');
  shop.stripe.webhooks.duplicate('charge.dispute.closed', 3);
  const { id } = shop.stripe.disputes.open(intent);
  shop.stripe.disputes.lose(id);
  held.release('reversed');
  await shop.settle();
  const [lost] = await disputesOf(id);
  expect(lost).toMatchObject({ status: 'lost', funds: 'taken' });
  expect(await shop.balance(dave)).toEqual({ credits: 0, debt: 0 });
});

test('a late response from before the decision does not reopen a dispute', async () => {
  const [, intent] = await bought();
  const { id } = shop.stripe.disputes.open(intent);
  await shop.settle();
  const late = shop.stripe.faults.add({ on: 'GET /v1/disputes', kind: 'hold' });
  shop.stripe.disputes.answer(id);
  await shop.stripe.webhooks.drain();
  const slow = shop.service.drain();
  await late.reached;
  shop.stripe.disputes.lose(id);
  await shop.settle();
  expect(await disputesOf(id)).toMatchObject([{ status: 'lost' }]);
  late.release();
  await slow;
  expect(await disputesOf(id)).toMatchObject([{ status: 'lost', closed_at: expect.any(String) }]);
});

test('a dispute whose events were lost is found within a day, and so is its end', async () => {
  const [erin, intent] = await bought();
  const DAY = 86_400_000;
  shop.stripe.webhooks.drop('charge.dispute.*', 100);
  const { id } = shop.stripe.disputes.open(intent);
  await shop.service.clock.advance(DAY);
  await shop.settle();
  expect(await disputesOf(id)).toMatchObject([{ status: 'needs_response', funds: 'taken' }]);
  expect(await shop.balance(erin)).toEqual({ credits: 0, debt: 0 });
  await shop.service.clock.advance(30 * DAY);
  shop.stripe.disputes.win(id);
  await shop.settle();
  shop.stripe.webhooks.clearFaults();
  expect(await disputesOf(id)).toMatchObject([{ status: 'won', funds: 'returned' }]);
  expect(await shop.balance(erin)).toEqual({ credits: 1_000, debt: 0 });
});

test('open disputes are counted in the overview, and the doctor reports them with their deadline', async () => {
  const before = (await sam.call(getOverview)).body.open_disputes;
  const [, intent] = await bought();
  const { id } = shop.stripe.disputes.open(intent);
  await shop.settle();
  expect((await sam.call(getOverview)).body.open_disputes).toBe(before + 1);
  const found = await checkPayments(shop.service.app.db);
  expect(found).toMatchObject([{ level: 'warning', says: expect.stringContaining('evidence is due by') }]);
  shop.stripe.disputes.lose(id);
  await shop.settle();
  expect((await sam.call(getOverview)).body.open_disputes).toBe(before);
});

test('open disputes come first, the most urgent at the top', async () => {
  const { results, count: all } = (await sam.call(listDisputes, { query: { page_size: 100 } })).body;
  expect(results).toHaveLength(all);
  const open = results.filter(({ closed_at }) => closed_at === null);
  expect(results.slice(0, open.length)).toEqual(open);
  const due = open.map(({ evidence_due_at }) => evidence_due_at ?? '');
  expect(due).toEqual([...due].sort());
  const statuses: DisputeStatus[] = results.map(({ status }) => status);
  expect(statuses).toContain('lost');
});
