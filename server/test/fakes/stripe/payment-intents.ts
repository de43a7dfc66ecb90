import type Stripe from 'stripe';
import { type Account, type Call, emit, held, heldIntent, liveCustomer, newId, seconds } from './account.ts';
import { confirm, ownPaymentMethod } from './confirmation.ts';
import {
  accept,
  choice,
  type Form,
  flag,
  integer,
  metadata,
  names,
  nested,
  type Page,
  page,
  required,
  text,
} from './form.ts';
import { invalidParameter, type PaymentIntent, refused } from './objects.ts';

const CREATE = names<Stripe.PaymentIntentCreateParams>()(
  'amount',
  'automatic_payment_methods',
  'confirm',
  'currency',
  'customer',
  'description',
  'expand',
  'metadata',
  'off_session',
  'payment_method',
  'setup_future_usage',
);

/**
 * Creates an intent, confirmed immediately with `confirm: true`. If the card is declined, the intent is kept and the call
 * returns 402.
 */
export function createPaymentIntent({ account, form }: Call): object {
  accept(form, CREATE);
  const isConfirmed = flag(form, 'confirm');
  if ('off_session' in form && !isConfirmed) {
    const message = 'You can only provide `off_session` when `confirm` is also set to `true`.';
    throw invalidParameter('payment_intent_invalid_parameter', 'off_session', message);
  }
  const intent = newIntent(account, form);
  const paymentMethod = text(form, 'payment_method');
  if (paymentMethod !== undefined) {
    intent.payment_method = ownPaymentMethod(account, intent, paymentMethod).id;
    intent.status = 'requires_confirmation';
  }
  account.paymentIntents.set(intent.id, intent);
  emit(account, 'payment_intent.created', intent);
  if (isConfirmed) confirm(account, intent, { isOffSession: flag(form, 'off_session') });
  return withCharge(account, intent, form, 'latest_charge');
}

function newIntent(account: Account, form: Form): PaymentIntent {
  const id = newId('pi');
  const currency = required(form, 'currency').toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) {
    throw invalidParameter('invalid_currency', 'currency', `Invalid currency: ${currency}`);
  }
  const customer = text(form, 'customer');
  const automatic = nested(form, 'automatic_payment_methods') ?? { enabled: 'true' };
  return {
    id,
    object: 'payment_intent',
    amount: checkedAmount(form),
    amount_received: 0,
    automatic_payment_methods: flag(automatic, 'enabled')
      ? {
          allow_redirects: choice(automatic, 'allow_redirects', ['always', 'never']) ?? 'always',
          enabled: true,
        }
      : null,
    client_secret: `${id}_${newId('secret')}`,
    created: seconds(account),
    currency,
    customer: customer === undefined ? null : liveCustomer(account, customer, 'customer').id,
    last_payment_error: null,
    latest_charge: null,
    metadata: metadata(form),
    next_action: null,
    payment_method: null,
    setup_future_usage: choice(form, 'setup_future_usage', ['off_session', 'on_session']) ?? null,
    status: 'requires_payment_method',
  };
}

function checkedAmount(form: Form): number {
  required(form, 'amount');
  const amount = integer(form, 'amount') ?? 0;
  if (amount < 50) throw invalidParameter('amount_too_small', 'amount', 'Amount must be at least $0.50 usd');
  if (amount <= 99_999_999) return amount;
  throw invalidParameter('amount_too_large', 'amount', 'Amount must be no more than $999,999.99');
}

const RETRIEVE = names<Stripe.PaymentIntentRetrieveParams>()('client_secret', 'expand');

export function retrievePaymentIntent({ account, ids: [id = ''], form }: Call): object {
  accept(form, RETRIEVE);
  return withCharge(account, heldIntent(account, id), form, 'latest_charge');
}

/** The intent with its charge instead of the charge's id, if `expand` contains this path. */
function withCharge(account: Account, intent: PaymentIntent, form: Form, path: string): object {
  const paths = Object.values(nested(form, 'expand') ?? {});
  const unknown = paths.find((one) => one !== path);
  if (unknown !== undefined) {
    const message = `This property cannot be expanded (${unknown}).`;
    throw invalidParameter('property_cannot_be_expanded', 'expand', message);
  }
  if (paths.length === 0 || intent.latest_charge === null) return intent;
  return { ...intent, latest_charge: held(account.charges, 'charge', intent.latest_charge) };
}

const cancelable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export function cancelPaymentIntent({ account, ids: [id = ''], form }: Call): PaymentIntent {
  accept(form, new Set());
  const intent = heldIntent(account, id);
  if (!cancelable.includes(intent.status)) {
    throw refused(
      'payment_intent_unexpected_state',
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      { payment_intent: structuredClone(intent) },
    );
  }
  intent.status = 'canceled';
  intent.next_action = null;
  emit(account, 'payment_intent.canceled', intent);
  return intent;
}

const LIST = names<Stripe.PaymentIntentListParams>()(
  'created',
  'customer',
  'expand',
  'limit',
  'starting_after',
);

export function listPaymentIntents({ account, form }: Call): Page<object> {
  accept(form, LIST);
  const customer = text(form, 'customer');
  const found = page(account.paymentIntents.values(), form, (one) => {
    return customer === undefined || one.customer === customer;
  });
  return { ...found, data: found.data.map((one) => withCharge(account, one, form, 'data.latest_charge')) };
}
