import { exportAccounting } from '@sixdigit/contract/operator/accounting.ts';
import { adjustCredits } from '@sixdigit/contract/operator/accounts.ts';
import { createOperatorKey, listOperatorActions } from '@sixdigit/contract/operator/operator.ts';
import { listPurchases, refundPurchase } from '@sixdigit/contract/operator/payments.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testOperator } from '../../../test/operator.ts';
import { stripeShop } from '../../../test/payments.ts';
import type { Customer } from '../../../test/service.ts';
import { stripeClient } from '../../payments/payments.ts';
import { accountingExport, selectAccountingPart } from './accounting.ts';

let alice: Customer;
let count = 0;
const DAY_MS = 86_400_000;
const EVER = { from: '1990-01-01', to: '2190-01-01' };

/** 1,000 credits for $18.00. */
const bought = async (): Promise<[Customer, string]> => {
  const buyer = await shop.service.customer(`Buyer${++count}`, { credits: 0 });
  return [buyer, await shop.buy(buyer, 1_000)];
};
const adjust = (account: Customer, credits: number, reason: string) =>
  olivia.call(adjustCredits, { params: { id: account.account_id }, body: { credits, reason } });
const exported = async (period = EVER): Promise<Record<string, string>[]> => {
  const { status, body } = await sam.call(exportAccounting, { query: period });
  expect(status).toBe(200);
  const [head = '', ...lines] = body.text
    .replaceAll(/["\uFEFF]/g, '')
    .trimEnd()
    .split('\r\n');
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, n) => [names[n], cell])));
};
const today = (): string => shop.service.app.clock.now().toISOString().slice(0, 10);
const sum = (rows: readonly Record<string, string>[], name: string): number =>
  rows.reduce((total, row) => total + Number(row[name]), 0);

/** A second payment of a paid order, which belongs to no order and is refunded. */
async function payAgain(of: Customer): Promise<void> {
  const { stripe } = shop.service.app.config;
  const { results } = (await olivia.call(listPurchases, { query: { search: of.email } })).body;
  const [order] = results;
  if (!stripe || !order) throw new Error('Nothing was bought');
  const { customer_id } = await shop.service.app.db.one<{ customer_id: string }>(
    'select customer_id from orders where id = $1',
    [order.id],
  );
  await stripeClient(stripe).paymentIntents.create({
    amount: 1_800,
    currency: 'usd',
    customer: customer_id,
    payment_method: await shop.card(of),
    confirm: true,
    off_session: true,
    metadata: { order_id: order.id, account_id: of.account_id, credits: '1000' },
  });
  await shop.settle();
}

const shop = fixture(stripeShop);
const olivia = fixture(() => testOperator(shop.service));
const sam = fixture(() => testOperator(shop.service, { role: 'support', name: 'Sam' }));
/** A purchase, a refund in part, a won and a lost dispute, a payment without an order, and adjustments. */
beforeAll(async () => {
  [alice] = await bought();
  const { body } = await olivia.call(listPurchases, { query: { search: alice.email } });
  const id = body.results[0]?.id ?? '';
  await olivia.call(refundPurchase, { params: { id }, body: { cents: 600, reason: 'Asked' } });
  await shop.settle();
  await adjust(alice, 50, '=HYPERLINK("http://evil.test")');
  await adjust(alice, -20, 'Typed too many');
  const [bob, won] = await bought();
  await shop.spend(bob, 900);
  const dispute = shop.stripe.disputes.open(won);
  await shop.settle();
  await adjust(bob, 10, 'Sorry');
  shop.stripe.disputes.win(dispute.id);
  await shop.settle();
  await payAgain(bob);
  const [, lost] = await bought();
  shop.stripe.disputes.lose(shop.stripe.disputes.open(lost).id);
  await shop.settle();
});

