import type { Parsed } from '@sixdigit/contract/route.ts';
import type { exportWebhookAttempts, WebhookAttempt } from '@sixdigit/contract/webhooks.ts';
import { type Exported, PART_ROWS } from '../platform/export/export.ts';
import { selectAttemptPart } from './list.ts';
import type { EndpointKey } from './queries.ts';

/** The attempts of an endpoint as CSV. */
export const attemptExport = (
  endpoint: EndpointKey,
  query: Parsed<typeof exportWebhookAttempts, 'query'>,
): Exported<WebhookAttempt> => ({
  name: 'webhook-attempts',
  columns: [
    { header: 'id', cell: (row) => row.id },
    { header: 'attempted_at', cell: (row) => row.attempted_at },
    { header: 'message_id', cell: (row) => row.message_id },
    { header: 'event_type', cell: (row) => row.event_type },
    { header: 'otp_id', cell: (row) => row.otp_id },
    { header: 'attempt', cell: (row) => row.attempt },
    { header: 'succeeded', cell: (row) => row.succeeded },
    { header: 'response_status', cell: (row) => row.response_status },
    { header: 'duration_ms', cell: (row) => row.duration_ms },
    { header: 'error', cell: (row) => row.error },
    { header: 'next_attempt_at', cell: (row) => row.next_attempt_at },
    { header: 'delivered', cell: (row) => row.delivered },
    { header: 'response_excerpt', cell: (row) => row.response_excerpt },
  ],
  part: (tx, below) => selectAttemptPart(tx, endpoint, query, { below, most: PART_ROWS }),
});
