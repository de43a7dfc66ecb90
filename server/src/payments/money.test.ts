import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmPayment, createIntent, createWithSaved } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { intentIdOf, priced, stripeShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { stripeClient } from './stripe.ts';

const shop = fixture(stripeShop);

const ROUNDS = 10;
const AT_ONCE = 6;
const HOUR = 3_600_000;

/** The same numbers for the same seed, from 0 up to 1. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The balance that follows from the provider's records, before spending. */
async function boughtAndKept({ account_id }: Customer): Promise<number> {
  const { account } = shop.stripe;
  let kept = 0;
  for (const intent of account.paymentIntents.values()) {
    if (intent.status !== 'succeeded' || intent.metadata.account_id !== account_id) continue;
    const credits = Number(intent.metadata.credits);
    const refunded = [...account.refunds.values()]
      .filter(({ payment_intent, status }) => payment_intent === intent.id && status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0);
    const disputed = [...account.disputes.values()]
      .filter(({ payment_intent, status }) => payment_intent === intent.id && status !== 'won')
      .reduce((sum, { amount }) => sum + amount, 0);
    const taken = Math.floor((credits * (refunded + disputed)) / intent.amount);
    kept += credits - Math.min(credits, taken);
  }
  return kept;
}

test.each([1, 2])(
  'under concurrent calls and lost responses, credits always match the money paid (seed %i)',
  { timeout: 120_000 },
  async (seed) => {
    const next = numbersFrom(seed);
    const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(next() * all.length)];
    const { stripe, service } = shop;
    const { stripe: settings } = service.app.config;
    if (!settings) throw new Error('no Stripe');
    const client = stripeClient(settings);
    const buyers: Customer[] = [];
    for (const name of ['Ann', 'Ben', 'Cat']) {
      const buyer = await service.customer(`${name}${seed}`, { credits: 0 });
      await shop.buy(buyer, 100);
      buyers.push(buyer);
    }
    const payments = () =>
      [...stripe.account.paymentIntents.values()].filter(({ status }) => status === 'succeeded');
    const bundle = () => pick([25, 100, 333, 500, 1000]) ?? 25;
    let sends = 0;

    const actions: ((buyer: Customer) => Promise<unknown> | unknown)[] = [
      async (buyer) =>
        shop.as(buyer, createWithSaved, {
          body: { ...priced(bundle()), payment_method_id: await shop.card(buyer) },
        }),
      async (buyer) => {
        const { body } = await shop.as(buyer, createIntent, { body: priced(bundle()) });
        if (!body.client_secret) return;
        const number = pick(['4242424242424242', '4000000000000002', '5555555555554444']) ?? '';
        await stripe.browser.confirmPayment(body.client_secret, number);
        const confirm = { body: { payment_intent_id: intentIdOf(body.client_secret) } };
        await Promise.all([1, 2, 3].map(() => shop.as(buyer, confirmPayment, confirm)));
      },
      (buyer) =>
        Promise.all(
          Array.from({ length: 10 }, () =>
            service.call(sendOtp, {
              body: { channel: 'email', recipient: `r${seed}-${++sends}@example.com` },
              apiKey: buyer.api_key,
            }),
          ),
        ),
      () => {
        const paid = pick(payments());
        return (
          paid && client.refunds.create({ payment_intent: paid.id, amount: 1 + Math.floor(next() * 300) })
        );
      },
      () => {
        const paid = pick(payments());
        return paid && stripe.disputes.open(paid.id);
      },
      () => {
        const open = pick(
          [...stripe.account.disputes.values()].filter(({ status }) => status === 'needs_response'),
        );
        return open && (next() < 0.6 ? stripe.disputes.win(open.id) : stripe.disputes.lose(open.id));
      },
      () => {
        const refund = pick(
          [...stripe.account.refunds.values()].filter(({ status }) => status === 'succeeded'),
        );
        return refund && stripe.failRefund(refund.id);
      },
      () => stripe.webhooks.drop('*', 2),
      () => stripe.webhooks.duplicate('*', 4),
      () => stripe.webhooks.reorder('*', 3),
      () => stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'lost', times: 2 }),
      () => stripe.faults.add({ on: 'GET /v1/payment_intents/*', kind: 'error' }),
      () => service.drain(),
    ];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          const buyer = pick(buyers);
          // The provider refuses some operations, such as a refund of a disputed charge.
          if (buyer) await (async () => pick(actions)?.(buyer))().catch(() => undefined);
        }),
      );
      for (const buyer of buyers) await shop.balance(buyer);
    }
    stripe.faults.clear();
    stripe.webhooks.clearFaults();
    for (const ms of [12 * 60_000, HOUR, 25 * HOUR]) {
      await service.clock.advance(ms);
      await shop.settle();
    }

    for (const buyer of buyers) {
      const { credits, debt } = await shop.balance(buyer);
      const { spent } = await service.app.db.one<{ spent: number }>(
        `select coalesce(sum(credits), 0) as spent from ledger where account_id = $1 and kind in ('usage', 'refund')`,
        [buyer.account_id],
      );
      expect(credits - debt).toBe((await boughtAndKept(buyer)) + spent);
    }
  },
);
