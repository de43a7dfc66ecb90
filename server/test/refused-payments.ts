import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { listPurchases, refundPurchase } from '@sixdigit/contract/operator/payments.ts';
import {
  confirmPayment,
  createIntent,
  createWithSaved,
  deletePaymentMethod,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import type { CallInput } from './call.ts';
import type { Fault } from './fakes/stripe/faults.ts';
import { testOperator } from './operator.ts';
import { intentIdOf, priced } from './payments.ts';
import type { Answered, RefusalStage, Row } from './refusal-stage.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

const REASON = { reason: 'For a test' };

/** Makes purchase calls while Stripe returns an error to this call. */
const whileStripe = async (
  { shop: { stripe } }: RefusalStage,
  fault: Omit<Fault, 'kind'>,
  call: () => Promise<Answered>,
): Promise<Answered> => {
  stripe.faults.add({ ...fault, kind: 'error', times: 20 });
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
const buying = (route: Route, reason: FailureReason, fault: Omit<Fault, 'kind' | 'on'>): Row => [
  route,
  reason,
  async (stage) => {
    const { shop } = stage;
    const alice = await shop.service.customer(`${route.name}${reason}`);
    await shop.buy(alice, 100);
    const body = { ...priced(100), payment_method_id: await shop.card(alice) };
    return whileStripe(stage, { on: 'POST /v1/payment_intents', ...fault }, () =>
      shop.as(alice, route, { body }),
    );
  },
];
const confirming = (reason: keyof typeof STRIPE_STATUS): Row => [
  confirmPayment,
  reason,
  async (stage) => {
    const { shop } = stage;
    const alice = await shop.service.customer(`Confirms${STRIPE_STATUS[reason]}`);
    const body = { payment_intent_id: intentIdOf(await shop.intent(alice, 100)) };
    const on = 'GET /v1/payment_intents/*';
    return whileStripe(stage, { on, status: STRIPE_STATUS[reason] }, () =>
      shop.as(alice, confirmPayment, { body }),
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
  ofCards(listPaymentMethods, 'payment_provider_unavailable', () => ({})),
  ofCards(listPaymentMethods, 'payment_provider_refused', () => ({})),
  buying(createIntent, 'card_declined', {
    status: 402,
    error: { type: 'card_error', code: 'card_declined' },
  }),
  buying(createIntent, 'payment_provider_refused', { status: 401 }),
  buying(createWithSaved, 'payment_provider_refused', { status: 401 }),
  confirming('payment_provider_unavailable'),
  confirming('payment_provider_refused'),
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
      // Outside the sandbox, the console requires it.
      await service.app.db.run('update people set two_factor_enabled = true where id = $1', [
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
