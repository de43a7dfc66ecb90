import type { ProofMode } from '@sixdigit/contract/proof.ts';
import { KNOWN_DAYS } from '@sixdigit/contract/protection/known.ts';
import {
  BOUNDS,
  DEFAULTS,
  isLookupRule,
  type ListEntry,
  LOOKUP_DEFAULTS,
  type LookupSettings,
  type Mode,
  type ProtectionRules,
  type RefusableLine,
  RULES,
  type Rule,
  SIM_HOURS,
  THRESHOLDS,
  type Threshold,
} from '@sixdigit/contract/protection/protection.ts';
import { type DestinationList, destinationList, NO_ENTRIES } from './lists.ts';

/** The rules and lists that decide a send: those of an account, or the operator's over all accounts. */
export interface Policy {
  rules: ProtectionRules;
  allow: DestinationList;
  deny: DestinationList;
  /** 0: no recipient is known */
  known_days: number;
  require_proof: ProofMode;
  /** when sends look a number up */
  lookups: LookupSettings;
}

/** The choices of an account or of the operator; all other values have their defaults. */
export type RuleChanges = {
  [R in Rule]?: {
    mode?: Mode;
    countries?: string[] | null;
    refused?: RefusableLine[];
    purposes?: string[] | null;
  } & Partial<Record<Threshold, number>>;
};
export type Bounds = { [R in Rule]?: Partial<Record<Threshold, { min: number; max: number }>> };

/**
 * The operator's thresholds over all accounts: high enough for one popular service, low enough to stop an attack spread over
 * many.
 */
const DEPLOYMENT_DEFAULTS: { [R in Rule]: Partial<Record<Threshold, number>> } = {
  country: {},
  prefix_velocity: { limit: 100 },
  client_velocity: { limit: 40, recipients: 12 },
  client_unverified: { limit: 30, percent: 25 },
  client_countries: { limit: 6 },
  prefix_conversion: { limit: 50, percent: 5, hours: 12 },
  country_unverified: { limit: 100, percent: 25 },
  line_type: {},
  sim_swap: {},
};

/** The values of rules that count nothing. */
const UNCOUNTED: { [R in Rule]?: RuleChanges[R] } = {
  country: { countries: null },
  line_type: { refused: [] },
  sim_swap: { hours: SIM_HOURS.byDefault, purposes: null },
};

/** In a sandbox, rules start as `monitor`, because a developer sends many codes to few numbers. Look-ups cost money. */
function defaultMode(rule: Rule, sandbox: boolean): Mode {
  if (isLookupRule(rule)) return 'off';
  return sandbox && rule !== 'country' ? 'monitor' : 'enforce';
}

export function rulesWith(
  changes: RuleChanges,
  { sandbox, scope = 'account' }: { sandbox: boolean; scope?: 'account' | 'deployment' },
): ProtectionRules {
  const defaults: typeof DEPLOYMENT_DEFAULTS = scope === 'account' ? DEFAULTS : DEPLOYMENT_DEFAULTS;
  return Object.fromEntries(
    RULES.map((rule) => [
      rule,
      {
        mode: defaultMode(rule, sandbox),
        ...UNCOUNTED[rule],
        ...defaults[rule],
        ...changes[rule],
      },
    ]),
  ) as unknown as ProtectionRules;
}

export const policyOf = (
  {
    rules,
    allow,
    deny,
    known_days,
    require_proof,
    lookups,
  }: {
    rules: RuleChanges;
    allow: readonly ListEntry[];
    deny: readonly ListEntry[];
    known_days?: number | null;
    require_proof?: ProofMode | null;
    lookups?: Partial<LookupSettings>;
  },
  options: { sandbox: boolean; scope?: 'account' | 'deployment' },
): Policy => ({
  rules: rulesWith(rules, options),
  allow: allow.length === 0 ? NO_ENTRIES : destinationList(allow),
  deny: deny.length === 0 ? NO_ENTRIES : destinationList(deny),
  known_days: known_days ?? KNOWN_DAYS.byDefault,
  require_proof: require_proof ?? 'never',
  lookups: { ...LOOKUP_DEFAULTS, ...lookups },
});

/** The bounds of every threshold, with the operator's own. */
export const boundsWith = (own: Bounds): Required<Bounds> => mergedBounds(BOUNDS, own) as Required<Bounds>;

/** Values that `given` omits are unchanged. */
export const mergedBounds = (before: Bounds, given: Bounds): Bounds =>
  Object.fromEntries(
    RULES.flatMap((rule) =>
      before[rule] || given[rule] ? [[rule, { ...before[rule], ...given[rule] }]] : [],
    ),
  );

const MILLION = { min: 1, max: 1_000_000 };
const LARGE_SHARE = { min: 0, max: 1_000 };
/** The bounds of the operator's own thresholds. */
export const DEPLOYMENT_BOUNDS: Required<Bounds> = {
  country: {},
  prefix_velocity: { limit: MILLION },
  client_velocity: { limit: MILLION, recipients: MILLION },
  client_unverified: { limit: MILLION, percent: LARGE_SHARE },
  client_countries: { limit: { min: 1, max: 250 } },
  prefix_conversion: { limit: MILLION, percent: { min: 0, max: 100 }, hours: { min: 1, max: 168 } },
  country_unverified: { limit: MILLION, percent: LARGE_SHARE },
  line_type: {},
  sim_swap: {},
};

/** Sentences about thresholds outside their bounds. */
export function boundsProblems(changes: RuleChanges, bounds: Required<Bounds>): string[] {
  return RULES.flatMap((rule) =>
    THRESHOLDS[rule].flatMap((name) => {
      const value = changes[rule]?.[name];
      const range = bounds[rule][name];
      if (value === undefined || !range || (value >= range.min && value <= range.max)) return [];
      return [`${rule}: ${name} must be between ${range.min} and ${range.max}.`];
    }),
  );
}

/** Changes of single values; omitted ones are unchanged. */
export const mergedChanges = (before: RuleChanges, changes: RuleChanges): RuleChanges =>
  Object.fromEntries(
    RULES.flatMap((rule) => {
      const merged = { ...before[rule], ...changes[rule] };
      return Object.keys(merged).length > 0 ? [[rule, merged]] : [];
    }),
  );
