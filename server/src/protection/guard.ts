import type { Blocker, Rule, Scope } from '@sixdigit/contract/protection/protection.ts';
import { blockedPrefixStore } from './blocked-prefixes.ts';
import { type CountedEvent, createCounters, minuteOf, type Traffic } from './counters.ts';
import {
  type Asked,
  type Decision,
  decide,
  type ExplainedDecision,
  explain,
  type Knowledge,
  type Objection,
  objectionStore,
} from './decision.ts';
import { type DecisionRow, decisionStore, type Reasons } from './decision-store.ts';
import { kindOfCover } from './lists.ts';
import { type LookupSubject, lookupNeedOf } from './lookup-rules.ts';
import { type Policy, policyOf } from './policy.ts';
import { pressureOf, withProof } from './pressure.ts';
import { DEPLOYMENT } from './queries.ts';
import { type Finding, type LookupNeed, ownBlocks } from './question.ts';
import { noteRecipient } from './series.ts';

/** A prefix that a decision has blocked, for the other processes. */
export interface NewBlock {
  account_id: string;
  prefix: string;
  country: string;
  rule: Rule;
  until_ms: number;
}

/**
 * The rules with their counters and settings, in the memory of one process. Decides without the database, so a send never waits
 * for it. `exchange.ts` shares its counts with the other processes.
 */
export interface Guard {
  decide(asked: Asked): Decision;
  explain(asked: Asked): ExplainedDecision;
  /** How full the account's fullest budget for the destination is; 1: a rule is at its limit. */
  pressureOf(asked: Asked): number;
  /** Whether a deny list covers the destination: the account's own, or the operators'. */
  denies(asked: Pick<Asked, 'account_id' | 'to' | 'now_ms'>): boolean;
  /** Records a committed decision: blocks of prefixes, and objections for the account's list. */
  note(asked: Asked, decision: Decision, reasons?: Reasons): void;
  /** Why a send is decided so, to be recorded with `note`; undefined if no rule spoke. Call it before the counters change. */
  reasonsOf(asked: Asked, decision: Decision): Reasons | undefined;
  record(traffic: Traffic, event: CountedEvent, nowMs: number, times?: 1 | -1): void;
  policyOf(account_id: string): Policy;
  setPolicy(account_id: string, policy: Policy | undefined): void;
  /** Whether the operator has set a look-up up. Without one, no rule needs it. */
  hasLookup(): boolean;
  setHasLookup(hasLookup: boolean): void;
  /** The rules that need a look-up before the send; undefined if none does. */
  lookupNeed(asked: LookupSubject): LookupNeed | undefined;
  readonly counters: ReturnType<typeof createCounters>;
  readonly blockedPrefixes: ReturnType<typeof blockedPrefixStore>;
  takeNewBlocks(): NewBlock[];
  /** Takes the objections to write into the accounts' lists: all, or those due at a monotonic time in ms. */
  takeObjections(due: { atMs: number } | 'all'): Objection[];
  /** Takes the decisions to write. */
  takeReasons(due: { atMs: number } | 'all'): DecisionRow[];
}

const MINUTE_MS = 60_000;
const CLIENT_RULES: ReadonlySet<string> = new Set([
  'client_velocity',
  'client_unverified',
  'client_countries',
]);

interface GuardOptions {
  sandbox: boolean;
  most?: number;
  /** The account is exempt from the rules, so its sends are not counted. */
  isTrusted?: (account_id: string) => boolean;
  /** makes the ids of the decisions that it records */
  newId?: () => string;
  /** It decides simulated or past sends, so it keeps nothing for other processes, lists and records. */
  isReplay?: boolean;
}

