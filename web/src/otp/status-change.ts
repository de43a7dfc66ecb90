import type { StatusLog } from '@sixdigit/contract/verifications.ts';
import { statusLabel } from '../ui/Badge.tsx';
import { carrierName } from './route-filters.ts';

/** One line of a verification's history. */
export function statusChange({ previous_status, new_status }: StatusLog): string {
  if (!previous_status) return `Initial status set to ${statusLabel(new_status)}`;
  // a delivery report does not change the status, but is part of the history
  if (previous_status === new_status) return `Status stays ${statusLabel(new_status)}`;
  return `Status changed from ${statusLabel(previous_status)} to ${statusLabel(new_status)}`;
}

/** The note of a status change: 'Accepted by Twilio' instead of the stored 'Accepted by twilio' */
export const noteText = (notes: string | null): string | null =>
  notes?.replace(/^Accepted by (\S+)$/, (_, carrier: string) => `Accepted by ${carrierName(carrier)}`) ??
  null;
