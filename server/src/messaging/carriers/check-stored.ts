import type { Finding } from '../../platform/finding.ts';
import { type Checked, checkRecord } from './kinds/record/examine.ts';
import { checkStoredMail } from './kinds/smtp/examine.ts';

/**
 * Checks a carrier of the console without a message: the credentials of a record, or what receivers find about the domains of an SMTP
 * carrier. Undefined for other kinds.
 */
export const checkStored = (given: Checked): Promise<Finding | undefined> =>
  given.kind === 'smtp' ? checkStoredMail(given.values, given.dnsServers) : checkRecord(given);
