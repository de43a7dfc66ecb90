import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { Failure, type FieldErrors } from '../platform/http/failure.ts';
import type { Refusal } from './system.ts';

const LATER = 'Codes cannot be sent at the moment. Please try again later.';

/** Refusals that concern the person who signs in. All others are the business of the system's operator. */
const SENTENCES: Partial<Record<FailureReason, string>> = {
  recipient_opted_out: 'This number has opted out of messages.',
  recipient_suppressed: 'Earlier emails to this address came back.',
  destination_blocked: 'Codes cannot be sent to this destination.',
  code_missing: 'No code was found in the message.',
  invalid_signature: 'The secret or the signature of the request is not valid.',
  malformed_json: 'The request body is not valid JSON.',
};

/** "in 40 seconds", "in 2 minutes", "in 3 hours" */
function waitText(seconds: number): string {
  const [n, unit] =
    seconds < 100
      ? [seconds, 'second']
      : seconds < 5_400
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3_600), 'hour'];
  return `in ${n} ${unit}${n === 1 ? '' : 's'}`;
}

/** A refusal with a sentence for the person who signs in. */
export function refusalOf(error: Failure | FieldErrors): Refusal {
  if (!(error instanceof Failure))
    return {
      status: 400,
      reason: 'invalid_fields',
      sentence: error.message,
      retry_after: undefined,
      body: error.fields,
    };
  const { reason, status, body, facts } = error;
  const wait = typeof facts.retry_after === 'number' ? facts.retry_after : undefined;
  const isRecipients = reason === 'recipient_rate_limited' && wait !== undefined;
  return {
    status,
    reason,
    sentence: isRecipients
      ? `Too many codes for this recipient. Please try again ${waitText(wait)}.`
      : (SENTENCES[reason] ?? LATER),
    retry_after: wait,
    body,
  };
}
