import type { Channel } from '@sixdigit/contract/channels.ts';
import { withPlusOfUrl } from '@sixdigit/contract/text/phone-text.ts';
import { z } from 'zod';
import { type SendState, selectSendStates } from '../../otp/otp.ts';
import { recipientOf } from '../../platform/addresses/recipient.ts';
import { hashesOf } from '../../platform/db/removed-recipients.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { invalid, notFound } from './errors.ts';
import type { TwilioCall } from './serve.ts';
import type { ServiceRow } from './service-queries.ts';
import { idOfSid, sidOf, timeOf } from './sids.ts';
import {
  findVerification,
  findVerificationOf,
  type Scope,
  type VerificationRow,
} from './verification-queries.ts';

/** The sends to one recipient that Twilio's clients see as one verification. */
export interface Verification {
  row: VerificationRow;
  /** oldest first; at least one */
  sends: SendState[];
}

export type VerificationStatus =
  | 'pending'
  | 'approved'
  | 'canceled'
  | 'max_attempts_reached'
  | 'failed'
  | 'expired';

/** Our channels by Twilio's names. */
export const CHANNELS_BY_NAME = { sms: 'sms', call: 'voice', email: 'email', whatsapp: 'whatsapp' } as const;
export const CHANNEL_NAME = z
  .enum(Object.keys(CHANNELS_BY_NAME) as [TwilioChannel, ...TwilioChannel[]], {
    error: ({ input }) => (input === undefined ? 'missing' : 'must be sms, call, email or whatsapp'),
  })
  .transform((name) => CHANNELS_BY_NAME[name]);
type TwilioChannel = keyof typeof CHANNELS_BY_NAME;
/** Twilio's names of our channels. */
export const CHANNEL_NAMES: Record<Channel, string> = {
  sms: 'sms',
  voice: 'call',
  email: 'email',
  whatsapp: 'whatsapp',
  telegram: 'telegram',
};

export const scopeOf = ({ caller }: TwilioCall, { account_id, id }: ServiceRow): Scope => ({
  account_id,
  service_id: id,
  is_test: caller.is_test,
});

/** A phone number in E.164 or an e-mail address. Twilio does not accept national numbers. */
export function recipientIn({ config }: Needs<'config'>, parameter: string, text: string): string {
  const recipient = recipientOf(config, text);
  if (recipient === undefined || !(text.trim().startsWith('+') || recipient.includes('@')))
    throw invalid(parameter, 'must be a phone number in E.164 or an email address');
  return recipient;
}

export async function withSends(
  sql: Queryable,
  row: VerificationRow | undefined,
): Promise<Verification | undefined> {
  if (!row) return undefined;
  const sends = await selectSendStates(sql, row, row.otp_ids);
  return sends.length === 0 ? undefined : { row, sends };
}

/** Finds a verification by its SID, or the newest one of a recipient: for a check, of our codes if there is one. Throws 20404. */
export async function verificationBy(
  app: Needs<'config' | 'db' | 'vault'>,
  scope: Scope,
  sidOrTo: string,
  isCheck = false,
): Promise<Verification> {
  const id = idOfSid('VE', sidOrTo);
  const row =
    id === undefined
      ? await rowOf(app, scope, { text: sidOrTo, isCheck })
      : await findVerification(app.db, scope, id);
  const found = await withSends(app.db, row);
  if (!found) throw notFound('verification_not_found');
  return found;
}

async function rowOf(
  app: Needs<'config' | 'db' | 'vault'>,
  scope: Scope,
  { text, isCheck }: { text: string; isCheck: boolean },
): Promise<VerificationRow | undefined> {
  const recipient = recipientOf(app.config, withPlusOfUrl(text));
  if (recipient === undefined) return undefined;
  const hashes = hashesOf(app.vault, recipient);
  const ours = isCheck ? await findVerificationOf(app.db, scope, hashes, false) : undefined;
  return ours ?? findVerificationOf(app.db, scope, hashes);
}

export const isApproved = ({ row, sends }: Verification): boolean =>
  row.approved_at !== null ||
  sends.some(({ status, outcome }) => status === 'verified' || outcome === 'verified');

export const lastOf = ({ sends }: Verification): SendState => sends.at(-1) as SendState;

export function statusOf(verification: Verification): VerificationStatus {
  if (isApproved(verification)) return 'approved';
  const { sends } = verification;
  if (sends.some(({ is_open, status }) => is_open && status !== 'failed')) return 'pending';
  // The carrier gave up, but a right code would still be right.
  if (sends.some(({ is_open }) => is_open)) return 'failed';
  const { closed_by, status } = lastOf(verification);
  if (closed_by === 'attempts') return 'max_attempts_reached';
  if (closed_by !== null) return 'canceled';
  return status === 'failed' ? 'failed' : 'expired';
}

/** Whether another send belongs to it. */
export const isOpen = (verification: Verification): boolean =>
  !isApproved(verification) && verification.sends.some(({ is_open }) => is_open);

/** Why its code can no longer be checked. */
export function closedReason(verification: Verification): string {
  const status = statusOf(verification);
  if (status === 'approved') return 'already_approved';
  return status === 'canceled' && lastOf(verification).closed_by === 'superseded' ? 'superseded' : status;
}

const shownOf = (verification: Verification) => {
  const { row, sends } = verification;
  const last = lastOf(verification);
  const status = statusOf(verification);
  const changes = [row.approved_at ?? '', ...sends.map(({ changed_at }) => changed_at)].toSorted();
  return {
    sid: sidOf('VE', row.id),
    service_sid: sidOf('VA', row.service_id),
    account_sid: sidOf('AC', row.account_id),
    to: last.recipient,
    channel: CHANNEL_NAMES[last.channel],
    status,
    valid: status === 'approved',
    amount: null,
    payee: null,
    date_created: timeOf(row.created_at),
    date_updated: timeOf(changes.at(-1) ?? row.created_at),
  };
};

export function shown({ base }: TwilioCall, verification: Verification): object {
  const shared = shownOf(verification);
  return {
    ...shared,
    lookup: {},
    send_code_attempts: verification.sends.map(({ otp_id, channel, created_at }) => ({
      time: timeOf(created_at),
      channel: CHANNEL_NAMES[channel].toUpperCase(),
      attempt_sid: sidOf('VL', otp_id),
    })),
    sna: null,
    url: `${base}/v2/Services/${shared.service_sid}/Verifications/${shared.sid}`,
  };
}

/** Twilio says `pending` of a wrong code, also of the last one that was allowed. */
export const shownCheck = (verification: Verification, isRight: boolean): object => ({
  ...shownOf(verification),
  status: isRight ? 'approved' : 'pending',
  valid: isRight,
  sna_attempts_error_codes: [],
});
