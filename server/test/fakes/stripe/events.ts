import type Stripe from 'stripe';
import { type Account, apiVersion, type Call, held, newId, seconds } from './account.ts';
import { accept, names, text, texts } from './form.ts';
import { page } from './list.ts';

type EventOf<T extends Stripe.Event['type']> = Extract<Stripe.Event, { type: T }>;

/** Records an event with a snapshot of the object and passes it to the webhooks. */
export function emit<T extends Stripe.Event['type']>(
  account: Account,
  type: T,
  object: EventOf<T>['data']['object'],
  previous?: Partial<EventOf<T>['data']['object']>,
): void {
  const event = {
    id: newId('evt'),
    object: 'event',
    api_version: apiVersion,
    created: seconds(account),
    data: {
      object: structuredClone(object),
      ...(previous === undefined ? {} : { previous_attributes: structuredClone(previous) }),
    },
    livemode: false,
    pending_webhooks: 0,
    request: account.request ?? { id: null, idempotency_key: null },
    type,
  } satisfies Stripe.EventBase as unknown as Stripe.Event;
  account.events.set(event.id, event);
  account.onEvent(event);
}

/** The former values of the fields that differ now: an event's `previous_attributes`. */
export function changed<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name as keyof T]),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

export function retrieveEvent({ account, ids: [id = ''], form }: Call): Stripe.Event {
  accept(form, names<Stripe.EventRetrieveParams>()());
  return held(account, 'events', id);
}

const LIST = names<Stripe.EventListParams>()(
  'created',
  'delivery_success',
  'ending_before',
  'limit',
  'starting_after',
  'type',
  'types',
);

export function listEvents({ account, form }: Call): Stripe.ApiList<Stripe.Event> {
  accept(form, LIST);
  const wanted = texts(form, 'types') ?? [text(form, 'type') ?? '*'];
  const success = text(form, 'delivery_success');
  return page('/v1/events', [...account.events.values()], form, (event) => {
    const isDelivered = event.pending_webhooks === 0;
    return (
      wanted.some((pattern) => matches(pattern, event.type)) &&
      (success === undefined || (success === 'true') === isDelivered)
    );
  });
}

/** `charge.dispute.*` and `*` match as in Stripe's own lists of event types. */
export const matches = (pattern: string, type: string): boolean =>
  pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1)));
