import type { ListEntry } from '#contract/protection.ts';
import { endBlocks } from './exchange-queries.ts';
import { lockedChange, type SettingsApp, use, withEntry } from './settings.ts';

/** Adds an entry to the allow list and ends the blocks that it covers. */
export async function allow(app: SettingsApp, account_id: string, entry: ListEntry): Promise<void> {
  const row = await app.db.transaction(async (tx) => {
    const { after } = await lockedChange(tx, account_id, withEntry('allow', entry));
    await endBlocks(tx, account_id, entry);
    return after;
  });
  use(app, row);
}
