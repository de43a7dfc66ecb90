import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmSandboxPayment, getReceipt, listTransactions } from '@sixdigit/contract/payments.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sandboxShop } from '../../test/payments.ts';

const card = (number: string) => ({ number, exp_month: 12, exp_year: 2040, cvc: '123' });

/** Welcome credits, two sends, a purchase, a declined one, one that waits for the bank, and an opened payment form. */
const shop = fixture(sandboxShop);
const alice = fixture(() => shop.service.customer('Alice', { credits: 25 }));
beforeAll(async () => {
  for (const recipient of ['a@example.com', 'b@example.com'])
    await shop.service.call(sendOtp, { body: { channel: 'email', recipient }, apiKey: alice.api_key });
  const paid = await shop.intent(alice, 1000);
  await shop.as(alice, confirmSandboxPayment, {
    body: { client_secret: paid, card: card('4242424242424242') },
  });
  const declined = await shop.intent(alice, 750);
  await shop.as(alice, confirmSandboxPayment, {
    body: { client_secret: declined, card: card('4000000000000002') },
  });
  const asked = await shop.intent(alice, 500);
  await shop.as(alice, confirmSandboxPayment, {
    body: { client_secret: asked, card: card('4000002500003155') },
  });
  await shop.intent(alice, 100);
});

const list = async (query: Record<string, unknown> = {}, who = alice) =>
  (await shop.as(who, listTransactions, { query })).body;

test('the history lists ledger entries and orders without credit, newest first', async () => {
  const { results, count } = await list();
  expect(count).toBe(6);
  expect(
    results.map(({ transaction_type, amount, price_display, payment_status, description, has_receipt }) => [
      transaction_type,
      amount,
      price_display,
      payment_status,
      description,
      has_receipt,
    ]),
  ).toEqual([
    ['purchase', 500, '$9.50', 'pending', 'Credit bundle: 500 credits', false],
    ['purchase', 750, '$14.25', 'failed', 'Custom amount: 750 credits – Your card was declined.', false],
    ['purchase', 1000, '$18.00', 'succeeded', 'Credit bundle: 1,000 credits', true],
    ['usage', 1, null, 'succeeded', 'Email verification', false],
    ['usage', 1, null, 'succeeded', 'Email verification', false],
    ['purchase', 25, null, 'succeeded', 'Welcome credits', false],
  ]);
});

test.each([
  ['declined', 1],
  ['WELCOME', 1],
  ['verification', 2],
  ['credits', 4],
  ['usage', 2],
  ['100%', 0],
  ['_', 0],
])('a search for %s finds %i', async (search, expected) => {
  const { results, count } = await list({ search });
  expect(results.length).toBe(expected);
  expect(count).toBe(expected);
});

test.each(['created_at', 'transaction_type', 'amount', 'payment_status', 'description', 'price_usd_cents'])(
  'the history is ordered by %s in both directions',
  async (ordering) => {
    const up = (await list({ ordering })).results;
    const down = (await list({ ordering: `-${ordering}` })).results;
    expect(up.map(({ id }) => id).toSorted()).toEqual(down.map(({ id }) => id).toSorted());
    if (ordering === 'amount') {
      expect(up.map(({ amount }) => amount)).toEqual([1, 1, 25, 500, 750, 1000]);
      expect(down.map(({ amount }) => amount)).toEqual([1000, 750, 500, 25, 1, 1]);
    }
    if (ordering === 'created_at') expect(up).toEqual(down.toReversed());
  },
);

test('another account’s history contains none of the orders, failed ones included', async () => {
  const bob = await shop.service.customer('Bob', { credits: 0 });
  expect(await list({}, bob)).toEqual({ results: [], count: 0 });
});

test('only a purchase has a receipt', async () => {
  const { results } = await list();
  for (const { id, has_receipt } of results)
    expect((await shop.as(alice, getReceipt, { params: { id } })).status).toBe(has_receipt ? 200 : 404);
  expect((await shop.as(alice, getReceipt, { params: { id: 'none' } })).status).toBe(404);
});
