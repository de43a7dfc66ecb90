import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { isOurText } from './texts.ts';

type Log = Pick<RequestLog, 'request_type' | 'otp' | 'endpoint' | 'reason'>;
type Otp = Pick<
  VerificationDetail,
  | 'channel'
  | 'message'
  | 'locale'
  | 'language'
  | 'template'
  | 'purpose'
  | 'metadata'
  | 'max_attempts'
  | 'own_code'
  | 'steps'
>;

export interface KnownRequest {
  body: object;
  /** a sentence about the fields that the request may have had, too */
  absent: string;
}

export const HIDDEN = '•'.repeat(8);

/** Refusals of a body that differs from any that the stored fields could rebuild. */
const OF_THE_BODY: readonly (string | null)[] = [
  'invalid_fields',
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
];

export const isResend = ({ endpoint }: Pick<RequestLog, 'endpoint'>): boolean =>
  endpoint.endsWith('/resend/');

/**
 * The body of a request in our format, with the code hidden, from what the log and the verification keep. Undefined if nobody
 * made the request that the stored fields would rebuild: it was refused for its fields, it had a text or a plan, or the row counts
 * several requests that differ.
 */
export function knownRequest(log: Log, otp: Otp | undefined): KnownRequest | undefined {
  if (OF_THE_BODY.includes(log.reason)) return undefined;
  const { id, channel, recipient } = log.otp ?? {};
  if (log.request_type === 'verify_otp')
    return id
      ? {
          body: { otp_id: id, code: HIDDEN },
          absent: 'A verify by recipient is shown with the otp_id that it found.',
        }
      : undefined;
  if (!channel || !recipient) return undefined;
  if (isResend(log)) return { body: { channel }, absent: 'Its client_ip and limits are not stored.' };
  if (!otp) return { body: { channel, recipient }, absent: 'Its other fields are not stored.' };
  if (otp.steps || otp.template !== null || hasOwnText(otp)) return undefined;
  const { locale, purpose, metadata, max_attempts } = otp;
  const stored = Object.entries({ locale, purpose, metadata, max_attempts }).filter(
    ([, value]) => value !== null,
  );
  return {
    body: {
      channel,
      recipient,
      ...Object.fromEntries(stored),
      ...(otp.own_code ? { code: HIDDEN } : {}),
    },
    absent: 'Its client_ip, limits, proof, expires_in and code_length are not stored.',
  };
}

/** A text of the sender, or one of ours with a line for autofill. */
const hasOwnText = (otp: Otp): boolean =>
  otp.message !== null && (!isOurText(otp) || otp.message.includes('\n'));
