import {
  type Campaign,
  COUNTED_RULES,
  type CountedRule,
  LEARNED_RULES,
  type Mode,
  type Threshold,
  type WorstDayChange,
} from '@sixdigit/contract/protection/protection.ts';
import type { Bounds } from '../policy.ts';
import type { Settings } from './play.ts';
import { isLearning, type Shape, shareOfAll } from './shape.ts';

/** A change of one setting that may lower the cost of a fraud. */
export interface Candidate {
  change: Pick<WorstDayChange, 'setting' | 'rule' | 'threshold' | 'before' | 'after'>;
  settings: Settings;
}

interface Given {
  /** the costliest one */
  campaign: Campaign;
  settings: Settings;
  shape: Shape;
  bounds: Required<Bounds>;
  /** credits of a send to a country */
  costOf(country: string): number;
  /** the countries to which the account can send now */
  countries: readonly string[];
}

export const candidatesOf = (given: Given): Candidate[] => [
  ...ofModes(given),
  ...ofThresholds(given),
  ...ofKnown(given),
  ...ofSpending(given),
  ...ofCountries(given),
];

const withRules = (settings: Settings, changed: Partial<Settings['policy']['rules']>): Settings => ({
  ...settings,
  policy: { ...settings.policy, rules: { ...settings.policy.rules, ...changed } },
});

/** What is tried for each threshold, as multiples of its value. Only these thresholds make a rule stricter. */
const TRIED: { [R in CountedRule]: Partial<Record<Threshold, readonly number[]>> } = {
  prefix_velocity: { limit: [1 / 2, 1 / 6] },
  client_velocity: { limit: [1 / 2] },
  client_unverified: { limit: [1 / 2, 1 / 5] },
  client_countries: { limit: [1 / 2] },
  prefix_conversion: { limit: [1 / 2], percent: [4, 8] },
  country_unverified: { limit: [1 / 2], percent: [1 / 2] },
};

/** The rules that can refuse sends of the campaign: those that learn may only monitor, and it may use each IP address once. */
function rulesAgainst({ shape, campaign }: Given): CountedRule[] {
  const learning: readonly string[] = isLearning(shape) ? LEARNED_RULES : [];
  return COUNTED_RULES.filter(
    (rule) => !learning.includes(rule) && (campaign.clients > 0 || !rule.startsWith('client_')),
  );
}

/** The rules that block nothing are enforced, each alone and all together. */
function ofModes(given: Given): Candidate[] {
  const { settings } = given;
  const { rules } = settings.policy;
  const all = COUNTED_RULES.filter((rule) => rules[rule].mode !== 'enforce');
  const idle = rulesAgainst(given).filter((rule) => all.includes(rule));
  const enforced = (names: readonly CountedRule[]) =>
    Object.fromEntries(names.map((name) => [name, { ...rules[name], mode: 'enforce' as const }]));
  const candidateOf = (rule: CountedRule | null, names: readonly CountedRule[]): Candidate => ({
    change: {
      setting: 'mode',
      rule,
      threshold: null,
      before: rule === null ? null : rules[rule].mode,
      after: 'enforce',
    },
    settings: withRules(settings, enforced(names)),
  });
  return [
    ...idle.map((rule) => candidateOf(rule, [rule])),
    ...(all.length > 1 ? [candidateOf(null, all)] : []),
  ];
}

/** A rule that blocks becomes stricter. */
function ofThresholds(given: Given): Candidate[] {
  const { settings, bounds } = given;
  return rulesAgainst(given).flatMap((rule): Candidate[] => {
    const now: { mode: Mode } & Partial<Record<Threshold, number>> = settings.policy.rules[rule];
    if (now.mode !== 'enforce') return [];
    return (Object.entries(TRIED[rule]) as [Threshold, readonly number[]][]).flatMap(
      ([threshold, factors]) => {
        const before = now[threshold] ?? 0;
        const { min, max } = bounds[rule][threshold] ?? { min: before, max: before };
        const values = factors.map((factor) => Math.min(max, Math.max(min, Math.floor(before * factor))));
        return [...new Set(values)]
          .filter((after) => after !== before)
          .map((after) => ({
            change: {
              setting: 'threshold' as const,
              rule,
              threshold,
              before: String(before),
              after: String(after),
            },
            settings: withRules(settings, { [rule]: { ...now, [threshold]: after } }),
          }));
      },
    );
  });
}

function ofKnown({ settings, shape, campaign }: Given): Candidate[] {
  const { known_days } = settings.policy;
  if (!campaign.known || known_days === 0 || shareOfAll(shape, 'known') === 0) return [];
  return [
    {
      change: { setting: 'known_days', rule: null, threshold: null, before: String(known_days), after: '0' },
      settings: { ...settings, policy: { ...settings.policy, known_days: 0 } },
    },
  ];
}

/** A day this many times as busy as the average is not refused. */
const BUSY_DAY = 1.5;
const LEAST_LIMIT = 10;

/** A limit that an average day of the users leaves unused in part. */
function ofSpending({ settings, shape, costOf }: Given): Candidate[] {
  const aDay = shape.countries.reduce(
    (sum, { code, share }) => sum + shape.sends_per_day * share * costOf(code),
    0,
  );
  const after = Math.max(LEAST_LIMIT, Math.ceil(BUSY_DAY * aDay));
  const before = settings.daily_credit_limit;
  if (before !== null && before <= after) return [];
  return [
    {
      change: {
        setting: 'daily_credit_limit',
        rule: null,
        threshold: null,
        before: before === null ? null : String(before),
        after: String(after),
      },
      settings: { ...settings, daily_credit_limit: after },
    },
  ];
}

/** A country with a smaller share of the sends could be given up. */
const FEW_USERS = 0.01;

/** Only countries with users, or with more than a few. */
function ofCountries({ settings, shape, countries }: Given): Candidate[] {
  const { country } = settings.policy.rules;
  const before = country.mode === 'enforce' && country.countries !== null ? country.countries : null;
  const withUsers = shape.countries.filter(({ code }) => countries.includes(code));
  const withMany = withUsers.filter(({ share }) => share >= FEW_USERS);
  return [withUsers, withMany]
    .map((kept) => kept.map(({ code }) => code))
    .filter((kept) => kept.length > 0 && kept.length < countries.length)
    .map((kept) => ({
      change: {
        setting: 'countries' as const,
        rule: 'country' as const,
        threshold: null,
        before: before === null ? null : before.join(', '),
        after: kept.join(', '),
      },
      settings: withRules(settings, { country: { mode: 'enforce', countries: kept } }),
    }));
}
