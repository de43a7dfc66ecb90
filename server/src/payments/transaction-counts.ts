import type { Queryable } from '../platform/db/sql.ts';
import { MATCHING, ORDERS, TYPE } from './transaction-rows.ts';

/**
 * Counts the payment history of an account exactly, without reading its whole ledger. Entries are never changed or removed, so those
 * up to an id are counted once, by type and description. Later ones are counted row by row.
 */
const STEP = 200_000;
/** So few new entries are not worth a write. */
const FEWEST = 1_000;
/** Entries are written within moments of their id. */
const SETTLED = `interval '2 hours'`;
const EVER = '00000000-0000-0000-0000-000000000000';

export async function countTransactions(
  sql: Queryable,
  account_id: string,
  text: string | null,
): Promise<number> {
  while ((await countMore(sql, account_id)) === STEP);
  const { n } = await sql.one<{ n: number }>(COUNT, [account_id, text]);
  return n;
}

/** What is counted up to an id depends on the id alone, so of concurrent requests the one that counted the most wins. */
const countMore = async (sql: Queryable, account_id: string): Promise<number> =>
  (await sql.one<{ n: number }>(COUNT_MORE, [account_id])).n;

const KNOWN = `known as materialized (select up_to_id, counts from transaction_counts where account_id = $1)`;
const COUNTED = `select t.* from known cross join jsonb_to_recordset(known.counts)
  as t (transaction_type text, description text, n bigint)`;
const UNCOUNTED = `from ledger l where l.account_id = $1 and l.id > coalesce((select up_to_id from known), '${EVER}')`;

const COUNT_MORE = `
  with ${KNOWN}, entries as materialized (
    select l.id, ${TYPE} as transaction_type, l.description ${UNCOUNTED}
      and l.id <= (select uuid_floor(clock_now() - ${SETTLED})) order by l.id limit ${STEP}
  ), counts as (
    select transaction_type, description, sum(n)::bigint as n
    from (${COUNTED} union all select transaction_type, description, 1 from entries) t group by 1, 2
  ), saved as (
    insert into transaction_counts as c (account_id, up_to_id, counts)
    select $1, (select id from entries order by id desc limit 1), (select jsonb_agg(counts) from counts)
    where (select count(*) from entries) >= ${FEWEST}
    on conflict (account_id) do update set up_to_id = excluded.up_to_id, counts = excluded.counts
      where c.up_to_id < excluded.up_to_id
  )
  select count(*) as n from entries`;

const COUNT = `
  with ${KNOWN}, entries as (
    select ${TYPE} as transaction_type, l.description ${UNCOUNTED}
  )
  select (select coalesce(sum(t.n), 0) from (${COUNTED}) t where ${MATCHING})
    + (select count(*) from entries t where ${MATCHING}) + (select count(*) from (${ORDERS}) t where ${MATCHING}) as n`;
