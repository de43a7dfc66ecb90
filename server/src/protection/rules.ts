import type { ProtectionRules, Rule } from '@sixdigit/contract/protection/protection.ts';
import { allowedShare, SIXTH, unverifiedEnd, unverifiedIn, VERIFIED } from './budget.ts';
import { lastSendTo, minutesOf } from './latest-recipients.ts';
import { lineType, simSwap } from './lookup-rules.ts';
import { countryUnverified, prefixConversion } from './pumping.ts';
import { type Decide, type Found, NOTHING_FOUND, type Question } from './question.ts';
import { inDay, inMinutes, MINUTES_A_DAY, minuteBelow, otherRecipients, type Series } from './series.ts';
import { withoutSuccess } from './shares.ts';

const TEN_MINUTES = 10;

function country({ to }: Question, { country: { countries } }: ProtectionRules): Found {
  const is_exceeded = countries !== null && !countries.includes(to.country);
  return is_exceeded ? { ...NOTHING_FOUND, is_exceeded } : NOTHING_FOUND;
}

function prefixVelocity(
  { counters, of, to, now }: Question,
  { prefix_velocity: { limit } }: ProtectionRules,
): Found {
  const series = counters.find(of, 'prefix', to.prefix);
  const value = inMinutes(series, 'sent', TEN_MINUTES, now);
  const is_exceeded = value >= limit;
  return {
    is_exceeded,
    measured: () => [{ name: 'sends to the prefix in 10 minutes', value, limit }],
    until: is_exceeded
      ? (minuteBelow(series, ({ sent }) => sent, { span: TEN_MINUTES, limit, now }) ?? null)
      : null,
    blocks_prefix: false,
  };
}

function clientVelocity(
  { counters, of, to, recipient, now }: Question,
  { client_velocity: { limit, recipients } }: ProtectionRules,
): Found {
  if (to.client === null) return NOTHING_FOUND;
  const series = counters.find(of, 'client', to.client);
  const value = inMinutes(series, 'sent', TEN_MINUTES, now);
  const others = otherRecipients(series, recipient, { span: TEN_MINUTES, now });
  const isKnown = (lastSendTo(series?.recipients, recipient) ?? 0) >= now - TEN_MINUTES;
  const is_exceeded = value >= limit || (others >= recipients && !isKnown);
  return {
    is_exceeded,
    measured: () => [
      { name: 'sends from the IP address in 10 minutes', value, limit },
      {
        name: 'recipients of the IP address in 10 minutes',
        value: others + (isKnown ? 1 : 0),
        limit: recipients,
      },
    ],
    until: is_exceeded ? velocityEnd(series, { limit, recipients, now }) : null,
    blocks_prefix: false,
  };
}

function velocityEnd(
  series: Series | undefined,
  { limit, recipients, now }: { limit: number; recipients: number; now: number },
): number {
  const sends = minuteBelow(series, ({ sent }) => sent, { span: TEN_MINUTES, limit, now }) ?? 0;
  const minutes = minutesOf(series?.recipients).filter((minute) => minute >= now - TEN_MINUTES);
  const blocking = minutes.sort((a, b) => a - b)[minutes.length - recipients];
  return Math.max(sends, blocking === undefined ? 0 : blocking + TEN_MINUTES + 1);
}

function clientUnverified(
  { counters, of, to, now }: Question,
  { client_unverified: { limit, percent } }: ProtectionRules,
): Found {
  if (to.client === null) return NOTHING_FOUND;
  const series = counters.find(of, 'client', to.client);
  const share = allowedShare(percent, counters.usual(of, to.country, now).conversion);
  const dayLimit = Math.floor(Math.max(limit, share * inDay(series, 'verified', now)));
  const hourLimit = Math.floor(Math.max(5, dayLimit / 6));
  const [day, hour] = [unverifiedIn.day(series, now), unverifiedIn.hour(series, now)];
  return {
    is_exceeded: day >= dayLimit || hour >= hourLimit,
    measured: () => [
      {
        name: 'unverified sends from the IP address in 24 hours',
        value: day,
        limit: dayLimit,
        ...(dayLimit !== limit && { basis: VERIFIED }),
      },
      {
        name: 'unverified sends from the IP address in an hour',
        value: hour,
        limit: hourLimit,
        basis: SIXTH,
      },
    ],
    until: unverifiedEnd(series, { day, dayLimit, hour, hourLimit, now }),
    blocks_prefix: false,
  };
}

function clientCountries(
  { counters, of, to, now }: Question,
  { client_countries: { limit } }: ProtectionRules,
): Found {
  if (to.client === null) return NOTHING_FOUND;
  const series = counters.find(of, 'client', to.client);
  const hasSuccess = (series?.countries?.get(to.country)?.verified ?? 0) >= now - MINUTES_A_DAY;
  const without = withoutSuccess(series, now);
  const is_exceeded = !hasSuccess && !without.has(to.country) && without.size >= limit;
  return {
    is_exceeded,
    measured: () => [
      { name: 'countries of the IP address without a success in 24 hours', value: without.size, limit },
    ],
    until: is_exceeded
      ? ([...without.values()].sort((a, b) => a - b)[without.size - limit] ?? now) + MINUTES_A_DAY + 1
      : null,
    blocks_prefix: false,
  };
}

export const DECIDE: Record<Rule, Decide> = {
  country,
  prefix_velocity: prefixVelocity,
  client_velocity: clientVelocity,
  client_unverified: clientUnverified,
  client_countries: clientCountries,
  prefix_conversion: prefixConversion,
  country_unverified: countryUnverified,
  line_type: lineType,
  sim_swap: simSwap,
};
