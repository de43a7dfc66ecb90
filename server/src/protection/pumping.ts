import type { ProtectionRules } from '@sixdigit/contract/protection/protection.ts';
import { allowedShare, type Budget, SIXTH, unverifiedEnd, unverifiedIn, VERIFIED } from './budget.ts';
import { type Found, type Measure, ownBlocks, type Question, withinLimits } from './question.ts';
import {
  hasOtherRecipients,
  inDay,
  inMinutes,
  MINUTES_A_DAY,
  otherRecipients,
  type Series,
} from './series.ts';

const HOUR = 60;
/**
 * One person who requests many codes to one phone is not an attack, so failures count only if they concern this many numbers.
 */
const NUMBERS_LEAST = 3;
/** Consecutive failures are significant if chance would produce them in only one of this many prefixes. */
const CHANCE = 1e-5;
const FAILURES_LEAST = 5;

/**
 * Blocks a prefix whose sends are not verified. The rule's limit applies to an hour. Over a day, fewer sends suffice if the
 * country's usual conversion makes that many failures implausible.
 */
export function prefixConversion(question: Question, { prefix_conversion: rule }: ProtectionRules): Found {
  const { counters, blockedPrefixes, sender, of, scope, to, recipient, now } = question;
  const series = counters.find(of, 'prefix', to.prefix);
  const hour = {
    over: inMinutes(series, 'over', HOUR, now),
    verified: inMinutes(series, 'verified', HOUR, now),
  };
  const day = { over: inDay(series, 'over', now), verified: inDay(series, 'verified', now) };
  const dayLimit = failuresNeeded(rule.limit, counters.usual(of, to.country, now).conversion);
  const measured = (): Measure[] => [
    { name: 'finished sends to the prefix in an hour', value: hour.over, limit: rule.limit },
    { name: 'verified of these', value: hour.verified, limit: null },
    {
      name: 'finished sends to the prefix in 24 hours',
      value: day.over,
      limit: dayLimit ?? null,
      basis: USUAL,
    },
    { name: 'verified of these', value: day.verified, limit: null },
  ];
  const until = blockedPrefixes.until(of, to.prefix, now);
  if (until !== undefined)
    return { is_exceeded: true, measured, until, blocks_prefix: false, is_block: true };
  const own = scope === 'account' ? undefined : blockedPrefixes.until(ownBlocks(sender), to.prefix, now);
  if (own !== undefined)
    return { is_exceeded: true, measured, until: own, blocks_prefix: false, is_own: true };
  const fails = ({ over, verified }: typeof day, limit: number) =>
    over >= limit && verified * 100 < rule.percent * over;
  const is_exceeded =
    (fails(hour, rule.limit) || (dayLimit !== undefined && fails(day, dayLimit))) &&
    hasOtherRecipients(series, recipient, { span: MINUTES_A_DAY, now, least: NUMBERS_LEAST - 1 });
  return {
    is_exceeded,
    measured,
    until: is_exceeded ? now + rule.hours * HOUR : null,
    blocks_prefix: is_exceeded,
  };
}

/**
 * The number of consecutive failures that the usual conversion makes implausible, at most `limit`; undefined without a history.
 */
export function failuresNeeded(limit: number, conversion: number | undefined): number | undefined {
  if (conversion === undefined) return undefined;
  const usual = Math.min(0.95, Math.max(0.05, conversion));
  const needed = Math.ceil(Math.log(CHANCE) / Math.log(1 - usual));
  return Math.min(limit, Math.max(FAILURES_LEAST, needed));
}

const USUAL = 'a limit from your usual conversion';
/** Other numbers without a success that make a prefix suspicious while its country is over its budget. */
const SUSPICIOUS = 2;
/** Beyond this many times its budget, a country gets codes only in prefixes with a verified code. */
const EMERGENCY = 3;

/**
 * Limits the unverified sends to a country by a budget that follows the account's own traffic. Over budget, it blocks only the
 * prefixes that caused it, which then no longer count against the country.
 */
