import type Stripe from 'stripe';
import { type Account, type Call, held, liveCustomer, newId, seconds } from './account.ts';
import {
  type CardEntry,
  cardOfToken,
  declines,
  describeCard,
  isPaymentMethodToken,
  readCard,
} from './cards.ts';
import { changed, emit } from './events.ts';
import { cardFailure, invalidParameter, missingParameter, noSuch, refused } from './failure.ts';
import {
  accept,
  choice,
  type Form,
  integer,
  metadata,
  names,
  nested,
  nullable,
  required,
  text,
} from './form.ts';
import { page } from './list.ts';

const CREATE = names<Stripe.PaymentMethodCreateParams>()(
  'allow_redisplay',
  'billing_details',
  'card',
  'metadata',
  'type',
);

export function createPaymentMethod({ account, form }: Call): Stripe.PaymentMethod {
  accept(form, CREATE);
  return newPaymentMethod(account, form);
}

/** A payment method from `{type: 'card', card: {number, exp_month, exp_year, cvc} | {token}}`. */
export function newPaymentMethod(account: Account, form: Form): Stripe.PaymentMethod {
  if (required(form, 'type') !== 'card') {
    throw invalidParameter('payment_method_unsupported_type', 'type', 'Only cards are supported here.');
  }
  const card = nested(form, 'card');
  if (!card) throw missingParameter('card');
  const token = text(card, 'token');
  if (token !== undefined) return ofTestCard(account, cardOfToken(token, 'card[token]'), form);
  const entry: CardEntry = {
    number: required(card, 'number'),
    exp_month: integer(card, 'exp_month') ?? 0,
    exp_year: integer(card, 'exp_year') ?? 0,
    cvc: text(card, 'cvc'),
  };
  return ofTestCard(account, readCard(entry, account.now()), form, entry);
}

function ofTestCard(
  account: Account,
  card: ReturnType<typeof readCard>,
  form: Form,
  entry: CardEntry = { number: card.number, exp_month: 12, exp_year: account.now().getUTCFullYear() + 8 },
): Stripe.PaymentMethod {
  const billing = nested(form, 'billing_details') ?? {};
  const paymentMethod: Stripe.PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: choice(form, 'allow_redisplay', ['always', 'limited', 'unspecified']) ?? 'unspecified',
    billing_details: {
      address: null,
      email: nullable(billing, 'email') ?? null,
      name: nullable(billing, 'name') ?? null,
      phone: nullable(billing, 'phone') ?? null,
      tax_id: null,
    },
    card: describeCard(card, entry, account.now()),
    created: seconds(account),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: metadata(form),
    type: 'card',
  };
  account.paymentMethods.set(paymentMethod.id, paymentMethod);
  account.cards.set(paymentMethod.id, {
    behaviour: card,
    isSetUp: card.authentication === undefined || card.authentication === 'already_set_up',
    isSpent: false,
  });
  return paymentMethod;
}

/** The payment method of an id, or a new one for a `pm_card_visa` style name. */
export function usablePaymentMethod(account: Account, id: string, param?: string): Stripe.PaymentMethod {
  if (isPaymentMethodToken(id)) return ofTestCard(account, cardOfToken(id, param ?? 'id'), {});
  const paymentMethod = held(account, 'paymentMethods', id, param);
  if (account.cards.get(id)?.isSpent) {
    throw refused(
      'payment_method_unexpected_state',
      'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.',
    );
  }
  return paymentMethod;
}

export function attachPaymentMethod({ account, ids: [id = ''], form }: Call): Stripe.PaymentMethod {
  accept(form, names<Stripe.PaymentMethodAttachParams>()('customer'));
  const customer = liveCustomer(account, required(form, 'customer'), 'customer');
  return attach(account, usablePaymentMethod(account, id), customer.id);
}

/** Attaching validates the card at the bank, so a card that declines cannot be attached (but 4000 0000 0000 0341 can). */
export function attach(account: Account, paymentMethod: Stripe.PaymentMethod, customer: string) {
  if (paymentMethod.customer === customer) return paymentMethod;
  if (paymentMethod.customer !== null) {
    throw refused(
      'payment_method_unexpected_state',
      'The payment method you provided has already been attached to a customer.',
    );
  }
  const behaviour = account.cards.get(paymentMethod.id)?.behaviour;
  if (behaviour?.decline !== undefined && !behaviour.attaches) {
    throw cardFailure({ ...declines[behaviour.decline] });
  }
  paymentMethod.customer = customer;
  emit(account, 'payment_method.attached', paymentMethod);
  return paymentMethod;
}

