/**
 * The requests and replies of the calls that an API key can make. Their fields have the names of the API, and times are ISO 8601.
 * `npm run shapes` writes this file.
 */
export type Channel = 'sms' | 'voice' | 'email' | 'whatsapp' | 'telegram';
export type OtpStatus = 'pending' | 'sent' | 'verified' | 'failed' | 'expired';
export type WebhookEventType =
  | 'otp.sent'
  | 'otp.delivered'
  | 'otp.failed'
  | 'otp.verified'
  | 'otp.expired'
  | 'otp.step'
  | 'webhook.test';

export interface SendInput {
  /** How the code is sent. Required without channels. */
  channel?: Channel | undefined;
  /** A phone number (E.164, or national for the default region) or an email address. */
  recipient: string;
  /**
   * Custom text of the SMS or email, with {code}. An SMS can have two segments, including the code, unless the operator has
   * set another limit: 306 characters, or 134 if any character is outside GSM-7, such as an emoji. Calls do not speak this
   * text, but a text of more than 30 seconds of speech is refused. WhatsApp and Telegram show only their own text: with this
   * field, a template, an app_hash or a domain, a send there is refused.
   */
  message?: string | undefined;
  /** Email only. With `{code}`, inboxes and locked screens show the code. */
  subject?: string | undefined;
  /**
   * The language of our text, as a BCP 47 tag such as pt-BR. Calls have fewer languages than SMS, email and WhatsApp.
   * Telegram uses the language of the recipient’s app. Without a text in it, the account’s language is used.
   */
  locale?: string | undefined;
  /** The name of a template, instead of message and subject. */
  template?: string | undefined;
  /** Values of the template’s variables, without links. */
  variables?: Record<string, string> | undefined;
  /** SMS only: the 11 characters by which Android’s SMS Retriever finds your app. They count as text. */
  app_hash?: string | undefined;
  /**
   * SMS only: the host of your sign-in page, on which browsers offer the code. Its line counts as text. A service that limits
   * links takes only domains that the account has verified.
   */
  domain?: string | undefined;
  /**
   * The IP address of the end user who requested the code, never that of your own server. The client rules use it to stop one
   * visitor from requesting many codes. Ports, brackets and zones are removed. Private addresses are ignored.
   */
  client_ip?: string | undefined;
  /** Validity of the code in seconds, 60 to 3600. Default: the account’s expiry time, 300 unless changed. */
  expires_in?: number | undefined;
  /**
   * Digits of the code, 4 to 10. Default: the account’s code length, 6 unless changed. A guess must not be likelier than with
   * the account’s length, so it can only be longer. A code that an open send shares keeps its length.
   */
  code_length?: number | undefined;
  /**
   * Attempts to enter the code, 1 to 10. Default: 5, or 3 for codes of 4 or 5 digits. More need a longer code than the
   * account’s. Open sends to a recipient share their attempts, and the smallest number counts.
   */
  max_attempts?: number | undefined;
  /**
   * What the code is for, such as login: 1 to 32 of a-z, 0-9, _ and -. Sends to a recipient share a code only if they have
   * the same purpose, and codes of different purposes never verify each other. Limits per recipient count all purposes
   * together.
   */
  purpose?: string | undefined;
  /**
   * Labels of your own, such as the number of an order: up to 10 pairs, keys of 1 to 40 of a-z, 0-9, _ and -, values of up to
   * 200 characters. They are in the status, in webhooks, in the dashboard and in its exports.
   */
  metadata?: Record<string, string> | undefined;
  /**
   * What to count this send for, by the names of the account’s limits, such as {"signup-ip": "203.0.113.7"}: up to 10 values
   * of up to 128 characters. They are stored only as keyed hashes.
   */
  limits?: Record<string, string> | undefined;
  /**
   * A code that you have made and will verify yourself: 4 to 10 digits or upper-case letters. The key needs the scope
   * otp:own_code. Report with POST /otp/{otp_id}/outcome/ whether it was entered. Without this field, Sixdigit makes the
   * code.
   */
  code?: string | undefined;
  /**
   * Instead of channel: 1 to 10 channels in the order in which they are tried, such as ["sms", "voice"], or "auto" for the
   * plan of the account for the recipient’s country. The next channel starts when the message of the one before it fails, or
   * is not confirmed in time.
   */
  channels?: 'auto' | Channel[] | undefined;
  /**
   * With channels: how long each message may take before the next channel starts, 15 to 900 seconds and less than the code is
   * valid. Default: that of the account’s plan with "auto", or else 60, or less for codes that are valid for a short time.
   */
  wait_seconds?: number | undefined;
  /**
   * The solution of a challenge for this recipient, as ALTCHA’s widget posts it: base64 of up to 2,048 characters. A given
   * proof is always checked, and an accepted send uses it up.
   */
  proof?: string | undefined;
}

