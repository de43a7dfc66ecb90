import type Stripe from 'stripe';
import { type Account, type Call, held, newId } from './account.ts';
import { type Decline, declines } from './cards.ts';
import { newCharge } from './charges.ts';
import { openDispute } from './disputes.ts';
import { emit } from './events.ts';
import { cardFailure, type ErrorBody, invalidParameter, refused, StripeFailure } from './failure.ts';
import { accept, choice, type Form, flag, names, nested, text } from './form.ts';
import { attach, newPaymentMethod, usablePaymentMethod } from './payment-methods.ts';

const CONFIRM = names<Stripe.PaymentIntentConfirmParams & { client_secret: string }>()(
  'client_secret',
  'error_on_requires_action',
  'off_session',
  'payment_method',
  'payment_method_data',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'use_stripe_sdk',
);

const confirmable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export function confirmPaymentIntent({ account, ids: [id = ''], form, isPublishable }: Call) {
  accept(form, CONFIRM);
  const intent = held(account, 'paymentIntents', id);
  if (!confirmable.includes(intent.status)) {
    const message =
      intent.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.'
        : `You cannot confirm this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be confirmed: requires_confirmation, requires_action, requires_payment_method.`;
    throw refused('payment_intent_unexpected_state', message, { payment_intent: structuredClone(intent) });
  }
  return confirm(account, intent, isPublishable ? { ...form, use_stripe_sdk: 'true' } : form);
}

/** Accepts the card, requires authentication if the card needs it, and otherwise charges; throws the card error of a decline. */
export function confirm(account: Account, intent: Stripe.PaymentIntent, form: Form): Stripe.PaymentIntent {
  requireReturnUrl(intent, form);
  const usage = choice(form, 'setup_future_usage', ['off_session', 'on_session']);
  if (usage) intent.setup_future_usage = usage;
  const paymentMethod = chosenPaymentMethod(account, intent, form);
  intent.payment_method = paymentMethod.id;
  intent.status = 'requires_confirmation';
  intent.next_action = null;
  const authentication = neededAuthentication(account, intent, paymentMethod, form);
  if (authentication === 'impossible') {
    return fail(account, intent, paymentMethod, declines.authentication_required);
  }
  if (authentication === 'due') {
    intent.status = 'requires_action';
    intent.next_action = authenticationStep(account, intent, form);
    emit(account, 'payment_intent.requires_action', intent);
    return intent;
  }
  return charge(account, intent, paymentMethod);
}

/** On the server a confirmation names where to come back to, unless redirects are ruled out. */
function requireReturnUrl(intent: Stripe.PaymentIntent, form: Form): void {
  const mayRedirect = intent.automatic_payment_methods?.allow_redirects === 'always';
  if (!mayRedirect || text(form, 'return_url') || flag(form, 'off_session') || flag(form, 'use_stripe_sdk')) {
    return;
  }
  const message =
    "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.";
  throw new StripeFailure(400, { type: 'invalid_request_error', message });
}

function chosenPaymentMethod(account: Account, intent: Stripe.PaymentIntent, form: Form) {
  const data = nested(form, 'payment_method_data');
  if (data) return newPaymentMethod(account, data);
  const id = text(form, 'payment_method') ?? intent.payment_method;
  if (typeof id === 'string') return ownPaymentMethod(account, intent, id);
  throw refused(
    'payment_intent_unexpected_state',
    "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.",
    { payment_intent: structuredClone(intent) },
  );
}

/** A payment method that this intent may use: its customer's, or one without a customer. */
export function ownPaymentMethod(account: Account, intent: Stripe.PaymentIntent, id: string) {
  const paymentMethod = usablePaymentMethod(account, id, 'payment_method');
  const owner = paymentMethod.customer;
  if (owner === null || owner === intent.customer) return paymentMethod;
  const message =
    intent.customer === null
      ? 'The PaymentMethod you provided is attached to a customer. You must specify the customer in the PaymentIntent too.'
      : `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`;
  throw invalidParameter('resource_missing', 'payment_method', message);
}

