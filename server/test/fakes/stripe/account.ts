import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import type { Decline, HeldCard } from './cards.ts';
import { noSuch } from './failure.ts';
import type { Form } from './form.ts';

/** A decline for the next matching charges, independent of the card. */
export interface OrderedDecline {
  decline: Decline;
  paymentMethod?: string | undefined;
  times: number;
}

/** Everything one Stripe account holds. Objects refer to each other by id; `expand.ts` fills them in. */
export interface Account {
  customers: Map<string, Stripe.Customer | Stripe.DeletedCustomer>;
  paymentMethods: Map<string, Stripe.PaymentMethod>;
  cards: Map<string, HeldCard>;
  paymentIntents: Map<string, Stripe.PaymentIntent>;
  setupIntents: Map<string, Stripe.SetupIntent>;
  charges: Map<string, Stripe.Charge>;
  refunds: Map<string, Stripe.Refund>;
  disputes: Map<string, Stripe.Dispute>;
  balanceTransactions: Map<string, Stripe.BalanceTransaction>;
  events: Map<string, Stripe.Event>;
  orderedDeclines: OrderedDecline[];
  /** The API request being served, for `event.request`. */
  request: Stripe.Event.Request | null;
  /** Called with each new event. */
  onEvent: (event: Stripe.Event) => void;
  /** The fake's base URL, for example `http://127.0.0.1:4000`. */
  url: string;
  now: () => Date;
}

export const apiVersion = '2026-10-28.endive';

export function newAccount(now: () => Date): Account {
  return {
    customers: new Map(),
    paymentMethods: new Map(),
    cards: new Map(),
    paymentIntents: new Map(),
    setupIntents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    balanceTransactions: new Map(),
    events: new Map(),
    orderedDeclines: [],
    request: null,
    onEvent: () => {},
    url: '',
    now,
  };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function newId(prefix: string, length = 24): string {
  return `${prefix}_${[...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]).join('')}`;
}

export const seconds = (account: Account) => Math.floor(account.now().getTime() / 1000);

/** One API call as a handler sees it: `ids` are the ids in its path, in order. */
export interface Call {
  account: Account;
  ids: string[];
  form: Form;
  /** Made with the publishable key, so it carries a client secret. */
  isPublishable: boolean;
}

type Held = {
  [K in keyof Account]: Account[K] extends Map<string, infer T extends { object: string }> ? T : never;
};

/** The object with this id, or Stripe's 404. `param` names the parameter that carried the id, for its 400. */
export function held<K extends keyof Account>(
  account: Account,
  kind: K,
  id: string,
  param?: string,
): Held[K] {
  const all: unknown = account[kind];
  const found = all instanceof Map ? (all.get(id) as Held[K] | undefined) : undefined;
  if (found !== undefined) return found;
  const noun =
    kind === 'paymentMethods'
      ? 'PaymentMethod'
      : kind.slice(0, -1).replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
  throw noSuch(noun, id, param ?? 'id', param === undefined ? 404 : 400);
}

export function liveCustomer(account: Account, id: string, param?: string): Stripe.Customer {
  const customer = held(account, 'customers', id, param);
  if (!customer.deleted) return customer;
  throw noSuch('customer', id, param ?? 'id', param === undefined ? 404 : 400);
}
