import { confirmPayment, createIntent, createWithSaved } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { signWebhook } from '../../test/fakes/stripe/webhooks.ts';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, sandboxShop, stripeShop } from '../../test/payments.ts';
import { STRIPE_WEBHOOK_PATH } from './events.ts';
import { reconcile } from './reconcile.ts';

const shop = fixture(stripeShop);

const eventBody = (id: string, type = 'payment_intent.succeeded') =>
  JSON.stringify(
    { id, object: 'event', type, data: { object: { id: 'pi_1', object: 'payment_intent' } } },
    null,
    2,
  );

async function post(body: string, signature?: string) {
  const answer = await shop.service.inject({
    method: 'POST',
    url: STRIPE_WEBHOOK_PATH,
    headers: {
      'content-type': 'application/json',
      ...(signature === undefined ? {} : { 'stripe-signature': signature }),
    },
    payload: body,
  });
  return answer.statusCode;
}
const sign = (body: string, { secret = shop.stripe.webhookSecret, at = new Date() } = {}) =>
  signWebhook(body, secret, at);
const kept = async () =>
  (await shop.service.app.db.one<{ n: number }>('select count(*) as n from payment_events')).n;
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

test('a signed Stripe event is stored before the response', async () => {
  const body = eventBody('evt_good');
  expect(await post(body, sign(body))).toBe(200);
  expect(await kept()).toBe(1);
});

test.each<[string, () => Promise<number>]>([
  ['a tampered body', () => post(eventBody('evt_2').replace('pi_1', 'pi_2'), sign(eventBody('evt_2')))],
  ['another secret', () => post(eventBody('evt_3'), sign(eventBody('evt_3'), { secret: 'whsec_other' }))],
  [
    'a timestamp of six minutes ago',
    () => post(eventBody('evt_4'), sign(eventBody('evt_4'), { at: minutesFromNow(-6) })),
  ],
  [
    'a timestamp of six minutes ahead',
    () => post(eventBody('evt_5'), sign(eventBody('evt_5'), { at: minutesFromNow(6) })),
  ],
  [
    'the same JSON written anew',
    () => post(JSON.stringify(JSON.parse(eventBody('evt_6'))), sign(eventBody('evt_6'))),
  ],
  ['no signature', () => post(eventBody('evt_7'))],
  ['a signature of nothing', () => post(eventBody('evt_8'), 't=,v1=')],
])('a Stripe event with %s is refused and nothing is written', async (_, send) => {
  const before = await kept();
  expect(await send()).toBe(400);
  expect(await kept()).toBe(before);
});

test('a Stripe event of 2 MB is refused without a write, and one of 900 kB is accepted', async () => {
  const before = await kept();
  const sized = (id: string, bytes: number) =>
    JSON.stringify({ ...JSON.parse(eventBody(id)), pad: 'x'.repeat(bytes) });
  const large = sized('evt_large', 2_000_000);
  expect(await post(large, sign(large))).toBe(413);
  expect(await kept()).toBe(before);
  const fits = sized('evt_fits', 900_000);
  expect(await post(fits, sign(fits))).toBe(200);
  expect(await kept()).toBe(before + 1);
});

test('Stripe events without an order are acknowledged and not stored', async () => {
  const before = await kept();
  const body = eventBody('evt_other', 'customer.created');
  expect(await post(body, sign(body))).toBe(200);
  expect(await kept()).toBe(before);
});

test('a Stripe event about another application’s intent changes nothing', async () => {
  const body = eventBody('evt_foreign');
  expect(await post(body, sign(body))).toBe(200);
  await shop.service.drain();
  const event = await shop.service.app.db.one<{ processed_at: string | null }>(
    `select processed_at from payment_events where id = 'evt_foreign'`,
  );
  expect(event.processed_at).not.toBeNull();
  expect(await shop.service.app.db.rows('select 1 from ledger')).toEqual([]);
});

test('without Stripe, the path of Stripe webhooks returns 404', async () => {
  await using sandbox = await sandboxShop();
  const answer = await sandbox.service.inject({ method: 'POST', url: STRIPE_WEBHOOK_PATH, payload: {} });
  expect(answer.statusCode).toBe(404);
});

