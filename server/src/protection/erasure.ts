import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import type { Db } from '../platform/db/sql.ts';
import { lockSettings, saveSettings, selectAccountsWithLists } from './queries.ts';

/**
 * Removes an erased recipient from the lists of all accounts and of the operator, and redacts it in notes. Running processes
 * apply this within two seconds. Returns the number of changed entries.
 */
export async function eraseRecipientFromLists(
  db: Db,
  { recipient, redact }: { recipient: string; redact: (text: string) => string },
): Promise<number> {
  const isOf = ({ kind, value }: ListEntry): boolean =>
    (kind === 'number' || kind === 'prefix') && value === recipient;
  const erased = (entries: readonly ListEntry[]): ListEntry[] =>
    entries
      .filter((entry) => !isOf(entry))
      .map((entry) => (entry.note === null ? entry : { ...entry, note: redact(entry.note) }));
  const changes = (entries: readonly ListEntry[]): number =>
    entries.filter((entry) => isOf(entry) || (entry.note !== null && redact(entry.note) !== entry.note))
      .length;

  let changed = 0;
  for (const account_id of await selectAccountsWithLists(db))
    changed += await db.transaction(async (tx) => {
      const row = await lockSettings(tx, account_id);
      const found = changes(row.allow) + changes(row.deny);
      if (found > 0) await saveSettings(tx, { ...row, allow: erased(row.allow), deny: erased(row.deny) });
      return found;
    });
  return changed;
}
