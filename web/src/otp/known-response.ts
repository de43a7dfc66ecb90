import { failures } from '@sixdigit/contract/errors.ts';
import { REFUSED_FIELDS_MOST, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import type { VerificationDetail } from '@sixdigit/contract/verifications.ts';

type Otp = Pick<
  VerificationDetail,
  | 'id'
  | 'channel'
  | 'recipient'
  | 'segments'
  | 'expires_at'
  | 'verified_at'
  | 'language'
  | 'own_code'
  | 'resend_of'
  | 'steps'
  | 'test'
>;
type Log = Pick<
  RequestLog,
  'request_type' | 'response_status_code' | 'credits_used' | 'reason' | 'blocked_by' | 'refused_fields'
>;

export interface KnownResponse {
  body: Record<string, unknown>;
  /** false: the response had further fields, which are not stored */
  isWhole: boolean;
}

/**
 * The body of the response to a send or verify, from what the log and the verification keep. A verify
 * is known in full, a send except for the length of its code, a refusal by its reason. Undefined if nothing of the body is known.
 */
export function knownResponse(log: Log, otp: Otp | undefined): KnownResponse | undefined {
  const { response_status_code: status, reason, blocked_by, refused_fields } = log;
  if (status >= 300) {
    if (refused_fields)
      return {
        body: Object.fromEntries(refused_fields.map(({ field, message }) => [field, [message]])),
        isWhole: refused_fields.length < REFUSED_FIELDS_MOST,
      };
    const failure = failures[reason as keyof typeof failures] as { error: string } | undefined;
    if (!failure) return undefined;
    return { body: { error: failure.error, reason, ...(blocked_by && { blocked_by }) }, isWhole: false };
  }
  if (!otp) return undefined;
  const test = otp.test ? { test: true } : {};
  if (log.request_type === 'verify_otp')
    return otp.verified_at
      ? {
          body: { status: 'verified', verified_at: otp.verified_at, otp_id: otp.id, ...test },
          isWhole: true,
        }
      : undefined;
  return {
    body: {
      otp_id: otp.resend_of ?? otp.id,
      ...(otp.resend_of === null ? {} : { resend_id: otp.id }),
      // every accepted send is pending until a carrier takes it
      status: 'pending',
      expires_at: otp.expires_at,
      channel: otp.channel,
      ...(otp.steps ? { channels: otp.steps.map(({ channel }) => channel) } : {}),
      recipient: otp.recipient,
      segments: otp.segments,
      cost_credits: log.credits_used,
      ...(otp.language === null ? {} : { language: otp.language }),
      ...(otp.own_code ? { own_code: true } : {}),
      ...test,
    },
    isWhole: false,
  };
}
