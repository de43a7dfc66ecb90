import type { StatusLog, VerificationDetail } from '@sixdigit/contract/otp.ts';
import { statusLabel } from '../ui/Badge.tsx';
import { duration } from '../ui/dates.ts';
import { carrierName } from './route-filters.ts';

/** One line of a verification's history. */
export function statusChange({ previous_status, new_status }: StatusLog): string {
  if (!previous_status) return `Initial status set to ${statusLabel(new_status)}`;
  // a delivery report does not change the status, but is part of the history
  if (previous_status === new_status) return `Status stays ${statusLabel(new_status)}`;
  return `Status changed from ${statusLabel(previous_status)} to ${statusLabel(new_status)}`;
}

type Times = Pick<VerificationDetail, 'created_at' | 'sent_at' | 'carrier'>;

/**
 * How long a status change took. A send is measured from the creation, a verification from the send, any other change from the
 * previous entry. Undefined for the first entry.
 */
export function elapsed(log: StatusLog, before: StatusLog | undefined, otp: Times): string | undefined {
  if (!before) return undefined;
  const since = (from: string): string => duration(Math.abs(Date.parse(log.changed_at) - Date.parse(from)));
  if (log.new_status !== log.previous_status) {
    if (log.new_status === 'sent') {
      const by = otp.carrier ? ` by ${carrierName(otp.carrier)}` : '';
      return `sent after ${since(otp.created_at)}${by}`;
    }
    if (log.new_status === 'verified') return `verified after ${since(otp.sent_at ?? otp.created_at)}`;
  }
  return `+${since(before.changed_at)}`;
}
