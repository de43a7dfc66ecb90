import type { PaymentMethod } from '@sixdigit/contract/payments.ts';
import Stripe from 'stripe';
import type { Config } from '../platform/config.ts';
import {
  type CardProvider,
  type Intent,
  type IntentOrder,
  ProviderRefused,
  ProviderUnavailable,
} from './card-provider.ts';
import { disputeOf, refundOf, withdrawalOf } from './stripe-reversals.ts';

type Settings = NonNullable<Config['stripe']>;

const TIMEOUT_MS = 10_000;

/** The official client: 10 s timeout and one retry under the same idempotency key. */
export function stripeClient({ secretKey, apiUrl }: Settings): Stripe {
  const at = apiUrl === undefined ? undefined : new URL(apiUrl);
  const protocol = at?.protocol === 'http:' ? 'http' : 'https';
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(at ? { host: at.hostname, port: at.port || (protocol === 'http' ? 80 : 443), protocol } : {}),
  });
}

/** Cards at Stripe, by PaymentIntents. Every write carries an idempotency key. */
export function createStripeCards(settings: Settings): CardProvider {
  const stripe = stripeClient(settings);
  // Concurrent calls in this process share one request; across processes the idempotency key ensures one customer.
  const customers = new Map<string, Promise<string>>();
  const makeCustomer = async (account_id: string, email: string): Promise<string> => {
    const made = await ask(() =>
      stripe.customers.create(
        { email, metadata: { account_id } },
        { idempotencyKey: `customer:${account_id}` },
      ),
    );
    return made.id;
  };
  return {
    name: /^[sr]k_test_/.test(settings.secretKey) ? 'stripe_test' : 'stripe',

    createCustomer({ account_id, email }) {
      const making = customers.get(account_id);
      if (making) return making;
      const made = makeCustomer(account_id, email).finally(() => customers.delete(account_id));
      customers.set(account_id, made);
      return made;
    },

    async deleteCustomer(customer_id) {
      await ask(() => stripe.customers.del(customer_id)).catch(unlessMissing);
    },

    async createIntent(order) {
      try {
        return intentOf(
          await stripe.paymentIntents.create(intentParams(order), {
            idempotencyKey: `order:${order.id}`,
          }),
        );
      } catch (error) {
        const declined = error instanceof Stripe.errors.StripeCardError ? error.payment_intent : undefined;
        if (declined) return intentOf(declined);
        throw troubleOf(error);
      }
    },

    async findIntent(id) {
      const found = await ask(() => stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })).catch(
        unlessMissing,
      );
      return found && intentOf(found);
    },

    async findIntentOfOrder({ id, customer_id, created_at }) {
      const since = Math.floor(Date.parse(created_at) / 1000) - 3_600;
      return ask(async () => {
        const made = stripe.paymentIntents.list({
          customer: customer_id,
          created: { gte: since },
          limit: 100,
        });
        for await (const intent of made) if (intent.metadata.order_id === id) return intentOf(intent);
        return undefined;
      });
    },

    async cancelIntent(id) {
      const refused = (error: unknown) => {
        if (error instanceof ProviderRefused) return undefined;
        throw error;
      };
      await ask(() => stripe.paymentIntents.cancel(id, {}, { idempotencyKey: `cancel:${id}` })).catch(
        refused,
      );
      return this.findIntent(id);
    },

    async listCards(customer_id) {
      const cards = await ask(() =>
        stripe.customers.listPaymentMethods(customer_id, { type: 'card', limit: 100 }),
      ).catch(unlessMissing);
      return (cards?.data ?? []).flatMap((method) => cardOf(method) ?? []);
    },

    async removeCard(customer_id, id) {
      const own = await ask(() => stripe.customers.retrievePaymentMethod(customer_id, id)).catch(
        unlessMissing,
      );
      if (!own || own.customer !== customer_id) return false;
      await ask(() => stripe.paymentMethods.detach(id, {}, { idempotencyKey: `detach:${id}` }));
      return true;
    },

    // Stripe returns the same refusal to the same key for a day, so each attempt has a new key. Stripe never refunds a charge
    // twice.
    async refund(intent_id, attempt) {
      await ask(() =>
        stripe.refunds.create(
          { payment_intent: intent_id },
          { idempotencyKey: `refund:${intent_id}:${attempt}` },
        ),
      ).catch(unless('charge_already_refunded'));
    },

    async refundPart({ intent_id, cents, refund_id }) {
      await ask(() =>
        stripe.refunds.create(
          { payment_intent: intent_id, amount: cents, metadata: { refund_id } },
          { idempotencyKey: `refund-part:${refund_id}` },
        ),
      );
    },

    async reversalsOf(intent_id) {
      return ask(async () => {
        const refunds = await stripe.refunds.list({ payment_intent: intent_id, limit: 100 });
        const disputes = await stripe.disputes.list({ payment_intent: intent_id, limit: 100 });
        return {
          reversals: [...refunds.data.map(refundOf), ...disputes.data.flatMap(withdrawalOf)],
          disputes: disputes.data.map(disputeOf),
        };
      });
    },

    async *succeededSince(at) {
      const made = stripe.paymentIntents.list({
        created: { gte: Math.floor(at.getTime() / 1000) },
        limit: 100,
        expand: ['data.latest_charge'],
      });
      try {
        for await (const intent of made)
          if (intent.status === 'succeeded' && intent.metadata.order_id) yield intentOf(intent);
      } catch (error) {
        throw troubleOf(error);
      }
    },

    async *disputedSince(at) {
      const opened = stripe.disputes.list({
        created: { gte: Math.floor(at.getTime() / 1000) },
        limit: 100,
      });
      try {
        for await (const { payment_intent } of opened) {
          const id = idOf(payment_intent);
          if (id !== null) yield id;
        }
      } catch (error) {
        throw troubleOf(error);
      }
    },
  };
}

