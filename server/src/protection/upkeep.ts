import { DECISION_DAYS } from '@sixdigit/contract/protection/decisions.ts';
import type { ListEntry } from '@sixdigit/contract/protection/protection.ts';
import type { RetentionRules } from '../platform/db/retention.ts';
import type { Db } from '../platform/db/sql.ts';
import { deleteOldKnown } from './known-queries.ts';
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

const BATCH_SIZE = 2_000;

const hoursAgo = (hours: number): string =>
  `floor(extract(epoch from clock_now()) / 3600)::integer - ${hours}`;
const daysAgo = (days: number): string => `floor(extract(epoch from clock_now()) / 86400)::integer - ${days}`;

/** The rules look back an hour by minute, a day by hour and 14 days by day. */
export const protectionRetention: RetentionRules = {
  rows: [
    { table: 'protection_deltas', where: `is_summed and at < clock_now() - interval '75 minutes'` },
    {
      table: 'protection_counts',
      where: `unit = 'hour' and bucket < ${hoursAgo(25)} or unit = 'day' and bucket < ${daysAgo(16)}`,
    },
    { table: 'protection_blocks', where: `hour < ${hoursAgo(48)}` },
    {
      table: 'blocked_prefixes',
      where: `blocked_until < clock_now() - interval '1 hour' and changed_at < clock_now() - interval '1 hour'`,
    },
    { table: 'protection_decisions', where: `at < clock_now() - interval '${DECISION_DAYS} days'` },
    { table: 'known_recipients', run: (tx) => deleteOldKnown(tx, BATCH_SIZE), batch: BATCH_SIZE },
    { table: 'protection_mails', where: `day < (clock_now() at time zone 'UTC')::date - 2` },
  ],
};
