import { attemptsFor } from '@sixdigit/contract/guessing.ts';
import { enteredDigits } from '@sixdigit/contract/text/digits.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Known } from '../../protection/protection.ts';
import type { Change } from '../change.ts';
import {
  DAY_MS,
  isCode,
  limitsRecipient,
  recipientKey,
  stateRecipient,
  WRONG_CODES_PER_DAY,
} from '../code.ts';
import type { NotedCode } from '../feedback.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { type FirstRequests, noteFirst, type RepeatedRequest, repeatOf } from '../repeated-requests.ts';

/** A verify request waiting for its decision. */
export interface VerifyItem {
  account_id: string;
  api_key_id: string;
  /** Any UUID; it may match no verification. */
  otp_id: string;
  /** The entered code. A JSON number lacks leading zeros. */
  code: string | number;
  ip_address: string | null;
  log_id: string;
  started_ms: number;
  idempotency: Idempotency | null;
  /** Whether a test key was used. Test keys verify only tests, and live keys only live verifications. */
  is_test: boolean;
  /** The result of an earlier attempt at the batch whose commit is uncertain. */
  decided?: VerifyResult;
}

/** The outcome of a verify. `response.ts` turns it into a response of the contract. */
export type VerifyOutcome =
  | Comparison
  | { kind: ClosedReason }
  | { kind: 'otp_not_found' }
  /** The sender made the code and verifies it. */
  | { kind: 'own_code' }
  /** No open code has as many digits as the entry; `digits` is the length of the verification's own code. */
  | { kind: 'malformed_code'; digits: number }
  | RepeatedRequest<Comparison>;

/** A code was compared. */
type Comparison =
  | { kind: 'verified'; otp_id: string; verified_at: string; is_test: boolean }
  | { kind: 'invalid_code'; attempts_remaining: number };

/** Why a verification accepts no more codes. */
type ClosedReason = 'otp_already_verified' | 'otp_closed' | 'max_attempts_reached' | 'otp_expired';

export interface VerifyResult {
  outcome: VerifyOutcome;
  /** The verification, if it exists. */
  about: { otp_id: string; recipient: string; channel: string | null } | null;
}

/**
 * Comparisons are written with the batch: their log rows and their responses. A retry recognizes the commit by the log rows.
 */
export const isComparison = ({ kind }: VerifyOutcome): boolean =>
  kind === 'verified' || kind === 'invalid_code';

export interface VerificationState {
  account_id: string;
  id: string;
  recipient: string;
  is_test: boolean;
  own_code: boolean;
  /** how the send passed the rules on destinations as one to a known recipient */
  known: Known | null;
  /** What the code is for. */
  purpose: string | null;
  /** as the send asked; null for the default of its length */
  max_attempts: number | null;
  /** It repeats the code of this verification, which alone has an id to verify. */
  resend_of: string | null;
  channel: string | null;
  status: OtpStatus;
  closed_by: 'canceled' | 'superseded' | 'attempts' | null;
  hmac: Buffer | null;
  code_length: number;
  /** The end user's address, as given with the send. */
  client_ip: string | null;
  expires_ms: number;
}

export interface TriedRecipient {
  account_id: string;
  recipient: string;
  open_ids: string[];
  tries_used: number;
  /** The times of the last day's wrong codes, in ms of the database clock, oldest first. */
  wrong_tries: number[];
  touched: boolean;
  /** the recipient, if its code was verified: it becomes known */
  verified?: string;
}

export interface LockedVerifies {
  nowMs: number;
  verifications: Map<string, VerificationState>;
  recipients: Map<string, TriedRecipient>;
  firstRequests: FirstRequests<Comparison>;
  /** The changes from the decisions so far. */
  changes: Change[];
  /** The right codes so far, if a carrier gives feedback about them. */
  rightCodes: NotedCode[] | undefined;
}

/** Wrong codes that the recipient may still enter. */
const wrongCodesLeft = ({ wrong_tries }: Pick<TriedRecipient, 'wrong_tries'>, nowMs: number): number =>
  WRONG_CODES_PER_DAY - wrong_tries.filter((ms) => ms > nowMs - DAY_MS).length;

/** Why a verification accepts no more codes, in the order of the documentation; undefined if it is open. */
function closedReason(locked: LockedVerifies, verification: VerificationState): ClosedReason | undefined {
  const { nowMs } = locked;
  if (verification.status === 'verified') return 'otp_already_verified';
  if (verification.closed_by === 'canceled' || verification.closed_by === 'superseded') return 'otp_closed';
  const tried = locked.recipients.get(recipientKey(verification.account_id, limitsRecipient(verification)));
  if (verification.closed_by === 'attempts' || (tried && wrongCodesLeft(tried, nowMs) <= 0))
    return 'max_attempts_reached';
  if (verification.status === 'expired' || verification.expires_ms <= nowMs || !verification.hmac)
    return 'otp_expired';
  return undefined;
}

/**
 * Decides one verify against the locked state and updates that state. The attempt and the use of the code are committed before
 * the response is sent.
 */
