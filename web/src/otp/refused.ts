import type { RequestLog } from '@sixdigit/contract/request-logs.ts';

type Log = Pick<RequestLog, 'request_type' | 'otp' | 'reason' | 'refused_fields'>;

/** The recipient, or the masked beginning of a text that was refused as one. */
export const recipientShown = ({ otp, refused_fields }: Log): string | undefined =>
  otp?.recipient ?? refused_fields?.find(({ field }) => RECIPIENTS.includes(field))?.value ?? undefined;

/** The names of the field in our API, Twilio's and CAMARA's. */
const RECIPIENTS = ['recipient', 'To', 'phoneNumber'];

/** `invalid_fields: recipient` */
export const reasonShown = ({ reason, refused_fields }: Log): string | null =>
  reason === null || !refused_fields
    ? reason
    : `${reason}: ${refused_fields.map(({ field }) => field).join(', ')}`;

/** The sentences about the refused fields. */
export const refusalText = ({ refused_fields }: Pick<Log, 'refused_fields'>): string | undefined =>
  refused_fields?.map(({ message }) => (/[.!?]$/.test(message) ? message : `${message}.`)).join(' ');

export const HIDDEN = '•'.repeat(8);

/** Refusals of a body that differs from any that the stored fields could rebuild. */
const OF_THE_BODY: readonly (string | null)[] = [
  'invalid_fields',
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
];

/**
 * The body of a request in our format, with the code hidden. Undefined if nobody made the request that the stored fields would
 * rebuild: it was refused for its fields, or the row counts several requests that differ.
 */
export function rebuiltBody({ request_type, otp, reason }: Log): object | undefined {
  if (OF_THE_BODY.includes(reason)) return undefined;
  const { id, channel, recipient } = otp ?? {};
  if (request_type === 'verify_otp') return id ? { otp_id: id, code: HIDDEN } : undefined;
  return channel && recipient ? { channel, recipient } : undefined;
}
