import {
  type Blocker,
  LEARNED_RULES,
  type ListKind,
  type Mode,
  RULES,
  type Rule,
  type Scope,
} from '@sixdigit/contract/protection/protection.ts';
import { monotonicMs } from '../platform/clock.ts';
import { type Counters, isPlaceCounted } from './counters.ts';
import type { Destination } from './destination.ts';
import { type Known, type KnownRecipient, knownAs, PASSED_BY_KNOWN } from './known.ts';
import { kindOfCover } from './lists.ts';
import type { Policy } from './policy.ts';
import { DEPLOYMENT } from './queries.ts';
import type { AskedLookup, BlockedPrefixes, Finding } from './question.ts';
import { DECIDE } from './rules.ts';
import { refusedOf } from './shares.ts';

/** How often a rule objected to sends to a prefix in an hour. */
export interface Objection {
  account_id: string;
  hour: number;
  rule: Blocker;
  scope: Scope;
  prefix: string;
  country: string;
  client: string;
  blocked: number;
  monitored: number;
  first_ms: number;
  last_ms: number;
}

type Subject = Pick<Objection, 'account_id' | 'hour' | 'rule' | 'scope' | 'prefix' | 'country' | 'client'>;

/** Objections that wait to be written, summed by rule and destination. */
interface ObjectionStore {
  add(subject: Subject, seen: { now_ms: number; isBlocked: boolean }): void;
  /** Removes and returns objections: all, or at most 250 of those that are due at a time in ms of the process. */
  take(due: { atMs: number } | 'all'): Objection[];
}

/** Bounds memory while the database is unavailable. */
const MOST = 20_000;
/**
 * Objections are summed for this long before they are written, so that one row covers many sends of an attack. The account's
 * list still shows a block within seconds.
 */
const WAIT_MS = { blocked: 3_000, monitored: 15_000 };
/** A longer statement would delay concurrent sends. The others follow a second later. */
const WRITTEN_AT_ONCE = 250;

export function objectionStore(): ObjectionStore {
  const waiting = new Map<string, { objection: Objection; sinceMs: number }>();
  return {
    add(subject, { now_ms, isBlocked }) {
      const { account_id, hour, rule, scope, prefix, client } = subject;
      const key = `${account_id} ${hour} ${rule} ${scope} ${prefix} ${client}`;
      const known = waiting.get(key)?.objection;
      if (known) {
        if (isBlocked) known.blocked += 1;
        else known.monitored += 1;
        known.last_ms = now_ms;
      } else if (waiting.size < MOST) {
        const counts = { blocked: isBlocked ? 1 : 0, monitored: isBlocked ? 0 : 1 };
        const objection = { ...subject, ...counts, first_ms: now_ms, last_ms: now_ms };
        waiting.set(key, { objection, sinceMs: monotonicMs() });
      }
    },
    take(due) {
      const entries = [...waiting];
      const taken = due === 'all' ? entries : firstDue(entries, due.atMs);
      for (const [key] of taken) waiting.delete(key);
      return taken.map(([, { objection }]) => objection);
    },
  };
}

/** Blocked sends before monitored ones, each in order of first occurrence. */
function firstDue<T extends [string, { objection: Objection; sinceMs: number }]>(
  entries: T[],
  atMs: number,
): T[] {
  const isBlocked = ([, { objection }]: T): boolean => objection.blocked > 0;
  const isDue = (entry: T): boolean =>
    atMs - entry[1].sinceMs >= (isBlocked(entry) ? WAIT_MS.blocked : WAIT_MS.monitored);
  const blocked = entries.filter((entry) => isBlocked(entry) && isDue(entry));
  const monitored = entries.filter((entry) => !isBlocked(entry) && isDue(entry));
  return [...blocked, ...monitored].slice(0, WRITTEN_AT_ONCE);
}

const LEARNED: ReadonlySet<Rule> = new Set(LEARNED_RULES);

/** The input of a decision. */
export interface Knowledge {
  counters: Counters;
  blockedPrefixes: BlockedPrefixes;
  account: Policy;
  deployment: Policy;
}

export interface Asked {
  account_id: string;
  to: Destination;
  /** identifies the recipient */
  recipient: string;
  /** The sender verifies the code, so the rules that learn from verified codes do not apply. */
  has_own_code?: boolean;
  /** for the reasons that are kept */
  api_key_id?: string;
  /** the recipient, if it is known and may pass */
  known?: KnownRecipient | undefined;
  /** The send needs a proof of work while a rule of its account is at its limit. */
  proof?: 'given' | 'missing';
  /** what a look-up found, if a rule needs one */
  lookup?: AskedLookup | undefined;
  now_ms: number;
}

export interface Decision {
  blocked_by: Blocker[];
  /** ms since 1970; null if time alone does not end the block */
  until_ms: number | null;
  /** rules that object but only monitor */
  monitored: Finding[];
  enforced: Finding[];
  /** rules that object although the destination is exempt from them, or that lack the answer of a look-up */
  exempted: Finding[];
  /** as what the recipient is known */
  known: Known | null;
  listed: 'allow' | 'deny' | null;
  is_learning: boolean;
  /** Rules at their limits demand a proof of work, or one was given and the send passes them. */
  proof?: { is_given: boolean; pressing: readonly Finding[] };
}

