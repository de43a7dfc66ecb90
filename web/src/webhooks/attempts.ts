import { queryOptions } from '@tanstack/react-query';
import { exportWebhookAttempts, listWebhookAttempts, type WebhookAttempt } from '#contract/webhooks.ts';
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
      query: failedOnly ? { succeeded: 'false' } : {},
      signal,
    }),
});

/** The attempt log of one endpoint, newest first. It refetches on a timer. */
export const attemptPage = (id: string, { page, failedOnly }: AttemptFilter) =>
  queryOptions({
    queryKey: [...WEBHOOKS, 'attempts', id, { page, failedOnly }],
    queryFn: async ({ signal }): Promise<Page<WebhookAttempt>> =>
      asPage(
        await call(listWebhookAttempts, {
          params: { id },
          query: { page, page_size: PAGE_SIZE, ...(failedOnly && { succeeded: 'false' }) },
          signal,
        }),
        page,
      ),
    refetchInterval: REFRESH_MS,
    ...keepPrevious,
  });