function neededAuthentication(
  account: Account,
  intent: Stripe.PaymentIntent,
  paymentMethod: Stripe.PaymentMethod,
  form: Form,
): 'none' | 'due' | 'impossible' {
  const card = account.cards.get(paymentMethod.id);
  const kind = card?.behaviour.authentication;
  if (kind === undefined) return 'none';
  if (!flag(form, 'off_session')) return flag(form, 'error_on_requires_action') ? 'impossible' : 'due';
  const isKnown = paymentMethod.customer !== null && paymentMethod.customer === intent.customer;
  return kind !== 'always' && card?.isSetUp && isKnown ? 'none' : 'impossible';
}

function authenticationStep(
  account: Account,
  intent: Stripe.PaymentIntent,
  form: Form,
): Stripe.PaymentIntent.NextAction {
  const returnUrl = text(form, 'return_url');
  if (returnUrl !== undefined && !flag(form, 'use_stripe_sdk')) {
    const url = `${account.url}/authenticate/${intent.id}?client_secret=${intent.client_secret}`;
    return { type: 'redirect_to_url', redirect_to_url: { return_url: returnUrl, url } };
  }
  return {
    type: 'use_stripe_sdk',
    use_stripe_sdk: { type: 'stripe_3ds2_fingerprint', three_d_secure_2_source: newId('payatt_3ds2') },
  };
}

/** The customer's authentication at the bank: a success charges, a failure requires a new payment method. */
export function authenticate(account: Account, intentId: string, outcome: 'complete' | 'fail') {
  const intent = held(account, 'paymentIntents', intentId);
  const id = intent.payment_method;
  if (intent.status !== 'requires_action' || typeof id !== 'string') {
    throw refused('payment_intent_unexpected_state', 'This PaymentIntent waits for no authentication.');
  }
  const paymentMethod = held(account, 'paymentMethods', id);
  intent.next_action = null;
  if (outcome === 'complete') {
    const card = account.cards.get(id);
    if (card && intent.setup_future_usage === 'off_session') card.isSetUp = true;
    return charge(account, intent, paymentMethod);
  }
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_payment_error = {
    type: 'invalid_request_error',
    code: 'payment_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    payment_method: structuredClone(paymentMethod),
  };
  emit(account, 'payment_intent.payment_failed', intent);
  return intent;
}

function charge(account: Account, intent: Stripe.PaymentIntent, paymentMethod: Stripe.PaymentMethod) {
  const card = account.cards.get(paymentMethod.id);
  const decline = orderedDecline(account, paymentMethod.id) ?? card?.behaviour.decline;
  if (decline !== undefined) {
    return fail(account, intent, paymentMethod, typeof decline === 'string' ? declines[decline] : decline);
  }
  if (typeof intent.customer === 'string' && intent.setup_future_usage !== null) {
    attach(account, paymentMethod, intent.customer);
  } else if (paymentMethod.customer === null && card) {
    card.isSpent = true;
  }
  const made = newCharge(account, intent, paymentMethod);
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.latest_charge = made.id;
  intent.last_payment_error = null;
  emit(account, 'charge.succeeded', made);
  emit(account, 'payment_intent.succeeded', intent);
  if (card?.behaviour.dispute) openDispute(account, made, { reason: card.behaviour.dispute });
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
  intent: Stripe.PaymentIntent,
  paymentMethod: Stripe.PaymentMethod,
  decline: Decline,
): never {
  const made = newCharge(account, intent, paymentMethod, decline);
  const body: Omit<ErrorBody, 'type'> = {
    ...decline,
    charge: made.id,
    doc_url: `https://stripe.com/docs/error-codes/${decline.code.replaceAll('_', '-')}`,
    payment_method: structuredClone(paymentMethod),
  };
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.latest_charge = made.id;
  intent.last_payment_error = { ...body, type: 'card_error' };
  emit(account, 'charge.failed', made);
  emit(account, 'payment_intent.payment_failed', intent);
  throw cardFailure({ ...body, payment_intent: structuredClone(intent) });
}
