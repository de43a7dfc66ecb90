import { z } from 'zod';
import { endUserAddress } from './addresses/end-user-address.ts';
import { CHANNELS, ONE_OF_CHANNELS } from './channels.ts';
import { headerText, headerTextMessage, id, optionalTime, REQUIRED, time } from './field.ts';
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
import { codeText } from './text/digits.ts';
import { recipientText, wholeText } from './viewer-texts.ts';

export const STATUSES = ['pending', 'sent', 'verified', 'failed', 'expired'] as const;
export type OtpStatus = (typeof STATUSES)[number];

export const EXPIRY_SECONDS = { min: 60, max: 3600, default: 300 } as const;
export const CODE_LENGTH = { min: 4, max: 8, default: 6 } as const;
export const DEFAULT_SUBJECT = 'Your Verification Code';
export const DEFAULT_MESSAGE = 'Your verification code is: {code}';
export const MESSAGE_MAX = 1000;
export const MESSAGE_PLACEHOLDER = 'Message template must include {code} placeholder';
const EXPIRY_MIN_MESSAGE = `Expiry time must be at least ${EXPIRY_SECONDS.min} seconds`;
const EXPIRY_MAX_MESSAGE = `Expiry time must be at most ${EXPIRY_SECONDS.max} seconds (1 hour)`;

export const expirySeconds = z
  .number({
    error: (issue) =>
      issue.input === undefined ? REQUIRED : 'Expiry time must be a whole number of seconds',
  })
  .int('Expiry time must be a whole number of seconds')
  .min(EXPIRY_SECONDS.min, EXPIRY_MIN_MESSAGE)
  .max(EXPIRY_SECONDS.max, EXPIRY_MAX_MESSAGE);

/** Text with the `{code}` placeholder. Line breaks are the only control characters allowed. */
export const messageTemplate = z
  .string()
  .trim()
  .min(1, MESSAGE_PLACEHOLDER)
  .max(MESSAGE_MAX, `Message must be at most ${MESSAGE_MAX} characters`)
  .refine((text) => text.includes('{code}'), MESSAGE_PLACEHOLDER)
  .refine((text) => !/[^\P{Cc}\n\r\t]/u.test(text), 'Message must not contain control characters')
  .refine((text) => text.isWellFormed(), 'Message must be valid Unicode text');

/** An e-mail subject: one line without the code. */
export const subjectLine = z
  .string()
  .min(3, 'Subject must be at least 3 characters')
  .max(200, 'Subject must be at most 200 characters')
  .refine(headerText, headerTextMessage('Subject'))
  .refine((text) => !text.includes('{code}'), 'Subject must not contain the code')
  .refine((text) => text.trim().length >= 3, 'Subject must be at least 3 characters');

export const channel = z
  .enum(CHANNELS, {
    error: (issue) =>
      issue.input === undefined || issue.input === null ? REQUIRED : `Channel must be ${ONE_OF_CHANNELS}.`,
  })
  .meta({ description: 'How the code is sent' });

/** A code that the caller has made: digits, upper-case letters, or both. */
export const OWN_CODE = /^[0-9A-Z]{4,10}$/;
const OWN_CODE_MESSAGE = 'Code must be 4 to 10 digits or upper-case letters.';

export const SendBody = z.object({
  channel,
  recipient: z
    .string()
    .trim()
    .min(1, REQUIRED)
    .max(320, 'Recipient is too long.')
    .meta({ description: 'A phone number (E.164, or national for the default region) or an email address' }),
  message: messageTemplate.optional().meta({
    description:
      'Custom text of the SMS or email, with {code}. An SMS can have two segments, including the code, unless the operator has set another limit: 306 characters, or 134 if any character is outside GSM-7, such as an emoji. Calls do not speak this text, but a text of more than 30 seconds of speech is refused',
  }),
  subject: subjectLine.optional().meta({ description: 'Email only' }),
  client_ip: endUserAddress.optional(),
  expires_in: expirySeconds
    .optional()
    .meta({ description: 'Validity of the code in seconds, 60 to 3600. Default 300' }),
  code: z.string({ error: OWN_CODE_MESSAGE }).regex(OWN_CODE, OWN_CODE_MESSAGE).optional().meta({
    description:
      'A code that you have made and will verify yourself: 4 to 10 digits or upper-case letters. The key needs the scope otp:own_code. Without this field, Sixdigit makes the code',
  }),
});

