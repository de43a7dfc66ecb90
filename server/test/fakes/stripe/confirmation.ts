import type Stripe from 'stripe';
import {
  type Account,
  type Call,
  type Decline,
  declines,
  emit,
  held,
  heldIntent,
  moveBalance,
  newId,
} from './account.ts';
import { newPaymentMethod } from './customers.ts';
import { accept, choice, names, nested, required } from './form.ts';
import {
  type Charge,
  invalidParameter,
  type PaymentIntent,
  type PaymentMethod,
  refused,
  StripeFailure,
} from './objects.ts';

const CONFIRM = names<Stripe.PaymentIntentConfirmParams & { client_secret: string }>()(
  'client_secret',
  'payment_method',
  'payment_method_data',
);

const confirmable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** Confirms an intent in the browser, with a new card or one of the customer's. */
export function confirmPaymentIntent({ account, ids: [id = ''], form }: Call): PaymentIntent {
  accept(form, CONFIRM);
  const intent = heldIntent(account, id);
  if (!confirmable.includes(intent.status)) {
    const message = `You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`;
    throw refused('payment_intent_unexpected_state', message, { payment_intent: structuredClone(intent) });
  }
  const data = nested(form, 'payment_method_data');
  const chosen = data
    ? newPaymentMethod(account, data)
    : ownPaymentMethod(account, intent, required(form, 'payment_method'));
  intent.payment_method = chosen.id;
  return confirm(account, intent, { isInBrowser: true });
}

/** Requires authentication if the card needs it, and otherwise charges; throws the card error of a decline. */
export function confirm(
  account: Account,
  intent: PaymentIntent,
  { isOffSession = false, isInBrowser = false },
): PaymentIntent {
  const mayRedirect = intent.automatic_payment_methods?.allow_redirects === 'always';
  if (mayRedirect && !isOffSession && !isInBrowser) {
    const message =
      'This PaymentIntent may redirect your customer, so you must provide a `return_url`, or set `automatic_payment_methods[allow_redirects]` to `never`.';
    throw new StripeFailure(400, { type: 'invalid_request_error', message });
  }
  const paymentMethod = held(
    account.paymentMethods,
    'PaymentMethod',
    intent.payment_method ?? '',
    'payment_method',
  );
  intent.next_action = null;
  const asks = account.cards.get(paymentMethod.id)?.authentication;
  if (isOffSession && asks === 'always') {
    return fail(account, intent, paymentMethod, declines.authentication_required);
  }
  if (isOffSession || asks === undefined) return charge(account, intent, paymentMethod);
  intent.status = 'requires_action';
  intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'stripe_3ds2_fingerprint' } };
  emit(account, 'payment_intent.requires_action', intent);
  return intent;
}

/** A payment method of the intent's customer. */
export function ownPaymentMethod(account: Account, intent: PaymentIntent, id: string): PaymentMethod {
  const paymentMethod = held(account.paymentMethods, 'PaymentMethod', id, 'payment_method');
  if (paymentMethod.customer !== null && paymentMethod.customer === intent.customer) return paymentMethod;
  const message = `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidParameter('resource_missing', 'payment_method', message);
}

/** Takes the result of the bank's page: a success charges, a failure requires a new payment method. */
export function completeChallenge({ account, form }: Call): PaymentIntent {
  const intent = heldIntent(account, required(form, 'client_secret').split('_secret_')[0] ?? '');
  const { payment_method } = intent;
  if (intent.status !== 'requires_action' || payment_method === null) {
    throw refused('payment_intent_unexpected_state', 'This PaymentIntent waits for no authentication.');
  }
  intent.next_action = null;
  if (choice(form, 'outcome', ['complete', 'fail']) === 'complete') {
    return charge(account, intent, held(account.paymentMethods, 'PaymentMethod', payment_method));
  }
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  };
  emit(account, 'payment_intent.payment_failed', intent);
  return intent;
}

function charge(account: Account, intent: PaymentIntent, paymentMethod: PaymentMethod): PaymentIntent {
  const isDeclined = account.cards.get(paymentMethod.id)?.isDeclined;
  const decline =
    orderedDecline(account, paymentMethod.id) ?? (isDeclined ? declines.generic_decline : undefined);
  if (decline) return fail(account, intent, paymentMethod, decline);
  if (intent.setup_future_usage !== null) paymentMethod.customer = intent.customer;
  const made = newCharge(account, intent, paymentMethod, 'succeeded');
  moveBalance(account, intent.amount);
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.last_payment_error = null;
  emit(account, 'charge.succeeded', made);
  emit(account, 'payment_intent.succeeded', intent);
  return intent;
}

function orderedDecline(account: Account, paymentMethod: string): Decline | undefined {
  const ordered = account.orderedDeclines.find((one) => {
    return one.times > 0 && (one.paymentMethod === undefined || one.paymentMethod === paymentMethod);
  });
  if (ordered) ordered.times -= 1;
  return ordered?.decline;
}

function fail(
  account: Account,
  intent: PaymentIntent,
  paymentMethod: PaymentMethod,
  decline: Decline,
): never {
  const made = newCharge(account, intent, paymentMethod, 'failed');
  const { code, message } = decline;
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = { type: 'card_error', code, message };
  emit(account, 'charge.failed', made);
  emit(account, 'payment_intent.payment_failed', intent);
  throw new StripeFailure(402, { ...decline, type: 'card_error', payment_intent: structuredClone(intent) });
}

/** Records the attempt to charge an intent's card. */
function newCharge(
  account: Account,
  intent: PaymentIntent,
  { card }: PaymentMethod,
  status: 'succeeded' | 'failed',
): Charge {
  const charge: Charge = {
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_refunded: 0,
    currency: intent.currency,
    disputed: false,
    paid: status === 'succeeded',
    payment_intent: intent.id,
    payment_method_details: { card: { brand: card.brand, last4: card.last4 } },
    refunded: false,
    status,
  };
  account.charges.set(charge.id, charge);
  intent.latest_charge = charge.id;
  return charge;
}
