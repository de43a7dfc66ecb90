import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import { id, keyFilter, time } from './field.ts';
import {
  countedListOf,
  countMode,
  createdAfter,
  createdBefore,
  EXPORT_DESCRIPTION,
  exportQuery,
  listQuery,
  modeFilter,
} from './list.ts';
import { route } from './route.ts';
import { routeFilters, STATUSES } from './verifications.ts';
import { recipientText, wholeText } from './viewer-texts.ts';

export const REQUEST_TYPES = ['send_otp', 'verify_otp'] as const;
export const STATUS_CODE_FILTERS = [
  'all',
  'success',
  'client_error',
  'refused_send',
  'server_error',
  '200',
  '201',
  '400',
  '401',
  '402',
  '404',
  '429',
  '500',
  '503',
] as const;

/** The log stores this many refused fields of a request. */
export const REFUSED_FIELDS_MOST = 3;

/** A field that a refusal names. */
export const RefusedField = z.object({
  field: wholeText.meta({ description: 'As the request names it' }),
  message: wholeText.meta({ description: 'Why it was refused, as in the response' }),
  value: z.string().nullable().meta({
    description:
      'What the request contained: at most 40 characters, of which letters and digits after the fourth are masked. Null for fields that could contain a code, if the field was missing, and if `otp.recipient` has it',
  }),
});
export type RefusedField = z.infer<typeof RefusedField>;

export const RequestLog = z.object({
  id,
  created_at: time,
  request_type: z.enum(REQUEST_TYPES),
  otp: z
    .object({
      id: id.nullable(),
      channel: z.enum(CHANNELS).nullable(),
      recipient: recipientText.nullable(),
      status: z.enum(STATUSES).nullable(),
    })
    .nullable(),
  api_key: z.object({ id, name: wholeText }),
  test: z.boolean().meta({ description: 'Made with a test key' }),
  response_status_code: z.number().int(),
  response_time_ms: z.number(),
  credits_used: z.number().int(),
  /** The credits were returned, because the message was not delivered. */
  refunded: z.boolean(),
  endpoint: wholeText,
  method: wholeText,
  ip_address: wholeText.nullable(),
  request_id: wholeText,
  reason: wholeText.nullable().meta({ description: 'The reason of the error, as in the response' }),
  refused_fields: z
    .array(RefusedField)
    .nullable()
    .meta({ description: `invalid_fields: the fields that were refused, at most ${REFUSED_FIELDS_MOST}` }),
  blocked_by: z
    .array(wholeText)
    .nullable()
    .meta({ description: 'destination_blocked: the rules that block the destination' }),
  count: z.number().int().meta({
    description:
      'For errors, the number of requests with this key and the same reason in that second; otherwise 1. Channel, recipient, verification, address and refused fields are null unless all of these requests have the same. The other fields are those of the first request.',
  }),
});
export type RequestLog = z.infer<typeof RequestLog>;

export const listRequestLogs = route('GET /logs/', {
  name: 'listRequestLogs',
  tag: 'logs',
  auth: 'bearer',
  summary: 'Requests made with the API keys of the account',
  query: listQuery(
    ['created_at', 'request_type', 'response_status_code', 'response_time_ms', 'credits_used', 'otp__status'],
    '-created_at',
  ).extend({
    created_after: createdAfter.optional(),
    created_before: createdBefore.optional(),
    status_code: z
      .enum(STATUS_CODE_FILTERS, { error: `Status code must be one of: ${STATUS_CODE_FILTERS.join(', ')}.` })
      .default('all'),
    ...routeFilters,
    api_key: keyFilter,
    mode: modeFilter,
    count: countMode,
  }),
  reply: countedListOf(RequestLog),
});

export const exportRequestLogs = route('GET /logs/export/', {
  name: 'exportRequestLogs',
  tag: 'logs',
  auth: 'bearer',
  summary: 'Requests made with the API keys of the account as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listRequestLogs.query),
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});