export function countryUnverified(
  question: Question,
  { country_unverified: rule, prefix_conversion }: ProtectionRules,
): Found {
  const { counters, of, to, recipient, now } = question;
  const series = counters.find(of, 'country', to.country);
  const budget = countryBudget(question, series, rule);
  const isAttacked = isOver(budget) && withoutBlockedPrefixes(question, budget, prefix_conversion.hours);
  const { day, dayLimit, hour, hourLimit } = budget;
  const ofCountry = (): Measure[] => [
    {
      name: 'unverified sends to the country in 24 hours',
      value: day,
      limit: dayLimit,
      ...(dayLimit !== rule.limit && { basis: VERIFIED }),
    },
    { name: 'unverified sends to the country in an hour', value: hour, limit: hourLimit, basis: SIXTH },
  ];
  if (!isOver(budget) && !isAttacked) return withinLimits(ofCountry);

  const ofPrefix = counters.find(of, 'prefix', to.prefix);
  const verified = inDay(ofPrefix, 'verified', now);
  const tried = inDay(ofPrefix, 'tried', now);
  const lately = { span: MINUTES_A_DAY, now };
  const measured = (): Measure[] => [
    ...ofCountry(),
    {
      name: 'other numbers tried in the prefix in 24 hours',
      value: otherRecipients(ofPrefix, recipient, lately),
      limit: SUSPICIOUS,
      basis: 'a fixed limit while the country is over its budget',
    },
    { name: 'verified sends to the prefix in 24 hours', value: verified, limit: null },
  ];
  const passes = withinLimits(measured);
  if (verified > 0 && verified * 100 >= prefix_conversion.percent * tried) return passes;
  if (hasOtherRecipients(ofPrefix, recipient, { ...lately, least: SUSPICIOUS }))
    return {
      is_exceeded: true,
      measured,
      until: now + prefix_conversion.hours * HOUR,
      blocks_prefix: true,
    };
  if (day < EMERGENCY * dayLimit && hour < EMERGENCY * hourLimit) return passes;
  return { is_exceeded: true, measured, until: unverifiedEnd(series, budget), blocks_prefix: false };
}

const isOver = ({ day, dayLimit, hour, hourLimit }: Budget): boolean => day >= dayLimit || hour >= hourLimit;

function countryBudget(
  { counters, of, to, now }: Question,
  series: Series | undefined,
  { limit, percent }: { limit: number; percent: number },
): Budget {
  const { conversion, best_day } = counters.usual(of, to.country, now);
  const share = allowedShare(percent, conversion);
  const dayLimit = Math.floor(Math.max(limit, share * best_day, share * inDay(series, 'verified', now)));
  const hourLimit = Math.floor(Math.max(5, dayLimit / 6, share * inMinutes(series, 'verified', HOUR, now)));
  return {
    day: unverifiedIn.day(series, now),
    dayLimit,
    hour: unverifiedIn.hour(series, now),
    hourLimit,
    now,
  };
}

/**
 * Sends to blocked prefixes do not count against the rest of their country, because that attack is already stopped. Returns
 * whether the attack continues, so that the country's other prefixes stay suspicious.
 */
function withoutBlockedPrefixes(
  { counters, blockedPrefixes, of, scope, to, now }: Question,
  budget: Budget,
  blockHours: number,
): boolean {
  const blocked = blockedPrefixes.share(of, to.country, now, (sum, prefix, until) => {
    const series = counters.find(of, 'prefix', prefix);
    sum.day += unverifiedIn.day(series, now);
    sum.hour += unverifiedIn.hour(series, now);
    if (until > now + blockHours * HOUR - RECENT_MINUTES) sum.recent += 1;
  });
  budget.day -= blocked.day;
  budget.hour -= blocked.hour;
  if (scope === 'deployment') {
    const own = blockedPrefixes.share(ownBlocks(), to.country, now, (sum, prefix) => {
      if (blockedPrefixes.until(of, prefix, now) !== undefined) return;
      const series = counters.find(of, 'prefix', prefix);
      sum.day += unverifiedIn.day(series, now);
      sum.hour += unverifiedIn.hour(series, now);
    });
    budget.day -= own.day;
    budget.hour -= own.hour;
  }
  return blocked.recent >= RECENT_BLOCKS;
}
const RECENT_MINUTES = 30;
const RECENT_BLOCKS = 5;
