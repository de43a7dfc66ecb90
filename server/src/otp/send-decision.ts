import type { OtpStatus } from '#contract/otp.ts';
import { type Idempotency, isSameRequest } from '../idempotency/idempotency.ts';
import { Failure } from '../platform/http/failure.ts';
import { type Code, WRONG_CODES_PER_DAY } from './code.ts';

const MINUTE = 60_000;
/** Sends to the same recipient share a code for this long after its first send. */
export const SHARING_MS = 10 * MINUTE;
export const DAY_MS = 24 * 60 * MINUTE;

/** A send request that waits for its decision. All work without the database is done. */
export interface SendItem {
  account_id: string;
  api_key_id: string;
  /** The id of the verification, if the send creates one. */
  id: string;
  ledger_id: string;
  log_id: string;
  channel: 'sms' | 'voice' | 'email';
  recipient: string;
  message: string | null;
  subject: string | null;
  /** Segments of the text with its code; SMS only. */
  segments: number | null;
  expires_in: number;
  code_length: number;
  ip_address: string | null;
  /** Process time at which the request arrived, for the log. */
  startedMs: number;
  /** Identifies the recipient over all accounts: 128 bits of a keyed hash, in hex. */
  recipient_hash: string;
  /** Hashes of the number that the opt-out list may contain; SMS only. */
  opt_out: readonly string[] | null;
  idempotency: Idempotency | null;
  /** The decision of an earlier attempt at the same batch, in case its commit succeeded. */
  decided?: SendReply;
}

export interface SendReply {
  otp_id: string;
  status: OtpStatus;
  expires_at: string;
  channel: 'sms' | 'voice' | 'email';
  recipient: string;
  segments: number | null;
}

export type SendOutcome =
  | { kind: 'accepted'; reply: SendReply }
  | { kind: 'replayed'; status: number; body: unknown }
  | { kind: 'refused'; failure: Failure };

/** A recipient's row as the decision reads and changes it. Times are in ms of the database clock. */
export interface RecipientState {
  account_id: string;
  recipient: string;
  code: Code | null;
  firstSentMs: number;
  openUntilMs: number;
  openIds: string[];
  triesUsed: number;
  sends: number[];
  /** Wrong codes of the last day, for WRONG_CODES_PER_DAY. */
  wrongTries: readonly number[];
  touched: boolean;
}

/** The locked state that sends are decided against. Keys: account; account + recipient; account + endpoint + key. */
export interface LockedSends {
  nowMs: number;
  balances: Map<string, { credits: number; debt: number }>;
  recipients: Map<string, RecipientState>;
  /** Sends of the last day to a recipient over all accounts, by its hash. */
  sentOverAll: Map<string, number[]>;
  optedOut: Set<string>;
  answered: Map<string, { request: string; status: number | null; body: unknown }>;
  written: Set<string>;
  limits: { perAccount: SendLimits; overAll: SendLimits };
}

interface SendLimits {
  per10Min: number;
  perDay: number;
}

export interface Accepted {
  item: SendItem;
  code: Code;
  expiresMs: number;
  reply: SendReply;
}

export const recipientKey = (account_id: string, recipient: string): string => `${account_id} ${recipient}`;
export const idempotencyKey = (account_id: string, key: string): string => `${account_id} ${key}`;

const newState = (item: SendItem): RecipientState => ({
  account_id: item.account_id,
  recipient: item.recipient,
  code: null,
  firstSentMs: 0,
  openUntilMs: 0,
  openIds: [],
  triesUsed: 0,
  sends: [],
  wrongTries: [],
  touched: false,
});

/** Seconds until fewer than `most` of these times (oldest first) lie within the span before now; 0 if that holds now. */
function waitFor(times: readonly number[], most: number, spanMs: number, nowMs: number): number {
  const within = times.filter((ms) => ms > nowMs - spanMs);
  const blocking = within.length - most;
  return blocking < 0 ? 0 : Math.max(1, Math.ceil(((within[blocking] ?? nowMs) + spanMs - nowMs) / 1000));
}

