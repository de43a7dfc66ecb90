import { getReconciliation, listPurchases, refundPurchase } from '@sixdigit/contract/operator/payments.ts';
import { confirmSandboxPayment, createIntent, listTransactions } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { TEST_CARD } from '../../../test/belongings.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { auditOf, type TestOperator, testOperator } from '../../../test/operator.ts';
import { priced, type Shop, sandboxShop, stripeShop } from '../../../test/payments.ts';
import type { Customer } from '../../../test/service.ts';

let count = 0;
const shop = fixture(stripeShop);
const olivia = fixture(() => testOperator(shop.service));

const purchaseOf = async (by: TestOperator, search: string) => {
  const { body } = await by.call(listPurchases, { query: { search } });
  const [found] = body.results;
  if (!found) throw new Error(`No purchase for ${search}`);
  return found;
};
/** 1,000 credits for $18.00. */
const bought = async (): Promise<[Customer, string]> => {
  const buyer = await shop.service.customer(`Buyer${++count}`, { credits: 0 });
  await shop.buy(buyer, 1_000);
  return [buyer, (await purchaseOf(olivia, buyer.account_id)).id];
};
const refund = (id: string, body: object) =>
  olivia.call(refundPurchase, { params: { id }, body: { reason: 'Asked for it', ...body } });

test('a purchase is refunded in part and then in full, and ledger and Stripe agree', async () => {
  const [alice, id] = await bought();
  const part = await refund(id, { cents: 600 });
  expect(part).toMatchObject({
    status: 200,
    body: {
      refunded_cents: 600,
      credits_taken: 333,
      reversals: [{ kind: 'refund', cents: 600, state: 'taken' }],
    },
  });
  expect(await shop.balance(alice)).toEqual({ credits: 667, debt: 0 });
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 667, debt: 0 });

  const rest = await refund(id, {});
  expect(rest.body).toMatchObject({ refunded_cents: 1_800, credits_taken: 1_000 });
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  expect((await refund(id, {})).body).toMatchObject({ reason: 'not_refundable' });
  const { body } = await shop.as(alice, listTransactions);
  expect(body.results[0]).toMatchObject({ transaction_type: 'usage', description: 'Card refund of $12.00' });
  expect((await auditOf(shop.service)).filter(({ action }) => action === 'payment.refund')).toMatchObject([
    { reason: 'Asked for it', before: { refunded_cents: 0 }, after: { refunded_cents: 600 } },
    { before: { refunded_cents: 600 }, after: { refunded_cents: 1_800 } },
  ]);

  // A dispute takes the money a second time.
  shop.stripe.disputes.open((await purchaseOf(olivia, id)).payment_intent_id ?? '', { amount: 500 });
  await shop.settle();
  expect((await refund(id, {})).body).toMatchObject({ reason: 'not_refundable' });
});

test('a refund repeated with the same id, also at once, moves the money once', async () => {
  const [bob, id] = await bought();
  const same = { cents: 180, refund_id: shop.service.app.random.uuid() };
  for (const { status } of [await refund(id, same), await refund(id, same)]) expect(status).toBe(200);
  await shop.settle();
  expect((await purchaseOf(olivia, bob.account_id)).refunded_cents).toBe(180);
  expect(await shop.balance(bob)).toEqual({ credits: 900, debt: 0 });

  const rest = { refund_id: shop.service.app.random.uuid() };
  await using held = await holdLock(shop.service, 'select from orders where id = $1 for update', [id]);
  const together = Promise.all([refund(id, rest), refund(id, rest)]);
  await untilWaiting(shop.service, 2);
  await held.commit();
  for (const { status } of await together) expect(status).toBe(200);
  expect((await purchaseOf(olivia, bob.account_id)).refunded_cents).toBe(1_800);
  const recorded = await shop.service.app.db.rows(
    `select before, after from operator_actions where action = 'payment.refund' and subject = $1 order by id`,
    [`Purchase ${id}`],
  );
  expect(recorded).toMatchObject([
    { before: { refunded_cents: 0 }, after: { refunded_cents: 180 } },
    { before: { refunded_cents: 180 }, after: { refunded_cents: 1_800 } },
  ]);
});

test('concurrent refunds never exceed the payment', async () => {
  const [carol, id] = await bought();
  const answers = await Promise.all([1, 2, 3].map(() => refund(id, { cents: 1_000 })));
  await shop.settle();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await purchaseOf(olivia, carol.account_id)).refunded_cents).toBe(1_000);
});

