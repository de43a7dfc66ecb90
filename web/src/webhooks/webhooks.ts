import { queryOptions } from '@tanstack/react-query';
import { EVENTS, listWebhooks, type Webhook, type WebhookEvent } from '#contract/webhooks.ts';
import { call } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import { type ListSearch, listSearch } from '../table/search.ts';

/** Prefix of all webhook queries. Changing or testing an endpoint invalidates it. */
export const WEBHOOKS = ['webhooks'] as const;

export const webhookSearch = listSearch({
  orderings: ['created_at', 'name', 'url', 'is_active'],
  ordering: '-created_at',
  filters: {},
});
type Search = ListSearch<(typeof webhookSearch.defaults)['ordering'], Record<never, never>>;

export const webhookPage = ({ page, search, ordering }: Search) =>
  queryOptions({
    queryKey: [...WEBHOOKS, 'page', { page, search, ordering }],
    queryFn: async ({ signal }): Promise<Page<Webhook>> =>
      asPage(
        await call(listWebhooks, { query: { page, page_size: PAGE_SIZE, search, ordering }, signal }),
        page,
      ),
    ...keepPrevious,
  });

/** The field that enables an event. */
export const switchOf = (event: WebhookEvent): `send_on_${WebhookEvent}` => `send_on_${event}`;

export const eventsOf = (webhook: Webhook): WebhookEvent[] =>
  EVENTS.filter((event) => webhook[switchOf(event)]);
