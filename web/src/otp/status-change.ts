import type { StatusLog, VerificationDetail } from '@sixdigit/contract/otp.ts';
import { statusLabel } from '../ui/Badge.tsx';
import { carrierName } from './route-filters.ts';

/** One line of a verification's history. */
export function statusChange({ previous_status, new_status }: StatusLog): string {
  if (!previous_status) return `Initial status set to ${statusLabel(new_status)}`;
  // a delivery report does not change the status, but is part of the history
  if (previous_status === new_status) return `Status stays ${statusLabel(new_status)}`;
  return `Status changed from ${statusLabel(previous_status)} to ${statusLabel(new_status)}`;
}

/** The carrier that accepted the message, in the entry of the send. */
export const carrierOf = (
  { previous_status, new_status }: StatusLog,
  { carrier }: Pick<VerificationDetail, 'carrier'>,
): string | undefined =>
  carrier && new_status === 'sent' && previous_status !== 'sent' ? `by ${carrierName(carrier)}` : undefined;