export function decideVerify(app: Needs<'vault'>, locked: LockedVerifies, item: VerifyItem): VerifyOutcome {
  const verification = locked.verifications.get(recipientKey(item.account_id, item.otp_id));
  const repeat = repeatOf(locked.firstRequests, item);
  if (repeat) return repeat;
  if (!verification || verification.is_test !== item.is_test || verification.resend_of)
    return { kind: 'otp_not_found' };
  if (verification.own_code) return { kind: 'own_code' };
  const closed = closedReason(locked, verification);
  if (closed) return { kind: closed };

  const open = openSiblings(locked, verification);
  const digits =
    typeof item.code === 'number' ? enteredDigits(item.code, verification.code_length) : item.code;
  if (!/^[0-9]+$/.test(digits) || !open.some(({ code_length }) => code_length === digits.length))
    return { kind: 'malformed_code', digits: verification.code_length };

  const hmacs = open.flatMap(({ hmac }) => (hmac ? [hmac] : []));
  const isRight = isCode(app, verification, digits, hmacs);
  if (isRight && locked.rightCodes) noteRightCode(app, locked.rightCodes, verification, digits);
  const outcome = isRight
    ? accept(locked, verification, open, item)
    : reject(locked, verification, open, item);
  noteFirst(locked.firstRequests, item, outcome);
  return outcome;
}

/** Ignores the code of a sibling, because it was in none of this verification's messages. */
function noteRightCode(
  app: Needs<'vault'>,
  codes: NotedCode[],
  verification: VerificationState,
  digits: string,
): void {
  const { account_id, id, is_test, hmac } = verification;
  if (!is_test && hmac && isCode(app, verification, digits, [hmac])) codes.push({ account_id, id, digits });
}

/**
 * The verification and its recipient's other verifications that a correct code can still close. The code of any of them is
 * correct.
 */
function openSiblings(locked: LockedVerifies, verification: VerificationState): VerificationState[] {
  const state = locked.recipients.get(recipientKey(verification.account_id, stateRecipient(verification)));
  const others = (state?.open_ids ?? [])
    .filter((id) => id !== verification.id)
    .map((id) => locked.verifications.get(recipientKey(verification.account_id, id)))
    .filter((other): other is VerificationState => other !== undefined && !closedReason(locked, other));
  return [verification, ...others];
}

const recipientOf = (
  locked: LockedVerifies,
  { account_id }: VerificationState,
  recipient: string,
): TriedRecipient => {
  const key = recipientKey(account_id, recipient);
  const state = locked.recipients.get(key) ?? {
    account_id,
    recipient,
    open_ids: [],
    tries_used: 0,
    wrong_tries: [],
    touched: false,
  };
  locked.recipients.set(key, state);
  state.touched = true;
  return state;
};

function accept(
  locked: LockedVerifies,
  verification: VerificationState,
  open: readonly VerificationState[],
  item: VerifyItem,
): Comparison {
  const verified_at = new Date(locked.nowMs).toISOString();
  for (const { account_id, id, status } of open) {
    const base = { account_id, id, wipe: true as const };
    if (id === verification.id)
      locked.changes.push({
        ...base,
        allowed: ['pending', 'sent', 'failed'],
        to: 'verified',
        verified: true,
        event: 'verified',
        ip: item.ip_address,
        usual: true,
      });
    else if (status === 'failed')
      locked.changes.push({ ...base, allowed: ['failed'], closed_by: 'superseded', note: 'Superseded' });
    else
      locked.changes.push({
        ...base,
        allowed: ['pending', 'sent'],
        to: 'expired',
        closed_by: 'superseded',
        note: 'Superseded',
      });
  }
  for (const one of open) {
    one.closed_by = one === verification ? one.closed_by : 'superseded';
    one.status = one === verification ? 'verified' : one.status === 'failed' ? 'failed' : 'expired';
    one.hmac = null;
  }
  const state = recipientOf(locked, verification, stateRecipient(verification));
  state.open_ids = [];
  state.tries_used = 0;
  if (!verification.is_test) state.verified = verification.recipient;
  return { kind: 'verified', otp_id: verification.id, verified_at, is_test: verification.is_test };
}

function reject(
  locked: LockedVerifies,
  verification: VerificationState,
  open: readonly VerificationState[],
  item: VerifyItem,
): Comparison {
  const state = recipientOf(locked, verification, stateRecipient(verification));
  const limits = recipientOf(locked, verification, limitsRecipient(verification));
  state.tries_used += 1;
  // Test verifications have no limit of wrong codes, because test suites enter them on purpose.
  if (!verification.is_test)
    limits.wrong_tries = [...limits.wrong_tries.filter((ms) => ms > locked.nowMs - DAY_MS), locked.nowMs];
  // The fewest attempts of a code that the entry could have matched.
  const tries = Math.min(
    ...open.map(({ code_length, max_attempts }) => max_attempts ?? attemptsFor(code_length)),
  );
  const remaining = Math.max(0, Math.min(tries - state.tries_used, wrongCodesLeft(limits, locked.nowMs)));
  if (remaining === 0) {
    for (const one of open) {
      const { account_id, id } = one;
      const failure = 'Too many wrong codes';
      const base = {
        account_id,
        id,
        closed_by: 'attempts',
        wipe: true,
        note: failure,
        ip: item.ip_address,
      } as const;
      if (one.status === 'failed') locked.changes.push({ ...base, allowed: ['failed'] });
      else
        locked.changes.push({
          ...base,
          allowed: ['pending', 'sent'],
          to: 'failed',
          failure,
          event: 'failed',
        });
      one.status = 'failed';
      one.closed_by = 'attempts';
      one.hmac = null;
    }
    state.open_ids = [];
    state.tries_used = 0;
  }
  return { kind: 'invalid_code', attempts_remaining: remaining };
}
