import type Stripe from 'stripe';
import { type Account, type Call, held, liveCustomer, newId, seconds } from './account.ts';
import { changed, emit } from './events.ts';
import { invalidParameter } from './failure.ts';
import { accept, type Form, metadata, names, nested, nullable, text } from './form.ts';
import { page } from './list.ts';
import { attach, detachAll, usablePaymentMethod } from './payment-methods.ts';

const CREATE = names<Stripe.CustomerCreateParams>()(
  'description',
  'email',
  'invoice_settings',
  'metadata',
  'name',
  'payment_method',
  'phone',
);

export function createCustomer({ account, form }: Call): Stripe.Customer {
  accept(form, CREATE);
  const customer: Stripe.Customer = {
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: seconds(account),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: newId('x', 8).slice(2).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: metadata(form),
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
  describe(customer, form);
  const paymentMethod = text(form, 'payment_method');
  account.customers.set(customer.id, customer);
  if (paymentMethod !== undefined) {
    attach(account, usablePaymentMethod(account, paymentMethod, 'payment_method'), customer.id);
  }
  chooseDefault(account, customer, form);
  emit(account, 'customer.created', customer);
  return customer;
}

function describe(customer: Stripe.Customer, form: Form): void {
  const email = nullable(form, 'email');
  if (typeof email === 'string' && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw invalidParameter('email_invalid', 'email', `Invalid email address: ${email}`);
  }
  for (const name of ['description', 'email', 'name', 'phone'] as const) {
    const value = nullable(form, name);
    if (value !== undefined) customer[name] = value;
  }
}

function chooseDefault(account: Account, customer: Stripe.Customer, form: Form): void {
  const id = nullable(nested(form, 'invoice_settings') ?? {}, 'default_payment_method');
  if (typeof id === 'string' && account.paymentMethods.get(id)?.customer !== customer.id) {
    throw invalidParameter(
      'resource_missing',
      'invoice_settings[default_payment_method]',
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
    );
  }
  if (id !== undefined) customer.invoice_settings.default_payment_method = id;
}

export function retrieveCustomer({
  account,
  ids: [id = ''],
  form,
}: Call): Stripe.Customer | Stripe.DeletedCustomer {
  accept(form, names<Stripe.CustomerRetrieveParams>()());
  return held(account, 'customers', id);
}

const UPDATE = names<Stripe.CustomerUpdateParams>()(
  'description',
  'email',
  'invoice_settings',
  'metadata',
  'name',
  'phone',
);

export function updateCustomer({ account, ids: [id = ''], form }: Call): Stripe.Customer {
  accept(form, UPDATE);
  const customer = liveCustomer(account, id);
  const before = structuredClone(customer);
  describe(customer, form);
  chooseDefault(account, customer, form);
  customer.metadata = metadata(form, customer.metadata);
  emit(account, 'customer.updated', customer, changed(before, customer));
  return customer;
}

export function deleteCustomer({ account, ids: [id = ''], form }: Call): Stripe.DeletedCustomer {
  accept(form, names<object>()());
  const customer = liveCustomer(account, id);
  detachAll(account, id);
  const gone: Stripe.DeletedCustomer = { id, object: 'customer', deleted: true };
  account.customers.set(id, gone);
  emit(account, 'customer.deleted', customer);
  return gone;
}

const LIST = names<Stripe.CustomerListParams>()(
  'created',
  'email',
  'ending_before',
  'limit',
  'starting_after',
);

export function listCustomers({ account, form }: Call): Stripe.ApiList<Stripe.Customer> {
  accept(form, LIST);
  const email = text(form, 'email');
  const alive = [...account.customers.values()].filter((one) => !one.deleted);
  return page('/v1/customers', alive, form, (one) => email === undefined || one.email === email);
}
