import { KNOWN_DAYS } from '@sixdigit/contract/protection/known.ts';
import { type ListEntry, LOOKUP_DEFAULTS, RULES } from '@sixdigit/contract/protection/protection.ts';
import { type Counters, isPlaceCounted } from './counters.ts';
import { type CountsRow, deltaOf, type History } from './exchange-queries.ts';
import { DEPLOYMENT, type SettingsRow } from './queries.ts';
import {
  addDay,
  addHour,
  MINUTES_A_DAY,
  noteAccount,
  noteCountry,
  noteRecipient,
  splitHour,
} from './series.ts';

const HOUR = 60;

/** Rebuilds counters from sums, and then from the deltas of the last hour, some of which the sums contain. */
export const restore = (counters: Counters, nowMinute: number): History => ({
  counts(rows) {
    for (const row of rows) addSum(counters, row);
  },
  deltas(rows) {
    for (const row of rows)
      for (const stored of row.deltas) {
        const delta = deltaOf(stored);
        if (!row.is_summed) counters.apply(delta, nowMinute);
        else if (delta.minute >= nowMinute - HOUR) detail(counters, delta);
      }
  },
});

function addSum(counters: Counters, row: CountsRow): void {
  if (row.kind === 'client_country') {
    const [client = '', country = ''] = row.key.split(' ');
    noteCountry(counters.at(row.account_id, 'client', client), country, row.bucket * HOUR, row);
    return;
  }
  const series = counters.at(row.account_id, row.kind, row.key);
  const [bucketMinutes, add] =
    row.unit === 'hour' ? ([HOUR, addHour] as const) : ([MINUTES_A_DAY, addDay] as const);
  add(series, row.bucket, row);
  if (row.account_id !== DEPLOYMENT && row.kind !== 'account')
    noteAccount(counters.at(DEPLOYMENT, row.kind, row.key), row.account_id, row.bucket * bucketMinutes);
}

/** Moves a delta's counts from the hour that contains them to their minute. */
function detail(counters: Counters, delta: ReturnType<typeof deltaOf>): void {
  const { account_id, prefix, country, client, minute, is_counted, has_own_code, recipients } = delta;
  const all = {
    sent: delta.sent,
    tried: has_own_code ? 0 : delta.sent,
    over: delta.over,
    verified: delta.verified,
  };
  const counted = is_counted ? all : { ...all, tried: 0, over: 0, verified: 0 };
  for (const [scope, some] of [
    [account_id, all],
    [DEPLOYMENT, counted],
  ] as const) {
    const isPlace = isPlaceCounted(delta.known, scope);
    if (isPlace) {
      const ofPrefix = counters.at(scope, 'prefix', prefix);
      splitHour(ofPrefix, minute, some);
      if (!has_own_code)
        for (const recipient of recipients) noteRecipient(ofPrefix, recipient, { minute, of: 'prefix' });
      splitHour(counters.at(scope, 'country', country), minute, some);
    }
    splitHour(counters.at(scope, 'account', ''), minute, some);
    if (client === null) continue;
    const ofClient = counters.at(scope, 'client', client);
    splitHour(ofClient, minute, some);
    for (const recipient of recipients) noteRecipient(ofClient, recipient, { minute, of: 'client' });
    if (isPlace && (scope === DEPLOYMENT ? is_counted : !has_own_code))
      noteCountry(ofClient, country, minute, some);
  }
}

const ENTRIES_MOST = 50;
const LONGEST_PREFIX = 8;

/**
 * A change of rules and lists as the audit log records it: the rules that differ, and the entries that were removed and added.
 * Numbers are masked, because erasing a recipient does not change the audit log. Undefined if nothing differs.
 */
export function recordedChange(before: SettingsRow, after: SettingsRow) {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  for (const rule of RULES) {
    const [old, now] = [before.rules[rule] ?? null, after.rules[rule] ?? null];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    was[rule] = old;
    is[rule] = now;
  }
  for (const list of ['allow', 'deny'] as const) {
    const removed = missingFrom(after[list], before[list]);
    const added = missingFrom(before[list], after[list]);
    if (removed.length === 0 && added.length === 0) continue;
    was[list] = removed;
    is[list] = added;
  }
  const [oldDays, newDays] = [before, after].map(({ known_days }) => known_days ?? KNOWN_DAYS.byDefault);
  if (oldDays !== newDays) {
    was.known_days = oldDays;
    is.known_days = newDays;
  }
  const [oldProof, newProof] = [before, after].map(({ require_proof }) => require_proof ?? 'never');
  if (oldProof !== newProof) {
    was.require_proof = oldProof;
    is.require_proof = newProof;
  }
  const [oldLookups, newLookups] = [before, after].map(({ lookups }) => ({ ...LOOKUP_DEFAULTS, ...lookups }));
  if (JSON.stringify(oldLookups) !== JSON.stringify(newLookups)) {
    was.lookups = oldLookups;
    is.lookups = newLookups;
  }
  return Object.keys(is).length === 0 ? undefined : { before: was, after: is };
}

type Named = Pick<ListEntry, 'kind' | 'value' | 'expires_at'>;

/** An entry with a new expiry counts as a new entry. */
const nameOf = ({ kind, value, expires_at }: Named): string =>
  `${kind} ${value}${expires_at === null ? '' : ` until ${expires_at}`}`;

function missingFrom(list: readonly ListEntry[], others: readonly ListEntry[]): string[] {
  const names = new Set(list.map(nameOf));
  const missing = others.filter((entry) => !names.has(nameOf(entry))).map(recordedEntry);
  const more = missing.length - ENTRIES_MOST;
  return more > 0 ? [...missing.slice(0, ENTRIES_MOST), `${more} more`] : missing;
}

/** `number +1415555•••71` */
export function recordedEntry({ kind, value, expires_at }: Named): string {
  const isPerson = kind === 'number' || (kind === 'prefix' && value.length > LONGEST_PREFIX + 1);
  return nameOf({ kind, value: isPerson ? `${value.slice(0, LONGEST_PREFIX)}•••` : value, expires_at });
}
