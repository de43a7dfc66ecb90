import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import {
  headerText,
  headerTextMessage,
  id,
  oneLine,
  optionalTime,
  queryFlag,
  REQUIRED,
  time,
} from './field.ts';
import { EXPORT_DESCRIPTION, exportQuery, listOf, listQuery } from './list.ts';
import { moment } from './moment.ts';
import { route } from './route.ts';
import { STATUSES } from './verifications.ts';
import { recipientText, wholeText } from './viewer-texts.ts';
import { eventTypes, Webhook, webhookRoute } from './webhook-list.ts';

export * from './webhook-list.ts';

export const NewWebhook = Webhook.extend({
  secret: z.string().meta({ description: 'The signing secret. Returned only once.' }),
});

const flag = (byDefault: boolean) => z.boolean({ error: 'Must be true or false.' }).default(byDefault);

export const WebhookBody = z.object({
  name: z
    .string()
    .trim()
    .min(1, REQUIRED)
    .max(100, 'Name must be at most 100 characters')
    .refine(headerText, headerTextMessage('Name')),
  url: z.string().trim().min(1, REQUIRED).max(2048, 'URL must be at most 2048 characters'),
  secret: z
    .string()
    .max(200, 'Secret must be at most 200 characters')
    .refine(oneLine, 'Secret must be a single line')
    .optional()
    .meta({
      description:
        'At least 16 bytes: plain ASCII text, or padded base64 after whsec_. Surrounding spaces and quotes, and `v1,` before whsec_, are removed. If empty, a new endpoint gets a generated secret, and an existing endpoint keeps its secret',
    }),
  is_active: flag(true),
  send_on_sent: flag(true),
  send_on_delivered: flag(true),
  send_on_failed: flag(true),
  send_on_verified: flag(true),
  send_on_expired: flag(true),
  send_on_step: flag(false),
});

