import { EVENTS, listWebhooks, type Webhook, type WebhookEvent } from '@sixdigit/contract/webhooks.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { webhookSearch } from './webhook-search.ts';

/** Prefix of all webhook queries. Changing or testing an endpoint invalidates it. */
export const WEBHOOKS = ['webhooks'] as const;

type Search = typeof webhookSearch.defaults;

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
