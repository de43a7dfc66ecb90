/** Attacks on the customer's card. They run last, because they shift the database clock. */

import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  calculatePrice,
  createIntent,
  createWithSaved,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import { shiftDatabaseClock } from '../../server/test/clock.ts';
import { type Attack, many, statusesOf } from './attack.ts';
import type { Target, Tenant } from './target.ts';

const HOUR = 3_600_000;
const CARD = '4242424242424242';

const creditsOf = async (target: Target, bearer: string): Promise<number> =>
  Number((await target.call(getMe, { bearer })).body.credits);

async function untilCredits(target: Target, { bearer }: Tenant, credits: number): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; ) {
    if ((await creditsOf(target, bearer)) === credits) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('The purchase brought no credits within 20 s');
}

export const purchases: Attack[] = [
  {
    name: "a purchase's Idempotency-Key reused after 25 hours, 6 times in parallel",
    promise: 'no second charge, no second credit',
    async run(target) {
      const buyer = await target.tenant();
      const price = async (credits: number) => {
        const { body } = await target.call(calculatePrice, { bearer: buyer.bearer, body: { credits } });
        return { credits, price_usd_cents: body.price_usd_cents };
      };
      const order = { first: await price(100), second: await price(500) };
      const before = await creditsOf(target, buyer.bearer);
      const begun = await target.call(createIntent, {
        bearer: buyer.bearer,
        body: { ...order.first, save_payment_method: true },
      });
      await target.stripe.browser.confirmPayment(String(begun.body.client_secret), CARD);
      await untilCredits(target, buyer, before + 100);
      const { body } = await target.call(listPaymentMethods, { bearer: buyer.bearer });
      const [saved] = body.payment_methods as { id: string }[];
      const buy = (bearer: string) =>
        target.call(createWithSaved, {
          bearer,
          headers: { 'idempotency-key': 'order-of-the-attack' },
          body: { ...order.second, payment_method_id: saved?.id },
        });
      const first = await buy(buyer.bearer);
      await untilCredits(target, buyer, before + 600);
      const charges = () =>
        [...target.stripe.account.charges.values()].filter(({ status }) => status === 'succeeded').length;
      const charged = charges();
      await shiftDatabaseClock(target.databaseUrl, 25 * HOUR);
      const bearer = await target.session(buyer.account_id);
      const again = await many(6, 6, () => buy(bearer));
      await target.stripe.webhooks.drain();
      const credited = (await creditsOf(target, bearer)) - before;
      return {
        measured: `first ${first.status}, again ${statusesOf(again.map(({ status }) => status))}; ${charges() - charged} charges more, ${credited} credits in all`,
        holds: first.status === 200 && charges() === charged && credited === 600,
      };
    },
  },
];
