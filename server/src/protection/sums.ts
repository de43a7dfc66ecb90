import type { RetentionRules } from '../platform/db/retention.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';

/** Adds up to `most` seconds of deltas to the sums. Returns their number; 0 if another process is doing so. */
export const sumDeltas = async (sql: Sql, most: number): Promise<number> =>
  (await sql.one<{ n: number }>('select sum_protection_deltas($1) as n', [most])).n;

const BATCH_SIZE = 5_000;

/** The rules look back an hour by minute, a day by hour and 14 days by day. */
export const protectionRetention: RetentionRules = {
  rows: [
    { table: 'protection_deltas', run: deleteDeltas, batch: BATCH_SIZE },
    { table: 'protection_counts', run: deleteCounts, batch: BATCH_SIZE },
    { table: 'protection_blocks', run: deleteBlocks },
    { table: 'blocked_prefixes', run: deleteEndedBlocks },
    { table: 'protection_mails', run: deleteMails },
  ],
};

function deleteDeltas(tx: Tx): Promise<number> {
  return tx.run(
    `delete from protection_deltas where ctid = any (array(
       select ctid from protection_deltas where is_summed and at < clock_now() - interval '75 minutes' limit $1))`,
    [BATCH_SIZE],
  );
}

function deleteCounts(tx: Tx): Promise<number> {
  return tx.run(
    `delete from protection_counts where ctid = any (array(
       select ctid from protection_counts
       where unit = 'hour' and bucket < floor(extract(epoch from clock_now()) / 3600)::integer - 25
         or unit = 'day' and bucket < floor(extract(epoch from clock_now()) / 86400)::integer - 16
       limit $1))`,
    [BATCH_SIZE],
  );
}

function deleteBlocks(tx: Tx): Promise<number> {
  return tx.run(
    `delete from protection_blocks where hour < floor(extract(epoch from clock_now()) / 3600)::integer - 48`,
  );
}

function deleteEndedBlocks(tx: Tx): Promise<number> {
  return tx.run(
    `delete from blocked_prefixes where blocked_until < clock_now() - interval '1 hour'
       and changed_at < clock_now() - interval '1 hour'`,
  );
}

function deleteMails(tx: Tx): Promise<number> {
  return tx.run(`delete from protection_mails where day < (clock_now() at time zone 'UTC')::date - 2`);
}
