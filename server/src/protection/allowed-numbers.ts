import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import { type AuditRecord, record } from '../audit/audit.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import type { Guard } from './guard.ts';
import { findSettings } from './queries.ts';
import { recordedChange, recordedEntry } from './restore.ts';
import { entryOf, lockedChange, use, withEntry, withoutEntry } from './settings.ts';

/** Numbers on the allow list, for calls with an API key. */

type App = Needs<'db' | 'clock' | 'config' | 'random'> & { protection: { guard: Guard } };
type By = Pick<AuditRecord, 'account_id' | 'origin'>;

const isNumber =
  (number: string) =>
  ({ kind, value }: ListEntry): boolean =>
    kind === 'number' && value === number;

const isValid = ({ expires_at }: ListEntry, now: Date): boolean =>
  expires_at === null || Date.parse(expires_at) > now.getTime();

export async function isNumberAllowed(
  { db, clock }: App,
  account_id: string,
  number: string,
): Promise<boolean> {
  const row = await findSettings(db, account_id);
  const found = row?.allow.find(isNumber(number));
  return found !== undefined && isValid(found, clock.now());
}

/**
 * Puts a number on the account's allow list. Blocks of its prefix remain, because a stolen key must not end them. Returns false if
 * `most` numbers with this note are there. Throws a field error if the list is full.
 */
export async function allowNumber(
  app: App,
  by: By,
  { number, note, most }: { number: string; note: string; most: number },
): Promise<boolean> {
  const result = entryOf({ kind: 'number', value: number, note }, app.clock.now());
  if ('problem' in result) throw new FieldErrors({ PhoneNumber: [result.problem] });
  const { entry } = result;
  const row = await app.db.transaction(async (tx) => {
    let isFull = false;
    const { before, after } = await lockedChange(tx, by.account_id, (settings) => {
      const known = settings.allow.find(isNumber(entry.value));
      if (known && isValid(known, app.clock.now())) return settings;
      isFull = settings.allow.filter((one) => one.note === note).length >= most;
      return isFull ? settings : withEntry('allow', entry)(settings);
    });
    if (isFull) return undefined;
    const changes = recordedChange(before, after);
    const subject = recordedEntry(entry);
    if (changes)
      await record(tx, app, { ...by, actor: 'key', action: 'protection.allow', subject, ...changes });
    return after;
  });
  if (row) use({ ...app, guard: app.protection.guard }, row);
  return row !== undefined;
}

/** Returns false if the number is not on the list. */
export async function removeAllowedNumber(app: App, by: By, number: string): Promise<boolean> {
  const { after, isRemoved } = await app.db.transaction(async (tx) => {
    const entry = { kind: 'number', value: number } as const;
    const changed = await lockedChange(tx, by.account_id, withoutEntry('allow', entry));
    const changes = recordedChange(changed.before, changed.after);
    if (changes) await record(tx, app, { ...by, actor: 'key', action: 'protection.change', ...changes });
    return { after: changed.after, isRemoved: changes !== undefined };
  });
  use({ ...app, guard: app.protection.guard }, after);
  return isRemoved;
}
