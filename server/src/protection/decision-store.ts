import {
  DECISIONS_PER_HOUR,
  type DecisionOutcome,
  type DestinationDecision,
} from '@sixdigit/contract/protection/decisions.ts';
import {
  type Blocker,
  BOUNDS,
  COUNTED_RULES,
  type ProtectionRules,
  RULES,
  THRESHOLDS,
} from '@sixdigit/contract/protection/protection.ts';
import { monotonicMs } from '../platform/clock.ts';
import { findingOf } from './check.ts';
import { type Asked, type Decision, decide, isEnforced, type Knowledge } from './decision.ts';
import type { BlockedPrefixes } from './question.ts';

/** Sends about which the same rules objected in the same minute. */
export interface DecisionRow
  extends Pick<
    DestinationDecision,
    'id' | 'outcome' | 'exemption' | 'findings' | 'strictest' | 'loosest' | 'sends' | 'rule' | 'api_key_id'
  > {
  account_id: string;
  /** empty in a sum of sends beyond the rows of an hour */
  prefix: string;
  country: string;
  client: string;
  first_ms: number;
  last_ms: number;
}

/** Why a send was decided as it was. The first of like sends has the figures. */
export interface Reasons {
  key: string;
  row: Omit<DecisionRow, 'id' | 'sends'> | undefined;
}

interface Waiting {
  row: DecisionRow;
  minute: number;
  /** sends that are not written yet */
  unwritten: number;
  /** when they began to wait, or were written */
  sinceMs: number;
  isWritten: boolean;
}

