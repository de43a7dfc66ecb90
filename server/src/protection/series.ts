import { countOthers, type LatestRecipients, withRecipient } from './latest-recipients.ts';

/**
 * Counts of one subject over time: by minute for the last hour, by hour for the last day and, for some, by day for 15 days. A
 * count older than an hour moves from its minute to its hour. Most subjects are counted once or twice, so the buckets are a
 * short list of numbers: time, then the four counts.
 */
export interface Series {
  minutes: number[];
  hours: number[];
  /** undefined if the series keeps no daily counts */
  days: number[] | undefined;
  recipients: LatestRecipients | undefined;
  /** countries of sends, and the minutes of the last send and of the last success in each */
  countries: Map<string, { sent: number; verified: number }> | undefined;
  /**
   * Only for series over all accounts: the counted accounts, each with the minute of its last count, latest last. A single
   * account is stored without a map.
   */
  accounts: string | Map<string, number> | undefined;
  /** Only for countries: the last computed usual outcome. */
  usual: (Usual & { minute: number }) | undefined;
  /** Only for series over all accounts: whether many accounts filled a budget, by how an account's counts add to it. */
  crowds: Map<unknown, Crowd> | undefined;
}

/** Whether many accounts had filled a budget when its figure had this value. */
export interface Crowd {
  now: number;
  value: number;
  limit: number;
  isFilled: boolean;
}

/** The usual outcome of sends to a country, from the days before today. */
export interface Usual {
  /** verified sends ÷ finished sends; undefined without enough finished sends */
  conversion: number | undefined;
  best_day: number;
}

export interface Counts {
  sent: number;
  /** sends of accounts that verify their codes; only these can count as unverified */
  tried: number;
  /** verified, expired or failed */
  over: number;
  verified: number;
}
/** The index of a count in a bucket. */
const AT = { sent: 1, tried: 2, over: 3, verified: 4 } as const;
export type Count = keyof typeof AT;
const WIDTH = 5;

export const MINUTES_A_DAY = 1_440;
const HOUR = 60;
const HOURS_KEPT = 24;
const DAYS_KEPT = 15;
/** A margin over what the rules need: prefix rules need two, client rules the account's threshold. */
const RECIPIENTS_MAX = { prefix: 16, client: 256 };
const COUNTRIES_MAX = 64;

/** Shared by all series without counts, so it is never changed. */
const NO_BUCKETS: number[] = [];

export const newSeries = (hasDays: boolean): Series => ({
  minutes: NO_BUCKETS,
  hours: NO_BUCKETS,
  days: hasDays ? NO_BUCKETS : undefined,
  recipients: undefined,
  countries: undefined,
  accounts: undefined,
  usual: undefined,
  crowds: undefined,
});

/** Adds to the bucket of a time and returns the buckets. Counts of other processes may arrive late. */
function added(buckets: number[], time: number, { sent, tried, over, verified }: Counts): number[] {
  if (buckets.length === 0) return [time, sent, tried, over, verified];
  let at = buckets.length - WIDTH;
  while (at >= 0 && (buckets[at] as number) > time) at -= WIDTH;
  if (at >= 0 && buckets[at] === time) {
    buckets[at + AT.sent] = (buckets[at + AT.sent] as number) + sent;
    buckets[at + AT.tried] = (buckets[at + AT.tried] as number) + tried;
    buckets[at + AT.over] = (buckets[at + AT.over] as number) + over;
    buckets[at + AT.verified] = (buckets[at + AT.verified] as number) + verified;
    return buckets;
  }
  // A new array has no spare capacity, because most series stay short.
  return buckets.toSpliced(at + WIDTH, 0, time, sent, tried, over, verified);
}

const countsAt = (buckets: readonly number[], at: number): Counts => ({
  sent: buckets[at + AT.sent] ?? 0,
  tried: buckets[at + AT.tried] ?? 0,
  over: buckets[at + AT.over] ?? 0,
  verified: buckets[at + AT.verified] ?? 0,
});

function dropBefore(buckets: number[], time: number): void {
  while (buckets.length > 0 && (buckets[0] as number) < time) buckets.splice(0, WIDTH);
}

/** Adds counts of a minute, as of `now`, a later minute or the same. */
export function addCounts(series: Series, minute: number, counts: Counts, now: number): void {
  const hour = Math.floor(minute / HOUR);
  if (minute >= now - HOUR) series.minutes = added(series.minutes, minute, counts);
  else if (hour >= Math.floor(now / HOUR) - HOURS_KEPT) series.hours = added(series.hours, hour, counts);
  if (series.days) series.days = added(series.days, Math.floor(minute / MINUTES_A_DAY), counts);
  age(series, now);
}

/** Adds counts of hours and days that are already sums. */
export const addHour = (series: Series, hour: number, counts: Counts): void => {
  series.hours = added(series.hours, hour, counts);
};
export const addDay = (series: Series, day: number, counts: Counts): void => {
  series.days = added(series.days ?? NO_BUCKETS, day, counts);
};
/** Moves counts from an hour, which contains them, to one of its minutes. */
export function splitHour(series: Series, minute: number, counts: Counts): void {
  const { sent, tried, over, verified } = counts;
  series.hours = added(series.hours, Math.floor(minute / HOUR), {
    sent: -sent,
    tried: -tried,
    over: -over,
    verified: -verified,
  });
  series.minutes = added(series.minutes, minute, counts);
}