export interface SendReply {
  /** The id with which to verify the code, UUIDv7. */
  otp_id: string;
  /** pending until a carrier accepts the message, then sent; verified, failed and expired are final. */
  status: OtpStatus;
  /** When the code expires. */
  expires_at: string;
  /** As requested; of a plan, the channel of the first message. */
  channel: Channel;
  /** The plan, in its order; absent without one. */
  channels?: Channel[] | undefined;
  /** The normalized recipient: E.164, or a lower-case email address. */
  recipient: string;
  /** SMS only: the number of segments of the text. Null for the other channels. */
  segments: number | null;
  /** Credits charged for this send; 0 with a test key. */
  cost_credits: number;
  /** The language of our text; absent if the text is yours. */
  language?: string | undefined;
  /** Digits of the code, if the request has code_length. Another number than requested if an open send shares its code. */
  code_length?: number | undefined;
  /** The sender made the code and verifies it; otherwise absent. */
  own_code?: true | undefined;
  /** Made with a test key; otherwise absent. */
  test?: true | undefined;
}

export interface ResendInput {
  /**
   * Default: the next channel of the plan, if one waits, or else that of the send. A phone number can change between sms,
   * voice, whatsapp and telegram. A channel that waits in the plan starts now.
   */
  channel?: Channel | undefined;
  /** Of the end user. Default: that of the send. */
  client_ip?: string | undefined;
  /** As for a send. */
  limits?: Record<string, string> | undefined;
}

export interface ResendReply {
  /** As requested. */
  otp_id: string;
  /** pending until a carrier accepts the message, then sent; verified, failed and expired are final. */
  status: OtpStatus;
  /** When the code expires. */
  expires_at: string;
  /** As requested; of a plan, the channel of the first message. */
  channel: Channel;
  /** The plan, in its order; absent without one. */
  channels?: Channel[] | undefined;
  /** The normalized recipient: E.164, or a lower-case email address. */
  recipient: string;
  /** SMS only: the number of segments of the text. Null for the other channels. */
  segments: number | null;
  /** Credits charged for this send; 0 with a test key. */
  cost_credits: number;
  /** The language of our text; absent if the text is yours. */
  language?: string | undefined;
  /** Digits of the code, if the request has code_length. Another number than requested if an open send shares its code. */
  code_length?: number | undefined;
  /** The sender made the code and verifies it; otherwise absent. */
  own_code?: true | undefined;
  /** Made with a test key; otherwise absent. */
  test?: true | undefined;
  /** The id of this message, which webhooks and lists name. */
  resend_id: string;
}

export interface VerifyInput {
  /** As returned by the send. Required without a recipient. */
  otp_id?: string | undefined;
  /** Instead of otp_id: the phone number or email address of the send. Its newest open verification is meant. */
  recipient?: string | undefined;
  /** With recipient: the purpose of the send. Without it, only sends without a purpose are meant. */
  purpose?: string | undefined;
  /** As the person typed it: spaces, dashes and digits of any script are accepted. */
  code: string;
}

export interface VerifyReply {
  /** The code was correct. */
  status: 'verified';
  /** When the code was verified. */
  verified_at: string;
  /** As requested. */
  otp_id: string;
  /** Made with a test key; otherwise absent. */
  test?: true | undefined;
}

export interface ChallengeInput {
  /** A phone number (E.164, or national for the default region) or an email address. */
  recipient: string;
  /**
   * The IP address of the end user who requested the code, never that of your own server. The client rules use it to stop one
   * visitor from requesting many codes. Ports, brackets and zones are removed. Private addresses are ignored.
   */
  client_ip?: string | undefined;
}

export interface Challenge {
  algorithm: 'SHA-256';
  /** The SHA-256 of the salt and the number to find, in hex. */
  challenge: string;
  /** The number is not greater. */
  maxnumber: number;
  /** With the time of expiry, in seconds since 1970. */
  salt: string;
  signature: string;
}

