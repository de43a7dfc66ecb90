import type Stripe from 'stripe';
import { invalidParameter } from './failure.ts';
import { type Form, integer, text } from './form.ts';

interface Listed {
  id: string;
  created?: number;
}

/** One page of a list, newest first: `limit` 1–100 (10), `starting_after`, `ending_before`, `created`. */
export function page<T extends Listed>(
  url: string,
  all: T[],
  form: Form,
  matches: (one: T) => boolean = () => true,
): Stripe.ApiList<T> {
  const limit = integer(form, 'limit') ?? 10;
  if (limit < 1 || limit > 100) {
    throw invalidParameter('parameter_invalid_integer', 'limit', 'Limit must be between 1 and 100.');
  }
  const found = all.toReversed().filter((one) => wasCreated(one, form) && matches(one));
  const before = text(form, 'ending_before');
  if (before !== undefined) {
    const newer = found.slice(0, position(found, before, 'ending_before'));
    return { object: 'list', url, data: newer.slice(-limit), has_more: newer.length > limit };
  }
  const after = text(form, 'starting_after');
  const older = after === undefined ? found : found.slice(position(found, after, 'starting_after') + 1);
  return { object: 'list', url, data: older.slice(0, limit), has_more: older.length > limit };
}

/** The parameters of a list that may be narrowed to one payment. */
export const OF_PAYMENT = [
  'charge',
  'created',
  'ending_before',
  'limit',
  'payment_intent',
  'starting_after',
] as const;

interface OfPayment extends Listed {
  charge: string | Stripe.Charge | null;
  payment_intent: string | Stripe.PaymentIntent | null;
}

export function pageOfPayment<T extends OfPayment>(url: string, all: T[], form: Form): Stripe.ApiList<T> {
  const [charge, intent] = [text(form, 'charge'), text(form, 'payment_intent')];
  return page(
    url,
    all,
    form,
    (one) =>
      (charge === undefined || one.charge === charge) &&
      (intent === undefined || one.payment_intent === intent),
  );
}

function position(list: Listed[], id: string, param: string): number {
  const index = list.findIndex((one) => one.id === id);
  if (index >= 0) return index;
  throw invalidParameter('resource_missing', param, `No such object: '${id}'`);
}

function wasCreated({ created = 0 }: Listed, form: Form): boolean {
  const range = form.created;
  if (range === undefined) return true;
  if (typeof range === 'string') return created === integer(form, 'created');
  if (Array.isArray(range)) throw invalidParameter('parameter_invalid_object', 'created', 'Invalid object');
  const { gt, gte, lt, lte } = {
    gt: integer(range, 'gt') ?? -1,
    gte: integer(range, 'gte') ?? 0,
    lt: integer(range, 'lt') ?? Number.MAX_SAFE_INTEGER,
    lte: integer(range, 'lte') ?? Number.MAX_SAFE_INTEGER,
  };
  return created > gt && created >= gte && created < lt && created <= lte;
}
