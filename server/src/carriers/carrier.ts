/**
 * What a carrier is: something that takes one message and says how that ended.
 * `dispatch` never throws and answers within ten seconds; whether to try another carrier is the worker's business.
 */
export type Channel = 'sms' | 'voice' | 'email';

export const channels: readonly Channel[] = ['sms', 'voice', 'email'];

/** What a worker dispatches. It carries the plain code: nothing of it may be logged. */
export interface Message {
  /** The carrier's idempotency key is `otp:{id}`: the same message dispatched twice has the same id. */
  id: string;
  channel: Channel;
  /** E.164 or a lower-case e-mail address. */
  recipient: string;
  /** The rendered SMS or e-mail text; for voice the sentence with the digits. */
  text: string;
  /** Empty where the message carries none. */
  code: string;
  subject?: string;
  sender_name?: string;
  reply_to?: string;
  html?: string;
  expires_at: Date;
  /** Absolute address for delivery reports; carries `?otp=<id>`. */
  status_url?: string;
}

export interface Accepted {
  kind: 'accepted';
  provider_message_id: string | null;
}

/** The carrier certainly did not take the message. */
export interface Refused {
  kind: 'refused';
  /** Stable snake_case. */
  reason: string;
  /** A sentence for people, free of codes and secrets. */
  detail: string;
  /** The recipient told this carrier to stop. */
  unsubscribed?: true;
  /** A matter of the recipient or of policy: no other carrier may try. */
  final?: true;
  /** The carrier itself is in trouble or set up wrongly: counts against its breaker. */
  rest?: true;
  /** The same carrier may take the same message later. Without it the refusal is for good, and this carrier is not asked again. */
  temporary?: true;
  /** The carrier asked for a pause before the next message of this channel. */
  retry_after_seconds?: number;
}

/** The carrier may have taken the message: the answer was lost. */
export interface Uncertain {
  kind: 'uncertain';
  reason: string;
  detail: string;
}

export type Outcome = Accepted | Refused | Uncertain;

export interface Carrier {
  name: string;
  channels: readonly Channel[];
  dispatch(message: Message, signal: AbortSignal): Promise<Outcome>;
  close?(): Promise<void>;
}

/** An SMS from somebody's phone to our sender, such as STOP. */
export interface InboundText {
  from: string;
  /** Which of our senders it went to, where the carrier says so. */
  to: string | null;
  body: string;
}

/** How long a carrier may take before the dispatch counts as refused (nothing written) or uncertain. */
export const dispatchTimeoutMs = 10_000;
