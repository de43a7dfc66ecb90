import { expect, test } from 'vitest';
import { signWebhook } from '../../test/fakes/stripe/webhooks.ts';
import { fixture } from '../../test/fixture.ts';
import { sandboxShop, stripeShop } from '../../test/payments.ts';
import { STRIPE_WEBHOOK_PATH } from './events.ts';

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

test('an event signed over the received bytes is stored before the response', async () => {
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
])('%s is refused and nothing is written', async (_, send) => {
  const before = await kept();
  expect(await send()).toBe(400);
  expect(await kept()).toBe(before);
});

test('a body of 2 MB is refused without a write, and one of 900 kB is accepted', async () => {
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

test('events without an order are acknowledged and not stored', async () => {
  const before = await kept();
  const body = eventBody('evt_other', 'customer.created');
  expect(await post(body, sign(body))).toBe(200);
  expect(await kept()).toBe(before);
});

test('an event about another application’s intent in the same Stripe account changes nothing', async () => {
  const body = eventBody('evt_foreign');
  expect(await post(body, sign(body))).toBe(200);
  await shop.service.drain();
  const event = await shop.service.app.db.one<{ processed_at: string | null }>(
    `select processed_at from payment_events where id = 'evt_foreign'`,
  );
  expect(event.processed_at).not.toBeNull();
  expect(await shop.service.app.db.rows('select 1 from ledger')).toEqual([]);
});

test('without Stripe the webhook path returns 404', async () => {
  await using sandbox = await sandboxShop();
  const answer = await sandbox.service.inject({ method: 'POST', url: STRIPE_WEBHOOK_PATH, payload: {} });
  expect(answer.statusCode).toBe(404);
});
