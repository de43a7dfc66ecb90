import type Stripe from 'stripe';
import { type Account, type Call, held, liveCustomer, newId, seconds } from './account.ts';
import { declines } from './cards.ts';
import { emit } from './events.ts';
import { cardFailure, refused } from './failure.ts';
import { accept, choice, type Form, flag, metadata, names, nested, nullable, text, texts } from './form.ts';
import { attach, newPaymentMethod, usablePaymentMethod } from './payment-methods.ts';

const CREATE = names<Stripe.SetupIntentCreateParams>()(
  'allowed_payment_method_types',
  'automatic_payment_methods',
  'confirm',
  'customer',
  'description',
  'metadata',
  'payment_method',
  'return_url',
  'usage',
  'use_stripe_sdk',
);

/** Saving a card without charging it. */
export function createSetupIntent({ account, form }: Call): Stripe.SetupIntent {
  accept(form, CREATE);
  const id = newId('seti');
  const customer = nullable(form, 'customer') ?? null;
  const automatic = nested(form, 'automatic_payment_methods');
  const intent: Stripe.SetupIntent = {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: texts(form, 'allowed_payment_method_types') ?? null,
    application: null,
    automatic_payment_methods:
      form.allowed_payment_method_types === undefined
        ? {
            allow_redirects: choice(automatic ?? {}, 'allow_redirects', ['always', 'never']) ?? 'always',
            enabled: true,
          }
        : null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${newId('x', 25).slice(2)}`,
    created: seconds(account),
    customer: customer === null ? null : liveCustomer(account, customer, 'customer').id,
    description: nullable(form, 'description') ?? null,
    excluded_payment_method_types: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: metadata(form),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: choice(form, 'usage', ['off_session', 'on_session']) ?? 'off_session',
  };
  account.setupIntents.set(id, intent);
  emit(account, 'setup_intent.created', intent);
  const paymentMethod = text(form, 'payment_method');
  if (paymentMethod !== undefined) {
    intent.payment_method = usablePaymentMethod(account, paymentMethod, 'payment_method').id;
    intent.status = 'requires_confirmation';
  }
  return flag(form, 'confirm') ? confirm(account, intent, {}) : intent;
}

export function retrieveSetupIntent({ account, ids: [id = ''], form }: Call): Stripe.SetupIntent {
  accept(form, names<Stripe.SetupIntentRetrieveParams>()('client_secret'));
  return held(account, 'setupIntents', id);
}

const CONFIRM = names<Stripe.SetupIntentConfirmParams & { client_secret: string }>()(
  'client_secret',
  'payment_method',
  'payment_method_data',
  'return_url',
  'use_stripe_sdk',
);

export function confirmSetupIntent({ account, ids: [id = ''], form }: Call): Stripe.SetupIntent {
  accept(form, CONFIRM);
  return confirm(account, held(account, 'setupIntents', id), form);
}

function confirm(account: Account, intent: Stripe.SetupIntent, form: Form): Stripe.SetupIntent {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    const message = `You cannot confirm this SetupIntent because it has a status of ${intent.status}.`;
    throw refused('setup_intent_unexpected_state', message, { setup_intent: structuredClone(intent) });
  }
  const data = nested(form, 'payment_method_data');
  const id = text(form, 'payment_method') ?? intent.payment_method;
  if (!data && typeof id !== 'string') {
    throw refused(
      'setup_intent_unexpected_state',
      "You cannot confirm this SetupIntent because it's missing a payment method.",
      { setup_intent: structuredClone(intent) },
    );
  }
  const paymentMethod = data
    ? newPaymentMethod(account, data)
    : usablePaymentMethod(account, String(id), 'payment_method');
  intent.payment_method = paymentMethod.id;
  const behaviour = account.cards.get(paymentMethod.id)?.behaviour;
  if (behaviour?.authentication !== undefined) {
    intent.status = 'requires_action';
    intent.next_action = {
      type: 'use_stripe_sdk',
      use_stripe_sdk: { type: 'stripe_3ds2_fingerprint', three_d_secure_2_source: newId('payatt_3ds2') },
    };
    emit(account, 'setup_intent.requires_action', intent);
    return intent;
  }
  return finish(account, intent);
}

/** The customer's authentication at the bank while saving a card. */
export function authenticateSetup(account: Account, id: string, outcome: 'complete' | 'fail') {
  const intent = held(account, 'setupIntents', id);
  if (intent.status !== 'requires_action') {
    throw refused('setup_intent_unexpected_state', 'This SetupIntent waits for no authentication.');
  }
  intent.next_action = null;
  if (outcome === 'complete') return finish(account, intent);
  return fail(account, intent, {
    type: 'invalid_request_error',
    code: 'setup_intent_authentication_failure',
    message:
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
  });
}

function finish(account: Account, intent: Stripe.SetupIntent): Stripe.SetupIntent {
  const id = String(intent.payment_method);
  const card = account.cards.get(id);
  if (card?.behaviour.decline !== undefined && !card.behaviour.attaches) {
    const decline = declines[card.behaviour.decline];
    fail(account, intent, { ...decline, type: 'card_error' });
    throw cardFailure({ ...decline, setup_intent: structuredClone(intent) });
  }
  if (typeof intent.customer === 'string') {
    attach(account, held(account, 'paymentMethods', id), intent.customer);
  }
  if (card) card.isSetUp = true;
  intent.status = 'succeeded';
  emit(account, 'setup_intent.succeeded', intent);
  return intent;
}

function fail(account: Account, intent: Stripe.SetupIntent, error: Stripe.SetupIntent.LastSetupError) {
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.last_setup_error = error;
  emit(account, 'setup_intent.setup_failed', intent);
  return intent;
}
