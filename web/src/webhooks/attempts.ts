import {
  exportWebhookAttempts,
  getWebhookAttempt,
  getWebhookQueue,
  listWebhookAttempts,
  type WebhookAttempt,
} from '@sixdigit/contract/webhooks.ts';
import { queryOptions } from '@tanstack/react-query';
import { call, openStream } from '../api/call.ts';
import { asPage, type Page } from '../api/list.ts';
import { keepPrevious } from '../api/queries.ts';
import { PAGE_SIZE } from '../table/Pager.tsx';
import type { Exporting } from '../table/run-export.ts';
import { WEBHOOKS } from './webhooks.ts';

/** Refetch interval while the attempt log is open. */
const REFRESH_MS = 3_000;

export interface AttemptFilter {
  page: number;
  failedOnly: boolean;
}

export const attemptExport = (id: string, failedOnly: boolean): Exporting => ({
  name: 'webhook-attempts',
  open: (signal) =>
    openStream(exportWebhookAttempts, {
      params: { id },
      query: failedOnly ? { delivered: 'false' } : {},
      signal,
    }),
});

/** The request of an attempt never changes. */
export const attemptRequest = (id: string, attempt_id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS, 'attempt', id, attempt_id],
    queryFn: ({ signal }) => call(getWebhookAttempt, { params: { id, attempt_id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Refetch interval while a replay is delivered. */
const QUEUE_MS = 1_500;

/** How many messages wait for an endpoint. */
export const webhookQueue = (id: string, isWatched: boolean) =>
  queryOptions({
    queryKey: [...WEBHOOKS, 'queue', id],
    queryFn: ({ signal }) => call(getWebhookQueue, { params: { id }, signal }),
    enabled: isWatched,
    staleTime: 0,
    refetchInterval: QUEUE_MS,
  });

/** The attempt log of one endpoint, newest first. It refetches on a timer. */
export const attemptPage = (id: string, { page, failedOnly }: AttemptFilter) =>
  queryOptions({
    queryKey: [...WEBHOOKS, 'attempts', id, { page, failedOnly }],
    queryFn: async ({ signal }): Promise<Page<WebhookAttempt>> =>
      asPage(
        await call(listWebhookAttempts, {
          params: { id },
          query: { page, page_size: PAGE_SIZE, ...(failedOnly && { delivered: 'false' }) },
          signal,
        }),
        page,
      ),
    refetchInterval: REFRESH_MS,
    ...keepPrevious,
  });
