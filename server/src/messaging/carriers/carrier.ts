import type { Channel } from '@sixdigit/contract/channels.ts';

/** A message to dispatch. It contains the plain code: never log any part of it. */
export interface Message {
  /** The carrier's idempotency key is `otp:{id}`, so a repeated dispatch of a message has the same id. */
  id: string;
  channel: Channel;
  /** E.164 or a lower-case e-mail address. */
  recipient: string;
  /** The rendered SMS or e-mail text; for voice the sentence with the digits. */
  text: string;
  /** Empty if the message has no code. */
  code: string;
  subject?: string;
  sender_name?: string;
  reply_to?: string;
  html?: string;
  expires_at: Date;
  /** Absolute URL for delivery reports, with `?otp=<id>`. */
  status_url?: string;
}

export interface Accepted {
  kind: 'accepted';
  provider_message_id: string | null;
}

/** The carrier did not take the message, with certainty. */
export interface Refused {
  kind: 'refused';
  /** Stable snake_case. */
  reason: string;
  /** A sentence for people, without codes or secrets. */
  detail: string;
  /** The recipient has unsubscribed at this carrier. */
  unsubscribed?: true;
  /** The refusal concerns the recipient or a policy: no other carrier may try. */
  final?: true;
  /** The carrier is failing or misconfigured: the refusal counts against its breaker. */
  rest?: true;
  /** The same carrier may take the message later. Without this flag, the message is not retried at the carrier. */
  temporary?: true;
  /** Seconds to wait before the next message on this channel, as requested by the carrier. */
  retry_after_seconds?: number;
}

/** The response was lost, so the carrier may have taken the message. */
export interface Uncertain {
  kind: 'uncertain';
  reason: string;
  detail: string;
}

export type Outcome = Accepted | Refused | Uncertain;

/**
 * A carrier takes one message and reports the outcome. `dispatch` never throws and returns within ten seconds. The worker
 * decides whether to try another carrier.
 */
export interface Carrier {
  name: string;
  channels: readonly Channel[];
  dispatch(message: Message, signal: AbortSignal): Promise<Outcome>;
  close?(): Promise<void>;
}

/** An inbound SMS to our sender, such as STOP. */
export interface InboundText {
  from: string;
  /** The sender that it went to; null if the carrier does not report it. */
  to: string | null;
  body: string;
  /** The keyword, if the carrier recognised one and has answered it. */
  opt_out?: 'stop' | 'start' | 'help';
}

/** Timeout of one dispatch. The outcome is then refused if nothing was written, otherwise uncertain. */
export const dispatchTimeoutMs = 10_000;
