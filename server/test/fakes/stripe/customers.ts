import type Stripe from 'stripe';
import { type Call, liveCustomer, newId } from './account.ts';
import { emit } from './events.ts';
import { invalidParameter } from './failure.ts';
import { accept, metadata, names, text } from './form.ts';
import type { Customer } from './objects.ts';
import { detach } from './payment-methods.ts';

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

/** Detaches the customer's payment methods, too. */
export function deleteCustomer({ account, ids: [id = ''], form }: Call): Stripe.DeletedCustomer {
  accept(form, new Set());
  const customer = liveCustomer(account, id);
  for (const one of account.paymentMethods.values()) if (one.customer === id) detach(account, one);
  const gone: Stripe.DeletedCustomer = { id, object: 'customer', deleted: true };
  account.customers.set(id, gone);
  emit(account, 'customer.deleted', customer);
  return gone;
}