/** Also null for verifications from before segments were counted. */
const segments = z.number().int().min(1).nullable().meta({
  description: 'SMS only: the number of segments of the text. Null for voice and email',
});

/** Only test verifications have it. */
const isTest = z.literal(true).optional().meta({ description: 'Made with a test key; otherwise absent' });
/** Only verifications with the caller's code have it. */
const ownCode = z
  .literal(true)
  .optional()
  .meta({ description: 'The sender made the code and verifies it; otherwise absent' });

export const OUTCOMES = ['verified', 'unverified'] as const;
export type Outcome = (typeof OUTCOMES)[number];
const outcome = z.enum(OUTCOMES).nullable().meta({
  description: 'Own codes only: the outcome that the sender reported; null if none',
});
const outcome_at = optionalTime.meta({ description: 'When the outcome was reported' });
const status = z.enum(STATUSES).meta({
  description:
    'pending until a carrier accepts the message, then sent; verified, failed and expired are final',
});
const expires_at = time.meta({ description: 'When the code expires' });

export const SendReply = z.object({
  otp_id: id.meta({ description: 'The id with which to verify the code, UUIDv7' }),
  status,
  expires_at,
  channel: channel.meta({ description: 'As requested' }),
  recipient: recipientText.meta({
    description: 'The normalized recipient: E.164, or a lower-case email address',
  }),
  segments,
  cost_credits: z.number().int().meta({
    description: 'Credits charged for this send; 0 with a test key',
  }),
  own_code: ownCode,
  test: isTest,
});
export type SendReply = z.infer<typeof SendReply>;

/** The possible refusals of a send, whoever requests it. */
export const SEND_FAILURES = [
  'insufficient_credits',
  'spend_limit_reached',
  'recipient_opted_out',
  'destination_blocked',
  'recipient_rate_limited',
  'test_limit_reached',
  'rate_limited',
] as const;

export const sendOtp = route('POST /otp/send/', {
  name: 'sendOtp',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:send',
  summary: 'Send a one-time passcode',
  description:
    'Makes a code and sends it to a recipient. A successful response means that the code is stored and will be dispatched to a carrier. Undelivered messages are refunded. With a test key, a send is free and the message goes only to the test inbox. `GET /payments/prices/` lists what a send costs by channel and country.\n\n`destination_blocked` means that a fraud rule or a list blocks this destination. `blocked_by` names the rules, and `blocked_until` is the time when the block ends, or null. Nothing is charged.\n\n`recipient_rate_limited` means that the recipient got too many codes, from this account or from all accounts together, or that too many wrong codes were entered. `retry_after` is the number of seconds to wait.\n\n`spend_limit_reached` means that the account or the key has spent its daily or monthly credit limit. `resets_at` is the time when the limit resets. If there is a limit, the header `X-Spend-Limit-Remaining` contains the number of credits left before the nearest one.\n\nWith `code`, you make the code and verify it yourself, for example because an auth system does both. While the code is valid, a repeated send of the same code with the same key and channel to the same recipient sends nothing and costs nothing: the response is that of the first send, with its current status and the header `Idempotent-Replayed`. Another code is a new send. `POST /otp/{otp_id}/outcome/` reports whether it was entered.',
  body: SendBody,
  status: 201,
  reply: SendReply,
  failures: [...SEND_FAILURES, 'idempotency_key_reused'],
  idempotent: true,
});

const DIGITS = 'Code must be digits.';

/**
 * Digits as a string or a number. A string can use any script, and can separate the digits with anything except letters and
 * symbols. Only the server can check the length.
 */
