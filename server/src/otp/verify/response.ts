import { type FailureFacts, type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import type { VerifyOutcome } from './decision.ts';

/** A response defined by the contract. The reason for a refusal goes to the request log. */
export interface VerifyResponse {
  status: number;
  body: unknown;
  reason: string | null;
}

/** The response to each outcome of a verify. */
export function responseTo(outcome: VerifyOutcome): VerifyResponse {
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
      return responseTo(outcome.outcome);
    case 'otp_not_found':
    case 'own_code':
    case 'otp_already_verified':
    case 'otp_closed':
    case 'max_attempts_reached':
    case 'otp_expired':
    case 'idempotency_key_reused':
      return refused(outcome.kind);
  }
}

const refused = (reason: FailureReason, facts: FailureFacts = {}): VerifyResponse => {
  const { status, error } = failures[reason];
  return { status, body: { error, reason, ...facts }, reason };
};
