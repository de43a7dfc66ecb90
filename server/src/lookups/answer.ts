import type { LookupRecord } from '@sixdigit/contract/operator/carrier-record.ts';
import type { LookupFacts } from '@sixdigit/contract/protection/lookups.ts';
import { at, ofKey, short } from '../messaging/carriers/carriers.ts';

/** The rest of a longer answer was not read, so it could be another document. */
const MOST_BYTES = 64 * 1024;
/** The clocks of companies differ. */
const AHEAD_MS = 3_600_000;

/** A value of another type than the record says. Then nothing else in the answer is believed either. */
class Lie extends Error {}

/** The facts in a company's response. Undefined if it is too long, not JSON, has none of the record's facts, or contains a lie. */
export function factsIn(
  { found }: Pick<LookupRecord, 'found'>,
  { text, hours, now }: { text: string; hours: number | undefined; now: Date },
): LookupFacts | undefined {
  if (Buffer.byteLength(text) > MOST_BYTES) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    const { line_type, sim_changed_at, sim_changed } = found;
    const isAny = [line_type, sim_changed_at, sim_changed].some(
      (path) => path && at(body, path) !== undefined,
    );
    if (!isAny) return undefined;
    const type = firstText(body, line_type);
    const country = firstText(body, found.country)?.toUpperCase() ?? null;
    if (country !== null && !/^[A-Z]{2}$/.test(country)) throw new Lie();
    return {
      line_type: (type === null ? undefined : ofKey(found.line_types, type)) ?? null,
      carrier: firstText(body, found.carrier),
      country,
      ported: flagIn(body, found.ported),
      temporary: flagIn(body, found.temporary),
      sim: simIn(body, found, { hours, now }),
      looked_up_at: now.toISOString(),
    };
  } catch (error) {
    if (error instanceof Lie || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The first text at the paths; null if there is none. */
function firstText(body: unknown, paths: string | readonly string[] | undefined): string | null {
  for (const path of [paths ?? []].flat()) {
    const value = at(body, path);
    if (value === undefined || value === null || value === '') continue;
    const text = typeof value === 'string' ? short(value) : undefined;
    if (text === undefined) throw new Lie();
    return text;
  }
  return null;
}

function booleanAt(body: unknown, path: string): boolean | null {
  const value = at(body, path) ?? null;
  if (value !== null && typeof value !== 'boolean') throw new Lie();
  return value;
}

function flagIn(body: unknown, flag: LookupRecord['found']['ported']): boolean | null {
  if (flag === undefined) return null;
  if (typeof flag === 'string') return booleanAt(body, flag);
  const list = at(body, flag.list) ?? null;
  if (list === null) return null;
  if (!Array.isArray(list)) throw new Lie();
  return list.includes(flag.has);
}

const UNCHANGED = { changed_at: null, changed_within_hours: null, unchanged_within_hours: null };

function simIn(
  body: unknown,
  { sim_changed_at, sim_changed, sim_hours }: LookupRecord['found'],
  { hours, now }: { hours: number | undefined; now: Date },
): LookupFacts['sim'] {
  const time = sim_changed_at === undefined ? undefined : at(body, sim_changed_at);
  const isChanged = sim_changed === undefined ? null : booleanAt(body, sim_changed);
  if (time === undefined && isChanged === null) return null;
  if (time !== undefined && time !== null) {
    const ms = typeof time === 'string' && /^\d{4}-\d\d-\d\d/.test(time) ? Date.parse(time) : Number.NaN;
    if (!(ms <= now.getTime() + AHEAD_MS)) throw new Lie();
    return { ...UNCHANGED, changed_at: new Date(ms).toISOString() };
  }
  if (isChanged === null) return UNCHANGED;
  const within = sim_hours?.startsWith('{') ? hours : hoursIn(at(body, sim_hours ?? ''));
  if (within === undefined && !isChanged) return null;
  if (within === undefined) throw new Lie();
  return isChanged
    ? { ...UNCHANGED, changed_within_hours: within }
    : { ...UNCHANGED, unchanged_within_hours: within };
}

/** A number of hours, or a duration such as PT72H30M. */
function hoursIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  const [all, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d{1,6})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.\d+)?S)?)?$/.exec(String(value)) ??
    [];
  if (all === undefined) return undefined;
  return (
    Math.round((Number(days) * 24 + Number(hours) + Number(minutes) / 60 + Number(seconds) / 3_600) * 10) / 10
  );
}
