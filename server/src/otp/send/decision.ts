import { factsOf } from '@sixdigit/contract/channels.ts';
import type { SendReply } from '@sixdigit/contract/otp.ts';
import type { ProofProblem } from '@sixdigit/contract/proof.ts';
import type { SuppressionReason } from '@sixdigit/contract/suppressions.ts';
import { TEST_SENDS_PER_DAY } from '@sixdigit/contract/test-mode.ts';
import type { AccountSpending } from '../../credits/credits.ts';
import { countSpending, type KeySpending, spendRefusedUntil } from '../../credits/spend/spend.ts';
import type { LimitReached } from '../../limits/limits.ts';
import { type Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type KnownRecipient, mergedKnown } from '../../protection/protection.ts';
import { lower } from '../../settings/account-limits/account-limits.ts';
import {
  type Code,
  DAY_MS,
  limitsRecipient,
  newRecipient,
  type RecipientState,
  recipientKey,
  SHARING_MS,
  stateRecipient,
} from '../code.ts';
import { type FirstRequests, noteFirst, type RepeatedRequest, repeatOf } from '../repeated-requests.ts';
import { type TestRefusal, testRefusal } from '../test-mode/test-mode.ts';
import type { BatchGuard, DestinationBlocked, Standing } from './destination-guard.ts';
import type { SendItem } from './item.ts';
import { type RecipientLimits, secondsUntilAllowed } from './limits.ts';

/** The outcome of a send. `send.ts` turns it into a response of the contract. */
export type SendOutcome =
  | AcceptedSend
  | DuplicateSend
  | { kind: 'otp_closed' | 'otp_expired' | 'resend_too_late' }
  /** The number must be looked up before the decision. */
  | { kind: 'lookup_due' }
  /** The plan has moved on, so this is not its next step any more. */
  | { kind: 'step_taken' }
  | ({ kind: 'limit_reached' } & LimitReached)
  | { kind: 'recipient_opted_out' }
  | ({ kind: 'recipient_suppressed' } & Suppressed)
  | DestinationBlocked
  | { kind: 'proof_required' }
  | { kind: 'invalid_proof'; problem: ProofProblem }
  | { kind: 'recipient_rate_limited'; retry_after: number }
  | TestRefusal
  | { kind: 'test_limit_reached'; retry_after: number }
  | { kind: 'spend_limit_reached'; resets_at: string }
  | { kind: 'insufficient_credits' }
  | { kind: 'invalid'; refusal: FieldErrors | Failure }
  | RepeatedRequest<AcceptedSend | DuplicateSend>;

/** Why an address gets no messages, and since when. */
export interface Suppressed {
  suppressed_for: SuppressionReason;
  suppressed_since: string;
}

interface AcceptedSend {
  kind: 'accepted';
  reply: SendReply;
  /** The credits left before the nearest spend limit; null without a limit. */
  spend_left: number | null;
}

/** A repeated send of an own code. `reply` is that of the first send. */
interface DuplicateSend {
  kind: 'duplicate';
  reply: SendReply;
}

/** An open verification with an own code. */
export interface OpenOwnCode {
  hmac: Buffer;
  reply: SendReply;
}

/** The locked state that sends are decided against. Map keys: account; account + recipient; account + endpoint + key. */
export interface LockedSends {
  nowMs: number;
  balances: Map<string, AccountSpending & { credits: number; debt: number; tests_today: number }>;
  /** Credits spent by the keys with a daily limit, by key. */
  keySpending: Map<string, KeySpending>;
  recipients: Map<string, RecipientState>;
  /** The open verifications with own codes, by account and row of own codes. */
  ownCodes: Map<string, OpenOwnCode[]>;
  /** The times of the last day's sends to each recipient across all accounts, by recipient hash. */
  sentOverAll: Map<string, number[]>;
  /** The plans whose steps these are, by verification. */
  plans: Map<string, { current_id: string; is_due: boolean }>;
  optedOut: Set<string>;
  /** The known recipients, by account and hash. */
  known: Map<string, KnownRecipient>;
  /** By account and hash of the address. */
  suppressed: Map<string, Suppressed>;
  /** The proofs of these sends that earlier ones used. */
  usedProofs: Set<string>;
  firstRequests: FirstRequests<AcceptedSend | DuplicateSend>;
  written: Set<string>;
  limits: RecipientLimits;
  /** The rules on destinations. */
  guard: Pick<BatchGuard, 'refuse' | 'charge'>;
}