test('a refund of more than is left, or of another purchase, is refused', async () => {
  const [, id] = await bought();
  expect((await refund(id, { cents: 1_801 })).body).toMatchObject({
    cents: ['Only $18.00 of this purchase is left to refund.'],
  });
  expect((await refund(id, { cents: 0 })).status).toBe(400);
  expect((await refund(id, { reason: '' })).status).toBe(400);
  expect((await refund(shop.service.app.random.uuid(), {})).status).toBe(404);
  expect((await refund('no id', {})).status).toBe(404);
});

test('an operator finds purchases by address, account, order and payment, and filters them by status', async () => {
  const [dave, id] = await bought();
  const { payment_intent_id } = await purchaseOf(olivia, id);
  for (const search of [dave.email, dave.account_id, payment_intent_id ?? ''])
    expect((await purchaseOf(olivia, search)).id).toBe(id);
  const listed = async (status: 'reversed' | 'failed') =>
    (await olivia.call(listPurchases, { query: { status } })).body.results;
  expect((await listed('reversed')).map((one) => one.id)).not.toContain(id);
  await refund(id, { cents: 100 });
  expect((await listed('reversed')).map((one) => one.id)).toContain(id);
  expect(await listed('failed')).toEqual([]);
});

test('the reconciliation shows the provider and the pending work, with the attempts so far', async () => {
  const reconciliation = async () => (await olivia.call(getReconciliation)).body;
  const nothing = { provider: 'stripe_test', unmatched: [], failing_events: [] };
  expect(await reconciliation()).toMatchObject(nothing);
  const buyer = await shop.service.customer(`Buyer${++count}`, { credits: 0 });
  const secret = await shop.intent(buyer, 1_000);
  await shop.settle();
  shop.stripe.faults.add({ on: 'GET /v1/payment_intents/*', kind: 'error', times: 1_000 });
  await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
  await shop.settle();
  await shop.service.clock.advance(6_000);
  await shop.settle();
  const { failing_events } = await reconciliation();
  expect(failing_events.length).toBeGreaterThan(0);
  for (const { tries } of failing_events) expect(tries).toBeGreaterThanOrEqual(2);
  shop.stripe.faults.clear();
  await shop.service.clock.advance(3_601_000);
  await shop.settle();
  expect(await reconciliation()).toMatchObject(nothing);
});

test('a purchase with a test card is refunded in the sandbox too', async () => {
  await using sandbox: Shop = await sandboxShop();
  const operator = await testOperator(sandbox.service);
  const erin = await sandbox.service.customer('Erin', { credits: 0 });
  const { body } = await sandbox.as(erin, createIntent, { body: priced(1_000) });
  await sandbox.as(erin, confirmSandboxPayment, {
    body: { client_secret: body.client_secret ?? '', card: TEST_CARD },
  });
  const { id, card } = await purchaseOf(operator, erin.account_id);
  expect(card).toBe('Visa ending in 4242');
  const ask = (cents: number) =>
    operator.call(refundPurchase, { params: { id }, body: { cents, reason: 'Test' } });
  expect((await ask(900)).body).toMatchObject({ refunded_cents: 900, credits_taken: 500 });
  expect(await sandbox.balance(erin)).toEqual({ credits: 500, debt: 0 });
  expect((await ask(901)).status).toBe(400);
  await using held = await holdLock(sandbox.service, 'select from sandbox_intents for update', []);
  const together = Promise.all([ask(500), ask(600)]);
  await untilWaiting(sandbox.service, 2);
  await held.commit();
  expect((await together).filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a payment form that was only opened is not listed as a purchase', async () => {
  const { service } = shop;
  const fred = await service.customer('Fred', { credits: 0 });
  await shop.as(fred, createIntent, { body: priced(1_000) });
  const list = async () =>
    (await olivia.call(listPurchases, { query: { search: fred.account_id } })).body.results;
  expect(await list()).toEqual([]);
  await service.clock.advance(25 * 3_600_000);
  await shop.settle();
  await service.drain({ keepHouse: true });
  expect(await list()).toEqual([]);
  await shop.buy(fred, 1_000);
  expect(await list()).toMatchObject([{ status: 'succeeded', credits: 1_000 }]);
});

test('a refund that the card provider refuses shows the reason and deducts no credits', async () => {
  const [buyer, id] = await bought();
  const error = { type: 'invalid_request_error', message: 'This charge is disputed.' } as const;
  shop.stripe.faults.add({ on: 'POST /v1/refunds', kind: 'error', status: 400, error });
  expect(await refund(id, {})).toMatchObject({
    status: 502,
    body: {
      reason: 'payment_provider_refused',
      error: expect.stringMatching(
        /^The card provider refused the refund, so nothing was refunded: This charge is disputed\./,
      ),
    },
  });
  expect(await shop.balance(buyer)).toEqual({ credits: 1_000, debt: 0 });
});
