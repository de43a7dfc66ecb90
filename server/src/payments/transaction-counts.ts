import { EVER } from '../platform/db/page.ts';
import type { Db, Queryable, Tx } from '../platform/db/sql.ts';
import { MATCHING, ORDERS, TYPE } from './transaction-rows.ts';

/**
 * Counts the payment history of an account exactly, without reading its whole ledger. Entries are never changed or removed, so a job
 * counts those up to an id once, by type and description. Later ones are counted row by row. The history of an account is counted by
 * the job after a screen has shown it with many entries.
 */
const MANY = 10_000;
/** So few new entries are not worth a write. */
const FEWEST = 1_000;
const STEP = 50_000;
/** Entries are written within moments of their id. */
const SETTLED = `uuid_floor(clock_now() - interval '2 hours')`;

export async function countTransactions(
  sql: Queryable,
  account_id: string,
  text: string | null,
): Promise<number> {
  const { n, uncounted } = await sql.one<{ n: number; uncounted: number }>(COUNT, [account_id, text]);
  if (uncounted >= MANY)
    await sql.run(
      `insert into transaction_counts (account_id, up_to_id, counts) values ($1, '${EVER}', '[]') on conflict do nothing`,
      [account_id],
    );
  return n;
}

const COUNTED = `select t.* from transaction_counts c cross join jsonb_to_recordset(c.counts)
  as t (transaction_type text, description text, n bigint) where c.account_id = $1`;

/** One statement, so that the job counts no entry twice meanwhile. */
const COUNT = `
  with entries as (
    select ${TYPE} as transaction_type, l.description from ledger l where l.account_id = $1
      and l.id > coalesce((select up_to_id from transaction_counts where account_id = $1), '${EVER}')
  ), uncounted as (
    select count(*) as n, count(*) filter (where ${MATCHING}) as matching from entries t
  )
  select u.n as uncounted, u.matching + (select coalesce(sum(t.n), 0) from (${COUNTED}) t where ${MATCHING})
    + (select count(*) from (${ORDERS}) t where ${MATCHING}) as n
  from uncounted u`;

/** Counts the next entries of an account that has many. Returns true if there may be more. */
export const countNextTransactions = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    const due = await tx.maybe<{ account_id: string; up_to_id: string }>(
      `select c.account_id, c.up_to_id from transaction_counts c
       where exists (
         select from ledger l where l.account_id = c.account_id and l.id > c.up_to_id and l.id <= (select ${SETTLED})
         order by l.id offset ${FEWEST - 1} limit 1)
       limit 1 for update skip locked`,
    );
    if (due) await countMore(tx, due);
    return due !== undefined;
  });

const countMore = (tx: Tx, { account_id, up_to_id }: { account_id: string; up_to_id: string }) =>
  tx.run(
    `with entries as materialized (
       select l.id, ${TYPE} as transaction_type, l.description from ledger l
       where l.account_id = $1 and l.id > $2 and l.id <= (select ${SETTLED}) order by l.id limit ${STEP}
     ), sums as (
       select transaction_type, description, sum(n)::bigint as n
       from (${COUNTED} union all select transaction_type, description, 1 from entries) t group by 1, 2
     )
     update transaction_counts set up_to_id = (select id from entries order by id desc limit 1),
       counts = (select jsonb_agg(sums) from sums)
     where account_id = $1`,
    [account_id, up_to_id],
  );