export interface Accepted {
  item: SendItem;
  code: Code;
  expires_ms: number;
  reply: SendReply;
}

/**
 * Decides one send against the locked state and updates that state. The order of checks: idempotency, the text, the proof of work,
 * the limits that the send names, a shared code that is too long for the channel, opt-out or suppression, destination, recipient limits, spend
 * limits, credit, shared or fresh code. Items of a batch are decided in order of arrival.
 */
export function decideSend(
  locked: LockedSends,
  item: SendItem,
  mint: (item: SendItem) => Code,
): { outcome: SendOutcome; accepted?: Accepted } {
  if (item.decided && locked.written.has(item.id))
    return { outcome: { kind: 'accepted', reply: item.decided, spend_left: null } };
  const repeat = repeatOf(locked.firstRequests, item);
  if (repeat) return { outcome: repeat };
  if (item.refusal) return { outcome: { kind: 'invalid', refusal: item.refusal } };
  const { nowMs } = locked;
  const duplicate = duplicateOf(locked, item);
  if (duplicate) {
    noteFirst(locked.firstRequests, item, duplicate);
    return { outcome: duplicate };
  }
  const unproved = proofProblem(locked, item);
  if (unproved) return { outcome: unproved };
  const ended = resendRefusal(locked, item);
  if (ended) return { outcome: ended };
  if (item.limit_reached) return { outcome: { kind: 'limit_reached', ...item.limit_reached } };
  const state = stateOf(locked, item, limitsRecipient(item));
  const name = codeRecipient(item);
  const holder = name === state.recipient ? state : stateOf(locked, item, name);
  const refusal = tooLongFor(item, item.own_code ?? item.step?.code ?? sharedCode(holder, nowMs));
  if (refusal) return { outcome: { kind: 'invalid', refusal } };
  const admission = item.is_test ? admitTest(locked, item) : admitLive(locked, item, state);
  if ('kind' in admission) return { outcome: admission };
  const { spend_left } = admission;

  const code = item.own_code ?? item.step?.code ?? codeFor(holder, nowMs, () => mint(item));
  const expires_ms = item.resend?.expires_ms ?? nowMs + item.expires_in * 1000;
  if (!item.is_test) noteSend(locked, item, state);
  noteOpen(locked, holder, item, expires_ms);
  const reply: SendReply = {
    otp_id: item.resend?.otp_id ?? item.id,
    ...(item.resend ? { resend_id: item.id } : {}),
    status: 'pending',
    expires_at: new Date(expires_ms).toISOString(),
    channel: item.channel,
    ...(item.plan ? { channels: [...item.plan.channels] } : {}),
    recipient: item.recipient,
    segments: item.segments,
    cost_credits: item.cost_credits,
    ...(item.row.language ? { language: item.row.language } : {}),
    ...(item.names_length ? { code_length: code.length } : {}),
    ...(item.own_code ? { own_code: true as const } : {}),
    ...(item.is_test ? { test: true as const } : {}),
  };
  if (item.own_code) openOwnCodes(locked, item).push({ hmac: item.own_code.hmac, reply });
  const outcome: AcceptedSend = { kind: 'accepted', reply, spend_left };
  noteFirst(locked.firstRequests, item, outcome);
  if (item.proof?.used) locked.usedProofs.add(item.proof.used.id);
  if (!item.is_test) locked.guard.charge(item);
  if (item.step) locked.plans.set(item.step.otp_id, { current_id: item.id, is_due: false });
  return { outcome, accepted: { item, code, expires_ms, reply } };
}

/** Only an accepted send uses a proof up, so that a refusal for another reason costs no second one. */
function proofProblem(
  { usedProofs }: LockedSends,
  { proof }: SendItem,
): Extract<SendOutcome, { kind: 'proof_required' | 'invalid_proof' }> | undefined {
  if (proof?.problem === 'missing') return { kind: 'proof_required' };
  const problem = proof?.used && usedProofs.has(proof.used.id) ? 'used' : proof?.problem;
  return problem && { kind: 'invalid_proof', problem };
}

