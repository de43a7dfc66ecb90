/** What the fake refuses: the fields of a send, and the sentence of each reason. */

import { type ApiReason, type Facts, SixdigitError } from './error.ts';
import type { Channel, SendInput } from './shapes.ts';

export const LENGTH = 6;
export const triesFor = (length: number): number => (length < LENGTH ? 3 : 5);

/** Throws `invalid_fields` with every problem of a send. */
export function refuseInvalid(
  input: SendInput,
  { channel, recipient, lifetime }: { channel: Channel; recipient: string; lifetime: number },
): void {
  refuseFields({
    recipient: (channel === 'email') === recipient.includes('@') ? [] : ['Enter a valid recipient.'],
    ...textProblems(channel, input),
    ...planProblems(input, lifetime),
    expires_in: lifetime >= 60 && lifetime <= 3600 ? [] : ['Expiry time must be from 60 to 3600 seconds'],
    ...guessProblems(input),
    ...codeProblems(channel, input),
    purpose:
      input.purpose === undefined || /^[a-z0-9_-]{1,32}$/.test(input.purpose) ? [] : ['Invalid purpose.'],
  });
}

export function refuseFields(problems: Record<string, string[]>): void {
  const fieldErrors = Object.fromEntries(Object.entries(problems).filter(([, all]) => all.length > 0));
  const [first] = Object.values(fieldErrors);
  if (first) throw new SixdigitError('invalid_fields', first.join(' '), { status: 400, fieldErrors });
}

/** WhatsApp and Telegram show a text of their own, so a plan skips them. */
export const hasOwnText = ({ message, subject, template }: SendInput): boolean =>
  [message, subject, template].some((text) => text !== undefined);

export function channelsOf({ channel, channels, recipient }: SendInput): Channel[] {
  if (channels === undefined) return channel === undefined ? [] : [channel];
  if (channels === 'auto') return recipient.includes('@') ? ['email'] : ['sms', 'voice'];
  return channels;
}

export const isFixed = (channel: Channel): boolean => channel === 'whatsapp' || channel === 'telegram';

const planProblems = ({ channel, channels, wait_seconds, code }: SendInput, lifetime: number) => ({
  channel: channel === undefined && channels === undefined ? ['This field is required.'] : [],
  channels:
    channels === undefined ||
    channels === 'auto' ||
    (channel === undefined &&
      code === undefined &&
      channels.length > 0 &&
      channels.length <= 10 &&
      new Set(channels).size === channels.length &&
      new Set(channels.map((one) => one === 'email')).size === 1)
      ? []
      : ['A plan has up to 10 channels of one kind, each once.'],
  wait_seconds:
    wait_seconds === undefined ||
    (channels !== undefined && wait_seconds >= 15 && wait_seconds <= 900 && wait_seconds < lifetime)
      ? []
      : ['Wait must be 15 to 900 seconds, and less than the code is valid.'],
});

/** A guess must not be likelier than with six digits and five attempts. */
const guessProblems = ({ code, code_length: length, max_attempts: tries }: SendInput) => ({
  code_length:
    length === undefined || (code === undefined && length >= LENGTH && length <= 10)
      ? []
      : [`Code length must be from ${LENGTH} to 10.`],
  max_attempts:
    tries === undefined ||
    (code === undefined && tries >= 1 && tries <= ((length ?? LENGTH) > LENGTH ? 10 : triesFor(LENGTH)))
      ? []
      : ['Too many attempts.'],
});

/** WhatsApp and Telegram show only their own text. */
export function textProblems(channel: Channel, input: Partial<SendInput>): Record<string, string[]> {
  const { message } = input;
  if (isFixed(channel))
    return Object.fromEntries(
      (['message', 'subject', 'template', 'variables', 'app_hash', 'domain'] as const)
        .filter((field) => input[field] !== undefined)
        .map((field) => [field, ['This channel shows only its own text with the code.']]),
    );
  return message?.includes('{code}') === false
    ? { message: ['Message template must include {code} placeholder'] }
    : {};
}

/** Telegram delivers 4 to 8 digits. */
function codeProblems(channel: Channel, { code, code_length }: SendInput): Record<string, string[]> {
  if (code !== undefined && !/^[0-9A-Z]{4,10}$/.test(code))
    return { code: ['Code must be 4 to 10 digits or upper-case letters.'] };
  if (channel !== 'telegram' || (/^\d{0,8}$/.test(code ?? '') && (code_length ?? 0) <= 8)) return {};
  return {
    [code === undefined ? 'code_length' : 'code']: ['Telegram delivers only codes of 4 to 8 digits.'],
  };
}

/** The others have the status 400. */
const SENTENCES: Partial<Record<ApiReason, [status: number, sentence: string]>> = {
  missing_api_key: [401, 'API key is required'],
  invalid_api_key: [401, 'Invalid API key'],
  api_key_expired: [401, 'API key has expired'],
  network_not_allowed: [401, 'API key is not allowed from this network'],
  missing_scope: [401, 'API key lacks a scope'],
  insufficient_credits: [402, 'Insufficient credits'],
  spend_limit_reached: [402, 'Spend limit reached'],
  otp_not_found: [404, 'OTP not found'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'The request took too long to arrive'],
  idempotency_key_in_flight: [409, 'A request with this Idempotency-Key is still being processed'],
  body_too_large: [413, 'The request body is too large'],
  unsupported_media_type: [415, 'The request body must be JSON'],
  recipient_rate_limited: [429, 'Too many codes for this recipient. Please try again later.'],
  rate_limited: [429, 'Too Many Requests'],
  too_many_requests: [429, 'Too many requests. Please try again later.'],
  test_limit_reached: [429, 'Too many test sends today'],
  limit_reached: [429, 'Limit reached'],
  stream_limit_reached: [429, 'Too many open event streams'],
  headers_too_large: [
    431,
    'The headers of the request are too large. In a browser, delete the cookies of this site.',
  ],
  internal_error: [500, 'Internal server error'],
  unavailable: [503, 'Service temporarily unavailable. Please try again.'],
};

export function failure(reason: ApiReason | 'timeout' | 'connection_failed', facts: Facts): SixdigitError {
  const hasResponse = reason !== 'timeout' && reason !== 'connection_failed';
  const [status, sentence] = (hasResponse && SENTENCES[reason]) || [hasResponse ? 400 : 0, reason];
  return new SixdigitError(reason, sentence, { status, facts, retryAfter: facts.retry_after });
}
