import { type FailureFacts, type FailureReason, failures } from '#contract/errors.ts';

/** A refusal of the catalogue, thrown or returned: its status and sentence are the contract's. */
export class Failure extends Error {
  readonly reason: FailureReason;
  readonly facts: FailureFacts;
  constructor(reason: FailureReason, facts: FailureFacts = {}, options?: ErrorOptions) {
    super(failures[reason].error, options);
    this.name = 'Failure';
    this.reason = reason;
    this.facts = facts;
  }
  get status(): number {
    return failures[this.reason].status;
  }
  /** `facts.error` may put the card provider's own sentence in place of ours. */
  get body(): FailureFacts {
    return { error: this.message, reason: this.reason, ...this.facts };
  }
}

/** 400 with a list of sentences for each field. */
export class FieldErrors extends Error {
  readonly fields: Record<string, string[]>;
  constructor(fields: Record<string, string[]>) {
    super(Object.values(fields)[0]?.[0] ?? 'The request is not valid');
    this.name = 'FieldErrors';
    this.fields = fields;
  }
}
