import type { FailureReason } from '@sixdigit/contract/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COUNTRY_REFUSED } from '../../platform/addresses/phone.ts';
import { endedWith, type Noted, notesOf, write } from '../../platform/http/answer.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { failureOf, logFault } from '../../platform/http/server.ts';
import type { Needs } from '../../platform/platform.ts';

export interface Refusal {
  status: number;
  /** Twilio's, or one of ours: 90402 and 90403 */
  code: number;
  message: string;
  /** `reason` and its facts, which Twilio does not have */
  details: { reason: string; [fact: string]: unknown };
}

/** An error in Twilio's form. */
export class TwilioError extends Error {
  readonly refusal: Refusal;
  constructor(
    [status, code]: readonly [status: number, code: number],
    message: string,
    details: Refusal['details'],
  ) {
    super(message);
    this.name = 'TwilioError';
    this.refusal = { status, code, message, details };
  }
}

const INVALID = [400, 60200] as const;
const NOT_FOUND = [404, 20404] as const;

export const invalid = (parameter: string, why: string): TwilioError =>
  new TwilioError(INVALID, `Invalid parameter \`${parameter}\`: ${why}`, {
    reason: 'invalid_parameter',
    parameter,
  });

export const notFound = (reason: string, facts: object = {}): TwilioError =>
  new TwilioError(NOT_FOUND, 'The requested resource was not found', { ...facts, reason });

/** Twilio's status and code of our reasons. */
const CODES: Partial<Record<FailureReason, readonly [status: number, code: number]>> = {
  missing_api_key: [401, 20003],
  invalid_api_key: [401, 20003],
  api_key_expired: [401, 20003],
  network_not_allowed: [403, 20003],
  missing_scope: [403, 20003],
  account_suspended: [403, 20005],
  not_found: NOT_FOUND,
  otp_not_found: NOT_FOUND,
  otp_already_verified: NOT_FOUND,
  otp_closed: NOT_FOUND,
  otp_expired: NOT_FOUND,
  max_attempts_reached: [429, 60202],
  recipient_rate_limited: [429, 60203],
  recipient_opted_out: [400, 21610],
  recipient_suppressed: [400, 21610],
  destination_blocked: [403, 60410],
  insufficient_credits: [403, 90402],
  spend_limit_reached: [403, 90403],
  rate_limited: [429, 20429],
  limit_reached: [429, 20429],
  too_many_requests: [429, 20429],
  test_limit_reached: [429, 20429],
  idempotency_key_in_flight: [429, 20429],
  list_timeout: [503, 20503],
  unavailable: [503, 20503],
  internal_error: [500, 20500],
};

/** Twilio's messages, where ours says something else to a person who knows Twilio. */
const MESSAGES: Partial<Record<FailureReason, string>> = {
  missing_api_key: 'Authenticate',
  invalid_api_key: 'Authenticate',
  not_found: 'The requested resource was not found',
  max_attempts_reached: 'Max check attempts reached',
  recipient_rate_limited: 'Max send attempts reached',
  rate_limited: 'Too many requests',
  limit_reached: 'Too many requests',
  malformed_json: 'The request body is not a valid form',
  unsupported_media_type: 'The request body must be a form',
};

const ofFailure = ({ reason, message, facts, status }: Failure): Refusal => {
  const { error, ...rest } = facts;
  const isFeature = reason === 'missing_scope' && facts.scope === 'otp:own_code';
  const [shown, code] = isFeature ? [403, 60204] : (CODES[reason] ?? [status, 60200]);
  const text = typeof error === 'string' ? error : (MESSAGES[reason] ?? message);
  return { status: shown, code, message: text, details: { ...rest, reason } };
};

/** The parameters whose field errors have other names here. */
const PARAMETERS: Record<string, string> = {
  recipient: 'To',
  channel: 'Channel',
  code: 'CustomCode',
  limits: 'RateLimits',
  app_hash: 'AppHash',
};

function ofFields({ fields, message }: FieldErrors): Refusal {
  const [field = ''] = Object.keys(fields);
  const base = { message, details: { reason: 'invalid_parameter', parameter: PARAMETERS[field] ?? field } };
  if (message === COUNTRY_REFUSED)
    return { ...base, status: 403, code: 60605, details: { reason: 'country_not_allowed' } };
  if (field === 'channel')
    return { ...base, status: 403, code: 60223, details: { reason: 'channel_unavailable' } };
  return invalid(base.details.parameter, message).refusal;
}

export function refusalOf(error: unknown): Refusal {
  if (error instanceof TwilioError) return error.refusal;
  const failure = failureOf(error);
  return failure instanceof FieldErrors ? ofFields(failure) : ofFailure(failure);
}

const BASE = 'https://www.twilio.com/docs/errors/';
const OUR_CODES = 90_000;

const fieldOf = (parameter: unknown, message: string): Record<string, string[]> | undefined =>
  typeof parameter === 'string' && parameter !== '' ? { [parameter]: [message] } : undefined;

/** Writes an error. Its reason goes to the request log. */
export function refuse(
  app: Needs<'log'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): string | undefined {
  const { error, noted } = endedWith(thrown);
  const { status, code, message, details } = refusalOf(error);
  const failure = error instanceof TwilioError ? undefined : failureOf(error);
  if (failure) logFault(app, failure, request);
  const notes: Noted = failure ? notesOf(failure) : { fields: fieldOf(details.parameter, message) };
  if (failure instanceof Failure) notes.status = failure.status;
  if (typeof details.retry_after === 'number') reply.header('Retry-After', String(details.retry_after));
  // With a type and a title, Twilio's client would throw another class of errors.
  const body = { code, message, more_info: code < OUR_CODES ? `${BASE}${code}` : '', status, details };
  const written = { status, body: JSON.stringify(body) };
  return write(request, reply, written, { ...noted, ...notes, reason: details.reason });
}