/** Seconds until another send to the recipient is allowed, or 0. */
function limitedFor(
  state: RecipientState,
  overAll: readonly number[],
  { nowMs, limits }: LockedSends,
): number {
  const sendsWait = (sends: readonly number[], { per10Min, perDay }: SendLimits): number =>
    Math.max(waitFor(sends, per10Min, SHARING_MS, nowMs), waitFor(sends, perDay, DAY_MS, nowMs));
  return Math.max(
    sendsWait(state.sends, limits.perAccount),
    sendsWait(overAll, limits.overAll),
    waitFor(state.wrongTries, WRONG_CODES_PER_DAY, DAY_MS, nowMs),
  );
}

/**
 * Decides one send against the locked state and updates that state. The order of checks: idempotency, opt-out, recipient
 * limits, credit, shared or fresh code. Items of a batch are decided in order of arrival.
 */
export function decideSend(
  locked: LockedSends,
  item: SendItem,
  mint: (item: SendItem) => Code,
): { outcome: SendOutcome; accepted?: Accepted } {
  if (item.decided && locked.written.has(item.id))
    return { outcome: { kind: 'accepted', reply: item.decided } };
  const refuse = (failure: Failure) => ({ outcome: { kind: 'refused' as const, failure } });

  if (item.idempotency) {
    const earlier = locked.answered.get(idempotencyKey(item.account_id, item.idempotency.key));
    if (earlier) {
      if (!isSameRequest(item.idempotency, earlier.request))
        return refuse(new Failure('idempotency_key_reused'));
      if (earlier.status === null) return refuse(new Failure('idempotency_key_in_flight'));
      return { outcome: { kind: 'replayed', status: earlier.status, body: earlier.body } };
    }
  }
  if (item.opt_out?.some((one) => locked.optedOut.has(one)))
    return refuse(new Failure('recipient_opted_out'));

  const { nowMs } = locked;
  const key = recipientKey(item.account_id, item.recipient);
  const state = locked.recipients.get(key) ?? newState(item);
  const overAll = locked.sentOverAll.get(item.recipient_hash) ?? [];
  const retryAfter = limitedFor(state, overAll, locked);
  if (retryAfter > 0) return refuse(new Failure('recipient_rate_limited', { retry_after: retryAfter }));

  const balance = locked.balances.get(item.account_id);
  if (!balance || balance.debt > 0 || balance.credits < 1) return refuse(new Failure('insufficient_credits'));
  balance.credits -= 1;

  const isOpen = state.openUntilMs > nowMs;
  if (!isOpen) {
    state.openIds = [];
    state.triesUsed = 0;
    state.openUntilMs = 0;
  }
  const shares = isOpen && state.code !== null && state.firstSentMs + SHARING_MS > nowMs;
  const code = shares && state.code ? state.code : mint(item);
  if (!shares) {
    state.code = code;
    state.firstSentMs = nowMs;
  }
  const expiresMs = nowMs + item.expires_in * 1000;
  state.openIds.push(item.id);
  state.openUntilMs = Math.max(state.openUntilMs, expiresMs);
  state.sends = [...state.sends.filter((ms) => ms > nowMs - DAY_MS), nowMs].slice(
    -locked.limits.perAccount.perDay,
  );
  state.touched = true;
  locked.sentOverAll.set(item.recipient_hash, [...overAll, nowMs]);
  locked.recipients.set(key, state);

  const reply: SendReply = {
    otp_id: item.id,
    status: 'pending',
    expires_at: new Date(expiresMs).toISOString(),
    channel: item.channel,
    recipient: item.recipient,
    segments: item.segments,
  };
  if (item.idempotency)
    locked.answered.set(idempotencyKey(item.account_id, item.idempotency.key), {
      request: item.idempotency.request,
      status: 201,
      body: reply,
    });
  return { outcome: { kind: 'accepted', reply }, accepted: { item, code, expiresMs, reply } };
}
