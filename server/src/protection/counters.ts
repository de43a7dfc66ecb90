import { LEARNING } from '@sixdigit/contract/protection/protection.ts';
import type { Destination } from './destination.ts';
import { generations } from './generations.ts';
import type { Known } from './known.ts';
import { DEPLOYMENT } from './queries.ts';
import {
  addCounts,
  type Counts,
  inDays,
  newSeries,
  noteAccount,
  noteCountry,
  noteRecipient,
  pastDays,
  type Series,
  type Usual,
} from './series.ts';

/** The dimensions by which sends are counted. */
export type Kind = 'prefix' | 'country' | 'client' | 'account';

/** One entry of a process's counts for the other processes: the sends of a combination in one minute. */
export interface Delta {
  account_id: string;
  prefix: string;
  country: string;
  client: string | null;
  minute: number;
  /** whether the account verifies its codes, so that its sends count as tried over all accounts */
  is_counted: boolean;
  /** the sender made the code, so the sends count for velocity only */
  has_own_code: boolean;
  /** the recipient was known, so the sends do not count for its prefix and country */
  known: Known | null;
  sent: number;
  over: number;
  verified: number;
  recipients: string[];
}

/** The end of a send. A void send was never dispatched. A late success was counted as ended before. */
export type CountedEvent = 'sent' | 'verified' | 'verified_late' | 'unverified' | 'void';

const CHANGES: Record<CountedEvent, Pick<Counts, 'sent' | 'over' | 'verified'>> = {
  sent: { sent: 1, over: 0, verified: 0 },
  verified: { sent: 0, over: 1, verified: 1 },
  verified_late: { sent: 0, over: 0, verified: 1 },
  unverified: { sent: 0, over: 1, verified: 0 },
  void: { sent: -1, over: 0, verified: 0 },
};

/** The subjects of a count. */
export interface Traffic extends Pick<Destination, 'prefix' | 'country' | 'client'> {
  account_id: string;
  /** identifies the recipient within its prefix or client; needed for sends only */
  recipient?: string;
  has_own_code?: boolean;
  known?: Known | null | undefined;
}

/** Whether the sends of known recipients count for their prefix and country, also among the countries of a client. What the account imported, only the account believes. */
export const isPlaceCounted = (known: Known | null, scope: string): boolean =>
  known === null || (known === 'imported' && scope === DEPLOYMENT);

const DAYS_OF_HISTORY = 14;
/** A day or a history with fewer finished sends is ignored. */
const DAY_LEAST = 20;
/** For countries and accounts: far more than one process serves in two weeks. */
const FEW_MOST = 100_000;
/** A value that is unused for one to two of these periods is dropped. */
const DAY_MINUTES = 1_500;
const MINUTE_MS = 60_000;

export const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS);

export interface Counters {
  /** Counts an event here, and for the other processes. `times` -1 takes it back. */
  record(traffic: Traffic, event: CountedEvent, nowMs: number, times?: 1 | -1): void;
  /** Counts what another process has counted. */
  apply(delta: Delta, nowMinute: number): void;
  find(scope: string, kind: Kind, key: string): Series | undefined;
  /** The series, for sums that were read from the database. */
  at(scope: string, kind: Kind, key: string): Series;
  /** Finished and verified sends of an account in the last seven days. */
  finished(account_id: string, nowMinute: number): { over: number; verified: number };
  /** Whether the account has too few verified sends for the conversion rules. */
  isLearning(account_id: string, nowMinute: number): boolean;
  usual(scope: string, country: string, nowMinute: number): Usual;
  /** The counts of this process since the last call. */
  takeDeltas(): Delta[];
  /** Drops the counts of other processes and those that `takeDeltas` has returned. */
  restart(nowMinute: number): void;
  readonly size: number;
}