const MINUTE = 60_000;
const times = <T>(count: number, act: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n)));
const stranger = () => `Stranger${Math.random().toString(36).slice(2, 8)}`;
const someone = () => shop.service.customer(stranger(), { credits: 0 });
const paidIntent = async (buyer: Awaited<ReturnType<typeof someone>>, credits: number) => {
  const secret = await shop.intent(buyer, credits);
  await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
  return intentIdOf(secret);
};
const orderOf = (intent_id: string) =>
  shop.service.app.db.one<{ status: string; card_brand: string; card_last4: string }>(
    'select status, card_brand, card_last4 from orders where intent_id = $1',
    [intent_id],
  );
const reconciled = async () => {
  const { app } = shop.service;
  if (app.cards) while (await reconcile(app, app.cards));
};

test('a Stripe event alone credits a payment and stores the card with the order', async () => {
  const alice = await someone();
  const intent = await shop.buy(alice, 500);
  expect(await shop.balance(alice)).toEqual({ credits: 500, debt: 0 });
  expect(await orderOf(intent)).toEqual({ status: 'succeeded', card_brand: 'visa', card_last4: '4242' });
  const before = shop.stripe.requests.length;
  await shop.service.clock.advance(20 * MINUTE);
  await reconciled();
  const asked = shop.stripe.requests.slice(before).map(({ path }) => path);
  expect(asked).not.toContain(`/v1/payment_intents/${intent}`);
});

test('ten events, ten confirms and the reconciler in parallel credit a payment once', async () => {
  const alice = await someone();
  shop.stripe.webhooks.duplicate('payment_intent.succeeded', 10);
  const intent = await paidIntent(alice, 1000);
  await shop.service.app.db.run(`update orders set check_at = clock_now() - interval '1 second'`);
  const [answers] = await Promise.all([
    times(10, () => shop.as(alice, confirmPayment, { body: { payment_intent_id: intent } })),
    shop.settle(),
    times(3, reconciled),
  ]);
  await shop.settle();
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, credits: 1000, status: 'succeeded' });
  }
  expect(await shop.balance(alice)).toEqual({ credits: 1000, debt: 0 });
});

test('payment events out of order end in the same state', async () => {
  const alice = await someone();
  const held = shop.stripe.webhooks.hold('*');
  const secret = await shop.intent(alice, 100);
  await shop.stripe.browser.confirmPayment(secret, '4000000000000002');
  await shop.stripe.browser.confirmPayment(secret, '4242424242424242');
  held.release('reversed');
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
  expect(await orderOf(intentIdOf(secret))).toMatchObject({ status: 'succeeded' });
});

test('a payment event that arrives before the response of create-intent is credited', async () => {
  const alice = await someone();
  const held = shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'hold' });
  const answer = shop.as(alice, createIntent, { body: priced(100) });
  await held.reached;
  const made = [...shop.stripe.account.paymentIntents.values()].at(-1);
  await shop.stripe.browser.confirmPayment(made?.client_secret ?? '', '4242424242424242');
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
  held.release();
  expect((await answer).body).toEqual({ success: true, client_secret: made?.client_secret });
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('the reconciler credits a payment after a lost event and a closed browser', async () => {
  const alice = await someone();
  shop.stripe.webhooks.drop('*', 100);
  await paidIntent(alice, 100);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  await shop.service.clock.advance(11 * MINUTE);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
  shop.stripe.webhooks.clearFaults();
});

test('another process credits a payment event if the first process dies after storing it', async () => {
  const alice = await someone();
  const intent = await paidIntent(alice, 100);
  await shop.stripe.webhooks.drain();
  // Stored and claimed by a process that died.
  await shop.service.app.db.run(
    `update payment_events set run_at = clock_now() + interval '1 minute', tries = 1 where intent_id = $1`,
    [intent],
  );
  await shop.service.drain();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  await shop.service.clock.advance(2 * MINUTE);
  await shop.service.drain();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('a payment event whose processing fails is retried until it is processed', async () => {
  const alice = await someone();
  shop.stripe.faults.add({ on: 'GET /v1/payment_intents/*', kind: 'error', times: 6 });
  const intent = await paidIntent(alice, 100);
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 0, debt: 0 });
  shop.stripe.faults.clear();
  const event = [...shop.stripe.account.events.values()].findLast(
    ({ type, data }) =>
      type === 'payment_intent.succeeded' && 'id' in data.object && data.object.id === intent,
  );
  await shop.stripe.webhooks.resend(event?.id ?? '');
  await shop.settle();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('a lost Stripe response after charging a saved card results in one charge and one credit', async () => {
  const alice = await someone();
  await shop.buy(alice, 100);
  const card = await shop.card(alice);
  const before = shop.stripe.account.charges.size;
  // The request and its one retry both lose their response.
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  const body = { ...priced(500), payment_method_id: card };
  const first = await shop.as(alice, createWithSaved, { body });
  expect(first).toMatchObject({ status: 503, body: { reason: 'payment_provider_unavailable' } });
  const again = await shop.as(alice, createWithSaved, { body });
  expect(again).toMatchObject({ status: 200, body: { success: true } });
  await shop.settle();
  expect(shop.stripe.account.charges.size).toBe(before + 1);
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
});

test('the reconciler credits a charge with a lost response even without a retry or event', async () => {
  const alice = await someone();
  await shop.buy(alice, 100);
  const card = await shop.card(alice);
  const before = shop.stripe.account.charges.size;
  shop.stripe.webhooks.drop('*', 100);
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 });
  await shop.as(alice, createWithSaved, { body: { ...priced(500), payment_method_id: card } });
  await shop.service.clock.advance(11 * MINUTE);
  await shop.settle();
  shop.stripe.webhooks.clearFaults();
  expect(shop.stripe.account.charges.size).toBe(before + 1);
  expect(await shop.balance(alice)).toEqual({ credits: 600, debt: 0 });
});

