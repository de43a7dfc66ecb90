import { type FailureFacts, type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import { durationText } from '@sixdigit/contract/text/duration-text.ts';

/** An error of the catalog, thrown or returned. The contract defines its status and sentence. */
export class Failure extends Error {
  readonly reason: FailureReason;
  readonly facts: FailureFacts;
  constructor(reason: FailureReason, facts: FailureFacts = {}, options?: ErrorOptions) {
    super(sentenceOf(reason, facts.retry_after), options);
    this.name = 'Failure';
    this.reason = reason;
    this.facts = facts;
  }
  get status(): number {
    return failures[this.reason].status;
  }
  /** `facts.error` may replace the catalog's sentence with the card provider's. */
  get body(): FailureFacts {
    return { error: this.message, reason: this.reason, ...this.facts };
  }
}

/** The catalog's sentence. In dashboard calls, it says how long to wait; the public API's sentences are fixed. */
export function sentenceOf(reason: FailureReason, retry_after: number | undefined): string {
  const { error } = failures[reason];
  if (retry_after === undefined || reason === 'recipient_rate_limited') return error;
  return error.replace('Please try again later.', `Try again in ${durationText(retry_after)}.`);
}

/** 400 with a list of sentences per field. */
export class FieldErrors extends Error {
  readonly fields: Record<string, string[]>;
  constructor(fields: Record<string, string[]>) {
    super(Object.values(fields)[0]?.[0] ?? 'The request is not valid');
    this.name = 'FieldErrors';
    this.fields = fields;
  }
}

/** The seconds of a Retry-After header: a number or a date (RFC 9110, 10.2.3). Undefined for anything else. */
export function retryAfterSeconds(header: string, now: Date): number | undefined {
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : (at - now.getTime()) / 1000;
}
