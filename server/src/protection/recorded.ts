import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import { RULES } from '@sixdigit/contract/protection/protection.ts';
import type { SettingsRow } from './queries.ts';

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
  return Object.keys(is).length === 0 ? undefined : { before: was, after: is };
}

type Named = Pick<ListEntry, 'kind' | 'value' | 'expires_at'>;

/** An entry that lasts longer than before is another one. */
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
