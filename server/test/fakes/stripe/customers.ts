import type Stripe from 'stripe';
import { type Account, type Call, emit, held, liveCustomer, newId, seconds, testCards } from './account.ts';
import {
  accept,
  type Form,
  integer,
  metadata,
  names,
  nested,
  type Page,
  page,
  required,
  text,
} from './form.ts';
import {
  type Customer,
  invalidParameter,
  noSuch,
  type PaymentMethod,
  refused,
  StripeFailure,
} from './objects.ts';

const CREATE = names<Stripe.CustomerCreateParams>()('email', 'metadata');

export function createCustomer({ account, form }: Call): Customer {
  accept(form, CREATE);
  const email = text(form, 'email') ?? null;
  if (email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw invalidParameter('email_invalid', 'email', `Invalid email address: ${email}`);
  }
  const customer: Customer = { id: newId('cus'), object: 'customer', email, metadata: metadata(form) };
  account.customers.set(customer.id, customer);
  emit(account, 'customer.created', customer);
  return customer;
}

/** Also detaches the customer's payment methods. */
export function deleteCustomer({ account, ids: [id = ''], form }: Call): Stripe.DeletedCustomer {
  accept(form, new Set());
  const customer = liveCustomer(account, id);
  for (const one of account.paymentMethods.values()) if (one.customer === id) detach(account, one);
  const gone: Stripe.DeletedCustomer = { id, object: 'customer', deleted: true };
  account.customers.set(id, gone);
  emit(account, 'customer.deleted', customer);
  return gone;
}

const DATA = names<{ type: string; card: object }>()('type', 'card');

/** A payment method from `{type: 'card', card: {number, exp_month, exp_year, cvc}}`. */
export function newPaymentMethod(account: Account, data: Form): PaymentMethod {
  accept(data, DATA);
  const entry = nested(data, 'card') ?? {};
  const number = required(entry, 'number');
  const card = testCards[number];
  if (!card) {
    throw new StripeFailure(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'test_mode_live_card',
      message: 'Your card was declined. Your request was in test mode, but used a non test card.',
    });
  }
  const year = integer(entry, 'exp_year') ?? 0;
  const paymentMethod: PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    card: {
      brand: card.brand,
      last4: number.slice(-4),
      exp_month: integer(entry, 'exp_month') ?? 0,
      exp_year: year < 100 ? 2000 + year : year,
    },
    created: seconds(account),
    customer: null,
    type: 'card',
  };
  account.paymentMethods.set(paymentMethod.id, paymentMethod);
  account.cards.set(paymentMethod.id, card);
  return paymentMethod;
}

const LIST = names<Stripe.CustomerListPaymentMethodsParams>()('limit', 'type');

export function listPaymentMethods({ account, ids: [id = ''], form }: Call): Page<PaymentMethod> {
  accept(form, LIST);
  liveCustomer(account, id, 'customer');
  const type = text(form, 'type');
  return page(account.paymentMethods.values(), form, (one) => {
    return one.customer === id && (type === undefined || one.type === type);
  });
}

export function retrievePaymentMethod({ account, ids: [customer = '', id = ''], form }: Call): PaymentMethod {
  accept(form, new Set());
  liveCustomer(account, customer, 'customer');
  const paymentMethod = held(account.paymentMethods, 'PaymentMethod', id);
  if (paymentMethod.customer !== customer) throw noSuch('PaymentMethod', id);
  return paymentMethod;
}

export function detachPaymentMethod({ account, ids: [id = ''], form }: Call): PaymentMethod {
  accept(form, new Set());
  const paymentMethod = held(account.paymentMethods, 'PaymentMethod', id);
  if (paymentMethod.customer !== null) return detach(account, paymentMethod);
  throw refused('payment_method_unexpected_state', 'The payment method is not attached to a customer.');
}

export function detach(account: Account, paymentMethod: PaymentMethod): PaymentMethod {
  paymentMethod.customer = null;
  emit(account, 'payment_method.detached', paymentMethod);
  return paymentMethod;
}