test('accounting rows have date, account, receipt, money, credits and Stripe ids, oldest first', async () => {
  const rows = await exported();
  const own = rows.filter(({ account }) => account === alice.email);
  expect(own.map(({ kind, gross, credits }) => [kind, gross, credits])).toEqual([
    ['purchase', '18', '1000'],
    ['refund', '-6', '-333'],
    ['adjustment', '0', '50'],
    ['adjustment', '0', '-20'],
  ]);
  const [purchase, refund, adjustment] = own;
  expect(purchase).toMatchObject({
    account_id: alice.account_id,
    receipt: expect.stringMatching(/^R-\d{6}$/),
    currency: 'USD',
    payment_intent_id: expect.stringMatching(/^pi_/),
    refund_or_dispute_id: '',
    provider: 'stripe_test',
  });
  expect(refund).toMatchObject({
    receipt: purchase?.receipt,
    refund_or_dispute_id: expect.stringMatching(/^re_/),
  });
  expect(adjustment).toMatchObject({ receipt: '', payment_intent_id: '' });
  const dates = rows.map(({ date }) => date ?? '');
  expect(dates[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(dates).toEqual([...dates].sort());
  expect(
    rows
      .filter(({ kind }) => kind?.startsWith('dispute'))
      .map(({ kind, gross, reason }) => [kind, gross, reason]),
  ).toEqual([
    ['dispute', '-18', 'fraudulent'],
    ['dispute_returned', '18', 'fraudulent'],
    ['dispute', '-18', 'fraudulent'],
  ]);
});

test('a reason that an operator typed does not become a formula in the accounting export', async () => {
  const { body } = await sam.call(exportAccounting, { query: EVER });
  expect(body.text).toContain(`"'=HYPERLINK(""http://evil.test"")"`);
});

test('the accounting totals match the ledger and Stripe’s balance', async () => {
  const { db } = shop.service.app;
  const all = await exported();
  expect(all.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['unmatched_payment', 'unmatched_refund']),
  );
  const ledger = await db.rows<{ account_id: string; credits: number }>(
    `select account_id, sum(credits) as credits from ledger
     where kind in ('purchase', 'clawback', 'reinstate', 'adjustment') group by account_id`,
  );
  for (const { account_id, credits } of ledger)
    expect(
      sum(
        all.filter((row) => row.account_id === account_id),
        'credits',
      ),
    ).toBe(Number(credits));
  const balance = [...shop.stripe.account.balanceTransactions.values()];
  expect(Math.round(100 * sum(all, 'gross'))).toBe(balance.reduce((total, { amount }) => total + amount, 0));
});

test('an accounting period includes its first and its last day', async () => {
  const day = today();
  await shop.service.clock.advance(DAY_MS);
  await adjust(alice, 1, 'The next day');
  const next = today();
  const reasons = async (from: string, to: string) =>
    (await exported({ from, to })).map(({ reason }) => reason);
  expect(await reasons(next, next)).toEqual(['The next day']);
  expect(await reasons(day, day)).not.toContain('The next day');
  expect(await reasons(day, next)).toContain('The next day');
  const refused = await sam.call(exportAccounting, { query: { from: next, to: day } });
  expect(refused).toMatchObject({ status: 400, body: { to: ['To must not be before from.'] } });
  for (const from of ['2026-02-30', 'yesterday', ''])
    expect((await sam.call(exportAccounting, { query: { from, to: day } })).status).toBe(400);
});

test('an accounting export read in parts neither loses nor repeats a row', async () => {
  const { db } = shop.service.app;
  const period = { from: '1990-01-01T00:00:00Z', until: '2190-01-01T00:00:00Z' };
  const whole = await selectAccountingPart(db, { ...period, after: '', most: 1_000 });
  const places: string[] = [];
  for (let after = ''; ; ) {
    const from = after === '' ? period.from : (after.split(' ')[0] ?? '');
    const part = await selectAccountingPart(db, { ...period, from, after, most: 2 });
    places.push(...part.map(({ place }) => place));
    if (part.length < 2) break;
    after = part.at(-1)?.place ?? '';
  }
  expect(places).toEqual(whole.map(({ place }) => place));
  const part = await db.transaction((tx) =>
    accountingExport(EVER).part(tx, accountingExport(EVER).first ?? ''),
  );
  expect(part).toMatchObject({ next: null });
  expect(part.rows).toEqual(whole);
});

test('every accounting export is in the audit log, including exports with a key', async () => {
  const before = (await olivia.call(listOperatorActions, { query: { action: 'payment.export' } })).body.count;
  const { body: made } = await olivia.call(createOperatorKey, {
    body: { name: 'Accounting', scopes: ['payments:read'], expires_in_days: 7 },
  });
  const answer = await shop.service.call(exportAccounting, { bearer: made.key, query: EVER });
  expect(answer.status).toBe(200);
  const { body } = await olivia.call(listOperatorActions, { query: { action: 'payment.export' } });
  expect(body.count).toBe(before + 1);
  expect(body.results[0]).toMatchObject({
    operator: olivia.email,
    operator_key: 'Accounting',
    subject: 'Accounting 1990-01-01 to 2190-01-01',
  });
});
