import {
  confirmPayment,
  createIntent,
  createWithSaved,
  deletePaymentMethod,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { hasSavedCard } from './payments.ts';

const shop = fixture(stripeShop);
const alice = fixture(() => shop.service.customer('Alice', { credits: 0 }));
const bob = fixture(() => shop.service.customer('Bob', { credits: 0 }));
let card: string;
beforeAll(async () => {
  await shop.buy(alice, 100);
  card = await shop.card(alice);
});

const HOUR_MS = 3_600_000;
const state = () => shop.state(alice);

describe('saved cards', () => {
  test('the list of saved cards has only the displayed fields', async () => {
    const { body } = await shop.as(alice, listPaymentMethods);
    expect(body).toEqual({
      payment_methods: [{ id: card, brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2040 }],
    });
    expect((await shop.as(bob, listPaymentMethods)).body).toEqual({ payment_methods: [] });
    expect(await hasSavedCard(shop.service.app, alice.account_id)).toBe(true);
    expect(await hasSavedCard(shop.service.app, bob.account_id)).toBe(false);
  });

  test('saved cards pay immediately', async () => {
    const before = await shop.balance(alice);
    const answer = await shop.as(alice, createWithSaved, {
      body: { ...priced(500), payment_method_id: card },
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect((await shop.balance(alice)).credits).toBe(before.credits + 500);
  });

  test('saved cards of another account cannot be charged or removed', async () => {
    await shop.buy(bob, 100);
    const his = await shop.card(bob);
    const before = await state();
    const body = { ...priced(500), payment_method_id: his };
    expect((await shop.as(alice, createWithSaved, { body })).status).toBe(404);
    expect((await shop.as(alice, deletePaymentMethod, { params: { id: his } })).status).toBe(404);
    expect((await shop.as(alice, deletePaymentMethod, { params: { id: 'pm_none' } })).status).toBe(404);
    expect(await state()).toEqual(before);
    expect(shop.stripe.account.paymentMethods.get(his)?.customer).not.toBeNull();
  });

  test('a declined saved card returns the reason and adds no credits', async () => {
    shop.stripe.declineNext('insufficient_funds', { paymentMethod: card });
    const before = await shop.balance(alice);
    const answer = await shop.as(alice, createWithSaved, {
      body: { ...priced(500), payment_method_id: card },
    });
    expect(answer).toMatchObject({
      status: 402,
      body: { reason: 'card_declined', error: 'Your card has insufficient funds.' },
    });
    await shop.settle();
    expect(await shop.balance(alice)).toEqual(before);
  });

  test('a payment with a saved card that requires authentication continues in the browser', async () => {
    const carol = await shop.service.customer('Carol', { credits: 0 });
    await shop.buy(carol, 100, '4000002760003184');
    const body = { ...priced(500), payment_method_id: await shop.card(carol) };
    const asked = await shop.as(carol, createWithSaved, { body });
    expect(asked).toMatchObject({ status: 200, body: { success: false, requires_action: true } });
    const secret = asked.body.client_secret ?? '';
    expect(await shop.balance(carol)).toMatchObject({ credits: 100 });
    await shop.stripe.browser.authenticate(secret, 'complete');
    const confirmed = await shop.as(carol, confirmPayment, {
      body: { payment_intent_id: intentIdOf(secret) },
    });
    expect(confirmed.body).toEqual({ success: true, credits: 500, status: 'succeeded' });
    await shop.settle();
    expect(await shop.balance(carol)).toMatchObject({ credits: 600 });
  });

  describe('without a recent proof of identity', () => {
    const REFUSED = { status: 400, body: { reason: 'step_up_required' } };
    const prove = (buyer: Customer, sql: string) =>
      shop.service.app.db.run(`update sessions set proven_at = ${sql} where account_id = $1`, [
        buyer.account_id,
      ]);
    /** Signs the buyer in with a session whose proof of identity has expired. */
    const lapsedSession = async (buyer: Customer) => {
      const bearer = await signedIn(shop.service, buyer);
      await prove(buyer, "clock_now() - interval '15 minutes'");
      return bearer;
    };
    /** A buyer with one purchase on an earlier day, a saved card and an expired proof of identity. */
    const lapsedBuyer = async (name: string) => {
      const buyer = await shop.service.customer(name, { credits: 0 });
      await shop.buy(buyer, 25);
      const payment_method_id = await shop.card(buyer);
      await shop.service.clock.advance(25 * HOUR_MS);
      let bearer = await lapsedSession(buyer);
      const pay = (credits: number, key?: string) =>
        shop.service.call(createWithSaved, {
          bearer,
          body: { ...priced(credits), payment_method_id },
          ...(key && { headers: { 'idempotency-key': key } }),
        });
      const later = async () => {
        await shop.service.clock.advance(24 * HOUR_MS);
        bearer = await lapsedSession(buyer);
      };
      return { buyer, bearer, pay, later };
    };

    test('without a recent proof of identity, saved cards pay at most $10 per purchase and $20 in 24 hours', async () => {
      const { buyer, pay, later } = await lapsedBuyer('Grace');
      expect(priced(1_000).price_usd_cents).toBeGreaterThan(1_000);
      expect(await pay(1_000)).toMatchObject(REFUSED);
      // 510 credits cost more than $9 and less than $10.
      for (let n = 0; n < 2; n += 1) expect((await pay(510)).status).toBe(200);
      expect(await pay(510)).toMatchObject(REFUSED);
      expect((await pay(25)).status).toBe(200);
      expect(await shop.balance(buyer)).toMatchObject({ credits: 25 + 510 + 510 + 25 });
      await prove(buyer, 'clock_now()');
      expect((await pay(1_000, 'after-the-proof')).status).toBe(200);
      await later();
      expect((await pay(510)).status).toBe(200);
    });

    test('a purchase refused without a proof of identity keeps its Idempotency-Key usable, and a paid one is replayed', async () => {
      const { buyer, pay } = await lapsedBuyer('Heidi');
      expect(await pay(1_000, 'one-purchase')).toMatchObject(REFUSED);
      await prove(buyer, 'clock_now()');
      expect((await pay(1_000, 'one-purchase')).status).toBe(200);
      await prove(buyer, 'null');
      expect((await pay(1_000, 'one-purchase')).status).toBe(200);
      expect(await shop.balance(buyer)).toMatchObject({ credits: 1_025 });
    });

    test('ten parallel purchases do not exceed the daily sum without a proof of identity', async () => {
      const { buyer, pay } = await lapsedBuyer('Ivan');
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => pay(450 + n)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
      expect((await shop.balance(buyer)).credits).toBeLessThan(1_025);
    });

    test('an intent with a declined card counts towards the daily sum while a browser can still pay it', async () => {
      const { buyer, bearer } = await lapsedBuyer('Lena');
      const body = { ...priced(510), save_payment_method: false };
      const begin = () => shop.service.call(createIntent, { bearer, body });
      const secrets: string[] = [];
      for (let n = 0; n < 2; n += 1) {
        const { client_secret = '' } = (await begin()).body;
        secrets.push(client_secret);
        await shop.stripe.browser.confirmPayment(client_secret, '4000000000000002');
      }
      await shop.settle();
      expect(await begin()).toMatchObject(REFUSED);
      const card = await shop.card(buyer);
      for (const secret of secrets) await shop.stripe.browser.confirmPayment(secret, card);
      await shop.settle();
      expect(await shop.balance(buyer)).toMatchObject({ credits: 25 + 510 + 510 });
      expect(await begin()).toMatchObject(REFUSED);
    });

    test('a payment counts towards the daily sum from its completion, not from its start', async () => {
      const { buyer, bearer } = await lapsedBuyer('Mia');
      const body = { ...priced(510), save_payment_method: false };
      const begun = (await shop.service.call(createIntent, { bearer, body })).body;
      await shop.service.clock.advance(23 * HOUR_MS);
      await shop.stripe.browser.confirmPayment(begun.client_secret ?? '', await shop.card(buyer));
      await shop.settle();
      await shop.service.clock.advance(2 * HOUR_MS);
      const again = await lapsedSession(buyer);
      const pay = async () =>
        shop.service.call(createWithSaved, {
          bearer: again,
          body: { ...priced(510), payment_method_id: await shop.card(buyer) },
        });
      expect((await pay()).status).toBe(200);
      expect(await pay()).toMatchObject(REFUSED);
    });

    test('an intent for a new card has the same limits, because a browser can pay it with a saved card', async () => {
      const { bearer } = await lapsedBuyer('Judy');
      const begin = (by: string, credits: number) =>
        shop.service.call(createIntent, {
          bearer: by,
          body: { ...priced(credits), save_payment_method: false },
        });
      expect(await begin(bearer, 1_000)).toMatchObject(REFUSED);
      expect((await begin(bearer, 100)).status).toBe(200);
      const withoutCard = await lapsedSession(await shop.service.customer('Kim', { credits: 0 }));
      expect((await begin(withoutCard, 1_000)).status).toBe(200);
    });
  });

  test('saved cards can be removed', async () => {
    const dave = await shop.service.customer('Dave', { credits: 0 });
    await shop.buy(dave, 100);
    const id = await shop.card(dave);
    expect((await shop.as(dave, deletePaymentMethod, { params: { id } })).status).toBe(204);
    expect((await shop.as(dave, listPaymentMethods)).body).toEqual({ payment_methods: [] });
    const body = { ...priced(500), payment_method_id: id };
    expect((await shop.as(dave, createWithSaved, { body })).status).toBe(404);
  });

  test('all saved cards of an account belong to one Stripe customer, however far apart the purchases', async () => {
    const lena = await shop.service.customer('Lena', { credits: 0 });
    await shop.buy(lena, 100);
    await shop.service.clock.advance(25 * HOUR_MS);
    await shop.buy(lena, 100);
    const made = [...shop.stripe.account.customers.values()].filter(
      (one) => !one.deleted && one.email === lena.email,
    );
    expect(made).toHaveLength(1);
  });

  test('deleting an account removes its saved cards at Stripe', async () => {
    const erin = await shop.service.customer('Erin', { credits: 0 });
    await shop.buy(erin, 100);
    const id = await shop.card(erin);
    await shop.service.app.db.run('update accounts set deleted_at = clock_now() where id = $1', [
      erin.account_id,
    ]);
    await shop.settle();
    expect(shop.stripe.account.paymentMethods.get(id)?.customer).toBeNull();
  });
});
