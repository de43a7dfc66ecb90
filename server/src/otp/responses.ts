import { type FailureFacts, type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import { Failure } from '../platform/http/failure.ts';
import type { SendOutcome } from './send/decision.ts';
import type { VerifyOutcome } from './verify/decision.ts';

/** A response of the contract. The reason of a refusal goes to the request log. */
export interface OtpResponse {
  status: number;
  body: unknown;
  reason: string | null;
}

/** The status of an accepted send, which idempotent responses store. */
export const SENT_STATUS = 201;

type SendRefusal = Exclude<SendOutcome, { kind: 'accepted' | 'replayed' | 'repeated' }>;

/** The response to a refused send. */
export const sendFailure = ({ kind, ...facts }: SendRefusal): Failure => new Failure(kind, facts);

/** The response to every outcome of a verify. */
export function verifyResponse(outcome: VerifyOutcome): OtpResponse {
  switch (outcome.kind) {
    case 'verified': {
      const { otp_id, verified_at, is_test } = outcome;
      const test = is_test ? { test: true } : {};
      return { status: 200, body: { status: 'verified', verified_at, otp_id, ...test }, reason: null };
    }
    case 'invalid_code':
      return refused(outcome.kind, { attempts_remaining: outcome.attempts_remaining });
    case 'malformed_code':
      return {
        status: 400,
        body: { code: [`Code must be ${outcome.digits} digits.`] },
        reason: 'invalid_fields',
      };
    case 'replayed': {
      const { status, body } = outcome;
      return { status, body, reason: (body as { reason?: string }).reason ?? null };
    }
    case 'repeated':
      return verifyResponse(outcome.outcome);
    case 'otp_not_found':
    case 'otp_already_verified':
    case 'otp_closed':
    case 'max_attempts_reached':
    case 'otp_expired':
    case 'idempotency_key_reused':
    case 'idempotency_key_in_flight':
      return refused(outcome.kind);
  }
}

const refused = (reason: FailureReason, facts: FailureFacts = {}): OtpResponse => {
  const { status, error } = failures[reason];
  return { status, body: { error, reason, ...facts }, reason };
};
