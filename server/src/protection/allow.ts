import type { ListEntry } from '#contract/protection.ts';
import { endBlocks } from './exchange-queries.ts';
import { addAllowed, type SettingsApp, use } from './settings.ts';

/** Adds an entry to the allow list and ends the blocks that it covers. */
export async function allow(app: SettingsApp, account_id: string, entry: ListEntry): Promise<void> {
  const row = await app.db.transaction(async (tx) => {
    const saved = await addAllowed(tx, account_id, entry);
    await endBlocks(tx, account_id, entry);
    return saved;
  });
  use(app, row);
}
