/**
 * The requests and replies of the calls that an API key can make. Their fields have the names of the API. A test compares them with
 * the service's contract.
 */
export type Channel = 'sms' | 'voice' | 'email';
/** `pending` until a carrier accepts the message, then `sent`. The others are final. */
export type OtpStatus = 'pending' | 'sent' | 'verified' | 'failed' | 'expired';

export interface SendInput {
  channel: Channel;
  /** A phone number (E.164, or national for the service's default region) or an email address. */
  recipient: string;
  /** Text of the SMS or email, with the placeholder `{code}`. */
  message?: string | undefined;
  /** Email only. */
  subject?: string | undefined;
  /** The end user's address, never your server's. It lets the service detect abuse. */
  client_ip?: string | undefined;
  /** Validity of the code in seconds, 60 to 3600. Default: the account's expiry time, 300 unless changed. */
  expires_in?: number | undefined;
  /**
   * A code of your own, which you check yourself: 4 to 10 digits or upper-case letters. The key needs the scope `otp:own_code`.
   * Report with `outcome` whether it was entered.
   */
  code?: string | undefined;
}

export interface SendReply {
  otp_id: string;
  status: OtpStatus;
  /** ISO 8601, as every time. */
  expires_at: string;
  channel: Channel;
  /** Normalized: E.164, or a lower-case email address. */
  recipient: string;
  segments: number | null;
  cost_credits: number;
  /** Present only with a code of your own. */
  own_code?: true | undefined;
  /** Present only with a test key. */
  test?: true | undefined;
}

export interface VerifyInput {
  otp_id: string;
  /** As the person typed it: blanks, dashes and digits of any script are accepted. */
  code: string;
}

export interface VerifyReply {
  status: 'verified';
  verified_at: string;
  otp_id: string;
  test?: true | undefined;
}

export interface OtpState {
  otp_id: string;
  status: OtpStatus;
  channel: Channel;
  recipient: string;
  cost_credits: number;
  segments: number | null;
  created_at: string;
  expires_at: string;
  sent_at: string | null;
  delivered_at: string | null;
  verified_at: string | null;
  /** Why the verification failed, if it did. */
  failure: string | null;
  /** Present only with a code of your own, as are the next two. */
  own_code?: true | undefined;
  /** What `outcome` has reported. */
  outcome?: 'verified' | 'unverified' | null | undefined;
  outcome_at?: string | null | undefined;
  test?: true | undefined;
}

export type WebhookEventType =
  | 'otp.sent'
  | 'otp.delivered'
  | 'otp.failed'
  | 'otp.verified'
  | 'otp.expired'
  | 'webhook.test';

export interface WebhookEvent {
  type: WebhookEventType;
  timestamp: string;
  data: {
    otp_id: string;
    status: OtpStatus;
    previous_status: OtpStatus | null;
    channel: Channel;
    recipient: string;
    api_key: { id: string; name: string };
    created_at: string;
    expires_at: string;
    sent_at: string | null;
    delivered_at: string | null;
    verified_at: string | null;
    cost_credits: number;
    failure: string | null;
    /** Present only with a code of your own. */
    own_code?: true | undefined;
    test?: true | undefined;
  };
}
