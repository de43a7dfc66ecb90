import { type Account, newId, seconds } from './account.ts';
import type { Event } from './objects.ts';

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
