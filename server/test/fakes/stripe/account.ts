import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Form } from './form.ts';
import {
  type Charge,
  type Customer,
  type Dispute,
  type Event,
  type Movement,
  noSuch,
  type PaymentIntent,
  type PaymentMethod,
  type Refund,
} from './objects.ts';

/** Decline reasons, with the codes and messages from https://docs.stripe.com/declines/codes. */
export interface Decline {
  code: string;
  decline_code: string;
  message: string;
}

export const declines = {
  generic_decline: {
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  },
  insufficient_funds: {
    code: 'card_declined',
    decline_code: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
  },
  authentication_required: {
    code: 'authentication_required',
    decline_code: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
} satisfies Record<string, Decline>;

export type DeclineName = keyof typeof declines;

export interface TestCard {
  brand: string;
  isDeclined?: boolean;
  /** 'always', or 'until saved' if off-session charges of a saved card succeed. */
  authentication?: 'always' | 'until saved';
}

/** Some of the test cards from https://docs.stripe.com/testing. */
export const testCards: Record<string, TestCard> = {
  '4242424242424242': { brand: 'visa' },
  '5555555555554444': { brand: 'mastercard' },
  '4000000000000002': { brand: 'visa', isDeclined: true },
  '4000002500003155': { brand: 'visa', authentication: 'until saved' },
  '4000002760003184': { brand: 'visa', authentication: 'always' },
};

/** One Stripe account's data. Objects refer to each other by id. */
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

/** Returns the object with this id, or throws Stripe's error. `param` is the parameter that contained the id. */
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

/** Records an event and passes it to the webhooks. */
export function emit(account: Account, type: Event['type'], object: { id: string }): void {
  const event: Event = {
    id: newId('evt'),
    object: 'event',
    created: seconds(account),
    data: { object: structuredClone(object) },
    type,
  };
  account.events.set(event.id, event);
  account.onEvent(event);
}
