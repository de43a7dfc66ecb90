import type Stripe from 'stripe';
import { type Account, type Call, held, liveCustomer, newId, seconds } from './account.ts';
import { confirm, ownPaymentMethod } from './confirmation.ts';
import { changed, emit } from './events.ts';
import { invalidParameter, missingParameter, refused } from './failure.ts';
import {
  accept,
  choice,
  type Form,
  flag,
  integer,
  metadata,
  names,
  nested,
  nullable,
  required,
  text,
  texts,
} from './form.ts';
import { page } from './list.ts';
import { newPaymentMethod } from './payment-methods.ts';

const CREATE = names<Stripe.PaymentIntentCreateParams>()(
  'allowed_payment_method_types',
  'amount',
  'automatic_payment_methods',
  'confirm',
  'currency',
  'customer',
  'description',
  'error_on_requires_action',
  'metadata',
  'off_session',
  'payment_method',
  'payment_method_data',
  'receipt_email',
  'return_url',
  'setup_future_usage',
  'statement_descriptor',
  'statement_descriptor_suffix',
  'use_stripe_sdk',
);

const onlyWithConfirm = ['off_session', 'return_url', 'error_on_requires_action'];

/** An intent, confirmed at once with `confirm: true`. A declined card leaves the intent and returns 402. */
export function createPaymentIntent({ account, form }: Call): Stripe.PaymentIntent {
  accept(form, CREATE);
  const isConfirmed = flag(form, 'confirm') ?? false;
  const early = onlyWithConfirm.find((name) => form[name] !== undefined && !isConfirmed);
  if (early !== undefined) {
    const message = `You can only provide \`${early}\` when \`confirm\` is also set to \`true\`.`;
    throw invalidParameter('payment_intent_invalid_parameter', early, message);
  }
  const intent = newIntent(account, form);
  const paymentMethod = text(form, 'payment_method');
  if (paymentMethod !== undefined) {
    intent.payment_method = ownPaymentMethod(account, intent, paymentMethod).id;
    intent.status = 'requires_confirmation';
  }
  const data = nested(form, 'payment_method_data');
  if (data) {
    intent.payment_method = newPaymentMethod(account, data).id;
    intent.status = 'requires_confirmation';
  }
  account.paymentIntents.set(intent.id, intent);
  emit(account, 'payment_intent.created', intent);
  if (!isConfirmed) return intent;
  const { payment_method: _chosen, payment_method_data: _made, ...rest } = form;
  return confirm(account, intent, rest);
}

