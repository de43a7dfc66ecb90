import {
  exportWebhookAttempts,
  getWebhookAttempt,
  getWebhookQueue,
  listWebhookMessages,
  type WebhookDelivery,
} from '@sixdigit/contract/webhooks.ts';
import { openStream } from '../api/call.ts';
import { read, readPage } from '../api/read.ts';
import type { Exporting } from '../table/run-export.ts';

/** Refetch interval while the deliveries are open. */
const REFRESH_MS = 3_000;

export interface DeliveryFilter {
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

/** An attempt never changes. */
export const attemptById = (id: string, attempt_id: string) =>
  read(getWebhookAttempt, { params: { id, attempt_id } }, { staleTime: Number.POSITIVE_INFINITY });

/** Refetch interval during a replay. */
const QUEUE_MS = 1_500;

/** The number of messages waiting for an endpoint. */
export const webhookQueue = (id: string, isWatched: boolean) =>
  read(getWebhookQueue, { params: { id } }, { enabled: isWatched, staleTime: 0, refetchInterval: QUEUE_MS });

/** The messages to one endpoint, newest first. They refetch on a timer. */
export const deliveryPage = (id: string, { page, failedOnly }: DeliveryFilter) =>
  readPage(
    listWebhookMessages,
    { params: { id }, query: { page, ...(failedOnly && { failing: 'true' }) } },
    { refetchInterval: REFRESH_MS },
  );

/** 'otp.verified of +14155550100' */
export const nameOf = ({ event_type, recipient }: WebhookDelivery): string =>
  recipient === null ? event_type : `${event_type} of ${recipient}`;