/** Counters in memory. `most` limits the prefixes and clients. A replay keeps no counts for other processes. */
export function createCounters({
  most = 150_000,
  isReplay = false,
}: {
  most?: number;
  isReplay?: boolean;
} = {}): Counters {
  // Prefixes and clients are many and matter for a day, countries and accounts few and matter for two weeks.
  const many = generations<Series>(most);
  const few = generations<Series>(FEW_MOST);
  let deltas = new Map<string, Delta>();

  const isFew = (kind: Kind): boolean => kind === 'country' || kind === 'account';
  // A joined string takes less memory as a key of a map than a template, which keeps its parts.
  const keyOf = (scope: string, kind: Kind, key: string): string => [scope, kind, key].join(' ');

  // The rules read the same few series repeatedly, and building and hashing a key costs more than the rule.
  const ofAccounts = latestSeries();
  const ofDeployment = latestSeries();
  const latestOf = (scope: string) => (scope === DEPLOYMENT ? ofDeployment : ofAccounts);

  const found = (scope: string, kind: Kind, key: string, orNew: boolean): Series | undefined => {
    const map = isFew(kind) ? few : many;
    const latest = latestOf(scope)[kind];
    if (latest.key === key && latest.scope === scope && latest.turns === map.turns) return latest.series;
    const fullKey = keyOf(scope, kind, key);
    let series = map.find(fullKey);
    if (!series) {
      if (!orNew) return undefined;
      series = newSeries(isFew(kind));
      map.set(fullKey, series);
    }
    latest.scope = scope;
    latest.key = key;
    latest.turns = map.turns;
    latest.series = series;
    return series;
  };
  const find = (scope: string, kind: Kind, key: string) => found(scope, kind, key, false);
  const at = (scope: string, kind: Kind, key: string) => found(scope, kind, key, true) as Series;

  const addTo = (scope: string, delta: Delta, counts: Counts, nowMinute: number): void => {
    const { minute, prefix, country, client, has_own_code, recipients } = delta;
    const isPlace = isPlaceCounted(delta.known, scope);
    const places = isPlace ? [at(scope, 'prefix', prefix), at(scope, 'country', country)] : [];
    for (const series of places) addCounts(series, minute, counts, nowMinute);
    const [ofPrefix] = places;
    // Only the rules that learn from verified codes read the recipients of a prefix.
    if (ofPrefix && !has_own_code)
      for (const recipient of recipients) noteRecipient(ofPrefix, recipient, { minute, of: 'prefix' });
    addCounts(at(scope, 'account', ''), minute, counts, nowMinute);
    const ofClient = client === null ? undefined : at(scope, 'client', client);
    if (scope === DEPLOYMENT)
      for (const series of [...places, ofClient]) if (series) noteAccount(series, delta.account_id, minute);
    if (!ofClient) return;
    addCounts(ofClient, minute, counts, nowMinute);
    for (const recipient of recipients) noteRecipient(ofClient, recipient, { minute, of: 'client' });
    if (isPlace && (scope === DEPLOYMENT ? delta.is_counted : !has_own_code))
      noteCountry(ofClient, country, minute, counts);
  };

  const apply = (delta: Delta, nowMinute: number): void => {
    many.expire(nowMinute, DAY_MINUTES);
    few.expire(nowMinute, DAYS_OF_HISTORY * DAY_MINUTES);
    const { sent, over, verified, is_counted, has_own_code } = delta;
    addTo(delta.account_id, delta, { sent, tried: has_own_code ? 0 : sent, over, verified }, nowMinute);
    const counted = is_counted
      ? { sent, tried: sent, over, verified }
      : { sent, tried: 0, over: 0, verified: 0 };
    addTo(DEPLOYMENT, delta, counted, nowMinute);
  };

  const finished = (account_id: string, nowMinute: number) => {
    const series = find(account_id, 'account', '');
    return {
      over: inDays(series, 'over', LEARNING.days, nowMinute),
      verified: inDays(series, 'verified', LEARNING.days, nowMinute),
    };
  };
  const isLearning = (account_id: string, nowMinute: number): boolean => {
    const { over, verified } = finished(account_id, nowMinute);
    return over < LEARNING.finished || verified * 100 < LEARNING.verified_percent * over;
  };

  const noteDelta = (delta: Delta): void => {
    const { account_id, prefix, client, minute, is_counted, has_own_code } = delta;
    const key = `${account_id} ${prefix} ${client} ${minute} ${is_counted} ${has_own_code} ${delta.known}`;
    const known = deltas.get(key);
    if (!known) deltas.set(key, delta);
    else {
      known.sent += delta.sent;
      known.over += delta.over;
      known.verified += delta.verified;
      known.recipients.push(...delta.recipients);
    }
  };

  return {
    at,
    find,
    apply,
    finished,
    isLearning,
    get size() {
      return many.size + few.size;
    },
    restart(nowMinute) {
      many.clear();
      few.clear();
      for (const delta of deltas.values()) apply(delta, nowMinute);
    },
    record(traffic, event, nowMs, times = 1) {
      const { account_id, prefix, country, client, recipient, has_own_code = false, known = null } = traffic;
      const { sent, over, verified } = CHANGES[event];
      const minute = minuteOf(nowMs);
      const delta: Delta = {
        account_id,
        prefix,
        country,
        client,
        minute,
        is_counted: !has_own_code && !isLearning(account_id, minute),
        has_own_code,
        known,
        sent: sent * times,
        over: over * times,
        verified: verified * times,
        recipients: recipient === undefined || times < 0 ? [] : [recipient],
      };
      apply(delta, minute);
      if (!isReplay) noteDelta(delta);
    },
    usual(scope, country, nowMinute) {
      const series = find(scope, 'country', country);
      if (series?.usual?.minute === nowMinute) return series.usual;
      const days = pastDays(series, nowMinute, DAYS_OF_HISTORY);
      const account = find(scope, 'account', '');
      const usual = {
        minute: nowMinute,
        conversion:
          medianConversion(days) ??
          medianConversion(pastDays(account, nowMinute, DAYS_OF_HISTORY)) ??
          conversionOf({
            over: inDays(account, 'over', LEARNING.days, nowMinute),
            verified: inDays(account, 'verified', LEARNING.days, nowMinute),
          }),
        best_day: Math.max(0, ...days.map(({ verified }) => verified)),
      };
      if (series) series.usual = usual;
      return usual;
    },
    takeDeltas() {
      const taken = [...deltas.values()];
      deltas = new Map();
      return taken.filter(
        ({ sent, over, verified, recipients }) =>
          sent !== 0 || over !== 0 || verified !== 0 || recipients.length > 0,
      );
    },
  };
}

/** The most recently found series of each kind. */
const latestSeries = (): Record<Kind, LatestSeries> => ({
  prefix: nothingYet(),
  country: nothingYet(),
  client: nothingYet(),
  account: nothingYet(),
});

interface LatestSeries {
  scope: string;
  key: string | undefined;
  turns: number;
  series: Series | undefined;
}

const nothingYet = (): LatestSeries => ({ scope: '', key: undefined, turns: -1, series: undefined });

const conversionOf = ({ over, verified }: Pick<Counts, 'over' | 'verified'>): number | undefined =>
  over < LEARNING.finished ? undefined : verified / over;

/** The median over days, so that a day under attack changes little. */
function medianConversion(days: readonly Counts[]): number | undefined {
  const shares = days
    .filter(({ over }) => over >= DAY_LEAST)
    .map(({ over, verified }) => verified / over)
    .sort((a, b) => a - b);
  return shares[shares.length >> 1];
}