function newIntent(account: Account, form: Form): Stripe.PaymentIntent {
  const id = newId('pi');
  const amount = checkedAmount(form);
  if (amount === undefined) throw missingParameter('amount');
  const currency = required(form, 'currency').toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) {
    throw invalidParameter('invalid_currency', 'currency', `Invalid currency: ${currency}`);
  }
  const customer = nullable(form, 'customer') ?? null;
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: texts(form, 'allowed_payment_method_types') ?? null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: automaticMethods(form),
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${newId('x', 25).slice(2)}`,
    confirmation_method: 'automatic',
    created: seconds(account),
    currency,
    customer: customer === null ? null : liveCustomer(account, customer, 'customer').id,
    customer_account: null,
    description: nullable(form, 'description') ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: metadata(form),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: nullable(form, 'receipt_email') ?? null,
    review: null,
    setup_future_usage: choice(form, 'setup_future_usage', ['off_session', 'on_session']) ?? null,
    shipping: null,
    source: null,
    statement_descriptor: nullable(form, 'statement_descriptor') ?? null,
    statement_descriptor_suffix: nullable(form, 'statement_descriptor_suffix') ?? null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  };
}

/** Automatic unless types were named, as since API version 2023-08-16. */
function automaticMethods(form: Form): Stripe.PaymentIntent.AutomaticPaymentMethods | null {
  const automatic = nested(form, 'automatic_payment_methods');
  const isEnabled = automatic ? flag(automatic, 'enabled') : form.allowed_payment_method_types === undefined;
  if (!isEnabled) return null;
  const redirects = choice(automatic ?? {}, 'allow_redirects', ['always', 'never']);
  return { allow_redirects: redirects ?? 'always', enabled: true };
}

function checkedAmount(form: Form): number | undefined {
  const amount = integer(form, 'amount');
  if (amount === undefined) return undefined;
  if (amount < 1) {
    throw invalidParameter(
      'parameter_invalid_integer',
      'amount',
      'This value must be greater than or equal to 1.',
    );
  }
  if (amount < 50) throw invalidParameter('amount_too_small', 'amount', 'Amount must be at least $0.50 usd');
  if (amount > 99_999_999) {
    throw invalidParameter('amount_too_large', 'amount', 'Amount must be no more than $999,999.99');
  }
  return amount;
}

export function retrievePaymentIntent({ account, ids: [id = ''], form }: Call): Stripe.PaymentIntent {
  accept(form, names<Stripe.PaymentIntentRetrieveParams>()('client_secret'));
  return held(account, 'paymentIntents', id);
}

const UPDATE = names<Stripe.PaymentIntentUpdateParams>()(
  'amount',
  'customer',
  'description',
  'metadata',
  'payment_method',
  'receipt_email',
  'setup_future_usage',
);

const changeable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

export function updatePaymentIntent({ account, ids: [id = ''], form }: Call): Stripe.PaymentIntent {
  accept(form, UPDATE);
  const intent = held(account, 'paymentIntents', id);
  const isSettled = !changeable.includes(intent.status);
  const late = ['amount', 'customer', 'payment_method', 'setup_future_usage'].find((name) => name in form);
  if (isSettled && late !== undefined) {
    throw refused(
      'payment_intent_unexpected_state',
      `This PaymentIntent's ${late} could not be updated because it has a status of ${intent.status}. You may only update the ${late} of a PaymentIntent with one of the following statuses: ${changeable.join(', ')}.`,
      { payment_intent: structuredClone(intent) },
    );
  }
  intent.amount = checkedAmount(form) ?? intent.amount;
  const customer = nullable(form, 'customer');
  if (customer) intent.customer = liveCustomer(account, customer, 'customer').id;
  const paymentMethod = text(form, 'payment_method');
  if (paymentMethod !== undefined) {
    intent.payment_method = ownPaymentMethod(account, intent, paymentMethod).id;
    intent.status = 'requires_confirmation';
  }
  if (form.setup_future_usage !== undefined) {
    intent.setup_future_usage = choice(form, 'setup_future_usage', ['off_session', 'on_session']) ?? null;
  }
  const description = nullable(form, 'description');
  if (description !== undefined) intent.description = description;
  intent.receipt_email = nullable(form, 'receipt_email') ?? intent.receipt_email;
  intent.metadata = metadata(form, intent.metadata);
  return intent;
}

const CANCEL = names<Stripe.PaymentIntentCancelParams>()('cancellation_reason');
const reasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const;

export function cancelPaymentIntent({ account, ids: [id = ''], form }: Call): Stripe.PaymentIntent {
  accept(form, CANCEL);
  const intent = held(account, 'paymentIntents', id);
  if (!changeable.includes(intent.status)) {
    throw refused(
      'payment_intent_unexpected_state',
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.`,
      { payment_intent: structuredClone(intent) },
    );
  }
  const before = structuredClone(intent);
  intent.status = 'canceled';
  intent.canceled_at = seconds(account);
  intent.cancellation_reason = choice(form, 'cancellation_reason', reasons) ?? null;
  intent.next_action = null;
  emit(account, 'payment_intent.canceled', intent, changed(before, intent));
  return intent;
}

const LIST = names<Stripe.PaymentIntentListParams>()(
  'created',
  'customer',
  'ending_before',
  'limit',
  'starting_after',
);

export function listPaymentIntents({ account, form }: Call): Stripe.ApiList<Stripe.PaymentIntent> {
  accept(form, LIST);
  const customer = text(form, 'customer');
  return page('/v1/payment_intents', [...account.paymentIntents.values()], form, (one) => {
    return customer === undefined || one.customer === customer;
  });
}