function intentParams(order: IntentOrder): Stripe.PaymentIntentCreateParams {
  const { id, account_id, credits, method_id } = order;
  const base: Stripe.PaymentIntentCreateParams = {
    amount: order.price_usd_cents,
    currency: 'usd',
    customer: order.customer_id,
    description: `${credits} credits`,
    metadata: { order_id: id, account_id, credits: String(credits) },
    // Redirect methods would need a return page; cards and wallets do not.
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    expand: ['latest_charge'],
  };
  if (method_id === null) return order.saves_method ? { ...base, setup_future_usage: 'off_session' } : base;
  return { ...base, payment_method: method_id, confirm: true, off_session: order.kind === 'auto' };
}

function intentOf(intent: Stripe.PaymentIntent): Intent {
  const { metadata, last_payment_error: failure } = intent;
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const details = charge?.payment_method_details;
  const method = idOf(intent.payment_method);
  return {
    id: intent.id,
    status: intent.status,
    client_secret: intent.client_secret,
    order_id: metadata.order_id ?? null,
    account_id: metadata.account_id ?? null,
    credits: Number(metadata.credits) || null,
    customer_id: idOf(intent.customer),
    amount_cents: intent.status === 'succeeded' ? intent.amount_received : intent.amount,
    currency: intent.currency,
    card:
      charge?.paid && details?.card
        ? { brand: details.card.brand ?? 'card', last4: details.card.last4 ?? '' }
        : null,
    saved_method_id: intent.setup_future_usage === 'off_session' ? method : null,
    is_reversed: charge !== null && (charge.amount_refunded > 0 || charge.disputed),
    failure: failure && {
      code: failure.code ?? failure.type,
      message: failure.message ?? 'Your card was declined.',
    },
  };
}

const idOf = (named: string | { id: string } | null): string | null =>
  typeof named === 'string' ? named : (named?.id ?? null);

const cardOf = ({ id, card }: Stripe.PaymentMethod): PaymentMethod | undefined =>
  card && {
    id,
    brand: card.brand,
    last4: card.last4,
    exp_month: card.exp_month,
    exp_year: card.exp_year,
  };

async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw troubleOf(error);
  }
}

function troubleOf(error: unknown): Error {
  if (error instanceof Stripe.errors.StripeCardError)
    return new ProviderRefused(error, { because: error.message, fault: 'card' });
  const isCertain =
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError;
  return isCertain
    ? new ProviderRefused(error, { because: describe(error), fault: 'operator' })
    : new ProviderUnavailable(error);
}

/** Stripe's message with the data that an operator needs to find the request in Stripe's dashboard. */
function describe({ message, statusCode, code, param, requestId }: Stripe.errors.StripeError): string {
  const facts = [`HTTP ${statusCode}`, code, param && `parameter ${param}`, requestId].filter(Boolean);
  return `${message} (${facts.join(', ')})`;
}

const unless =
  (code: string) =>
  (error: unknown): undefined => {
    const cause = error instanceof ProviderRefused ? error.cause : undefined;
    if (cause instanceof Stripe.errors.StripeError && cause.code === code) return undefined;
    throw error;
  };
const unlessMissing = unless('resource_missing');
