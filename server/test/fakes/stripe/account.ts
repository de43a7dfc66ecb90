import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Decline, TestCard } from './cards.ts';
import { noSuch } from './failure.ts';
import type { Form } from './form.ts';
import type {
  Charge,
  Customer,
  Dispute,
  Event,
  Movement,
  PaymentIntent,
  PaymentMethod,
  Refund,
} from './objects.ts';

/** Everything one Stripe account holds. Objects refer to each other by id. */
export interface Account {
  customers: Map<string, Customer | Stripe.DeletedCustomer>;
  paymentMethods: Map<string, PaymentMethod>;
  /** The card behind each payment method. */
  cards: Map<string, TestCard>;
  paymentIntents: Map<string, PaymentIntent>;
  charges: Map<string, Charge>;
  refunds: Map<string, Refund>;
  disputes: Map<string, Dispute>;
  balanceTransactions: Movement[];
  events: Map<string, Event>;
  /** Declines for the next matching charges, independent of the card. */
  orderedDeclines: { decline: Decline; paymentMethod: string | undefined; times: number }[];
  /** Called with each new event. */
  onEvent: (event: Event) => void;
  now: () => Date;
}

export function newAccount(now: () => Date): Account {
  return {
    customers: new Map(),
    paymentMethods: new Map(),
    cards: new Map(),
    paymentIntents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    balanceTransactions: [],
    events: new Map(),
    orderedDeclines: [],
    onEvent: () => {},
    now,
  };
}

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

export const seconds = (account: Account) => Math.floor(account.now().getTime() / 1000);

export function moveBalance(account: Account, amount: number): Movement {
  const movement = { amount };
  account.balanceTransactions.push(movement);
  return movement;
}

/** One API call as a handler sees it: `ids` are the ids in its path, in order. */
export interface Call {
  account: Account;
  ids: string[];
  form: Form;
}

/** The object with this id, or Stripe's error. `param` names the parameter that carried the id. */
export function held<T>(all: Map<string, T>, noun: string, id: string, param?: string): T {
  const found = all.get(id);
  if (found !== undefined) return found;
  throw noSuch(noun, id, param);
}

export const heldIntent = ({ paymentIntents }: Account, id: string, param?: string): PaymentIntent =>
  held(paymentIntents, 'payment_intent', id, param);

export function liveCustomer({ customers }: Account, id: string, param?: string): Customer {
  const customer = held(customers, 'customer', id, param);
  if (!customer.deleted) return customer;
  throw noSuch('customer', id, param);
}
