import type { ApiKey } from '#contract/api-keys.ts';
import { orderBy, type Page } from '../platform/db/page.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

interface NewKeyRow {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  hash: Buffer;
}

export const insertKey = (sql: Queryable, key: NewKeyRow): Promise<ApiKey> =>
  sql.one<ApiKey>(
    `insert into api_keys (id, account_id, name, prefix, hash, created_at)
     values ($1, $2, $3, $4, $5, clock_now())
     returning id, name, prefix, created_at, last_used_at`,
    [key.id, key.account_id, key.name, key.prefix, key.hash],
  );

const MATCHING = `account_id = $1 and deleted_at is null and ($2::text is null or name ilike $2)`;
const ORDER = { created_at: 'id', name: 'lower(name)', last_used_at: 'last_used_at' };

export const selectKeys = (
  sql: Sql,
  account_id: string,
  { name, ordering, limit, offset }: Page & { name: string | null; ordering: string },
): Promise<ApiKey[]> =>
  sql.rows<ApiKey>(
    `select id, name, prefix, created_at, last_used_at from api_keys
     where ${MATCHING} order by ${orderBy(ordering, ORDER, 'id')} limit $3 offset $4`,
    [account_id, name, limit, offset],
  );

export const countKeys = async (sql: Sql, account_id: string, name: string | null): Promise<number> =>
  (await sql.one<{ n: number }>(`select count(*) as n from api_keys where ${MATCHING}`, [account_id, name]))
    .n;

/** Includes deleted keys. */
export const selectKeysNamed = async (
  sql: Sql,
  account_id: string,
  { pattern, most }: { pattern: string; most: number },
): Promise<string[]> =>
  (
    await sql.rows<{ id: string }>(
      'select id from api_keys where account_id = $1 and name ilike $2 limit $3',
      [account_id, pattern, most],
    )
  ).map(({ id }) => id);

/** Serialises key creation within an account. */
export const lockKeysOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('select 1 from accounts where id = $1 for no key update', [account_id]);

/** Live keys, and keys made in the last 24 hours. Call it under `lockKeysOf`. */
export const countForLimits = (tx: Tx, account_id: string): Promise<{ live: number; today: number }> =>
  tx.one(
    `select count(*) filter (where deleted_at is null) as live,
       count(*) filter (where id >= uuid_floor(clock_now() - interval '24 hours')) as today
     from api_keys where account_id = $1`,
    [account_id],
  );

/** The row stays, because the history shows the key's name. */
export const markKeyDeleted = (sql: Sql, account_id: string, id: string): Promise<number> =>
  sql.run(
    `update api_keys set deleted_at = clock_now() where account_id = $1 and id = $2 and deleted_at is null`,
    [account_id, id],
  );

export const markKeysOfAccountDeleted = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `update api_keys set deleted_at = coalesce(deleted_at, clock_now()), name = '' where account_id = $1`,
    [account_id],
  );

/** Skips keys touched within the minute before `at`, and rows that another process has locked. */
export const updateLastUsed = (sql: Sql, ids: readonly string[], at: Date): Promise<number> =>
  sql.run(
    `update api_keys set last_used_at = $2 where id in (
       select id from api_keys
       where id = any ($1::uuid[]) and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
       for no key update skip locked)`,
    [ids, at],
  );
