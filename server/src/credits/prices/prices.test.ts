import { sendOtp } from '@sixdigit/contract/otp.ts';
import { calculatePrice, createIntent, listPackages } from '@sixdigit/contract/payments.ts';
import { DEFAULT_PRICES, getPrices, type PriceList, type SendPrice } from '@sixdigit/contract/prices.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { lockSetting, storeSetting } from '../../settings/live-settings/live-settings.ts';
import { PRICES } from './prices.ts';

let count = 0;
const phone = (prefix = '+1415555') => `${prefix}${2000 + ++count}`;

const service = fixture(() =>
  testService({ env: { RECIPIENT_SENDS_PER_10_MIN: '1000', ALLOWED_COUNTRIES: '*' } }),
);
const other = fixture(() => anotherProcess(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 100_000, keys: 40 }));

const put = async (change: Partial<PriceList>): Promise<void> => {
  await service.app.db.transaction(async (tx) => {
    await lockSetting(tx, PRICES);
    const value = { ...DEFAULT_PRICES, ...change };
    await storeSetting(tx, { id: service.app.random.uuid(), name: PRICES, value, operator_id: null });
  });
  await service.app.live.refresh();
};
const price = (more: Partial<SendPrice> = {}): SendPrice => ({
  channel: 'sms',
  country: null,
  credits: 3,
  unit: 'request',
  ...more,
});
const paid = async () => {
  const { sum } = await service.app.db.one<{ sum: number }>(
    'select coalesce(-sum(credits), 0) as sum from ledger where account_id = $1 and kind in ($2, $3)',
    [alice.account_id, 'usage', 'refund'],
  );
  return sum;
};

test('a send costs one credit if the operator sets no prices', async () => {
  await put({});
  const { body } = await alice.send(phone());
  expect(body.cost_credits).toBe(1);
});

test('a send costs the price of its channel and country, per request or per segment', async () => {
  await put({
    sends: [
      price(),
      price({ country: 'DE', credits: 5, unit: 'segment' }),
      price({ channel: 'email', credits: 2 }),
    ],
  });
  const long = `${'x'.repeat(170)} {code}`;
  const costs = [
    await alice.send(phone()),
    await alice.send(phone(), { message: long }),
    await alice.send(phone('+491511234')),
    await alice.send(phone('+491511234'), { message: long }),
    await alice.send('priced@example.com', { channel: 'email' }),
  ].map(({ body }) => body.cost_credits);
  expect(costs).toEqual([3, 3, 5, 10, 2]);
});

test('a send is refused without a charge if the balance is below its price', async () => {
  await put({ sends: [price({ credits: 11 })] });
  const bob = await sender(service, 'Bob', { credits: 10 });
  expect(await bob.send(phone())).toMatchObject({ status: 402, body: { reason: 'insufficient_credits' } });
  expect(await bob.balance()).toBe(10);
});

test('the credits of a send count towards the spend limits', async () => {
  await put({ sends: [price({ credits: 4 })] });
  const carol = await sender(service, 'Carol', { credits: 100 });
  await service.call(updateSpend, {
    bearer: await signedIn(service, carol),
    body: { daily_credit_limit: 10, monthly_credit_limit: null },
  });
  const sends = [await carol.send(phone()), await carol.send(phone()), await carol.send(phone())];
  expect(sends.map(({ status }) => status)).toEqual([201, 201, 402]);
  expect(sends.map(({ headers }) => headers['x-spend-limit-remaining'])).toEqual(['6', '2', '0']);
});

test('a send canceled before its dispatch is refunded what it was charged, even after a price change', async () => {
  await put({ sends: [price({ credits: 7 })] });
  const before = await alice.balance();
  const otp_id = await alice.sent(phone());
  expect(await alice.balance()).toBe(before - 7);
  await put({ sends: [price({ credits: 2 })] });
  expect((await alice.cancel(otp_id)).body).toMatchObject({ cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
});

test('while prices change under load on two processes, the ledger equals the sum of the returned costs', async () => {
  const before = await paid();
  let answered = 0;
  let isDone = false;
  const seen = new Set<number>();
  const sending = [service, other].map(async (process) => {
    while (!isDone) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          process.call(sendOtp, { apiKey: alice.key(), body: { channel: 'sms', recipient: phone() } }),
        ),
      );
      for (const { status, body } of answers) {
        // A key that is over its rate limit charges nothing.
        if (status !== 201) continue;
        answered += body.cost_credits;
        seen.add(body.cost_credits);
      }
    }
  });
  for (let credits = 20; credits < 24; credits++) {
    await put({ sends: [price({ credits })] });
    await other.app.live.refresh();
    await expect.poll(() => seen.has(credits)).toBe(true);
  }
  isDone = true;
  await Promise.all(sending);
  expect((await paid()) - before).toBe(answered);
});

test('credits are quoted, offered and sold at the prices of the operator', async () => {
  await put({
    base_price_cents: 1.25,
    minimum_credits: 40,
    bundles: [{ credits: 200, discount: 20, popular: true }],
  });
  const bearer = await signedIn(service, alice);
  expect((await service.call(getPrices, { bearer })).body).toMatchObject({
    base_price_cents: 1.25,
    minimum_credits: 40,
  });
  expect((await service.call(listPackages, { bearer })).body).toEqual([
    { credits: 200, price_usd_cents: 200, price_display: '$2.00', popular: true, discount: 20 },
  ]);
  const quote = (credits: number) => service.call(calculatePrice, { bearer, body: { credits } });
  expect((await quote(101)).body).toMatchObject({
    price_usd_cents: 126,
    base_price_cents: 126,
    discount: 0,
  });
  const buy = (credits: number, price_usd_cents: number) =>
    service.call(createIntent, { bearer, body: { credits, price_usd_cents, save_payment_method: false } });
  expect((await buy(39, 49)).body).toEqual({
    credits: ['Please buy at least 40 credits: the card networks’ minimum is $0.50 a payment.'],
    error: 'Please buy at least 40 credits: the card networks’ minimum is $0.50 a payment.',
  });
  expect((await buy(200, 360)).body).toMatchObject({
    reason: 'price_changed',
    quote: { price_usd_cents: 200 },
  });
  expect((await buy(200, 200)).body).toMatchObject({ success: true });
});

test.each([
  ['credits', 'insufficient_credits'],
  ['daily_credit_limit', 'spend_limit_reached'],
])('a plan skips a channel that costs more than the %s', async (column, reason) => {
  const fay = await sender(service, `Fay ${column}`, { keys: 3 });
  await service.app.db.run(`update balances set ${column} = 2 where account_id = $1`, [fay.account_id]);
  await put({ sends: [price({ credits: 3 })] });
  const body = { recipient: phone(), channels: ['sms' as const, 'voice' as const] };
  const sent = await service.call(sendOtp, { apiKey: fay.key(), body });
  expect(sent.body).toMatchObject({ channel: 'voice', cost_credits: 1 });
  expect((await fay.state(sent.body.otp_id)).steps?.[0]).toMatchObject({ status: 'skipped', reason });
  await put({});
});