export function createGuard({
  sandbox,
  most,
  isTrusted = () => false,
  newId = () => '',
  isReplay = false,
}: GuardOptions): Guard {
  const counters = createCounters({ ...(most === undefined ? {} : { most }), isReplay });
  const blockedPrefixes = blockedPrefixStore();
  const nothingSet = { rules: {}, allow: [], deny: [] };
  const accountDefault = policyOf(nothingSet, { sandbox });
  const deploymentDefault = policyOf(nothingSet, { sandbox, scope: 'deployment' });
  const policies = new Map<string, Policy>();
  let newBlocks: NewBlock[] = [];
  let isLookupSet = false;
  const objections = objectionStore();
  const reasons = decisionStore(newId);

  const policyFor = (account_id: string): Policy =>
    policies.get(account_id) ?? (account_id === DEPLOYMENT ? deploymentDefault : accountDefault);

  const blockPrefix = ({ account_id, to, now_ms }: Asked, { rule, scope, until, is_own }: Finding): void => {
    if (is_own && until !== null) {
      // No message needed: other processes reach the same decision from the same counts.
      for (const owner of [ownBlocks(account_id), ownBlocks()])
        blockedPrefixes.set({ of: owner, prefix: to.prefix, country: to.country, until });
      return;
    }
    const of = scope === 'account' ? account_id : DEPLOYMENT;
    if (until === null || blockedPrefixes.until(of, to.prefix, minuteOf(now_ms)) !== undefined) return;
    blockedPrefixes.set({ of, prefix: to.prefix, country: to.country, until });
    newBlocks.push({
      account_id: of,
      prefix: to.prefix,
      country: to.country,
      rule,
      until_ms: until * MINUTE_MS,
    });
  };

  const object = ({ account_id, to, now_ms }: Asked, rule: Blocker, scope: Scope, isBlocked: boolean) => {
    if (isReplay) return;
    const hour = Math.floor(minuteOf(now_ms) / 60);
    const client = CLIENT_RULES.has(rule) ? (to.client ?? '') : '';
    objections.add(
      { account_id, hour, rule, scope, prefix: to.prefix, country: to.country, client },
      { now_ms, isBlocked },
    );
  };

  const knowledgeOf = ({ account_id }: Asked): Knowledge => ({
    counters,
    blockedPrefixes,
    account: policyFor(account_id),
    deployment: policyFor(DEPLOYMENT),
  });

  const explained = (asked: Asked): ExplainedDecision => {
    const decision = explain(knowledgeOf(asked), asked);
    return asked.proof ? withProof(decision, asked.proof === 'given') : decision;
  };

  return {
    counters,
    blockedPrefixes,
    record(traffic, event, nowMs, times) {
      if (!isTrusted(traffic.account_id)) counters.record(traffic, event, nowMs, times);
    },
    policyOf: policyFor,
    setPolicy(account_id, policy) {
      if (policy) policies.set(account_id, policy);
      else policies.delete(account_id);
    },
    hasLookup: () => isLookupSet,
    setHasLookup(hasLookup) {
      isLookupSet = hasLookup;
    },
    lookupNeed: (asked) =>
      isLookupSet
        ? lookupNeedOf({ account: policyFor(asked.account_id), deployment: policyFor(DEPLOYMENT) }, asked)
        : undefined,
    decide: (asked) => (asked.proof ? explained(asked) : decide(knowledgeOf(asked), asked)),
    explain: explained,
    pressureOf: (asked) => pressureOf(explain(knowledgeOf(asked), asked)).level,
    denies: ({ account_id, to, now_ms }) =>
      [account_id, DEPLOYMENT].some((of) => kindOfCover(policyFor(of).deny, to, now_ms) !== undefined),
    reasonsOf: (asked, decision) => reasons.reasonsOf(knowledgeOf(asked), asked, decision),
    note(asked, decision, why) {
      if (why) reasons.add(why, asked);
      if (decision.listed === 'deny') object(asked, 'deny_list', 'account', true);
      for (const finding of decision.enforced) {
        object(asked, finding.rule, finding.scope, true);
        if (finding.blocks_prefix) blockPrefix(asked, finding);
        // A refused number counts as an attempt on its prefix, but a single account cannot make the prefix suspicious for
        // others.
        if (finding.rule === 'country_unverified' && !finding.is_own)
          noteRecipient(
            counters.at(
              finding.scope === 'account' ? asked.account_id : DEPLOYMENT,
              'prefix',
              asked.to.prefix,
            ),
            asked.recipient,
            { minute: minuteOf(asked.now_ms), of: 'prefix' },
          );
      }
      for (const { rule, scope } of decision.monitored) object(asked, rule, scope, false);
    },
    takeNewBlocks() {
      const taken = newBlocks;
      newBlocks = [];
      return taken;
    },
    takeObjections: objections.take,
    takeReasons: reasons.take,
  };
}
