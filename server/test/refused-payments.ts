import { listPurchases, refundPurchase } from '@sixdigit/contract/operator/payments.ts';
import {
  createIntent,
  createWithSaved,
  deletePaymentMethod,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import type { CallInput } from './call.ts';
import { testOperator } from './operator.ts';
import { priced } from './payments.ts';
import type { Answered, RefusalStage, Row } from './refusal-stage.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

const REASON = { reason: 'For a test' };

/** Makes calls of the shop while Stripe gives an error to this call. */
const whileStripe = async (
  { shop: { stripe } }: RefusalStage,
  { on, status }: { on: string; status: number },
  call: () => Promise<Answered>,
): Promise<Answered> => {
  stripe.faults.add({ on, kind: 'error', status, times: 20 });
  return call().finally(() => stripe.faults.clear());
};
const STRIPE_STATUS = { payment_provider_unavailable: 500, payment_provider_refused: 401 } as const;

const ofCards = (
  route: Route,
  reason: keyof typeof STRIPE_STATUS,
  input: (card: string) => CallInput<Route>,
): Row => [
  route,
  reason,
  async (stage) => {
    const { shop } = stage;
    const alice = await shop.service.customer(`${route.name} ${reason}`.replaceAll(/\W/g, ''));
    await shop.buy(alice, 100);
    const given = input(await shop.card(alice));
    const on = 'GET /v1/customers/*/payment_methods';
    return whileStripe(stage, { on, status: STRIPE_STATUS[reason] }, () => shop.as(alice, route, given));
  },
];
const refunding = (reason: keyof typeof STRIPE_STATUS): Row => [
  refundPurchase,
  reason,
  async (stage) => {
    const { shop } = stage;
    const operator = await testOperator(shop.service);
    const alice = await shop.service.customer(`Refunds${STRIPE_STATUS[reason]}`);
    await shop.buy(alice, 100);
    const { body } = await operator.call(listPurchases, { query: { search: alice.account_id } });
    const params = { id: body.results[0]?.id ?? '' };
    return whileStripe(stage, { on: 'POST /v1/refunds', status: STRIPE_STATUS[reason] }, () =>
      operator.call(refundPurchase, { params, body: REASON }),
    );
  },
];
const inFlight = (route: Route, more: (card: string) => object): Row => [
  route,
  'idempotency_key_in_flight',
  async ({ shop }) => {
    const alice = await shop.service.customer(`InFlight${route.name}`);
    await shop.buy(alice, 100);
    const input = {
      body: { ...priced(100), ...more(await shop.card(alice)) },
      headers: { 'idempotency-key': 'order-1' },
    };
    const held = shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'hold' });
    const first = shop.as(alice, route, input);
    await held.reached;
    const second = await shop.as(alice, route, input);
    held.release();
    await first;
    return second;
  },
];

export const PAYMENTS: readonly Row[] = [
  ofCards(listPaymentMethods, 'payment_provider_refused', () => ({})),
  ofCards(deletePaymentMethod, 'payment_provider_unavailable', (id) => ({ params: { id } })),
  ofCards(deletePaymentMethod, 'payment_provider_refused', (id) => ({ params: { id } })),
  refunding('payment_provider_unavailable'),
  refunding('payment_provider_refused'),
  [
    refundPurchase,
    'payments_not_configured',
    async () => {
      await using service = await testService({ env: { SANDBOX: '0' } });
      const operator = await testOperator(service);
      // Outside the sandbox, the console demands it.
      await service.app.db.run('update accounts set two_factor_enabled = true where id = $1', [
        operator.account_id,
      ]);
      const bearer = await signedIn(service, operator);
      const params = { id: service.app.random.uuid() };
      return await service.call(refundPurchase, { bearer, params, body: REASON });
    },
  ],
  inFlight(createIntent, () => ({})),
  inFlight(createWithSaved, (payment_method_id) => ({ payment_method_id })),
];
