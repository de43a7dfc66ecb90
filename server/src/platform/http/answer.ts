/** Facts about a response for the request log and the metrics. */
export interface Noted {
  /** the reason of an error */
  reason?: string | null;
  /** the status of a refusal, where the response has another in the form of the caller's system */
  status?: number;
  /** the sentences of the fields that were refused */
  fields?: Readonly<Record<string, readonly string[]>> | undefined;
  /** the request in our form, if it came in that of another system */
  given?: Readonly<Record<string, unknown>>;
  /** the rules that refused the request */
  blockedBy?: readonly string[] | undefined;
  /** the verification that the request is about */
  about?: { otp_id: string | null; recipient: string; channel: string | null } | null;
  /** the statement that made the change has already written the request log row */
  isLogged?: boolean;
}

/** A successful response of the contract, with its notes. */
export class Replied<T> {
  readonly reply: T;
  readonly noted: Noted;

  constructor(reply: T, noted: Noted) {
    this.reply = reply;
    this.noted = noted;
  }
}

/** A response whose status the handler sets. The contract's success schema does not apply to it. */
export class Decided {
  readonly status: number;
  readonly body: unknown;
  readonly noted: Noted;

  constructor(status: number, body: unknown, noted: Noted = {}) {
    this.status = status;
    this.body = body;
    this.noted = noted;
  }
}