/** Why a resend may not repeat the code: its verification has ended, or only a hash of its code is left. */
function resendRefusal(locked: LockedSends, item: SendItem): SendOutcome | undefined {
  const { resend, step } = item;
  if (!resend) return undefined;
  const { open_ids, code, first_sent_ms } = stateOf(locked, item, codeRecipient(item));
  const leftMs = resend.expires_ms - locked.nowMs;
  if (leftMs <= 0) return { kind: 'otp_expired' };
  if (!open_ids.includes(resend.otp_id)) {
    // Later messages of a test have taken its place.
    const isLost = item.is_test && open_ids.length >= OPEN_TESTS_MOST;
    return isLost
      ? { kind: 'recipient_rate_limited', retry_after: Math.ceil(leftMs / 1000) }
      : { kind: 'otp_closed' };
  }
  if (step) {
    const plan = locked.plans.get(step.otp_id);
    const isNext = plan?.current_id === step.after_id && (plan.is_due || !step.is_due);
    return isNext ? undefined : { kind: 'step_taken' };
  }
  const isKept = code?.hmac.equals(resend.hmac) && first_sent_ms + SHARING_MS > locked.nowMs;
  return isKept ? undefined : { kind: 'resend_too_late' };
}

/** The state row with the item's code and the sends that share it. */
export const codeRecipient = (item: SendItem): string =>
  stateRecipient({ ...item, own_code: item.own_code !== null });

function stateOf(locked: LockedSends, { account_id }: SendItem, recipient: string): RecipientState {
  const owner = { account_id, recipient };
  return locked.recipients.get(recipientKey(owner.account_id, owner.recipient)) ?? newRecipient(owner);
}

/** The code that the recipient's open sends share. */
const sharedCode = (state: RecipientState, nowMs: number): Code | null =>
  state.open_until_ms > nowMs && state.first_sent_ms + SHARING_MS > nowMs ? state.code : null;

/** The channel may deliver only shorter codes than the one that exists. */
function tooLongFor({ channel }: SendItem, code: Code | null): FieldErrors | undefined {
  const { label, digitsMost } = factsOf(channel);
  if (digitsMost === undefined || code === null || code.length <= digitsMost) return undefined;
  const problem = `${label} delivers only codes of 4 to ${digitsMost} digits, and the recipient's open code has ${code.length}.`;
  return new FieldErrors({ channel: [problem] });
}

/** The shared code, or else a fresh one. */
function codeFor(state: RecipientState, nowMs: number, mint: () => Code): Code {
  const shared = sharedCode(state, nowMs);
  closeExpired(state, nowMs);
  if (shared) return shared;
  state.code = mint();
  state.first_sent_ms = nowMs;
  return state.code;
}

/** Returns whether the recipient has an open verification. */
function closeExpired(state: RecipientState, nowMs: number): boolean {
  if (state.open_until_ms > nowMs) return true;
  state.open_ids = [];
  state.tries_used = 0;
  state.open_until_ms = 0;
  return false;
}

/** Adds the send to the recipient's open ones. */
function noteOpen(locked: LockedSends, state: RecipientState, item: SendItem, expires_ms: number): void {
  // Of the verifications with own codes, only the open ones are looked up by the next send.
  if (item.own_code) state.open_ids = openOwnCodes(locked, item).map(({ reply }) => reply.otp_id);
  closeExpired(state, locked.nowMs);
  state.open_ids.push(item.id);
  state.open_until_ms = Math.max(state.open_until_ms, expires_ms);
  if (item.is_test) state.open_ids = state.open_ids.slice(-OPEN_TESTS_MOST);
  touch(locked, state);
}

function touch(locked: LockedSends, state: RecipientState): void {
  state.touched = true;
  locked.recipients.set(recipientKey(state.account_id, state.recipient), state);
}

function openOwnCodes(locked: LockedSends, item: SendItem): OpenOwnCode[] {
  const key = recipientKey(item.account_id, codeRecipient(item));
  const open = locked.ownCodes.get(key) ?? [];
  locked.ownCodes.set(key, open);
  return open;
}

/**
 * The earlier send of the same own code with the same key and channel, if it is still open. Callers that get no response repeat
 * their request, and their repetitions must neither send nor cost again.
 */
function duplicateOf(locked: LockedSends, item: SendItem): DuplicateSend | undefined {
  const own = item.own_code;
  const first =
    own && openOwnCodes(locked, item).find(({ hmac }) => own.hmacs.some((one) => one.equals(hmac)));
  return first ? { kind: 'duplicate', reply: first.reply } : undefined;
}

type Admission = { spend_left: number | null } | Exclude<SendOutcome, AcceptedSend | DuplicateSend>;

