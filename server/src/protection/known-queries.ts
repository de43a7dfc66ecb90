import { KNOWN_DAYS } from '@sixdigit/contract/protection/known.ts';
import { deleteRowsOf } from '../platform/db/erasure.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

/** The table of known recipients. `lock_sends` reads it, and `write_verifies` adds to it. */

const TODAY = `(clock_now() at time zone 'UTC')::date`;

/** The accounts in the table, each by one look-up in its index. */
const OWNERS = `with recursive owners as (
  (select account_id from known_recipients order by account_id limit 1)
  union all
  select (select k.account_id from known_recipients k where k.account_id > o.account_id order by k.account_id limit 1)
  from owners o where o.account_id is not null)`;

export interface NewlyKnown {
  hash: Buffer;
  /** the day in UTC */
  known_on: string;
}

/** In the order of hashes, like every statement that writes several rows. */
export const insertKnown = (tx: Tx, account_id: string, rows: readonly NewlyKnown[]): Promise<number> =>
  tx.run(
    `insert into known_recipients as k (account_id, hash, known_on, is_imported)
     select $1, n.hash, n.known_on, true from unnest($2::bytea[], $3::date[]) as n (hash, known_on) order by n.hash
     on conflict (account_id, hash) do update set is_imported = true, known_on = greatest(k.known_on, excluded.known_on)
     where not k.is_imported or k.known_on < excluded.known_on`,
    [account_id, rows.map(({ hash }) => hash), rows.map(({ known_on }) => known_on)],
  );

/** Whether the account has at least this many. */
export const hasKnown = async (sql: Queryable, account_id: string, least: number): Promise<boolean> =>
  (await sql.maybe('select 1 from known_recipients where account_id = $1 offset $2 limit 1', [
    account_id,
    least - 1,
  ])) !== undefined;

/** Whether the account has imported at least this many. */
export const hasImported = async (sql: Queryable, account_id: string, least: number): Promise<boolean> =>
  (await sql.maybe('select 1 from known_recipients where account_id = $1 and is_imported offset $2 limit 1', [
    account_id,
    least - 1,
  ])) !== undefined;

export const countKnownByDay = (
  sql: Queryable,
  account_id: string,
): Promise<{ day: string; count: number }[]> =>
  sql.rows(
    `select to_char(known_on, 'YYYY-MM-DD') as day, count(*)::integer as count from known_recipients
     where account_id = $1 group by known_on order by known_on desc`,
    [account_id],
  );

export const deleteKnown = (tx: Tx, account_id: string, hashes: readonly Buffer[]): Promise<number> =>
  tx.run('delete from known_recipients where account_id = $1 and hash = any ($2::bytea[])', [
    account_id,
    hashes,
  ]);

/** Deletes up to `most` of an account. Returns their number. */
export const deleteKnownOf = (sql: Queryable, part: { account_id: string; most: number }): Promise<number> =>
  deleteRowsOf(sql, { table: 'known_recipients', key: 'hash' }, part);

/** Forgets a recipient in all accounts. Call it after its sends are erased, so that no verify adds it again. */
export const eraseKnown = (sql: Sql, hashes: readonly Buffer[]): Promise<number> =>
  sql.run(
    `${OWNERS} delete from known_recipients k using owners o where k.account_id = o.account_id and k.hash = any ($1::bytea[])`,
    [hashes],
  );

/** Deletes up to `most` that an account no longer knows. */
export const deleteOldKnown = (tx: Tx, most: number): Promise<number> =>
  tx.run(
    `${OWNERS}
     delete from known_recipients where ctid = any (array(
       select old.ctid from owners o
       left join protection_settings s on s.account_id = o.account_id
       cross join lateral (select coalesce(s.known_days, ${KNOWN_DAYS.byDefault}) as kept) d
       cross join lateral (
         select k.ctid from known_recipients k where k.account_id = o.account_id
           and k.known_on < case d.kept when 0 then 'infinity' else ${TODAY} - d.kept end limit $1 for update skip locked) old
       limit $1))`,
    [most],
  );