export const WebhookAttempt = z.object({
  id,
  message_id: id,
  event_type: z.enum(eventTypes),
  otp_id: id.nullable(),
  attempt: z
    .number()
    .int()
    .meta({ description: '1 for the first attempt; replays and tests continue the count' }),
  attempted_at: time,
  response_status: z.number().int().nullable(),
  duration_ms: z.number().int(),
  succeeded: z.boolean(),
  error: z.string().nullable(),
  response_excerpt: z.string().nullable().meta({ description: 'The first 4 KiB of the response' }),
  next_attempt_at: optionalTime.meta({
    description: 'When the message will be retried; set only for the last attempt of a waiting message',
  }),
  delivered: z.boolean().meta({ description: 'Whether this or another attempt has delivered the message' }),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const createWebhook = route('POST /webhooks/', {
  ...webhookRoute,
  name: 'createWebhook',
  stepUp: true,
  summary: 'Add a webhook endpoint',
  body: WebhookBody,
  status: 201,
  reply: NewWebhook,
});
export const updateWebhook = route('PUT /webhooks/:id/', {
  ...webhookRoute,
  name: 'updateWebhook',
  stepUp: { when: 'anything but the name changes' },
  summary: 'Change a webhook endpoint',
  body: WebhookBody,
  reply: Webhook,
  failures: ['not_found'],
});
export const deleteWebhook = route('DELETE /webhooks/:id/', {
  ...webhookRoute,
  name: 'deleteWebhook',
  stepUp: true,
  summary: 'Delete a webhook endpoint',
  failures: ['not_found'],
});
export const testWebhook = route('POST /webhooks/:id/test/', {
  ...webhookRoute,
  name: 'testWebhook',
  summary: 'Deliver a webhook.test message now',
  reply: z.object({
    success: z.boolean(),
    response_status: z.number().int().nullable(),
    duration_ms: z.number().int(),
    error: z.string().nullable(),
  }),
  failures: ['not_found', 'too_many_requests'],
});
export const listWebhookAttempts = route('GET /webhooks/:id/attempts/', {
  ...webhookRoute,
  name: 'listWebhookAttempts',
  summary: 'Delivery attempts to an endpoint in the last 30 days, with its responses',
  query: listQuery(['attempted_at'], '-attempted_at').extend({
    succeeded: queryFlag.optional(),
    delivered: queryFlag.optional().meta({ description: 'Whether any attempt has delivered the message' }),
  }),
  reply: listOf(WebhookAttempt),
  failures: ['not_found'],
});
export const ATTEMPTS_SHOWN = 10;

export const WebhookDelivery = z.object({
  id: id.meta({ description: 'The id of the message, sent as webhook-id' }),
  event_type: z.enum(eventTypes),
  otp_id: id.nullable(),
  recipient: recipientText.nullable().meta({ description: 'The recipient of the verification' }),
  created_at: time,
  state: z.enum(['waiting', 'retrying', 'delivered', 'failed', 'dropped']).meta({
    description:
      'waiting: not yet attempted. retrying: every attempt failed, and another one is scheduled. delivered: an attempt succeeded. failed: every attempt failed, and none is scheduled. dropped: never attempted, because the endpoint was inactive',
  }),
  next_attempt_at: optionalTime.meta({ description: 'Null if no attempt is scheduled or one is in flight' }),
  attempt_count: z.number().int(),
  attempts: z
    .array(
      WebhookAttempt.pick({
        id: true,
        attempt: true,
        attempted_at: true,
        response_status: true,
        duration_ms: true,
        succeeded: true,
        error: true,
      }),
    )
    .meta({ description: `The last ${ATTEMPTS_SHOWN} attempts, newest first` }),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const listWebhookMessages = route('GET /webhooks/:id/messages/', {
  ...webhookRoute,
  name: 'listWebhookMessages',
  summary: 'Messages to an endpoint in the last 30 days, with their delivery attempts',
  query: listQuery(['created_at'], '-created_at').extend({
    failing: queryFlag
      .optional()
      .meta({ description: 'Whether an attempt has failed and none has succeeded' }),
  }),
  reply: listOf(WebhookDelivery),
  failures: ['not_found'],
});
export const getWebhookAttempt = route('GET /webhooks/:id/attempts/:attempt_id/', {
  ...webhookRoute,
  name: 'getWebhookAttempt',
  summary: 'The request and the response of one delivery attempt',
  description:
    'The headers and the body of the request, as sent. Signatures are not stored: compute them from the secret in use at that time, the headers webhook-id and webhook-timestamp, and the body.',
  reply: z.object({
    id,
    method: z.literal('POST'),
    headers: z.record(z.string(), wholeText),
    body: z.string().nullable().meta({ description: 'Null when the message has been removed' }),
    response_excerpt: WebhookAttempt.shape.response_excerpt,
  }),
  failures: ['not_found'],
});
export const exportWebhookAttempts = route('GET /webhooks/:id/attempts/export/', {
  ...webhookRoute,
  name: 'exportWebhookAttempts',
  summary: 'Delivery attempts to an endpoint in the last 30 days as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listWebhookAttempts.query),
  stream: 'text/csv',
  failures: ['not_found', 'list_timeout', 'export_limit_reached'],
});
export const replayWebhookMessage = route('POST /webhooks/:id/messages/:message_id/replay/', {
  ...webhookRoute,
  name: 'replayWebhookMessage',
  summary: 'Deliver a message again with the same id',
  reply: z.object({ message_id: id, status: z.literal('queued') }),
  fieldErrors: true,
  failures: ['not_found', 'too_many_requests'],
});
export const REPLAY_MOST = 1_000;

export const replayFailedWebhooks = route('POST /webhooks/:id/replay-failed/', {
  ...webhookRoute,
  name: 'replayFailedWebhooks',
  summary: 'Replay the messages that an endpoint has not received',
  description: `Queues the messages that failed after the given time and were never received, and brings forward those that are waiting for a retry. The oldest come first, at most ${REPLAY_MOST} per call. Repeating the call does not queue a message twice.`,
  body: z.object({
    since: moment('Use an ISO 8601 time.').meta({
      description: 'At most 30 days ago; older messages are not stored',
    }),
  }),
  reply: z.object({
    queued: z.number().int(),
    has_more: z.boolean().meta({ description: 'More messages failed than one call queues' }),
  }),
  fieldErrors: true,
  failures: ['not_found', 'list_timeout', 'too_many_requests'],
});
export const getWebhookQueue = route('GET /webhooks/:id/queue/', {
  ...webhookRoute,
  name: 'getWebhookQueue',
  summary: 'Number of messages waiting for an endpoint',
  reply: z.object({ waiting: z.number().int() }),
  failures: ['not_found'],
});
export const rotateWebhookSecret = route('POST /webhooks/:id/rotate-secret/', {
  ...webhookRoute,
  name: 'rotateWebhookSecret',
  stepUp: true,
  summary: 'Rotate the signing secret; the old one also signs for 24 hours',
  reply: z.object({ secret: z.string() }),
  failures: ['not_found'],
});

/** A step of a plan that started or was skipped. */
export const StepEvent = z.object({
  channel: z.enum(CHANNELS),
  status: z.enum(['pending', 'skipped']),
  reason: z.string().meta({
    description:
      'Why it started: failed, timeout (not delivered or not entered in time) or requested (by a resend); or why it was skipped',
  }),
});

/** The body that endpoints receive. */
export const WebhookMessage = z.object({
  type: z.enum(eventTypes),
  timestamp: time,
  data: z.object({
    otp_id: id,
    status: z.enum(STATUSES),
    previous_status: z.enum(STATUSES).nullable(),
    channel: z.enum(CHANNELS),
    recipient: recipientText,
    api_key: z.object({ id, name: z.string() }),
    created_at: time,
    expires_at: time,
    sent_at: optionalTime,
    delivered_at: optionalTime,
    verified_at: optionalTime,
    cost_credits: z.number().int(),
    failure: z.string().nullable(),
    resend_id: id
      .optional()
      .meta({ description: 'Of a resend: its id. status and the times are those of this message' }),
    step: StepEvent.optional().meta({ description: 'otp.step only: the step that started or was skipped' }),
    purpose: z
      .string()
      .optional()
      .meta({ description: 'What the code is for; absent if the send names no purpose' }),
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'The labels that the send attached; absent if none' }),
    test: z.literal(true).optional().meta({ description: 'Present only for test verifications' }),
    own_code: z
      .literal(true)
      .optional()
      .meta({ description: 'Present only if the sender made the code and verifies it' }),
  }),
});
