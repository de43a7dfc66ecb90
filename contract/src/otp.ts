import { z } from 'zod';
import { endUserAddress } from './addresses/end-user-address.ts';
import { appHash, codeDomain } from './autofill.ts';
import { expirySeconds, messageTemplate, subjectLine } from './code-message.ts';
import { id, optionalTime, REQUIRED, time } from './field.ts';
import { limitValues } from './limit-values.ts';
import { metadata } from './metadata.ts';
import { channel, purpose, SendTarget, VerifyBody } from './otp-fields.ts';
import { planFields, STEPS_MAX, Step, withPlan } from './plan-fields.ts';
import { proof } from './proof.ts';
import { route } from './route.ts';
import { templateName, templateVariables } from './template-fields.ts';
import { outcome, outcome_at, STATUSES, segments } from './verifications.ts';
import { recipientText } from './viewer-texts.ts';

export { channel, VerifyBody } from './otp-fields.ts';

/** A tag as asked for. Another value is ignored, because the language of a message is never worth its loss. */
const locale = z
  .string()
  .regex(/^[a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,4}(?:\.[a-z0-9-]{1,12})?(?:@[a-z]{1,12})?$/i)
  .optional()
  .catch(undefined);

/** The labels of a send; null without any. */
const metadataOf = z.record(z.string(), z.string()).nullable().meta({
  description: 'The labels that the send attached; null if none',
});
/** Null also for a verification from before texts had languages. */
const languageOrNone = z.string().nullable().meta({
  description: 'The language of our text, as a BCP 47 tag; null if the text is yours',
});

/** Null also for a verification from before purposes. */
const purposeOrNone = z.string().nullable().meta({ description: 'As requested; null if none' });

/** A whole number from 1 or more to 10. */
const upToTen = (what: string, least: number) => {
  const error = `${what} must be a whole number from ${least} to 10.`;
  return z.number({ error }).int(error).min(least, error).max(10, error);
};

/** A code that the caller has made: digits, upper-case letters, or both. */
export const OWN_CODE = /^[0-9A-Z]{4,10}$/;
const OWN_CODE_MESSAGE = 'Code must be 4 to 10 digits or upper-case letters.';

export const SendBody = SendTarget.extend({
  message: messageTemplate.optional().meta({
    description:
      'Custom text of the SMS or email, with {code}. An SMS can have two segments, including the code, unless the operator has set another limit: 306 characters, or 134 if any character is outside GSM-7, such as an emoji. Calls do not speak this text, but a text of more than 30 seconds of speech is refused. WhatsApp and Telegram show only their own text: with this field, a template, an app_hash or a domain, a send there is refused',
  }),
  subject: subjectLine.optional().meta({
    description: 'Email only. With `{code}`, inboxes and locked screens show the code',
  }),
  locale: locale.meta({
    type: 'string',
    description:
      'The language of our text, as a BCP 47 tag such as pt-BR. Calls have fewer languages than SMS, email and WhatsApp. Telegram uses the language of the recipient’s app. Without a text in it, the account’s language is used',
  }),
  template: templateName.optional().meta({
    description: 'The name of a template, instead of message and subject',
  }),
  variables: templateVariables.optional().meta({
    description: 'Values of the template’s variables, without links',
  }),
  app_hash: appHash.optional().meta({
    description:
      'SMS only: the 11 characters by which Android’s SMS Retriever finds your app. They count as text',
  }),
  domain: codeDomain.optional().meta({
    description:
      'SMS only: the host of your sign-in page, on which browsers offer the code. Its line counts as text. A service that limits links takes only domains that the account has verified',
  }),
  client_ip: endUserAddress.optional(),
  expires_in: expirySeconds.optional().meta({
    description:
      'Validity of the code in seconds, 60 to 3600. Default: the account’s expiry time, 300 unless changed',
  }),
  code_length: upToTen('Code length', 4).optional().meta({
    description:
      'Digits of the code, 4 to 10. Default: the account’s code length, 6 unless changed. A guess must not be likelier than with the account’s length, so it can only be longer. A code that an open send shares keeps its length',
  }),
  max_attempts: upToTen('Attempts', 1).optional().meta({
    description:
      'Attempts to enter the code, 1 to 10. Default: 5, or 3 for codes of 4 or 5 digits. More need a longer code than the account’s. Open sends to a recipient share their attempts, and the smallest number counts',
  }),
  purpose: purpose.optional().meta({
    description:
      'What the code is for, such as login: 1 to 32 of a-z, 0-9, _ and -. Sends to a recipient share a code only if they have the same purpose, and codes of different purposes never verify each other. Limits per recipient count all purposes together',
  }),
  metadata: metadata.optional().meta({
    description:
      'Labels of your own, such as the number of an order: up to 10 pairs, keys of 1 to 40 of a-z, 0-9, _ and -, values of up to 200 characters. They are in the status, in webhooks, in the dashboard and in its exports',
  }),
  limits: limitValues.optional().meta({
    description:
      'What to count this send for, by the names of the account’s limits, such as {"signup-ip": "203.0.113.7"}: up to 10 values of up to 128 characters. They are stored only as keyed hashes',
  }),
  code: z.string({ error: OWN_CODE_MESSAGE }).regex(OWN_CODE, OWN_CODE_MESSAGE).optional().meta({
    description:
      'A code that you have made and will verify yourself: 4 to 10 digits or upper-case letters. The key needs the scope otp:own_code. Report with POST /otp/{otp_id}/outcome/ whether it was entered. Without this field, Sixdigit makes the code',
  }),
});