export interface Resend {
  /** UUIDv7. */
  resend_id: string;
  /** How the code is sent. */
  channel: Channel;
  /** pending until a carrier accepts the message, then sent; verified, failed and expired are final. */
  status: OtpStatus;
  created_at: string;
  cost_credits: number;
  failure: string | null;
}

export interface Step {
  channel: Channel;
  /**
   * waiting: not started yet. pending, sent, delivered and failed: its message. skipped: no message, because of the reason.
   * canceled: the verification ended before a carrier had the message.
   */
  status: 'waiting' | 'pending' | 'sent' | 'delivered' | 'failed' | 'skipped' | 'canceled';
  /**
   * When the message was made or the channel was skipped. Of a waiting step, when it starts unless something happens before;
   * null: only a resend starts it.
   */
  at: string | null;
  /**
   * Why the step failed, as a text, or why it was skipped: a reason of a refused send, channel_unavailable, own_text (the
   * channel shows no text of your own), recipient_refused (the channel does not reach the number), unreachable (the recipient
   * does not use the channel) or api_key_unusable.
   */
  reason?: string | undefined;
}

export interface OtpState {
  /** UUIDv7. */
  otp_id: string;
  /** pending until a carrier accepts the message, then sent; verified, failed and expired are final. */
  status: OtpStatus;
  /** How the code is sent. */
  channel: Channel;
  recipient: string;
  cost_credits: number;
  /** SMS only: the number of segments of the text. Null for the other channels. */
  segments: number | null;
  created_at: string;
  /** When the code expires. */
  expires_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  verified_at: string | null;
  /** Why the verification failed, if it did. */
  failure: string | null;
  /** As requested; null if none. */
  locale: string | null;
  /** The language of our text, as a BCP 47 tag; null if the text is yours. */
  language: string | null;
  /** The template of the text; null if none. */
  template: string | null;
  /** The version that the send used. */
  template_version: number | null;
  /** As requested; null if none. */
  purpose: string | null;
  /** The labels that the send attached; null if none. */
  metadata: Record<string, string> | null;
  /** The sender made the code and verifies it; otherwise absent. */
  own_code?: true | undefined;
  /** Own codes only: the outcome that the sender reported; null if none. */
  outcome?: 'verified' | 'unverified' | null | undefined;
  /** When the outcome was reported. */
  outcome_at?: string | null | undefined;
  /** The further messages with this code, oldest first; absent if none. */
  resends?: Resend[] | undefined;
  /** The channels of the plan, in its order; absent without a plan. */
  steps?: Step[] | undefined;
  /** Made with a test key; otherwise absent. */
  test?: true | undefined;
}

export interface StepEvent {
  channel: Channel;
  status: 'pending' | 'skipped';
  /** Why it started: failed, timeout (not delivered or not entered in time) or requested (by a resend); or why it was skipped. */
  reason: string;
}

export interface WebhookEvent {
  type: WebhookEventType;
  timestamp: string;
  data: {
    /** UUIDv7. */
    otp_id: string;
    status: OtpStatus;
    previous_status: OtpStatus | null;
    channel: Channel;
    recipient: string;
    api_key: {
      /** UUIDv7. */
      id: string;
      name: string;
    };
    created_at: string;
    expires_at: string;
    sent_at: string | null;
    delivered_at: string | null;
    verified_at: string | null;
    cost_credits: number;
    failure: string | null;
    /** Of a resend: its id. status and the times are those of this message. */
    resend_id?: string | undefined;
    /** otp.step only: the step that started or was skipped. */
    step?: StepEvent | undefined;
    /** What the code is for; absent if the send names no purpose. */
    purpose?: string | undefined;
    /** The labels that the send attached; absent if none. */
    metadata?: Record<string, string> | undefined;
    /** Present only for test verifications. */
    test?: true | undefined;
    /** Present only if the sender made the code and verifies it. */
    own_code?: true | undefined;
  };
}

/** The fields of a send that its state repeats. */
export const repeated = (input: SendInput) => ({
  recipient: input.recipient,
  locale: input.locale ?? null,
  template: input.template ?? null,
  purpose: input.purpose ?? null,
  metadata: input.metadata ?? null,
});
