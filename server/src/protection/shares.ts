import {
  type CountedRule,
  isLookupRule,
  LEARNED_RULES,
  type Rule,
} from '@sixdigit/contract/protection/protection.ts';
import { unverifiedIn } from './budget.ts';
import type { Counters, Kind } from './counters.ts';
import { minutesOf } from './latest-recipients.ts';
import type { Found, Question } from './question.ts';
import { ACCOUNTS_MAX, type Crowd, inDay, inDays, inMinutes, MINUTES_A_DAY, type Series } from './series.ts';

/** A budget over all accounts refuses all of them only if at least this many accounts filled it. */
export const SHARERS = 5;
/**
 * How long a verified code shows that an account has users in a country, and so in its prefixes. Counts of clients last a day.
 */
const VERIFIED_DAYS = 14;
const TEN_MINUTES = 10;
const HOUR = 60;

type Contribution = (series: Series | undefined, now: number) => number;
interface Shared {
  kind: Exclude<Kind, 'account'>;
  /** What one account adds to each figure of the rule, in the order of `measured`; undefined for figures without a budget. */
  contributions: (Contribution | undefined)[];
}

const SHARED: Record<CountedRule, Shared> = {
  prefix_velocity: { kind: 'prefix', contributions: [(of, now) => inMinutes(of, 'sent', TEN_MINUTES, now)] },
  client_velocity: {
    kind: 'client',
    contributions: [
      (of, now) => inMinutes(of, 'sent', TEN_MINUTES, now),
      (of, now) => minutesOf(of?.recipients).filter((minute) => minute >= now - TEN_MINUTES).length,
    ],
  },
  client_unverified: { kind: 'client', contributions: [unverifiedIn.day, unverifiedIn.hour] },
  client_countries: { kind: 'client', contributions: [(of, now) => withoutSuccess(of, now).size] },
  prefix_conversion: {
    kind: 'prefix',
    contributions: [
      (of, now) => inMinutes(of, 'over', HOUR, now) - inMinutes(of, 'verified', HOUR, now),
      undefined,
      (of, now) => inDay(of, 'over', now) - inDay(of, 'verified', now),
    ],
  },
  country_unverified: { kind: 'country', contributions: [unverifiedIn.day, unverifiedIn.hour] },
};

const LEARNED: ReadonlySet<Rule> = new Set(LEARNED_RULES);

/**
 * Decides which accounts are refused when a budget over all accounts is exceeded: those that filled more than their share, and
 * all accounts only if at least five filled it. Otherwise one account could stop the codes of all others. An account whose
 * users verified codes there, or in the country of the prefix, is not refused because of others.
 */
export function refusedOf(question: Question, rule: Rule, found: Found): 'account' | 'all' | undefined {
  if (rule === 'country' || isLookupRule(rule)) return 'all';
  if (found.is_own) return 'account';
  const { counters, of, to, now, sender } = question;
  const { kind, contributions } = SHARED[rule];
  const key = { prefix: to.prefix, country: to.country, client: to.client ?? '' }[kind];
  const own = counters.find(sender, kind, key);
  const isAtHome = hasVerified(own, now);
  const hasUsers =
    isAtHome || (kind !== 'client' && hasVerified(counters.find(sender, 'country', to.country), now));
  if (found.is_block && !hasUsers) return 'all';
  let isForAll = false;
  for (const [n, { value, limit }] of found.measured().entries()) {
    const contribution = contributions[n];
    if (!contribution || limit === null || value < limit) continue;
    const mine = contribution(own, now);
    if (mine >= limit || (!isAtHome && mine >= shareOf(limit))) return 'account';
    isForAll ||=
      !hasUsers && isFilledByMany({ counters, of, kind, key, now, rule }, contribution, { value, limit });
  }
  return isForAll ? 'all' : undefined;
}

const shareOf = (limit: number): number => Math.max(1, Math.ceil(limit / SHARERS));

const hasVerified = (own: Series | undefined, now: number): boolean =>
  own?.days ? inDays(own, 'verified', VERIFIED_DAYS, now) > 0 : inDay(own, 'verified', now) > 0;

interface Key {
  counters: Counters;
  of: string;
  kind: Kind;
  key: string;
  now: number;
  rule: Rule;
}

/**
 * Reading every account's counts takes longer than all rules together, and an exceeded budget asks at every send. Until the figure
 * has grown by this share, or the minute has passed, the last result holds.
 */
const SAME_SHARE = 1 / 64;

const isStillTrue = ({ now, value, limit }: Crowd, at: Omit<Crowd, 'isFilled'>): boolean =>
  now === at.now && limit === at.limit && at.value >= value && at.value - value < value * SAME_SHARE;

/**
 * Whether the accounts reach the limit if each adds at most its share. If there are too many to read, the latest represent all.
 */
function isFilledByMany(
  key: Key,
  add: Contribution,
  { value, limit }: Pick<Crowd, 'value' | 'limit'>,
): boolean {
  const series = key.counters.find(key.of, key.kind, key.key);
  const accounts = series?.accounts;
  if (!series || accounts === undefined || typeof accounts === 'string') return false;
  const at = { now: key.now, value, limit };
  const known = series.crowds?.get(add);
  if (known && isStillTrue(known, at)) return known.isFilled;
  const isFilled = reachLimit(key, add, { limit, series, accounts });
  series.crowds ??= new Map();
  series.crowds.set(add, { ...at, isFilled });
  return isFilled;
}

function reachLimit(
  { counters, kind, key, now, rule }: Key,
  add: Contribution,
  { limit, series, accounts }: { limit: number; series: Series; accounts: ReadonlyMap<string, number> },
): boolean {
  const share = shareOf(limit);
  let [all, capped, sharers] = [0, 0, 0];
  for (const account_id of accounts.keys()) {
    if (LEARNED.has(rule) && counters.isLearning(account_id, now)) continue;
    const added = Math.max(0, add(counters.find(account_id, kind, key), now));
    all += added;
    capped += Math.min(added, share);
    if (added > 0) sharers += 1;
  }
  if (sharers < SHARERS) return false;
  const total = accounts.size < ACCOUNTS_MAX ? all : Math.max(all, add(series, now));
  return capped * total >= limit * all;
}

/** The countries to which a client requested codes in the last day without a success, each with the minute of its last send. */
export function withoutSuccess(series: Series | undefined, now: number): Map<string, number> {
  const since = now - MINUTES_A_DAY;
  const without = new Map<string, number>();
  for (const [country, { sent, verified }] of series?.countries ?? [])
    if (sent >= since && verified < since) without.set(country, sent);
  return without;
}