export const enteredCode = z
  .union([z.string(), z.number().int(DIGITS).nonnegative(DIGITS)], {
    error: (issue) => (issue.input === undefined || issue.input === null ? REQUIRED : DIGITS),
  })
  .transform((code) => (typeof code === 'number' ? code : codeText(code)))
  .refine((code) => code !== '', REQUIRED);

export const VerifyBody = z.object({
  otp_id: z.string().trim().min(1, REQUIRED).meta({ description: 'As returned by the send' }),
  code: enteredCode.meta({
    override: { type: 'string', description: 'The digits that the person entered' },
  }),
});

export const VerifyReply = z.object({
  status: z.literal('verified').meta({ description: 'The code was correct' }),
  verified_at: time.meta({ description: 'When the code was verified' }),
  otp_id: id.meta({ description: 'As requested' }),
  test: isTest,
});

export const verifyOtp = route('POST /otp/verify/', {
  name: 'verifyOtp',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:verify',
  summary: 'Verify a code',
  description:
    'Free. A code verifies once. A wrong code counts as one of five attempts (three for codes of 4 or 5 digits) and as one of 25 wrong codes per recipient in 24 hours. After the 25th, pending codes are closed (`max_attempts_reached`) and sends to the recipient are refused with `recipient_rate_limited`.',
  body: VerifyBody,
  reply: VerifyReply,
  failures: [
    'invalid_code',
    'otp_expired',
    'otp_not_found',
    'otp_already_verified',
    'otp_closed',
    'max_attempts_reached',
    'own_code',
    'rate_limited',
    'idempotency_key_reused',
  ],
  idempotent: true,
});

export const OtpState = z.object({
  otp_id: id,
  status,
  channel,
  recipient: recipientText,
  cost_credits: z.number().int(),
  segments,
  created_at: time,
  expires_at,
  sent_at: optionalTime,
  delivered_at: optionalTime,
  verified_at: optionalTime,
  failure: z.string().nullable().meta({ description: 'Why the verification failed, if it did' }),
  own_code: ownCode,
  outcome: outcome.optional(),
  outcome_at: outcome_at.optional(),
  test: isTest,
});
export type OtpState = z.infer<typeof OtpState>;

export const getOtp = route('GET /otp/:otp_id/', {
  name: 'getOtp',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:read',
  summary: 'Status of a verification',
  reply: OtpState,
  failures: ['otp_not_found', 'rate_limited'],
});

export const cancelOtp = route('POST /otp/:otp_id/cancel/', {
  name: 'cancelOtp',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:send',
  summary: 'Cancel a verification; refunded if it was not yet dispatched to a carrier',
  reply: OtpState,
  failures: [
    'otp_not_found',
    'otp_already_verified',
    'otp_closed',
    'otp_expired',
    'max_attempts_reached',
    'rate_limited',
  ],
});

export const reportOutcome = route('POST /otp/:otp_id/outcome/', {
  name: 'reportOutcome',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:own_code',
  summary: 'Report the outcome of a code that you verified yourself',
  description:
    'Free. Report once, when the outcome is final: the first report counts. The same report again gets the same response; a different one is refused with `outcome_already_reported`. The status does not change.',
  body: z.object({
    verified: z
      .boolean({
        error: (issue) => (issue.input === undefined ? REQUIRED : 'Must be true or false.'),
      })
      .meta({ description: 'Whether the person entered the correct code' }),
  }),
  reply: OtpState,
  failures: ['otp_not_found', 'not_own_code', 'outcome_already_reported', 'rate_limited'],
});

// ── for the dashboard ──

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
  outcome_at,
  status_logs: z.array(StatusLog),
});
export type VerificationDetail = z.infer<typeof VerificationDetail>;

/** Filters by a message's route: channel, country and carrier. */
export const routeFilters = {
  channel: z.enum(CHANNELS, { error: `Channel must be ${ONE_OF_CHANNELS}.` }).optional(),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'Country must be two letters, as in ISO 3166-1.')
    .toUpperCase()
    .optional()
    .meta({ description: 'Country of the phone number, ISO 3166-1 alpha-2' }),
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
    api_key: z.string().optional(),
    own_code: z
      .enum(['true', 'false'], { error: 'Must be true or false.' })
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
