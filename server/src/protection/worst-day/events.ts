import type { Campaign } from '@sixdigit/contract/protection/protection.ts';
import type { CountryShape, Shape } from './shape.ts';
import { DAY, HOUR, MINUTE, type Send, seeded } from './traffic.ts';

/** The account whose day is played. */
export const OWN = 'own';

export interface DayEvent {
  at: number;
  send: Send;
  isAttack: boolean;
}

/** How many requests of users a run plays. Of a larger account, each stands for several. */
const USERS_PLAYED = 900;
/** Of these, to prefixes that the campaign attacks. Each stands for itself. */
const USERS_ATTACKED = 300;
/** One user in twenty shares an address with others, as in an office. */
const SHARED = 0.05;
const SHARED_ADDRESSES = 250;
/** The day passes in steps, because the rules sum counts by minute. Right codes arrive in the same step. */
const TICK = 5 * MINUTE;

export interface Day {
  events: readonly DayEvent[];
  /** What a prefix of the account's users saw on the day before. */
  historyOf(prefix: string): { sends: number; verified: number };
}

interface Planned {
  campaign: Campaign;
  shape: Shape;
  /** undefined: the account allows no country */
  target: string | undefined;
  seed: number;
  /** the begin of the day */
  day_ms: number;
}

/**
 * The requests of a day, oldest first. The attackers choose prefixes in which the account has users, as far as it has any, because
 * the users' codes hide theirs.
 */
export function dayOf({ campaign, shape, target, seed, day_ms }: Planned): Day {
  const random = seeded(seed);
  const ofTarget = shape.countries.find(({ code }) => code === target);
  const overlap = overlapOf(campaign, shape, ofTarget);
  const events = [
    ...usersOf({ shape, target, overlap, day_ms, random }),
    ...(target === undefined ? [] : attackOf({ campaign, shape, target, overlap, day_ms, random })),
  ]
    .map((event) => ({ ...event, at: event.at - (event.at % TICK) }))
    .sort((one, other) => one.at - other.at);
  return {
    events,
    historyOf(prefix) {
      const country = shape.countries.find(({ code }) => prefix.startsWith(usersPrefix(code)));
      if (!country) return { sends: 0, verified: 0 };
      const own = seeded(seed ^ hashOf(prefix));
      const { share, prefixes, known, conversion } = country;
      const sends = poisson((shape.sends_per_day * share * (1 - known)) / Math.max(1, prefixes), own);
      return { sends, verified: Array.from({ length: sends }, own).filter((one) => one < conversion).length };
    },
  };
}

const usersPrefix = (code: string): string => `+${code}1`;
const prefixOf = (code: string, n: number): string => `${usersPrefix(code)}${100_000 + n}`;
const foreignPrefix = (code: string, n: number): string => `+${code}9${100_000 + n}`;
const line = (n: number): string => String(n % 10_000).padStart(4, '0');
const addressOf = (kind: string, n: number): string => `${kind} ${n}`;

/** How many of the account's prefixes the campaign attacks: at most as many as have the users that a run plays. */
function overlapOf(
  { prefixes }: Campaign,
  { sends_per_day }: Shape,
  target: CountryShape | undefined,
): number {
  if (!target) return 0;
  const aPrefix = (sends_per_day * target.share) / Math.max(1, target.prefixes);
  return Math.min(prefixes, target.prefixes, Math.floor(USERS_ATTACKED / Math.max(aPrefix, 1e-9)));
}

interface Users {
  shape: Shape;
  target: string | undefined;
  overlap: number;
  day_ms: number;
  random: () => number;
}