function age(series: Series, now: number): void {
  const { minutes, days } = series;
  while (minutes.length > 0 && (minutes[0] as number) < now - HOUR) {
    series.hours = added(series.hours, Math.floor((minutes[0] as number) / HOUR), countsAt(minutes, 0));
    minutes.splice(0, WIDTH);
  }
  dropBefore(series.hours, Math.floor(now / HOUR) - HOURS_KEPT);
  if (days) dropBefore(days, Math.floor(now / MINUTES_A_DAY) - DAYS_KEPT);
}

const total = (buckets: readonly number[], count: Count, from: number): number => {
  let sum = 0;
  for (let at = buckets.length - WIDTH; at >= 0 && (buckets[at] as number) >= from; at -= WIDTH)
    sum += buckets[at + AT[count]] as number;
  return sum;
};

/** Sums the current minute and the `span` whole minutes before it (at most 60). */
export const inMinutes = (series: Series | undefined, count: Count, span: number, now: number): number =>
  series ? total(series.minutes, count, now - span) : 0;

/** Sums the last 24 hours, in whole hours. */
export const inDay = (series: Series | undefined, count: Count, now: number): number =>
  series
    ? total(series.minutes, count, now - MINUTES_A_DAY) +
      total(series.hours, count, Math.floor(now / HOUR) - HOURS_KEPT)
    : 0;

/** The days before today with counts, oldest first. */
export function pastDays(series: Series | undefined, now: number, most: number): Counts[] {
  const today = Math.floor(now / MINUTES_A_DAY);
  const found: Counts[] = [];
  const days = series?.days ?? [];
  for (let at = 0; at < days.length; at += WIDTH) {
    const day = days[at] as number;
    if (day < today && day >= today - most) found.push(countsAt(days, at));
  }
  return found;
}

/** The count of today and of the days before it. */
export const inDays = (series: Series | undefined, count: Count, days: number, now: number): number =>
  series?.days ? total(series.days, count, Math.floor(now / MINUTES_A_DAY) - days + 1) : 0;

/**
 * The minute in which the window's count falls below `limit` if no more sends arrive; undefined if it already is below. `span`
 * is the window in minutes: up to 60, or a day.
 */
export function minuteBelow(
  series: Series | undefined,
  value: (counts: Counts) => number,
  { span, limit, now }: { span: number; limit: number; now: number },
): number | undefined {
  if (!series) return undefined;
  const buckets: { leaves: number; value: number }[] = [];
  if (span > HOUR)
    for (let at = 0; at < series.hours.length; at += WIDTH)
      buckets.push({
        leaves: ((series.hours[at] as number) + HOURS_KEPT + 1) * HOUR,
        value: value(countsAt(series.hours, at)),
      });
  for (let at = 0; at < series.minutes.length; at += WIDTH) {
    const minute = series.minutes[at] as number;
    const leaves = span > HOUR ? (Math.floor(minute / HOUR) + HOURS_KEPT + 1) * HOUR : minute + span + 1;
    buckets.push({ leaves, value: value(countsAt(series.minutes, at)) });
  }
  const inside = buckets.filter(({ leaves }) => leaves > now).sort((a, b) => a.leaves - b.leaves);
  let sum = inside.reduce((all, bucket) => all + bucket.value, 0);
  if (sum < limit) return undefined;
  for (const bucket of inside) {
    sum -= bucket.value;
    if (sum < limit) return bucket.leaves;
  }
  return inside.at(-1)?.leaves;
}

export function noteRecipient(
  series: Series,
  recipient: string,
  { minute, of }: { minute: number; of: keyof typeof RECIPIENTS_MAX },
): void {
  series.recipients = withRecipient(series.recipients, recipient, { minute, most: RECIPIENTS_MAX[of] });
}

interface Others {
  span: number;
  now: number;
  /** stop counting at this number */
  least?: number;
}

/** Counts the recipients of the last sends, except the given one. */
export const otherRecipients = (
  series: Series | undefined,
  recipient: string,
  { span, now, least }: Others,
): number => countOthers(series?.recipients, recipient, { since: now - span, least });

/** Whether at least that many recipients are recent. Stops early if most are. */
export const hasOtherRecipients = (
  series: Series | undefined,
  recipient: string,
  others: Others & { least: number },
): boolean => otherRecipients(series, recipient, others) >= others.least;

export function noteCountry(
  series: Series,
  country: string,
  minute: number,
  { sent, verified }: Pick<Counts, 'sent' | 'verified'>,
): void {
  series.countries ??= new Map();
  const known = series.countries.get(country) ?? { sent: 0, verified: 0 };
  if (sent > 0) known.sent = Math.max(known.sent, minute);
  if (verified > 0) known.verified = Math.max(known.verified, minute);
  if (series.countries.size < COUNTRIES_MAX || series.countries.has(country))
    series.countries.set(country, known);
}

/** More than enough to tell a few accounts from a crowd. */
export const ACCOUNTS_MAX = 256;

/** Records that a series counts sends of an account. Most series have one account. */
export function noteAccount(series: Series, account_id: string, minute: number): void {
  const { accounts } = series;
  if (accounts === undefined) series.accounts = account_id;
  else if (typeof accounts === 'string') {
    if (accounts !== account_id)
      series.accounts = new Map([
        [accounts, minute],
        [account_id, minute],
      ]);
  } else if (accounts.get(account_id) !== minute) {
    // Latest last.
    accounts.delete(account_id);
    accounts.set(account_id, minute);
    if (accounts.size > ACCOUNTS_MAX) accounts.delete(accounts.keys().next().value as string);
  }
}
