import type { VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { duration } from '../ui/dates.ts';
import { carrierName } from './route-filters.ts';

type Otp = Pick<
  VerificationDetail,
  | 'status'
  | 'carrier'
  | 'failure'
  | 'test'
  | 'cost_credits'
  | 'created_at'
  | 'sent_at'
  | 'delivered_at'
  | 'verified_at'
  | 'expires_at'
  | 'status_logs'
  | 'own_code'
  | 'outcome'
  | 'steps'
>;

/** How a verification was closed, if its status alone does not say it. */
export function closingOf({
  status,
  status_logs,
}: Pick<Otp, 'status' | 'status_logs'>): 'Superseded' | 'Canceled' | undefined {
  if (status !== 'expired') return undefined;
  const notes = status_logs.map((log) => log.notes);
  if (notes.includes('Superseded')) return 'Superseded';
  return notes.includes('Canceled') ? 'Canceled' : undefined;
}

/** What happened to a verification, in one or two sentences. */
export function outcomeOf(otp: Otp, nowMs: number): string {
  const closing = closingOf(otp);
  if (closing === 'Superseded')
    return 'Superseded: the recipient verified with another message that had the same code.';
  if (closing === 'Canceled') return `Canceled. The code no longer works.${chargeOf(otp)}`;
  // The failed message is a step of a plan.
  if (otp.failure && (otp.status === 'pending' || otp.status === 'sent'))
    return `${failed(otp.failure)} The plan goes on with its next channel.`;
  switch (otp.status) {
    case 'pending':
      return 'Waiting for a carrier to accept the message.';
    case 'sent':
      if (otp.own_code) return reported(otp);
      return Date.parse(otp.expires_at) < nowMs ? expired(otp) : `${arrival(otp)} Waiting for the code.`;
    case 'verified':
      return otp.sent_at
        ? `Verified ${between(otp.sent_at, otp.verified_at ?? otp.sent_at)} after the ${otp.steps ? 'first message' : 'message'} was sent.`
        : 'Verified.';
    case 'failed':
      return `${failed(otp.failure)}${chargeOf(otp)}`;
    case 'expired':
      return otp.own_code ? reported(otp) : expired(otp);
  }
}

function between(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  return ms < 50 ? 'less than 0.1 s' : duration(ms);
}

function arrival(otp: Otp): string {
  if (otp.delivered_at) return `Delivered ${between(otp.created_at, otp.delivered_at)} after the request.`;
  const by = otp.carrier ? ` by ${carrierName(otp.carrier)}` : '';
  return otp.sent_at ? `Sent${by} ${between(otp.created_at, otp.sent_at)} after the request.` : `Sent${by}.`;
}

function failed(failure: string | null): string {
  if (failure === null) return 'Failed.';
  return /[.!?]$/.test(failure) ? `Failed: ${failure}` : `Failed: ${failure}.`;
}

function chargeOf({ test, cost_credits }: Otp): string {
  return !test && cost_credits === 0 ? ' Nothing was charged.' : '';
}

/** Only the sender of an own code knows whether it was entered. */
function reported(otp: Otp): string {
  if (!otp.sent_at) return 'Expired before a carrier accepted the message.';
  const report =
    otp.outcome === null
      ? 'The sender verifies the code and has not reported the outcome.'
      : `The sender reported that the code was ${otp.outcome === 'verified' ? '' : 'not '}verified.`;
  return `${arrival(otp)} ${report}`;
}

const expired = (otp: Otp): string =>
  otp.delivered_at
    ? 'Expired: the message was delivered, but the correct code was not entered in time.'
    : 'Expired: the correct code was not entered in time, and no delivery report arrived.';
