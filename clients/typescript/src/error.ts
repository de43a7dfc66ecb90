import type { Challenge } from './shapes.ts';

/** The reasons of the API's errors for calls with an API key. */
export type ApiReason =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'api_key_expired'
  | 'network_not_allowed'
  | 'missing_scope'
  | 'account_suspended'
  | 'rate_limited'
  | 'insufficient_credits'
  | 'spend_limit_reached'
  | 'recipient_opted_out'
  | 'recipient_suppressed'
  | 'recipient_rate_limited'
  | 'destination_blocked'
  | 'test_limit_reached'
  | 'otp_not_found'
  | 'otp_already_verified'
  | 'otp_closed'
  | 'max_attempts_reached'
  | 'otp_expired'
  | 'resend_too_late'
  | 'limit_reached'
  | 'proof_required'
  | 'invalid_proof'
  | 'invalid_code'
  | 'own_code'
  | 'not_own_code'
  | 'outcome_already_reported'
  | 'stream_limit_reached'
  | 'idempotency_key_reused'
  | 'idempotency_key_in_flight'
  | 'malformed_request'
  | 'headers_too_large'
  | 'request_timeout'
  | 'malformed_json'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'internal_error'
  | 'unavailable';

/**
 * The reasons of the client. `invalid_fields`: the service refused fields, see `fieldErrors`. `timeout` and `connection_failed`:
 * no response, even after retries. `unexpected_response`: the response is not Sixdigit's, for example a proxy's error page.
 * `invalid_signature`: the webhook is not from Sixdigit.
 */
export type ClientReason =
  | 'invalid_fields'
  | 'timeout'
  | 'connection_failed'
  | 'unexpected_response'
  | 'invalid_signature';

/** A later version of the service may have further reasons. */
export type Reason = ApiReason | ClientReason | (string & {});

/** Details that some errors carry. */
export interface Facts {
  /** `invalid_code`: attempts left for this code. */
  attempts_remaining?: number;
  /** Seconds until a retry makes sense. */
  retry_after?: number;
  /** `destination_blocked`: the rules that block it, and until when. */
  blocked_by?: string[];
  blocked_until?: string | null;
  /** `spend_limit_reached`: when the limit resets. */
  resets_at?: string;
  /** `proof_required`, `invalid_proof`: a challenge for the page. */
  challenge?: Challenge;
  [fact: string]: unknown;
}

interface ErrorDetails {
  status?: number | undefined;
  facts?: Facts | undefined;
  fieldErrors?: Record<string, string[]> | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** Every failed call throws this. Decide by `reason`; `message` is a sentence for logs and may change. */
export class SixdigitError extends Error {
  override readonly name = 'SixdigitError';
  readonly reason: Reason;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  readonly facts: Facts;
  /** With `invalid_fields`: the sentences per field. */
  readonly fieldErrors: Record<string, string[]>;
  /** Seconds until a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** The id of the request in the service's logs. */
  readonly requestId: string | undefined;

  constructor(reason: Reason, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.status = details.status ?? 0;
    this.facts = details.facts ?? {};
    this.fieldErrors = details.fieldErrors ?? {};
    this.retryAfter = details.retryAfter;
    this.requestId = details.requestId;
  }
}

/** A response, read to its end. */
export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** The JSON object of a response; undefined if it holds anything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The error in a response whose status is not 2xx, or whose body is not the API's. */
export function errorOf({ status, headers, text }: Received): SixdigitError {
  const retryAfter = retryAfterOf(headers);
  const details = { status, retryAfter, requestId: headers.get('x-request-id') ?? undefined };
  const body = objectIn(text);
  if (body && typeof body.reason === 'string') {
    const { error, reason, ...facts } = body;
    return new SixdigitError(reason as string, String(error ?? reason), { ...details, facts });
  }
  if (body && status === 400) {
    const fieldErrors = fieldErrorsIn(body);
    const sentences = Object.entries(fieldErrors).map(([field, all]) => `${field}: ${all.join(' ')}`);
    if (sentences.length > 0)
      return new SixdigitError('invalid_fields', sentences.join(' '), { ...details, fieldErrors });
  }
  const target = status >= 300 && status < 400 ? headers.get('location') : null;
  const what = target ? `redirects to ${target}` : `answered ${status} without Sixdigit's JSON`;
  return new SixdigitError('unexpected_response', `The service ${what}: check the base URL`, details);
}

const fieldErrorsIn = (body: Record<string, unknown>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([field, all]) =>
      Array.isArray(all) ? [[field, all.map((one) => String(one))]] : [],
    ),
  );

/** The seconds of a Retry-After header, which holds a number or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
