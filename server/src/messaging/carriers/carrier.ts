import type { Channel } from '@sixdigit/contract/channels.ts';

/** A message to dispatch. It contains the plain code: never log any part of it. */
export interface Message {
  /** The carrier's idempotency key is `otp:{id}`, so a repeated dispatch of a message has the same id. */
  id: string;
  channel: Channel;
  /** E.164 or a lower-case e-mail address. */
  recipient: string;
  /** The rendered SMS or e-mail text; for voice, the spoken sentence with the digits. */
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
  /** An operator's test: a refusal then contains the carrier's own words. */
  is_test?: true;
}

export interface Accepted {
  kind: 'accepted';
  provider_message_id: string | null;
}

/** The carrier definitely did not accept the message. */
export interface Refused {
  kind: 'refused';
  /** Stable snake_case. */
  reason: string;
  /** A readable sentence without codes or secrets. */
  detail: string;
  /** The recipient has unsubscribed at this carrier. */
  unsubscribed?: true;
  /** The refusal concerns the recipient or a policy, so no other carrier may be tried. */
  final?: true;
  /** The carrier is failing or misconfigured: the refusal counts against its breaker. */
  rest?: true;
  /** The same carrier may accept the message later. Without this flag, this carrier is not tried again. */
  temporary?: true;
  /** Seconds to wait before the next message on this channel, as requested by the carrier. */
  retry_after_seconds?: number;
  /** The carrier's own text, only for a test: it could quote a message. */
  words?: string;
}

/** The response was lost, so the carrier may have accepted the message. */
export interface Uncertain {
  kind: 'uncertain';
  reason: string;
  detail: string;
  words?: string;
}

export type Outcome = Accepted | Refused | Uncertain;

const WORDS_MOST = 300;

/** Adds the carrier's own text to the outcome of a test that it did not accept. */
export function withWords(outcome: Outcome, { is_test }: Pick<Message, 'is_test'>, text: unknown): Outcome {
  if (!is_test || outcome.kind === 'accepted' || typeof text !== 'string') return outcome;
  const words = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  if (words === '') return outcome;
  return { ...outcome, words: words.length > WORDS_MOST ? `${words.slice(0, WORDS_MOST)}…` : words };
}

/** How a carrier proves its delivery reports and inbound texts. */
export type CallbackProof = { kind: 'twilio'; authToken: string } | { kind: 'http'; secret: string };

/**
 * A carrier dispatches a message and reports the outcome. `dispatch` never throws and returns within ten seconds. The worker
 * decides whether to try another carrier.
 */
export interface Carrier {
  name: string;
  channels: readonly Channel[];
  /** Undefined if the carrier reports nothing. */
  callbacks?: CallbackProof;
  dispatch(message: Message, signal: AbortSignal): Promise<Outcome>;
  close?(): Promise<void>;
}

/** An inbound SMS to our sender, such as STOP. */
export interface InboundText {
  from: string;
  /** The sender to which it was addressed; null if the carrier does not report it. */
  to: string | null;
  body: string;
  /** The keyword, if the carrier recognized one and has already replied to it. */
  opt_out?: 'stop' | 'start' | 'help';
}

/** Timeout of one dispatch. The outcome is then `refused` if nothing was written, otherwise `uncertain`. */
export const dispatchTimeoutMs = 10_000;
