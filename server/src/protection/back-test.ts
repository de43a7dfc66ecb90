import {
  BACK_TEST_DAYS,
  BACK_TEST_EXAMPLES,
  BACK_TEST_WARM_UP_DAYS,
  type BackTest,
  type BackTestBody,
  type CountedRule,
  RULES,
} from '@sixdigit/contract/protection/protection.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { maskedRecipient } from '../platform/security/masks.ts';
import { minuteOf } from './counters.ts';
import { clientOf, countryOf, type Destination, prefixOf } from './destination.ts';
import { createGuard } from './guard.ts';
import type { Known, KnownRecipient } from './known.ts';
import { boundsProblems, boundsWith, mergedChanges, type Policy, policyOf } from './policy.ts';
import { DEPLOYMENT, findSettings, type SettingsRow } from './queries.ts';

const DAY_MS = 86_400_000;
/** One account's sends of a day, of which each adds a prefix and a client in two scopes. */
const SERIES_MOST = 60_000;
/** Blocks that are over are dropped after this many sends. */
const DROP_EVERY = 1_000;

/** An accepted send by SMS or voice, as stored. */
export interface PastSend {
  id: string;
  /** E.164; null: erased */
  number: string | null;
  country: string | null;
  client_ip: string | null;
  sent_ms: number;
  /** The sender made the code, so only the rules on velocity count it. */
  has_own_code: boolean;
  /** how it passed as one to a known recipient, which it would again */
  known: Known | null;
  /** How it ended and when; null: still open. A void send was never dispatched. */
  end: { event: 'verified' | 'unverified' | 'void'; at_ms: number } | null;
}

/** The sends of an account, oldest first. */
export interface PastSends {
  sends: readonly PastSend[];
  /** why sends after `BACK_TEST_WARM_UP_DAYS` and `BACK_TEST_DAYS` are missing */
  limited_by: BackTest['limited_by'];
}

/** A rule with given and with saved thresholds, in an account's policy. */
export interface BackTestPlan {
  rule: CountedRule;
  given: Policy;
  /** undefined if the given thresholds are the saved ones */
  saved: Policy | undefined;
}

/** Throws field errors for thresholds outside their bounds. */
export async function planBackTest(
  app: Needs<'db' | 'config'>,
  account_id: string,
  { rule, thresholds }: BackTestBody,
): Promise<BackTestPlan> {
  const [row, operators] = await Promise.all([
    findSettings(app.db, account_id),
    findSettings(app.db, DEPLOYMENT),
  ]);
  const problems = boundsProblems({ [rule]: thresholds }, boundsWith(operators?.bounds ?? {}));
  if (problems.length > 0) throw new FieldErrors({ thresholds: problems });
  const policyWith = (changed: Partial<typeof thresholds>): Policy =>
    enforcing(app, row ?? { rules: {}, allow: [], deny: [] }, rule, changed);
  const [given, saved] = [policyWith(thresholds), policyWith({})];
  const isSaved = JSON.stringify(given.rules[rule]) === JSON.stringify(saved.rules[rule]);
  return { rule, given, saved: isSaved ? undefined : saved };
}

const enforcing = (
  { config }: Needs<'config'>,
  { rules, allow, deny }: Pick<SettingsRow, 'rules' | 'allow' | 'deny'>,
  rule: CountedRule,
  thresholds: Partial<Record<string, number>>,
): Policy =>
  policyOf(
    { rules: mergedChanges(rules, { [rule]: { ...thresholds, mode: 'enforce' } }), allow, deny },
    { sandbox: config.sandbox },
  );

/** The first moment whose sends a back-test reads. */
export const historyStart = (now: Date): Date =>
  new Date(now.getTime() - (BACK_TEST_DAYS + BACK_TEST_WARM_UP_DAYS) * DAY_MS);

/**
 * Replays past sends against both policies. Decides with the guard that decides real sends, on counters of its own, and counts
 * neither blocked sends nor their ends. Yields after each event.
 */
export function* backTest(
  { rule, given, saved }: BackTestPlan,
  { sends, limited_by }: PastSends,
  now: Date,
): Generator<void, BackTest> {
  const from_ms = testedFrom(sends, limited_by, now);
  const [replay, before] = [replayOf(rule, given), saved && replayOf(rule, saved)];
  const [counts, countsBefore] = [newCounts(), newCounts()];
  const examples = { verified: [] as ReplayedSend[], others: [] as ReplayedSend[] };
  const all = { sends: 0, verified_sends: 0, learning: 0, without_client: 0, erased: 0 };
  const replayable: ReplayedSend[] = [];
  for (const send of sends) {
    yield;
    const to = destinationOfPast(send);
    if (to) replayable.push({ send, to });
    else if (send.sent_ms >= from_ms) all.erased += 1;
  }
  for (const { replayed, isEnd } of eventsOf(replayable)) {
    yield;
    if (isEnd) {
      replay.end(replayed);
      before?.end(replayed);
      continue;
    }
    const outcome = replay.decide(replayed);
    const outcomeBefore = before?.decide(replayed);
    const { send, to } = replayed;
    if (send.sent_ms < from_ms) continue;
    const isVerified = send.end?.event === 'verified';
    all.sends += 1;
    if (isVerified) all.verified_sends += 1;
    if (outcome === 'learning') all.learning += 1;
    if (to.client === null) all.without_client += 1;
    if (outcomeBefore === 'blocked') add(countsBefore, isVerified);
    if (outcome !== 'blocked') continue;
    add(counts, isVerified);
    keepNewest(isVerified ? examples.verified : examples.others, replayed);
  }
  return {
    rule,
    ...counts,
    from: new Date(from_ms).toISOString(),
    to: now.toISOString(),
    limited_by: from_ms > now.getTime() - BACK_TEST_DAYS * DAY_MS ? limited_by : null,
    ...all,
    saved: saved ? countsBefore : counts,
    examples: [...examples.verified.toReversed(), ...examples.others.toReversed()]
      .slice(0, BACK_TEST_EXAMPLES)
      .map(exampleOf),
  };
}

