import type { RequestLog } from '@sixdigit/contract/request-logs.ts';

type Log = Pick<RequestLog, 'request_type' | 'otp' | 'endpoint' | 'reason' | 'refused_fields'>;

/** The recipient, or the masked beginning of a text that was refused as one. */
export const recipientShown = ({
  otp,
  refused_fields,
}: Pick<Log, 'otp' | 'refused_fields'>): string | undefined =>
  otp?.recipient ?? refused_fields?.find(({ field }) => RECIPIENTS.includes(field))?.value ?? undefined;

/** The names of the field in our API, Twilio's and CAMARA's. */
const RECIPIENTS = ['recipient', 'To', 'phoneNumber'];

/** `invalid_fields: recipient` */
export const reasonShown = ({
  reason,
  refused_fields,
}: Pick<Log, 'reason' | 'refused_fields'>): string | null =>
  reason === null || !refused_fields
    ? reason
    : `${reason}: ${refused_fields.map(({ field }) => field).join(', ')}`;

/** The sentences about the refused fields. */
export const refusalText = ({ refused_fields }: Pick<Log, 'refused_fields'>): string | undefined =>
  refused_fields?.map(({ message }) => (/[.!?]$/.test(message) ? message : `${message}.`)).join(' ');