export interface DecisionStore {
  /** Undefined if no rule spoke. Reads the figures, so call it before the counters change. */
  reasonsOf(known: Knowledge, asked: Asked, decision: Decision): Reasons | undefined;
  add(reasons: Reasons, asked: Asked): void;
  /** The rows that are due at a time in ms of the process, each with the sends since the last call; at most 250. */
  take(due: { atMs: number } | 'all'): DecisionRow[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Bounds memory while the database is unavailable. */
const MOST = 20_000;
const WRITTEN_AT_ONCE = 250;
/** A row is written at once. Then its further sends are summed for this long. */
const WAIT_MS = 5_000;

/**
 * Sums decisions by minute until they are written. An attack of thousands of sends a second makes few rows: like sends are one, and
 * an account has a bounded number of rows in an hour, beyond which its sends are summed by outcome and rule.
 */
export function decisionStore(newId: () => string): DecisionStore {
  const waiting = new Map<string, Waiting>();
  const made = new Map<string, number>();
  let hour = 0;

  const hasRoom = (account_id: string, now_ms: number): boolean => {
    if (Math.floor(now_ms / HOUR_MS) !== hour) {
      hour = Math.floor(now_ms / HOUR_MS);
      made.clear();
    }
    return (made.get(account_id) ?? 0) < DECISIONS_PER_HOUR && waiting.size < MOST;
  };

  return {
    reasonsOf(known, asked, decision) {
      const about = aboutOf(decision);
      if (!about) return undefined;
      const { account_id, now_ms } = asked;
      const { outcome, rule, exemption } = about;
      const { prefix, country } = asked.to;
      const isOnClient = rule.startsWith('client_');
      const place = {
        api_key_id: asked.api_key_id ?? null,
        prefix,
        country,
        client: isOnClient ? (asked.to.client ?? '') : '',
      };
      const whole = [
        account_id,
        outcome,
        rule,
        exemption,
        ...Object.values(place),
        Math.floor(now_ms / MINUTE_MS),
      ];
      const key = whole.join(' ');
      if (waiting.has(key)) return { key, row: undefined };
      const isOwn = hasRoom(account_id, now_ms);
      const sum = [account_id, outcome, rule, Math.floor(now_ms / HOUR_MS)].join(' ');
      if (!isOwn && waiting.has(sum)) return { key: sum, row: undefined };
      const { enforced, monitored, exempted, proof } = decision;
      const spoken = [...enforced, ...(proof?.pressing ?? []), ...monitored, ...exempted];
      return {
        key: isOwn ? key : sum,
        row: {
          account_id,
          outcome,
          rule,
          exemption,
          ...(isOwn ? place : { api_key_id: null, prefix: '', country: '', client: '' }),
          findings: isOwn ? spoken.map((finding) => findingOf(finding, decision)) : [],
          strictest: isOwn ? wouldBlock(known, asked, STRICTEST) : null,
          loosest: isOwn ? wouldBlock(known, asked, LOOSEST) : null,
          first_ms: now_ms,
          last_ms: now_ms,
        },
      };
    },
    add({ key, row }, { account_id, now_ms }) {
      const known = waiting.get(key);
      if (known) {
        if (known.unwritten === 0) known.sinceMs = monotonicMs();
        known.unwritten += 1;
        known.row.last_ms = Math.max(known.row.last_ms, now_ms);
      } else if (row && waiting.size < 2 * MOST) {
        const minute = Math.floor((row.prefix === '' ? now_ms + HOUR_MS : now_ms) / MINUTE_MS);
        const made_row = { ...row, id: newId(), sends: 0 };
        waiting.set(key, { row: made_row, minute, unwritten: 1, sinceMs: monotonicMs(), isWritten: false });
        made.set(account_id, (made.get(account_id) ?? 0) + 1);
      }
    },
    take(due) {
      const rows: DecisionRow[] = [];
      const now = monotonicMs();
      for (const [key, one] of waiting) {
        if (rows.length >= WRITTEN_AT_ONCE && due !== 'all') break;
        if (one.unwritten > 0) {
          if (due !== 'all' && one.isWritten && due.atMs - one.sinceMs < WAIT_MS) continue;
          rows.push({ ...one.row, sends: one.unwritten });
          one.unwritten = 0;
          one.isWritten = true;
          one.sinceMs = now;
        } else if (now - one.sinceMs > (one.row.prefix === '' ? HOUR_MS : MINUTE_MS)) waiting.delete(key);
      }
      return rows;
    },
  };
}

/** What a decision is about; undefined if no rule spoke. */
function aboutOf(
  decision: Decision,
): { outcome: DecisionOutcome; rule: Blocker; exemption: DestinationDecision['exemption'] } | undefined {
  const { blocked_by, enforced, monitored, exempted, listed, known, is_learning, proof } = decision;
  const passed = exempted.filter((finding) => isEnforced(finding, is_learning));
  const [exempt = exempted[0]] = passed;
  const why = known !== null && listed !== 'allow' ? ('known' as const) : ('allow_list' as const);
  const exemption = exempt === undefined ? null : exempt.is_unanswered ? ('no_lookup' as const) : why;
  const [blocker] = blocked_by;
  if (blocker) return { outcome: 'blocked', rule: enforced[0]?.rule ?? blocker, exemption };
  const pressing = proof?.pressing[0];
  if (pressing)
    return proof?.is_given
      ? { outcome: 'passed', rule: pressing.rule, exemption: 'proof' }
      : { outcome: 'challenged', rule: pressing.rule, exemption };
  if (passed[0]) return { outcome: 'passed', rule: passed[0].rule, exemption };
  return monitored[0] ? { outcome: 'monitored', rule: monitored[0].rule, exemption } : undefined;
}

type Extreme = Partial<ProtectionRules>;

/** All counted rules with mode enforce, at one end of their bounds. A higher percentage makes only `prefix_conversion` stricter. */
const rulesAt = (end: 'strictest' | 'loosest'): Extreme =>
  Object.fromEntries(
    COUNTED_RULES.map((rule) => [
      rule,
      {
        mode: 'enforce',
        ...Object.fromEntries(
          THRESHOLDS[rule].map((name) => {
            const { min, max } = (BOUNDS[rule] as Record<string, { min: number; max: number }>)[name] as {
              min: number;
              max: number;
            };
            const isHighStrict = rule === 'prefix_conversion' && name !== 'limit';
            return [name, (end === 'strictest') === isHighStrict ? max : min];
          }),
        ),
      },
    ]),
  ) as Extreme;
const STRICTEST = rulesAt('strictest');
const LOOSEST = rulesAt('loosest');
const OFF = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' }])) as unknown as ProtectionRules;

/** Whether the account's rules would block with these thresholds. Blocks that began with the present ones are ignored. */
function wouldBlock(known: Knowledge, asked: Asked, extreme: Extreme): boolean {
  const blockedPrefixes: BlockedPrefixes = {
    until: () => undefined,
    share: known.blockedPrefixes.share,
  };
  const { blocked_by, monitored } = decide(
    {
      ...known,
      blockedPrefixes,
      account: { ...known.account, rules: { ...known.account.rules, ...extreme } },
      deployment: { ...known.deployment, rules: OFF },
    },
    asked,
  );
  return blocked_by.length + monitored.length > 0;
}
