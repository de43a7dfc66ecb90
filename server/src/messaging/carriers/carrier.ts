import type { IncomingHttpHeaders } from 'node:http';
import type { Channel } from '@sixdigit/contract/channels.ts';
import type { CarrierFieldName, ReportSpeed } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Dlt } from '@sixdigit/contract/templates.ts';
import type { CallPart } from '@sixdigit/contract/text/call-script.ts';
import type { MailEvent } from './mail-event.ts';

/** A message to dispatch. It contains the plain code: never log any part of it. */
export interface Message {
  /** The carrier's idempotency key is `otp:{id}`, so a repeated dispatch of a message has the same id. */
  id: string;
  channel: Channel;
  /** E.164 or a lower-case e-mail address. */
  recipient: string;
  /** The rendered SMS or e-mail text; for voice, the spoken sentence with the digits. */
  text: string;
  /** Of the text, as a BCP 47 tag; absent if the sender wrote the text without naming its language. */
  language?: string;
  /** The whole call, with pauses and repetitions; absent for other channels and in a test. */
  script?: readonly CallPart[];
  /** Under which the text is registered in India. */
  dlt?: Dlt;
  /** Empty if the message has no code. */
  code: string;
  subject?: string;
  sender_name?: string;
  reply_to?: string;
  html?: string;
  expires_at: Date;
  /** Absolute URL for delivery reports, with `?otp=<id>`. */
  status_url?: string;
  /** Names this message to this carrier and proves it: only we can make one. At most 64 characters. */
  reference?: string;
  /** The envelope sender of a mail, to which mail servers return it; the sender's own address without one. */
  return_path?: string;
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
  /** The mail address does not exist, or the provider suppresses it, so no further mail is sent to it. */
  suppress?: 'hard_bounce' | 'provider';
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

/** A right code for a message of a carrier. It may contain the code: never log it. */
export interface RightCode {
  /** Of the message. */
  id: string;
  recipient: string;
  provider_message_id: string;
  /** The entered code; empty unless the company needs it. */
  code: string;
}

/** How a carrier tells its company about right codes. */
export interface Feedback {
  /** The channels about which the company wants to know. */
  channels: readonly Channel[];
  needsCode: boolean;
  /** Never throws, and returns within five seconds. */
  give(right: RightCode): Promise<Outcome>;
}

/** The values of a carrier's fields, with its secrets. */
export type FieldValues = Partial<Record<CarrierFieldName, string | undefined>>;

/** GETs at the hosts of Amazon SNS. Undefined unless they respond with 200. */
export interface SnsHosts {
  get(url: URL): Promise<string | undefined>;
}

/** A request that claims to come from a carrier. */
export interface CallbackRequest {
  purpose: 'reports' | 'inbound';
  /** The address contains the key that only the operator and the carrier know. */
  hasAddressKey: boolean;
  /** The full URL that was called, including the query. */
  url: string;
  headers: IncomingHttpHeaders;
  rawBody: string | Buffer;
  body: unknown;
  now: Date;
  sns: SnsHosts;
}

export interface CarrierReport {
  provider_message_id: string | null;
  /** From the signed body; null if only the URL names the verification. */
  otp_id: string | null;
  /** The message's reference, as the carrier returned it. */
  reference?: string | null;
  /** An unknown state changes nothing. */
  state: 'delivered' | 'undelivered' | 'sent' | 'other' | 'unknown';
  /** Why the message was not delivered, in snake_case; null in other states. */
  reason: string | null;
  /** Of an e-mail. */
  mail?: MailEvent;
  /** The mail server's words, in the form that is shown. */
  detail?: string | null;
  /** The status as the carrier writes it. */
  status?: string | null;
  /** The recipient has opened the message. */
  is_read?: boolean;
  /** Such as `0.0075 USD`, or without the currency. */
  price?: string | null;
  network?: string | null;
}

/**
 * What a request proves. `true`: the carrier sent it as it is. `sender`: the carrier sent it, but the body may be another. `unproved`:
 * nothing, so that only reports with a valid reference count. `false`: it is forged.
 */
export type Signed = boolean | 'sender' | 'unproved';

/** How a kind of carrier reports deliveries and passes on inbound texts. The readers throw field errors. */
export interface Callbacks {
  isSigned(request: CallbackRequest, values: FieldValues): Signed | Promise<Signed>;
  /** The address to call because a proved request asks to confirm a subscription. */
  confirmation?(body: unknown, values: FieldValues): URL | undefined;
  /** Whether the query or a reference names the verification, unless the body does. */
  namesBy: 'query' | 'reference';
  readReports(body: unknown, values: FieldValues): CarrierReport[];
  /** The names of the query parameters with which the carrier asks whether the address for reports is ours. */
  challenge?(values: FieldValues): { token: string; text: string } | undefined;
  /** Undefined if the kind passes on no texts. */
  inbound?: {
    read(body: unknown, values: FieldValues): InboundText[];
    /** The texts come to the address for reports, where nothing can be replied. */
    comesWithReports?(values: FieldValues): boolean;
    /** The response that lets the carrier send `text` to the sender. */
    reply(text: string | undefined): { type: string; body: unknown };
  };
}

/** Whether a mail provider no longer suppresses an address. */
export type Unsuppressed =
  | { outcome: 'removed' }
  /** `detail`: why not, as a sentence */
  | { outcome: 'refused' | 'not_asked'; detail: string };

/**
 * A carrier dispatches a message and reports the outcome. `dispatch` never throws and returns within ten seconds. The worker
 * decides whether to try another carrier.
 */
export interface Carrier {
  name: string;
  channels: readonly Channel[];
  /** How soon its reports come; undefined for the inbox and for simulated sends. */
  reports?: ReportSpeed;
  /** Undefined if the carrier reports nothing. */
  callbacks?: Callbacks & { values: FieldValues };
  /** Undefined unless an operator has turned it on. */
  feedback?: Feedback | undefined;
  /** Mail servers return its messages to addresses of this domain. */
  bounceDomain?: string | undefined;
  /** The sender of a message, if we choose it. */
  senderFor?(message: Pick<Message, 'channel' | 'recipient'>): string | undefined;
  dispatch(message: Message, signal: AbortSignal): Promise<Outcome>;
  /** Asks a mail provider with a list of its own to send to the address again. Never throws. Undefined if there is no such list. */
  unsuppress?: ((address: string) => Promise<Unsuppressed>) | undefined;
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