const MINUTE_MS = 60_000;

/**
 * Decides whether a send may leave: the deny lists, the rules of the account unless its allow list covers the destination, and
 * the operator's rules over all accounts. Reads counters in memory and changes nothing. `note` gets every finding, and whether the
 * destination is exempt from the rule; without it, a rule that does not object costs no more.
 */
export function decide(
  known: Knowledge,
  { account_id, to, recipient, has_own_code = false, known: recipientKnown, lookup, now_ms }: Asked,
  note?: (finding: Finding, isExempted: boolean) => void,
): Decision {
  const now = Math.floor(now_ms / MINUTE_MS);
  const is_learning = known.counters.isLearning(account_id, now);
  const decision: Decision = {
    blocked_by: [],
    until_ms: null,
    monitored: [],
    enforced: [],
    exempted: [],
    known: null,
    listed: null,
    is_learning,
  };
  if (kindOfCover(known.account.deny, to, now_ms) ?? kindOfCover(known.deployment.deny, to, now_ms)) {
    decision.listed = 'deny';
    decision.blocked_by.push('deny_list');
    return decision;
  }
  if (recipientKnown) {
    const ofPrefix = known.counters.find(account_id, 'prefix', to.prefix);
    decision.known = knownAs(recipientKnown, ofPrefix, { now_ms, now }) ?? null;
  }
  const scopes = [
    { scope: 'account', of: account_id, policy: known.account },
    { scope: 'deployment', of: DEPLOYMENT, policy: known.deployment },
  ] as const;
  for (const { scope, of, policy } of scopes) {
    const cover = kindOfCover(policy.allow, to, now_ms);
    if (cover && scope === 'account') decision.listed = 'allow';
    const isCounted = isPlaceCounted(decision.known, of);
    const question = {
      sender: account_id,
      counters: known.counters,
      blockedPrefixes: known.blockedPrefixes,
      of,
      scope,
      to,
      recipient,
      lookup,
      now,
    };
    for (const rule of RULES) {
      const mode: Mode = policy.rules[rule].mode;
      if (mode === 'off' || (has_own_code && LEARNED.has(rule))) continue;
      const found = DECIDE[rule](question, policy.rules);
      if (!found.is_exceeded && !found.is_unanswered && !note) continue;
      const refused = found.is_exceeded && scope === 'deployment' ? refusedOf(question, rule, found) : 'all';
      if (refused === undefined && !note) continue;
      const is_exceeded = found.is_exceeded && refused !== undefined;
      const is_own = refused === 'account';
      const { measured } = found;
      const [until, blocks_prefix] = is_exceeded ? [found.until, found.blocks_prefix] : [null, false];
      // Fields are copied by name: this runs fourteen times per send, and spreading an object takes several times as long.
      const finding: Finding = {
        rule,
        scope,
        mode,
        is_exceeded,
        measured,
        until,
        blocks_prefix,
        is_own,
        words: found.words,
        is_unanswered: found.is_unanswered,
      };
      const isExempted = (PASSED_BY_KNOWN.has(rule) && !isCounted) || isExempt(rule, cover);
      note?.(finding, isExempted);
      if (found.is_unanswered && !is_exceeded) decision.exempted.push(finding);
      if (!is_exceeded) continue;
      if (isExempted) decision.exempted.push(finding);
      else if (isEnforced(finding, is_learning)) decision.enforced.push(finding);
      else decision.monitored.push(finding);
    }
  }
  for (const { rule, until } of decision.enforced) {
    if (!decision.blocked_by.includes(rule)) decision.blocked_by.push(rule);
    if (until !== null) decision.until_ms = Math.max(decision.until_ms ?? 0, until * MINUTE_MS);
  }
  if (decision.enforced.some(({ until }) => until === null)) decision.until_ms = null;
  return decision;
}

/** A decision with all findings, in the order of the rules, those of the account first. */
export interface ExplainedDecision extends Decision {
  findings: Finding[];
  /** without those of rules from which the destination is exempt */
  applied: Finding[];
}

export function explain(known: Knowledge, asked: Asked): ExplainedDecision {
  const findings: Finding[] = [];
  const applied: Finding[] = [];
  const decision = decide(known, asked, (finding, isExempted) => {
    findings.push(finding);
    if (!isExempted) applied.push(finding);
  });
  return { ...decision, findings, applied };
}

/** An allowed country is exempt from the rules on countries only; the others still protect it from single prefixes and clients. */
const isExempt = (rule: Rule, cover: ListKind | undefined): boolean =>
  cover === 'country' ? rule === 'country' || rule === 'country_unverified' : cover !== undefined;

export const isEnforced = ({ rule, mode }: Pick<Finding, 'rule' | 'mode'>, is_learning: boolean): boolean =>
  mode === 'enforce' && !(is_learning && LEARNED.has(rule));