export function detachPaymentMethod({ account, ids: [id = ''], form }: Call): Stripe.PaymentMethod {
  accept(form, names<Stripe.PaymentMethodDetachParams>()());
  const paymentMethod = held(account, 'paymentMethods', id);
  if (paymentMethod.customer === null) {
    throw refused(
      'payment_method_unexpected_state',
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  }
  return detach(account, paymentMethod);
}

function detach(account: Account, paymentMethod: Stripe.PaymentMethod): Stripe.PaymentMethod {
  const before = structuredClone(paymentMethod);
  paymentMethod.customer = null;
  const card = account.cards.get(paymentMethod.id);
  if (card) card.isSpent = true;
  for (const customer of account.customers.values()) {
    if (!customer.deleted && customer.invoice_settings.default_payment_method === paymentMethod.id) {
      customer.invoice_settings.default_payment_method = null;
    }
  }
  emit(account, 'payment_method.detached', paymentMethod, changed(before, paymentMethod));
  return paymentMethod;
}

export function detachAll(account: Account, customer: string): void {
  for (const one of account.paymentMethods.values()) if (one.customer === customer) detach(account, one);
}

export function retrievePaymentMethod({ account, ids: [id = ''], form }: Call): Stripe.PaymentMethod {
  accept(form, names<Stripe.PaymentMethodRetrieveParams>()());
  return held(account, 'paymentMethods', id);
}

const UPDATE = names<Stripe.PaymentMethodUpdateParams>()(
  'allow_redisplay',
  'billing_details',
  'card',
  'metadata',
);

export function updatePaymentMethod({ account, ids: [id = ''], form }: Call): Stripe.PaymentMethod {
  accept(form, UPDATE);
  const paymentMethod = held(account, 'paymentMethods', id);
  const before = structuredClone(paymentMethod);
  const card = nested(form, 'card');
  if (card && paymentMethod.card) {
    paymentMethod.card.exp_month = integer(card, 'exp_month') ?? paymentMethod.card.exp_month;
    paymentMethod.card.exp_year = integer(card, 'exp_year') ?? paymentMethod.card.exp_year;
  }
  const redisplay = choice(form, 'allow_redisplay', ['always', 'limited', 'unspecified']);
  if (redisplay) paymentMethod.allow_redisplay = redisplay;
  paymentMethod.metadata = metadata(form, paymentMethod.metadata ?? {});
  emit(account, 'payment_method.updated', paymentMethod, changed(before, paymentMethod));
  return paymentMethod;
}

const LIST = names<Stripe.PaymentMethodListParams>()(
  'allow_redisplay',
  'customer',
  'ending_before',
  'limit',
  'starting_after',
  'type',
);

export function listPaymentMethods({ account, form }: Call): Stripe.ApiList<Stripe.PaymentMethod> {
  accept(form, LIST);
  const customer = liveCustomer(account, required(form, 'customer'), 'customer');
  return ofCustomer(account, customer.id, '/v1/payment_methods', form);
}

export function listCustomerPaymentMethods({
  account,
  ids: [id = ''],
  form,
}: Call): Stripe.ApiList<Stripe.PaymentMethod> {
  accept(form, LIST);
  liveCustomer(account, id, 'customer');
  return ofCustomer(account, id, `/v1/customers/${id}/payment_methods`, form);
}

function ofCustomer(account: Account, customer: string, url: string, form: Form) {
  const type = text(form, 'type');
  return page(url, [...account.paymentMethods.values()], form, (one) => {
    return one.customer === customer && (type === undefined || one.type === type);
  });
}

export function retrieveCustomerPaymentMethod({
  account,
  ids: [customer = '', id = ''],
}: Call): Stripe.PaymentMethod {
  liveCustomer(account, customer, 'customer');
  const paymentMethod = held(account, 'paymentMethods', id);
  if (paymentMethod.customer !== customer) throw noSuch('PaymentMethod', id);
  return paymentMethod;
}
