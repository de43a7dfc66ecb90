import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmSandboxPayment, getReceipt, listTransactions } from '@sixdigit/contract/payments.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sandboxShop } from '../../test/payments.ts';
import { rowsReadBy } from '../../test/rows-read.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { countNextTransactions, countTransactions, transactionsOf } from './history.ts';

const card = (number: string) => ({ number, exp_month: 12, exp_year: 2040, cvc: '123' });

/** Welcome credits, two sends, a purchase, a declined one, one that waits for the bank, and an opened payment form. */
const shop = fixture(sandboxShop);
const buyer = fixture(() => shop.service.customer('Alice', { credits: 25 }));
beforeAll(async () => {
  for (const recipient of ['a@example.com', 'b@example.com'])
    await shop.service.call(sendOtp, { body: { channel: 'email', recipient }, apiKey: buyer.api_key });
  const paid = await shop.intent(buyer, 1000);
  await shop.as(buyer, confirmSandboxPayment, {
    body: { client_secret: paid, card: card('4242424242424242') },
  });
  const declined = await shop.intent(buyer, 750);
  await shop.as(buyer, confirmSandboxPayment, {
    body: { client_secret: declined, card: card('4000000000000002') },
  });
  const asked = await shop.intent(buyer, 500);
  await shop.as(buyer, confirmSandboxPayment, {
    body: { client_secret: asked, card: card('4000002500003155') },
  });
  await shop.intent(buyer, 100);
});

const list = async (query: Record<string, unknown> = {}, who = buyer) =>
  (await shop.as(who, listTransactions, { query })).body;

test('the payment history lists ledger entries and uncredited orders, newest first', async () => {
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
])('a search of the payment history for %s finds %i rows', async (search, expected) => {
  const { results, count } = await list({ search });
  expect(results.length).toBe(expected);
  expect(count).toBe(expected);
});

test.each(['created_at', 'transaction_type', 'amount', 'payment_status', 'description', 'price_usd_cents'])(
  'the payment history is ordered by %s in both directions',
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

test('the payment history of another account contains none of the orders, including failed ones', async () => {
  const bob = await shop.service.customer('Bob', { credits: 0 });
  expect(await list({}, bob)).toEqual({ results: [], count: 0 });
});

test('only a purchase has a receipt', async () => {
  const { results } = await list();
  for (const { id, has_receipt } of results)
    expect((await shop.as(buyer, getReceipt, { params: { id } })).status).toBe(has_receipt ? 200 : 404);
  expect((await shop.as(buyer, getReceipt, { params: { id: 'none' } })).status).toBe(404);
});

test.each([
  ['all', 6, undefined],
  ['purchases', 4, ['purchase']],
  ['usage', 2, ['usage']],
])('the payment history shows only %s on request', async (type, expected, types) => {
  const { results, count } = await list({ type });
  expect([results.length, count]).toEqual([expected, expected]);
  if (types) expect([...new Set(results.map(({ transaction_type }) => transaction_type))]).toEqual(types);
  const named = await list({ type, search: 'Credit bundle' });
  expect(named.count).toBe(type === 'usage' ? 0 : 2);
});

test('an unknown type of the payment history is a field error', async () => {
  const { status, body } = await shop.as(buyer, listTransactions, { query: { type: 'sends' as never } });
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { type: ['Type must be one of: all, purchases, usage.'] },
  });
});

const ENTRIES = 12_000;
const HOUR = 3_600_000;

/** Creates an account with sends from the last hours, 5 seconds apart. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 100_000 }));
beforeAll(async () => {
  await service.app.db.run(
    `insert into ledger (account_id, id, created_at, credits, kind, reference, description)
     select $1, uuid_floor(at), at, case when n % 10 = 0 then 1 else -1 end,
       case when n % 10 = 0 then 'refund' else 'usage' end, 'many:' || n,
       case when n % 10 = 0 then 'Refund: verification not delivered' else 'SMS verification' end
     from (select n, clock_now() - make_interval(secs => 5 * n) as at from generate_series(1, $2) n) e`,
    [alice.account_id, ENTRIES],
  );
});

const count = async (search = '', type = 'all') => {
  const bearer = await signedIn(service, alice);
  const { status, body } = await service.call(listTransactions, { bearer, query: { search, type } as never });
  expect(status).toBe(200);
  return body.count;
};
const counted = () =>
  service.app.db.maybe<{ up_to_id: string; n: number }>(
    `select up_to_id, (select sum(c.n) from jsonb_to_recordset(counts) as c (n bigint)) as n
     from transaction_counts where account_id = $1`,
    [alice.account_id],
  );

test('the payment history of a busy account is counted exactly, even by several concurrent requests', async () => {
  // with the welcome credits
  expect(await Promise.all([count(), count('sms'), count('refund'), count('verification')])).toEqual([
    ENTRIES + 1,
    ENTRIES * 0.9,
    ENTRIES * 0.1,
    ENTRIES,
  ]);
  // Opening the screen for the first time marks the account. The job then counts all entries except those of the last two
  // hours.
  expect((await counted())?.n).toBeNull();
  await service.drain({ keepHouse: true });
  expect((await counted())?.n).toBe(ENTRIES - 1_440 + 1);
  expect([await count(), await count('sms'), await count('nothing like it')]).toEqual([
    ENTRIES + 1,
    ENTRIES * 0.9,
    0,
  ]);
});

test('new payment history entries are in the count immediately, and in the stored count later', async () => {
  const before = await counted();
  await alice.sent('reader@example.com');
  expect([await count(), await count('Email')]).toEqual([ENTRIES + 2, 1]);
  expect(await counted()).toEqual(before);
  await service.clock.advance(3 * HOUR);
  expect([await count(), await count('Email')]).toEqual([ENTRIES + 2, 1]);
  const twoWorkers = [1, 2].map(async () => {
    while (await countNextTransactions(service.app.db));
  });
  await Promise.all(twoWorkers);
  expect((await counted())?.n).toBe(ENTRIES + 2);
  expect([await count(), await count('Email')]).toEqual([ENTRIES + 2, 1]);
});

test('purchases of a busy account are listed and counted without reading its sends', async () => {
  expect(await Promise.all([count('', 'purchases'), count('', 'usage'), count('sms', 'usage')])).toEqual([
    1,
    ENTRIES + 1,
    ENTRIES * 0.9,
  ]);
  await service.app.db.pool.query('vacuum analyze ledger');
  await service.app.db.transaction(async (tx) => {
    const query = { page: 1, page_size: 10, search: '', ordering: '-created_at', type: 'purchases' } as const;
    const read = await rowsReadBy(tx, async () => {
      const { results } = await transactionsOf({ db: tx as never }, alice.account_id, query);
      expect(results.map(({ description }) => description)).toEqual(['Welcome credits']);
    });
    expect(read.get('ledger') ?? 0).toBeLessThan(20);
  });
});

test('counting the payment history reads only entries without a stored count', async () => {
  await service.app.db.pool.query('vacuum analyze ledger');
  for (const text of [null, '%sms%'])
    await service.app.db.transaction(async (tx) => {
      const read = await rowsReadBy(tx, () => countTransactions(tx, alice.account_id, { text, type: 'all' }));
      expect(read.get('ledger') ?? 0).toBeLessThan(100);
    });
});
