import { SixdigitError } from './error.ts';
import { type CallOptions, type SixdigitOptions, Transport } from './request.ts';
import type {
  Challenge,
  ChallengeInput,
  OtpState,
  ResendInput,
  ResendReply,
  SendInput,
  SendReply,
  VerifyInput,
  VerifyReply,
  WebhookEvent,
} from './shapes.ts';
import { type ReceivedWebhook, verifyWebhook } from './webhooks.ts';

export { type ApiReason, type ClientReason, type Facts, type Reason, SixdigitError } from './error.ts';
export type { CallOptions, SixdigitOptions } from './request.ts';
export type * from './shapes.ts';
export { type ReceivedWebhook, verifyWebhook } from './webhooks.ts';

/** The calls of `Sixdigit`, which `FakeSixdigit` has too. Every call can throw a `SixdigitError`. */
export interface SixdigitClient {
  /** Sends a code. Resolves as soon as the service has stored it; `get` and webhooks tell of the delivery. */
  send(input: SendInput, options?: CallOptions): Promise<SendReply>;
  /**
   * Checks a code. Resolves only if it is right. Otherwise the error's reason is `invalid_code` (with
   * `facts.attempts_remaining`), `otp_expired`, `max_attempts_reached`, `otp_closed`, `otp_already_verified` or `otp_not_found`.
   */
  verify(input: VerifyInput, options?: CallOptions): Promise<VerifyReply>;
  /**
   * A proof-of-work challenge for the page from which a code is requested. Pass its solution as `proof` of `send`. Refusals with
   * the reason `proof_required` or `invalid_proof` contain one too, as `facts.challenge`.
   */
  challenge(input: ChallengeInput, options?: Pick<CallOptions, 'signal'>): Promise<Challenge>;
  /** The state of a verification. */
  get(otp_id: string, options?: CallOptions): Promise<OtpState>;
  /** Sends the code of a verification again, under the same id. Its attempts and its expiry stay. */
  resend(otp_id: string, input?: ResendInput, options?: CallOptions): Promise<ResendReply>;
  /** Closes a verification, so that its code no longer works. Refunded if no carrier can have the message yet. */
  cancel(otp_id: string, options?: CallOptions): Promise<OtpState>;
  /** Reports whether the person entered a code of your own. The first report counts; another one is refused. */
  outcome(otp_id: string, input: { verified: boolean }, options?: CallOptions): Promise<OtpState>;
  /** Checks a webhook's signature, and returns its event. */
  verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent>;
}

/**
 * A client of one Sixdigit service for one API key. Reuse it for all calls. Connection errors, 502, 503, 504, and 429 with a short
 * `Retry-After` are retried; all attempts of a call have one idempotency key, so that a code is sent and paid for once.
 */
export class Sixdigit implements SixdigitClient {
  readonly #transport: Transport;

  constructor(options: SixdigitOptions) {
    this.#transport = new Transport(options);
  }

  send(input: SendInput, options: CallOptions = {}): Promise<SendReply> {
    return this.#once('/otp/send/', input, options);
  }

  verify(input: VerifyInput, options: CallOptions = {}): Promise<VerifyReply> {
    return this.#once('/otp/verify/', input, options);
  }

  async challenge(body: ChallengeInput, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<Challenge> {
    return this.#transport.call({ method: 'POST', path: '/otp/challenges/', body, signal });
  }

  async get(otp_id: string, { signal }: CallOptions = {}): Promise<OtpState> {
    return this.#transport.call({ method: 'GET', path: pathOf(otp_id), signal });
  }

  async resend(otp_id: string, input: ResendInput = {}, options: CallOptions = {}): Promise<ResendReply> {
    return this.#once(`${pathOf(otp_id)}resend/`, input, options);
  }

  async cancel(otp_id: string, { signal }: CallOptions = {}): Promise<OtpState> {
    let isRepeated = false;
    const call = { method: 'POST', path: `${pathOf(otp_id)}cancel/`, signal } as const;
    try {
      return await this.#transport.call(call, () => {
        isRepeated = true;
      });
    } catch (error) {
      // The first attempt canceled it, and its response was lost.
      if (isRepeated && error instanceof SixdigitError && error.reason === 'otp_closed')
        return this.get(otp_id, { signal });
      throw error;
    }
  }

  async outcome(
    otp_id: string,
    { verified }: { verified: boolean },
    { signal }: CallOptions = {},
  ): Promise<OtpState> {
    return this.#transport.call({
      method: 'POST',
      path: `${pathOf(otp_id)}outcome/`,
      body: { verified },
      signal,
    });
  }

  verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
    return verifyWebhook(received);
  }

  #once<T>(path: string, body: object, options: CallOptions): Promise<T> {
    const { signal, idempotencyKey = crypto.randomUUID() } = options;
    return this.#transport.call({ method: 'POST', path, body, signal, idempotencyKey });
  }
}

/** Ids come from browsers too: one that holds dots or slashes must not lead to another address. */
function pathOf(otp_id: string): string {
  if (!/^[\w-]+$/.test(otp_id)) throw new SixdigitError('otp_not_found', 'OTP not found', { status: 404 });
  return `/otp/${otp_id}/`;
}
