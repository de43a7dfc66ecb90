import {
  exportWebhookAttempts,
  getWebhookAttempt,
  getWebhookQueue,
  listWebhookAttempts,
} from '@sixdigit/contract/webhooks.ts';
import { openStream } from '../api/call.ts';
import { read, readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';

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

/** An attempt's request never changes. */
export const attemptRequest = (id: string, attempt_id: string) =>
  read(getWebhookAttempt, { params: { id, attempt_id } }, { staleTime: Number.POSITIVE_INFINITY });

/** Refetch interval during a replay. */
const QUEUE_MS = 1_500;

/** The number of messages waiting for an endpoint. */
export const webhookQueue = (id: string, isWatched: boolean) =>
  read(getWebhookQueue, { params: { id } }, { enabled: isWatched, staleTime: 0, refetchInterval: QUEUE_MS });

/** The attempt log of one endpoint, newest first. It refetches on a timer. */
export const attemptPage = (id: string, { page, failedOnly }: AttemptFilter) =>
  readPage(
    listWebhookAttempts,
    { params: { id }, query: { page, ...(failedOnly && { delivered: 'false' }) } },
    { refetchInterval: REFRESH_MS },
  );