/** With a plan in place of one channel, and a proof. Only callers of the API can give one. */
export const PlannedSendBody = withPlan(
  SendBody.extend({
    channel: channel.optional().meta({ description: 'How the code is sent. Required without channels' }),
    ...planFields,
    proof: proof.optional().meta({
      description:
        'The solution of a challenge for this recipient, as ALTCHA’s widget posts it: base64 of up to 2,048 characters. A given proof is always checked, and an accepted send uses it up',
    }),
  }),
);

/** Only test verifications have it. */
const isTest = z.literal(true).optional().meta({ description: 'Made with a test key; otherwise absent' });
/** Only verifications with the caller's code have it. */
const ownCode = z
  .literal(true)
  .optional()
  .meta({ description: 'The sender made the code and verifies it; otherwise absent' });

const status = z.enum(STATUSES).meta({
  description:
    'pending until a carrier accepts the message, then sent; verified, failed and expired are final',
});
const expires_at = time.meta({ description: 'When the code expires' });

export const SendReply = z.object({
  otp_id: id.meta({ description: 'The id with which to verify the code, UUIDv7' }),
  status,
  expires_at,
  channel: channel.meta({ description: 'As requested; of a plan, the channel of the first message' }),
  channels: z
    .array(channel)
    .max(STEPS_MAX)
    .optional()
    .meta({ description: 'The plan, in its order; absent without one' }),
  recipient: recipientText.meta({
    description: 'The normalized recipient: E.164, or a lower-case email address',
  }),
  segments,
  cost_credits: z.number().int().meta({
    description: 'Credits charged for this send; 0 with a test key',
  }),
  language: z
    .string()
    .optional()
    .meta({ description: 'The language of our text; absent if the text is yours' }),
  code_length: z.number().int().optional().meta({
    description:
      'Digits of the code, if the request has code_length. Another number than requested if an open send shares its code',
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
  'recipient_suppressed',
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
    'Makes a code and sends it to a recipient. A successful response means that the code is stored and will be dispatched to a carrier. Undelivered messages are refunded. With a test key, a send is free and the message goes only to the test inbox. `GET /payments/prices/` lists what a send costs by channel and country.\n\n`destination_blocked` means that a fraud rule or a list blocks this destination. `blocked_by` names the rules, and `blocked_until` is the time when the block ends, or null. Nothing is charged.\n\n`recipient_suppressed` means that earlier emails to the address came back or were reported as spam, or that the account suppresses it. `suppressed_for` is the reason, and `suppressed_since` the time. Nothing is charged. `GET /recipients/suppressed/` lists the addresses.\n\n`recipient_rate_limited` means that the recipient got too many codes, from this account or from all accounts together, or too many wrong codes were entered. `retry_after` is the number of seconds to wait.\n\n`limit_reached` means that `limits` names a limit of the account that has no room for this send. `limit` is its name, `retry_after` the number of seconds to wait, and `resets_at` the time when it has room again. Nothing is charged or sent.\n\n`proof_required` means that the account, the key or a rule demands a proof of work. `challenge` is a fresh one: let the page solve it, and repeat the send with the solution as `proof`. Nothing is charged or sent.\n\n`invalid_proof` means that `proof` is `wrong`, `expired`, for an `other_recipient` or account, or was `used` before, as `problem` says. `challenge` is a fresh one.\n\n`spend_limit_reached` means that the account or the key has spent its daily or monthly credit limit. `resets_at` is the time when the limit resets. If there is a limit, the header `X-Spend-Limit-Remaining` contains the number of credits left before the nearest one.\n\nWith `code`, you make the code and verify it yourself, for example because an auth system does both. While the code is valid, a repeated send of the same code with the same key and channel to the same recipient sends nothing and costs nothing: the response is that of the first send, with its current status and the header `Idempotent-Replayed`. Another code is a new send. `POST /otp/{otp_id}/outcome/` reports whether it was entered.\n\nWith `channels`, one code is sent on several channels in turn, under one `otp_id`. The next message starts as soon as the one before it fails. It also starts after `wait_seconds`, unless the message was delivered or, if its carrier does not report deliveries quickly, the code was entered. A right code, a cancel and the expiry stop the rest. Each message is a send with its own price, limits and refund. A channel that is not available or refuses the recipient is skipped. `GET /otp/{otp_id}/` shows the `steps`, and the webhook event `otp.step` reports each later one.',
  body: PlannedSendBody,
  status: 201,
  reply: SendReply,
  failures: [...SEND_FAILURES, 'limit_reached', 'proof_required', 'invalid_proof', 'idempotency_key_reused'],
  idempotent: true,
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
    'Free. Name the verification by `otp_id`, or its recipient. A code verifies once. A wrong code counts as one of five attempts (three for codes of 4 or 5 digits, or the `max_attempts` of the send) and as one of 25 wrong codes per recipient in 24 hours. After the 25th, pending codes are closed (`max_attempts_reached`) and sends to the recipient are refused with `recipient_rate_limited`.',
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

/** A further message with the code of a verification. */
export const Resend = z.object({
  resend_id: id,
  channel,
  status,
  created_at: time,
  cost_credits: z.number().int(),
  failure: z.string().nullable(),
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
  locale: z.string().nullable().meta({ description: 'As requested; null if none' }),
  language: languageOrNone,
  template: z.string().nullable().meta({ description: 'The template of the text; null if none' }),
  template_version: z.number().int().nullable().meta({ description: 'The version that the send used' }),
  purpose: purposeOrNone,
  metadata: metadataOf,
  own_code: ownCode,
  outcome: outcome.optional(),
  outcome_at: outcome_at.optional(),
  resends: z
    .array(Resend)
    .optional()
    .meta({ description: 'The further messages with this code, oldest first; absent if none' }),
  steps: z
    .array(Step)
    .optional()
    .meta({ description: 'The channels of the plan, in its order; absent without a plan' }),
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

export const ResendReply = SendReply.extend({
  otp_id: id.meta({ description: 'As requested' }),
  resend_id: id.meta({ description: 'The id of this message, which webhooks and lists name' }),
});
export type ResendReply = z.infer<typeof ResendReply>;

export const resendOtp = route('POST /otp/:otp_id/resend/', {
  name: 'resendOtp',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:send',
  summary: 'Send the same code again',
  description:
    'Sends the code of a verification once more, under the same `otp_id`, with the text of the send. It costs as much as a send, and every limit applies. The attempts continue, and the code expires when it would have expired without the resend. A code can be sent again for ten minutes after it was first sent; then `resend_too_late` means that only a new send helps.',
  body: z.object({
    channel: channel.optional().meta({
      description:
        'Default: the next channel of the plan, if one waits, or else that of the send. A phone number can change between sms, voice, whatsapp and telegram. A channel that waits in the plan starts now',
    }),
    client_ip: endUserAddress.optional().meta({ description: 'Of the end user. Default: that of the send' }),
    limits: limitValues.optional().meta({ description: 'As for a send' }),
  }),
  reply: ResendReply,
  failures: [
    'otp_not_found',
    'otp_already_verified',
    'otp_closed',
    'otp_expired',
    'max_attempts_reached',
    'resend_too_late',
    'own_code',
    'limit_reached',
    ...SEND_FAILURES,
    'idempotency_key_reused',
  ],
  idempotent: true,
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