const newCounts = () => ({ blocked: 0, verified: 0 });

function add(counts: ReturnType<typeof newCounts>, isVerified: boolean): void {
  counts.blocked += 1;
  if (isVerified) counts.verified += 1;
}

function keepNewest(kept: ReplayedSend[], send: ReplayedSend): void {
  kept.push(send);
  if (kept.length > BACK_TEST_EXAMPLES) kept.shift();
}

const exampleOf = ({ send, to }: ReplayedSend): BackTest['examples'][number] => ({
  id: send.id,
  recipient: maskedRecipient(to.number),
  country: to.country,
  created_at: new Date(send.sent_ms).toISOString(),
  verified: send.end?.event === 'verified',
});

/** Earlier sends only fill the counters. If none are known from before the period, the first day of the known ones does. */
function testedFrom(sends: readonly PastSend[], limited_by: PastSends['limited_by'], now: Date): number {
  const whole = now.getTime() - BACK_TEST_DAYS * DAY_MS;
  const first = sends[0]?.sent_ms;
  if (limited_by === null || first === undefined) return whole;
  return Math.max(whole, first + Math.min(DAY_MS, (now.getTime() - first) / 5));
}

interface ReplayedSend {
  send: PastSend;
  to: Destination;
}

/** The sends and their ends in the order of time. */
function* eventsOf(sends: readonly ReplayedSend[]): Generator<{ replayed: ReplayedSend; isEnd: boolean }> {
  const ended = sends
    .filter(({ send }) => send.end !== null)
    .sort((one, other) => (one.send.end?.at_ms ?? 0) - (other.send.end?.at_ms ?? 0));
  let next = 0;
  for (const replayed of sends) {
    for (
      let end = ended[next];
      end && (end.send.end?.at_ms ?? 0) <= replayed.send.sent_ms;
      end = ended[++next]
    )
      yield { replayed: end, isEnd: true };
    yield { replayed, isEnd: false };
  }
  for (const replayed of ended.slice(next)) yield { replayed, isEnd: true };
}

const NOBODY = 'replay';
/** Of recipients that passed at the time. */
const KNOWN_BEFORE: Record<Known, KnownRecipient> = {
  verified: { known_on: '', verified_ms: 0, is_imported: false },
  imported: { known_on: '', verified_ms: null, is_imported: true },
};
const OFF = Object.fromEntries(RULES.map((rule) => [rule, { mode: 'off' as const }]));

interface Replay {
  decide(replayed: ReplayedSend): 'passes' | 'blocked' | 'blocked_otherwise' | 'learning';
  end(replayed: ReplayedSend): void;
}

function replayOf(rule: CountedRule, policy: Policy): Replay {
  const guard = createGuard({ sandbox: false, most: SERIES_MOST, isReplay: true });
  guard.setPolicy(NOBODY, policy);
  guard.setPolicy(DEPLOYMENT, policyOf({ rules: OFF, allow: [], deny: [] }, { sandbox: false }));
  /** Accepted sends that have not ended. */
  const open = new Set<string>();
  const blockers = new Map<string, string>();
  let decided = 0;
  const trafficTo = ({ prefix, country, client }: Destination) => ({
    account_id: NOBODY,
    prefix,
    country,
    client,
  });
  return {
    decide({ send, to }) {
      const now_ms = send.sent_ms;
      const { has_own_code, known } = send;
      const asked = {
        account_id: NOBODY,
        to,
        recipient: to.number,
        has_own_code,
        known: known === null ? undefined : KNOWN_BEFORE[known],
        now_ms,
      };
      const decision = guard.decide(asked);
      guard.note(asked, decision);
      for (const block of guard.takeNewBlocks()) blockers.set(block.prefix, block.rule);
      if (++decided % DROP_EVERY === 0) guard.blockedPrefixes.clean(minuteOf(now_ms));
      // A prefix that another rule has blocked is refused by `prefix_conversion`.
      const isOwn = decision.enforced.some((finding) =>
        finding.rule === 'prefix_conversion' && !finding.blocks_prefix
          ? blockers.get(to.prefix) === rule
          : finding.rule === rule,
      );
      if (isOwn) return 'blocked';
      if (decision.blocked_by.length > 0) return 'blocked_otherwise';
      guard.record({ ...trafficTo(to), recipient: to.number, has_own_code, known }, 'sent', now_ms);
      if (send.end) open.add(send.id);
      return decision.is_learning && decision.monitored.some((finding) => finding.rule === rule)
        ? 'learning'
        : 'passes';
    },
    end({ send, to }) {
      if (!send.end || !open.delete(send.id)) return;
      const { event, at_ms } = send.end;
      guard.record(
        { ...trafficTo(to), has_own_code: send.has_own_code, known: send.known },
        event,
        event === 'void' ? Math.min(at_ms, send.sent_ms) : at_ms,
      );
    },
  };
}

function destinationOfPast({ number, country: known, client_ip }: PastSend): Destination | undefined {
  const country = number === null ? undefined : (known ?? countryOf(number));
  if (number === null || country === undefined) return undefined;
  return { number, prefix: prefixOf(number), country, ...clientOf(client_ip) };
}
