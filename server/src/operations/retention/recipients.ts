import { formsOf, redactText } from '../../deletion/deletion.ts';
import { tryLock } from '../../platform/db/advisory-locks.ts';
import { keptDays } from '../../platform/db/kept-days.ts';
import { REMOVED, type RecipientTable, removeRecipients } from '../../platform/db/removed-recipients.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';
import { limitOf } from './limit.ts';

type App = Needs<'db' | 'config' | 'vault'>;

const EVERY_MS = 10 * 60_000;
const BATCH_SIZE = 2_000;

/**
 * After RECIPIENT_RETENTION_DAYS, replaces the recipients of verifications and request logs by keyed hashes, in small
 * transactions. It shares the lock of the retention, so that no month is dropped meanwhile.
 */
export const recipientJob = (app: App, tables: readonly RecipientTable[]): Job => ({
  name: 'recipient-retention',
  everyMs: EVERY_MS,
  run: async ({ signal }) => {
    const { recipientRetentionDays } = await keptDays(app.db, app.config);
    const before = await limitOf(app.db, recipientRetentionDays);
    let isMore = false;
    for (const table of tables) {
      if (signal.aborted) return false;
      const isUnfinished = await app.db.transaction(
        async (tx) =>
          (await tryLock(tx, 'retention')) &&
          (await removeRecipients(tx, table, {
            vault: app.vault,
            before,
            most: BATCH_SIZE,
            redact: (recipient, text) => withoutRecipient(app, recipient, text),
          })),
      );
      isMore ||= isUnfinished;
    }
    return isMore;
  },
});

function withoutRecipient(app: App, recipient: string, text: string): string {
  const forms = formsOf(app, recipient);
  return forms ? redactText(forms, text, REMOVED) : text;
}
