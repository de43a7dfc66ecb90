import { z } from 'zod';
import { CHANNELS, ONE_OF_CHANNELS } from './channels.ts';
import { countryCode, id, keyFilter, optionalTime, queryFlag, time } from './field.ts';
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
import { Step } from './plan-fields.ts';
import { LookupOfSend } from './protection/lookups.ts';
import { route } from './route.ts';
import { recipientText, wholeText } from './viewer-texts.ts';

export const STATUSES = ['pending', 'sent', 'verified', 'failed', 'expired'] as const;
export type OtpStatus = (typeof STATUSES)[number];

/** Also null for verifications from before segments were counted. */
export const segments = z.number().int().min(1).nullable().meta({
  description: 'SMS only: the number of segments of the text. Null for the other channels',
});

export const OUTCOMES = ['verified', 'unverified'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export const outcome = z.enum(OUTCOMES).nullable().meta({
  description: 'Own codes only: the outcome that the sender reported; null if none',
});
export const outcome_at = optionalTime.meta({ description: 'When the outcome was reported' });

const KeyOfOtp = z.object({ id, name: wholeText });

export const Verification = z.object({
  id,
  recipient: recipientText,
  channel: z.enum(CHANNELS),
  status: z.enum(STATUSES),
  cost_credits: z.number().int(),
  segments,
  country: z.string().nullable().meta({ description: 'Country of the phone number, ISO 3166-1 alpha-2' }),
  carrier: z.string().nullable().meta({ description: 'The carrier that accepted the message' }),
  created_at: time,
  api_key: KeyOfOtp,
  test: z.boolean().meta({ description: 'Made with a test key' }),
  own_code: z.boolean().meta({ description: 'The sender made the code and verifies it' }),
  resend_of: id.nullable().meta({ description: 'The verification whose code this message repeats' }),
  language: wholeText
    .nullable()
    .meta({ description: 'The language of our text; null if the text is the sender’s' }),
  outcome,
});
export type Verification = z.infer<typeof Verification>;

export const StatusLog = z.object({
  id,
  previous_status: z.enum(STATUSES).nullable(),
  new_status: z.enum(STATUSES),
  changed_at: time,
  ip_address: wholeText.nullable(),
  notes: z.string().nullable(),
});
export type StatusLog = z.infer<typeof StatusLog>;

export const VerificationDetail = Verification.extend({
  expires_at: time,
  sent_at: optionalTime,
  delivered_at: optionalTime,
  verified_at: optionalTime,
  message: z.string().nullable(),
  subject: z.string().nullable(),
  provider_message_id: z.string().nullable(),
  failure: z.string().nullable(),
  locale: wholeText.nullable().meta({ description: 'The language that the send asked for' }),
  template: z.string().nullable().meta({ description: 'The template of the text' }),
  template_version: z.number().int().nullable().meta({ description: 'The version that the send used' }),
  resends: z.array(id).meta({ description: 'The messages that repeat its code' }),
  steps: z
    .array(Step)
    .optional()
    .meta({ description: 'The channels of its plan, in order; absent without a plan' }),
  purpose: z
    .string()
    .nullable()
    .meta({ description: 'What the code is for; null if the send names no purpose' }),
  lookup: LookupOfSend.nullable().meta({
    description: 'What a look-up before the send found of the number; null if there was none',
  }),
  code_length: z.number().int().meta({ description: 'Characters of the code' }),
  max_attempts: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Attempts that the send allowed; null if it did not ask for a number' }),
  metadata: z.record(z.string(), z.string()).nullable(),
  outcome_at,
  status_logs: z.array(StatusLog),
});
export type VerificationDetail = z.infer<typeof VerificationDetail>;

/** Filters by a message's route: channel, country and carrier. */
export const routeFilters = {
  channel: z.enum(CHANNELS, { error: `Channel must be ${ONE_OF_CHANNELS}.` }).optional(),
  country: countryCode.optional().meta({ description: 'Country of the phone number, ISO 3166-1 alpha-2' }),
  carrier: z
    .string()
    .max(60, 'Carrier must be at most 60 characters.')
    .refine((text) => !text.includes('\0'), 'Carrier must be plain text.')
    .optional()
    .meta({ description: 'The name of the carrier that accepted the message' }),
};

export const listVerifications = route('GET /verifications/', {
  name: 'listVerifications',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'Verifications of the account',
  query: listQuery(['created_at', 'status'], '-created_at').extend({
    created_after: createdAfter.optional(),
    created_before: createdBefore.optional(),
    status: z.enum(STATUSES, { error: `Status must be one of: ${STATUSES.join(', ')}.` }).optional(),
    ...routeFilters,
    api_key: keyFilter,
    own_code: queryFlag
      .optional()
      .meta({ description: 'true: only codes that the sender made; false: only those of Sixdigit' }),
    mode: modeFilter,
    count: countMode,
  }),
  reply: countedListOf(Verification),
});

export const exportVerifications = route('GET /verifications/export/', {
  name: 'exportVerifications',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'Verifications of the account as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listVerifications.query),
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});

export const getVerification = route('GET /verifications/:id/', {
  name: 'getVerification',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'One verification with its history',
  reply: VerificationDetail,
  failures: ['not_found'],
});

export const cancelVerification = route('POST /verifications/:id/cancel/', {
  name: 'cancelVerification',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'Cancel a verification; refunded if it was not yet dispatched to a carrier',
  reply: VerificationDetail,
  failures: ['otp_not_found', 'otp_already_verified', 'otp_closed', 'otp_expired', 'max_attempts_reached'],
});