const overAllOf = (locked: LockedSends, { recipient_hash }: SendItem): number[] =>
  (recipient_hash === null ? undefined : locked.sentOverAll.get(recipient_hash)) ?? [];

/** Runs the checks that may refuse a live send, and charges it if none does. */
function admitLive(locked: LockedSends, item: SendItem, state: RecipientState): Admission {
  const { nowMs } = locked;
  if (item.opt_out?.some((one) => locked.optedOut.has(one))) return { kind: 'recipient_opted_out' };
  for (const one of item.suppression ?? []) {
    const found = locked.suppressed.get(`${item.account_id} ${one}`);
    if (found) return { kind: 'recipient_suppressed', ...found };
  }
  const blocked = locked.guard.refuse(item, standingOf(locked, item, state));
  if (blocked) return blocked;
  const retry_after = secondsUntilAllowed(state, overAllOf(locked, item), {
    nowMs,
    limits: limitsOf(locked, item),
  });
  if (retry_after > 0) return { kind: 'recipient_rate_limited', retry_after };
  const balance = locked.balances.get(item.account_id);
  if (!balance) return { kind: 'insufficient_credits' };
  const keySpending = locked.keySpending.get(item.api_key_id);
  const cost = { credits: item.cost_credits, nowMs };
  limitSpending(balance, item);
  const resets_at = spendRefusedUntil(balance, keySpending, cost);
  if (resets_at) return { kind: 'spend_limit_reached', resets_at };
  if (item.is_unpaid || balance.debt > 0 || balance.credits < cost.credits)
    return { kind: 'insufficient_credits' };
  balance.credits -= cost.credits;
  return { spend_left: countSpending(balance, keySpending, cost) };
}

/** What its account knows of the recipient. */
export function standingOf(
  { known, nowMs, recipients }: Pick<LockedSends, 'known' | 'nowMs' | 'recipients'>,
  { account_id, known_hashes = [], ...item }: SendItem,
  state = recipients.get(recipientKey(account_id, limitsRecipient(item))),
): Standing {
  const found = known_hashes.flatMap((hash) => known.get(recipientKey(account_id, hash)) ?? []);
  return {
    known: found.length > 1 ? mergedKnown(found) : found[0],
    sends_today: state?.sends.filter((ms) => ms > nowMs - DAY_MS).length ?? 0,
  };
}

/** A recipient's limits. An operator may have overridden the account's. */
function limitsOf({ limits }: LockedSends, { account_limits }: SendItem): RecipientLimits {
  const { per10Min, perDay } = limits.perAccount;
  return {
    ...limits,
    perAccount: {
      per10Min: account_limits?.recipient_sends_per_10_min ?? per10Min,
      perDay: account_limits?.recipient_sends_per_day ?? perDay,
    },
  };
}

/** Applies the lower of the owner's and the operator's limits. */
function limitSpending(balance: AccountSpending, { account_limits }: SendItem): void {
  if (!account_limits) return;
  balance.daily_credit_limit = lower(balance.daily_credit_limit, account_limits.daily_credit_limit);
  balance.monthly_credit_limit = lower(balance.monthly_credit_limit, account_limits.monthly_credit_limit);
}

/** Counts a live send towards its recipient's limits. */
function noteSend(locked: LockedSends, item: SendItem, state: RecipientState): void {
  const { nowMs } = locked;
  const limits = limitsOf(locked, item);
  state.sends = [...state.sends.filter((ms) => ms > nowMs - DAY_MS), nowMs].slice(-limits.perAccount.perDay);
  touch(locked, state);
  if (item.recipient_hash !== null)
    locked.sentOverAll.set(item.recipient_hash, [...overAllOf(locked, item), nowMs]);
}

/**
 * How many of a recipient's other open tests a correct code closes. For live sends, the recipient limits already bound this
 * number.
 */
const OPEN_TESTS_MOST = 20;

/** Test sends are free and fill the same tables as live sends, so their number is limited. */
function admitTest(locked: LockedSends, item: SendItem): Admission {
  const { nowMs } = locked;
  const refusal = testRefusal(item.recipient, nowMs);
  if (refusal) return refusal;
  const balance = locked.balances.get(item.account_id);
  if (!balance || balance.tests_today >= TEST_SENDS_PER_DAY)
    return { kind: 'test_limit_reached', retry_after: Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000) };
  balance.tests_today += 1;
  return { spend_left: null };
}
