import { z } from 'zod';
import { id, optionalTime, time } from './field.ts';
import { listOf, listQuery } from './list.ts';
import { route } from './route.ts';

/** What the dashboard's first load reads of webhooks. */

export const EVENTS = ['sent', 'delivered', 'failed', 'verified', 'expired', 'step'] as const;
export type WebhookEvent = (typeof EVENTS)[number];
export const eventTypes = [
  'otp.sent',
  'otp.delivered',
  'otp.failed',
  'otp.verified',
  'otp.expired',
  'otp.step',
  'webhook.test',
] as const;

export const Webhook = z.object({
  id,
  name: z.string(),
  url: z.string(),
  is_active: z.boolean(),
  send_on_sent: z.boolean(),
  send_on_delivered: z.boolean(),
  send_on_failed: z.boolean(),
  send_on_verified: z.boolean(),
  send_on_expired: z.boolean(),
  send_on_step: z.boolean(),
  total_sent: z.number().int(),
  consecutive_failures: z.number().int(),
  last_sent_at: optionalTime,
  last_success_at: optionalTime,
  disabled_reason: z.enum(['gone', 'failing']).nullable().meta({
    description: 'Why the service disabled it: it responded 410, or no delivery succeeded for five days',
  }),
  created_at: time,
});
export type Webhook = z.infer<typeof Webhook>;

export const webhookRoute = { tag: 'webhooks', auth: 'bearer' } as const;

export const listWebhooks = route('GET /webhooks/', {
  ...webhookRoute,
  name: 'listWebhooks',
  summary: 'Webhook endpoints',
  query: listQuery(['created_at', 'name', 'url', 'is_active', 'total_sent', 'last_sent_at'], '-created_at'),
  reply: listOf(Webhook),
});

export const VerificationWebhook = z.object({
  message_id: id,
  endpoint: z.object({ id, name: z.string() }),
  event_type: z.enum(eventTypes),
  created_at: time,
  attempts: z.number().int().meta({ description: 'Number of attempts, including replays' }),
  response_status: z.number().int().nullable().meta({ description: 'Response status of the last attempt' }),
  succeeded: z.boolean().meta({ description: 'Whether the last attempt succeeded' }),
  next_attempt_at: optionalTime,
});
export type VerificationWebhook = z.infer<typeof VerificationWebhook>;

export const listVerificationWebhooks = route('GET /verifications/:id/webhooks/', {
  ...webhookRoute,
  tag: 'verifications',
  name: 'listVerificationWebhooks',
  summary: 'Webhook messages about one verification',
  description: 'Oldest first, for endpoints that still exist, with the outcome of the last attempt.',
  reply: z.object({ results: z.array(VerificationWebhook) }),
  failures: ['not_found'],
});
