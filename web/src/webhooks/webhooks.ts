import { EVENTS, listWebhooks, type Webhook, type WebhookEvent } from '@sixdigit/contract/webhooks.ts';
import { asPage } from '../api/list.ts';
import { read, readPage } from '../api/read.ts';
import { listSearch } from '../table/search.ts';

/** The list's state in the URL. */
export const webhookSearch = listSearch({
  orderings: ['created_at', 'name', 'url', 'is_active'],
  ordering: '-created_at',
  filters: {},
});
type Search = typeof webhookSearch.defaults;

export const webhookPage = ({ page, search, ordering }: Search) =>
  readPage(listWebhooks, { query: { page, search, ordering } });

/** The names of the endpoints, for the palette. */
export const webhookChoices = read(
  listWebhooks,
  { query: { page_size: 100 } },
  { select: (reply) => asPage(reply, 1, 100).results },
);

/** The field that enables an event. */
export const switchOf = (event: WebhookEvent): `send_on_${WebhookEvent}` => `send_on_${event}`;

export const eventsOf = (webhook: Webhook): WebhookEvent[] =>
  EVENTS.filter((event) => webhook[switchOf(event)]);
