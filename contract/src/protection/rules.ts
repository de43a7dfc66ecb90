/** The destination rules, in the order in which they are evaluated and reported. */
export const RULES = [
  'country',
  'prefix_velocity',
  'client_velocity',
  'client_unverified',
  'client_countries',
  'prefix_conversion',
  'country_unverified',
  'line_type',
  'sim_swap',
] as const;
export type Rule = (typeof RULES)[number];

/** The rules on what a look-up knows of a number. They start as `off`, because look-ups cost money. */
export const LOOKUP_RULES = ['line_type', 'sim_swap'] as const satisfies readonly Rule[];
export type LookupRule = (typeof LOOKUP_RULES)[number];
export const isLookupRule = (rule: string): rule is LookupRule =>
  (LOOKUP_RULES as readonly string[]).includes(rule);

/** The rules with thresholds on counts. */
export type CountedRule = Exclude<Rule, 'country' | LookupRule>;
export const COUNTED_RULES = RULES.filter(
  (rule): rule is CountedRule => rule !== 'country' && !isLookupRule(rule),
);

/** The possible reasons of a block: a rule, or the deny list. */
export const BLOCKERS = ['deny_list', ...RULES] as const;
export type Blocker = (typeof BLOCKERS)[number];

/** The name of each on screens and in emails. */
export const RULE_NAMES: Record<Blocker, string> = {
  deny_list: 'Deny list',
  country: 'Allowed countries',
  prefix_velocity: 'Many sends to one prefix',
  client_velocity: 'Many sends from one IP address',
  client_unverified: 'Unverified codes from one IP address',
  client_countries: 'Many countries from one IP address',
  prefix_conversion: 'Prefix with low conversion',
  country_unverified: 'Unverified codes in one country',
  line_type: 'Refused line types',
  sim_swap: 'Recent SIM changes',
};

/** The sentence of a refusal in place of that of `destination_blocked`. */
export const REFUSAL_TEXTS: Partial<Record<Blocker, string>> = {
  line_type: 'Sending to this type of line is blocked',
  sim_swap: 'Sending to this number is blocked, because its SIM card changed recently',
};

/** `enforce` blocks, `monitor` only counts what it would have blocked, `off` does nothing. */
export const MODES = ['enforce', 'monitor', 'off'] as const;
export type Mode = (typeof MODES)[number];

/** The sends that a rule counts: those of this account, or those of all accounts of the deployment. */
export const SCOPES = ['account', 'deployment'] as const;
export type Scope = (typeof SCOPES)[number];

/** The thresholds of each rule on counts. */
export const THRESHOLDS = {
  country: [],
  prefix_velocity: ['limit'],
  client_velocity: ['limit', 'recipients'],
  client_unverified: ['limit', 'percent'],
  client_countries: ['limit'],
  prefix_conversion: ['limit', 'percent', 'hours'],
  country_unverified: ['limit', 'percent'],
  line_type: [],
  sim_swap: [],
} as const satisfies Record<Rule, readonly string[]>;
export type Threshold = 'limit' | 'recipients' | 'percent' | 'hours';

/** The bounds of each threshold unless the operator has set others. */
export const BOUNDS = {
  country: {},
  prefix_velocity: { limit: { min: 5, max: 10_000 } },
  client_velocity: { limit: { min: 1, max: 1_000 }, recipients: { min: 1, max: 200 } },
  client_unverified: { limit: { min: 1, max: 1_000 }, percent: { min: 0, max: 500 } },
  client_countries: { limit: { min: 1, max: 50 } },
  prefix_conversion: {
    limit: { min: 5, max: 1_000 },
    percent: { min: 0, max: 50 },
    hours: { min: 1, max: 168 },
  },
  country_unverified: { limit: { min: 5, max: 100_000 }, percent: { min: 0, max: 500 } },
  line_type: {},
  sim_swap: {},
} as const satisfies Record<Rule, Partial<Record<Threshold, { min: number; max: number }>>>;

/** The thresholds of an account that has set none. */
export const DEFAULTS = {
  country: {},
  prefix_velocity: { limit: 30 },
  client_velocity: { limit: 10, recipients: 3 },
  client_unverified: { limit: 10, percent: 25 },
  client_countries: { limit: 3 },
  prefix_conversion: { limit: 20, percent: 5, hours: 12 },
  country_unverified: { limit: 20, percent: 25 },
  line_type: {},
  sim_swap: {},
} as const satisfies Record<Rule, Partial<Record<Threshold, number>>>;

/** The conversion rules block only accounts with this many finished sends in seven days, of which this share is verified. */
export const LEARNING = { finished: 100, verified_percent: 20, days: 7 } as const;

/** The rules that depend on an account's conversion. They block nothing while they are learning. */
export const LEARNED_RULES = [
  'client_unverified',
  'client_countries',
  'prefix_conversion',
  'country_unverified',
] as const satisfies readonly Rule[];