test('a request that never reached Stripe is abandoned, not charged later', async () => {
  const alice = await someone();
  await shop.buy(alice, 100);
  const card = await shop.card(alice);
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'refused', times: 2 });
  const lost = await shop.as(alice, createWithSaved, { body: { ...priced(500), payment_method_id: card } });
  expect(lost.status).toBe(503);
  await shop.service.clock.advance(11 * MINUTE);
  await shop.settle();
  const { status } = await shop.service.app.db.one<{ status: string }>(
    'select status from orders where account_id = $1 order by id desc limit 1',
    [alice.account_id],
  );
  expect(status).toBe('failed');
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
});

test('twenty parallel first purchases create one customer', async () => {
  const alice = await someone();
  const before = shop.stripe.account.customers.size;
  const answers = await times(20, () => shop.as(alice, createIntent, { body: priced(100) }));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(shop.stripe.account.customers.size).toBe(before + 1);
});

test('an intent unpaid after a day is canceled at the provider', async () => {
  const alice = await someone();
  const intent = intentIdOf(await shop.intent(alice, 100));
  await shop.service.clock.advance(25 * 60 * MINUTE);
  await shop.settle();
  expect(shop.stripe.account.paymentIntents.get(intent)?.status).toBe('canceled');
  expect(await orderOf(intent)).toMatchObject({ status: 'canceled' });
});

test('the daily comparison credits a payment missing from the ledger and logs it', async () => {
  const alice = await someone();
  shop.stripe.webhooks.drop('*', 100);
  const intent = await paidIntent(alice, 100);
  await shop.service.app.db.run('update orders set check_at = null where intent_id = $1', [intent]);
  await shop.service.clock.advance(25 * 60 * MINUTE);
  await shop.settle();
  shop.stripe.webhooks.clearFaults();
  expect(await shop.balance(alice)).toEqual({ credits: 100, debt: 0 });
  expect(shop.service.logLines.some((line) => line.includes('a payment was missing'))).toBe(true);
});

test('after a change of the Stripe account or mode, its open orders end within two days', async () => {
  const { db, random } = shop.service.app;
  const { account_id } = await someone();
  await shop.service.clock.advance(25 * 60 * MINUTE);
  const rows = [
    ['sandbox', 'pending', 25, 'canceled', true],
    ['sandbox', 'failed', 25, 'failed', true],
    ['sandbox', 'pending', 23, 'pending', false],
    ['stripe_test', 'pending', 25, 'pending', false],
  ] as const;
  for (const [provider, status, hours] of rows)
    await db.run(
      `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, status, created_at, asked_at, check_at)
       values ($1, $2, 'custom', 100, 200, $3, 'cus_1', $4, clock_now() - make_interval(hours => $5), clock_now(), '2100-01-01')`,
      [random.uuid(), account_id, provider, status, hours],
    );
  await shop.settle();
  const ended = await db.rows<{ status: string; is_over: boolean }>(
    'select status, check_at is null as is_over from orders where account_id = $1 order by id',
    [account_id],
  );
  expect(ended.map(({ status, is_over }) => [status, is_over])).toEqual(
    rows.map(([, , , status, isOver]) => [status, isOver]),
  );
});
