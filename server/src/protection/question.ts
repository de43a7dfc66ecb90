import type {
  LookupFacts,
  LookupOutcome,
  LookupRule,
  Mode,
  ProtectionRules,
  Rule,
  Scope,
} from '@sixdigit/contract/protection/protection.ts';
import type { Counters } from './counters.ts';
import type { Destination } from './destination.ts';

/** The rules of a scope that concern a send. `is_closed`: without an answer, they object. */
export interface ScopeNeed {
  rules: LookupRule[];
  is_closed: boolean;
}
export type LookupNeed = Partial<Record<Scope, ScopeNeed>>;

export interface AskedLookup {
  need: LookupNeed;
  /** `not_asked`: the send is only checked, so no look-up is made */
  outcome: LookupOutcome | 'not_asked';
  /** null if there is no answer */
  facts: LookupFacts | null;
}

/** A send that is being decided, in one scope. */
export interface Question {
  counters: Counters;
  blockedPrefixes: BlockedPrefixes;
  /** the id of the account that sends */
  sender: string;
  /** the account, or DEPLOYMENT */
  of: string;
  scope: Scope;
  to: Destination;
  recipient: string;
  /** what a look-up found, if a rule needs one */
  lookup?: AskedLookup | undefined;
  now: number;
}

/** Prefixes that a rule has blocked for hours. Times are in minutes since 1970. */
export interface BlockedPrefixes {
  until(of: string, prefix: string, now: number): number | undefined;
  /**
   * The sum of `add` over the blocked prefixes of a country. An attack blocks thousands of them, so each is added once a minute
   * and when it is blocked, instead of for every send.
   */
  share(
    of: string,
    country: string,
    now: number,
    add: (sum: BlockedShare, prefix: string, until: number) => void,
  ): Readonly<BlockedShare>;
}

/** The share of a country's counts that its blocked prefixes have. */
export interface BlockedShare {
  /** unverified sends in 24 hours */
  day: number;
  /** unverified sends in an hour */
  hour: number;
  /** prefixes that were blocked lately */
  recent: number;
}

export interface Measure {
  name: string;
  value: number;
  limit: number | null;
  /** what the limit follows, if it is not the rule's threshold itself */
  basis?: string;
}

/** The finding of a rule about a send. */
export interface Finding {
  rule: Rule;
  scope: Scope;
  mode: Mode;
  is_exceeded: boolean;
  /**
   * The figures that the rule compared, for the screens. Computed on demand, because most sends need only the decision. Read
   * them before the counters change.
   */
  measured(): Measure[];
  /** The minute in which the rule stops objecting if no more sends arrive; null if time alone does not end the objection. */
  until: number | null;
  /** the rule blocks the prefix until then, instead of deciding each send */
  blocks_prefix: boolean;
  /** The finding in words, instead of figures. `is_compared` is false if there was nothing to compare. */
  words?: { text: string; is_compared: boolean } | undefined;
  /** the look-up that the rule needs gave no answer */
  is_unanswered?: boolean | undefined;
  /** the prefix was blocked earlier */
  is_block?: boolean;
  /** Only for rules over all accounts: this account filled the budget, so the rule refuses only this account. */
  is_own?: boolean;
}

export type Found = Omit<Finding, 'rule' | 'scope' | 'mode'>;
export type Decide = (question: Question, rules: ProtectionRules) => Found;

/**
 * The scope of prefixes that a rule over all accounts blocks only for one account, because it filled the budget. Without an id:
 * for any single account.
 */
export const ownBlocks = (account_id = 'any'): string => `own ${account_id}`;

export const withinLimits = (measured: Found['measured']): Found => ({
  is_exceeded: false,
  measured,
  until: null,
  blocks_prefix: false,
});

/** The finding of a rule without anything to compare. */
export const NOTHING_FOUND: Found = withinLimits(() => []);