/** Users of attacked prefixes stand for themselves. Of the others, an equal part of the prefixes and users stands for all. */
function usersOf({ shape, target, overlap, day_ms, random }: Users): DayEvent[] {
  const { countries, sends_per_day } = shape;
  const attacked = countries.map(({ code, prefixes }) =>
    code === target ? overlap / Math.max(1, prefixes) : 0,
  );
  const sharesOf = countries.map(({ share }, n) => sends_per_day * share * (attacked[n] ?? 0));
  const others = sends_per_day - sharesOf.reduce((sum, one) => sum + one, 0);
  const weight = Math.max(1, Math.ceil(others / (USERS_PLAYED - USERS_ATTACKED)));
  let visitors = 0;
  const addresses = Math.max(1, Math.round(SHARED_ADDRESSES / weight));
  const userOf = ({ code, conversion, known }: CountryShape, prefix: string, of: number): DayEvent => ({
    at: day_ms + hourOf(shape.hours, random()) * HOUR + random() * HOUR,
    isAttack: false,
    send: {
      account_id: OWN,
      country: code,
      prefix,
      line: line(Math.floor(random() * 10_000)),
      client:
        random() >= shape.with_client
          ? null
          : random() < SHARED
            ? addressOf('office', Math.floor(random() * addresses))
            : addressOf('user', visitors++),
      is_known: random() < known,
      verified_after_ms: random() < conversion ? 0 : undefined,
      weight: of,
    },
  });
  return countries.flatMap((country, n) => {
    const { code, share, prefixes } = country;
    const inAttacked = sharesOf[n] ?? 0;
    const skipped = code === target ? overlap : 0;
    const slice = Math.max(1, Math.ceil((prefixes - skipped) / weight));
    return [
      ...times(inAttacked, random, () => userOf(country, prefixOf(code, Math.floor(random() * overlap)), 1)),
      ...times((sends_per_day * share - inAttacked) / weight, random, () =>
        userOf(country, prefixOf(code, skipped + Math.floor(random() * slice)), weight),
      ),
    ];
  });
}

function attackOf({
  campaign,
  shape,
  target,
  overlap,
  day_ms,
  random,
}: Users & { campaign: Campaign; target: string }): DayEvent[] {
  const { sends, hours, prefixes, order, clients, verified_percent, known, accounts } = campaign;
  const numbers = Math.min(sends, campaign.numbers ?? sends);
  const begin = day_ms + busiestHour(shape.hours, hours) * HOUR;
  const isKnownTarget = known && (shape.countries.find(({ code }) => code === target)?.known ?? 0) > 0;
  return Array.from({ length: sends }, (_, n) => {
    const number = n % numbers;
    const nth = order === 'walk' ? Math.floor((number * prefixes) / numbers) : number % prefixes;
    const inOrder = order === 'walk' ? number : Math.floor(number / prefixes);
    return {
      at: begin + (n / sends) * hours * HOUR,
      isAttack: true,
      send: {
        account_id: n % accounts === 0 ? OWN : `other ${n % accounts}`,
        country: target,
        prefix: nth < overlap ? prefixOf(target, nth) : foreignPrefix(target, nth),
        line: line(inOrder),
        client: random() < shape.with_client ? addressOf('attacker', clients === 0 ? n : n % clients) : null,
        is_known: isKnownTarget,
        verified_after_ms: random() * 100 < verified_percent ? 0 : undefined,
      },
    };
  });
}

/** The begin of the hours in which the account has most users. */
export function busiestHour(shares: readonly number[], hours: number): number {
  const sums = shares
    .slice(0, DAY / HOUR - hours + 1)
    .map((_, from) => shares.slice(from, from + hours).reduce((sum, share) => sum + share, 0));
  return sums.indexOf(Math.max(...sums));
}

function hourOf(shares: readonly number[], at: number): number {
  let left = at;
  return Math.max(
    0,
    shares.findIndex((share) => {
      left -= share;
      return left < 0;
    }),
  );
}

/** As many as expected; of a fraction, one with this probability. */
function times<T>(expected: number, random: () => number, make: () => T): T[] {
  return Array.from({ length: Math.floor(expected) + (random() < expected % 1 ? 1 : 0) }, make);
}

function poisson(expected: number, random: () => number): number {
  const least = Math.exp(-Math.min(expected, 500));
  let count = 0;
  for (let product = random(); product > least; product *= random()) count += 1;
  return count;
}

/** FNV-1a */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
