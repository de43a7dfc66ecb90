import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import { type AuditRecord, record } from '../audit/audit.ts';
import { endBlocks } from './exchange-queries.ts';
import { recordedChange, recordedEntry } from './recorded.ts';
import { lockedChange, type SettingsApp, use, withEntry } from './settings.ts';

/** Adds an entry to the allow list and ends the blocks that it covers. An entry that the list has already is not recorded again. */
export async function allow(
  app: SettingsApp,
  by: Pick<AuditRecord, 'account_id' | 'actor' | 'origin' | 'action'>,
  entry: ListEntry,
): Promise<void> {
  const { account_id } = by;
  const row = await app.db.transaction(async (tx) => {
    const { before, after } = await lockedChange(tx, account_id, withEntry('allow', entry));
    await endBlocks(tx, account_id, entry);
    const changes = recordedChange(before, after);
    if (changes) await record(tx, app, { ...by, subject: recordedEntry(entry), ...changes });
    return after;
  });
  use(app, row);
}
