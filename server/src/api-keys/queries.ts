import type { ApiKey, KeyMode, KeyRules, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { plainNetwork } from '../platform/addresses/ip-network.ts';
import { orderBy, type Page } from '../platform/db/page.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';

/** The key settings that users choose. An omitted field stays unchanged; in a new key, it gets its default. */
export type KeySettings = Omit<Parsed<typeof updateApiKey, 'body'>, 'daily_credit_limit'>;

/** A connection's key has a text that nobody knows, and is changed only by its connection. */
export type KeyKind = 'key' | 'connection';

interface NewKeyRow extends KeySettings {
  id: string;
  account_id: string;
  name: string;
  mode: KeyMode;
  prefix: string;
  hash: Buffer;
  kind: KeyKind;
  /** the person who makes it; null for the demo account's key */
  created_by: string | null;
}

const TODAY = `(clock_now() at time zone 'UTC')::date`;
const SHOWN = `k.id, k.name, k.prefix, k.mode, k.scopes, k.expires_at,
  coalesce(k.allowed_networks::text[], '{}') as allowed_networks, k.require_proof, k.note, k.created_at, k.last_used_at,
  s.daily_credit_limit, case when s.spend_day = ${TODAY} then s.spent_today when s.spend_day is not null then 0 end as spent_today,
  case when k.retired_until > clock_now() then json_build_object('prefix', k.retired_prefix,
    'valid_until', iso(k.retired_until), 'last_used_at', iso(k.retired_last_used_at)) end as retired,
  case when k.created_by is not null then json_build_object('id', k.created_by, 'email', maker.email,
    'is_member', exists (select from memberships m where m.account_id = k.account_id and m.person_id = k.created_by))
    end as created_by`;
const LIMITS = `left join key_spending s on s.account_id = k.account_id and s.api_key_id = k.id
  left join people maker on maker.id = k.created_by`;

export const insertKey = (sql: Queryable, key: NewKeyRow): Promise<number> =>
  sql.run(
    `insert into api_keys (id, account_id, name, mode, prefix, hash, kind, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, clock_now())`,
    [key.id, key.account_id, key.name, key.mode, key.prefix, key.hash, key.kind, key.created_by],
  );

/** Updates the given settings of one of the account's live keys. */
export const updateSettings = (
  tx: Tx,
  { account_id, id }: KeyId,
  { name, scopes, expires_at, allowed_networks, require_proof, note }: KeySettings,
): Promise<number> =>
  tx.run(
    `update api_keys set name = coalesce($3, name), scopes = coalesce($4, scopes), note = coalesce($5, note),
       require_proof = coalesce($10, require_proof),
       expires_at = case when $6 then $7::timestamptz else expires_at end,
       allowed_networks = case when $8 then
         (select array_agg(distinct network(n::inet)) from unnest($9::text[]) n) else allowed_networks end
     where account_id = $1 and id = $2 and deleted_at is null`,
    [
      account_id,
      id,
      name ?? null,
      scopes ?? null,
      note ?? null,
      expires_at !== undefined,
      expires_at ?? null,
      allowed_networks !== undefined,
      (allowed_networks ?? []).map(plainNetwork),
      require_proof ?? null,
    ],
  );

export interface KeyId {
  account_id: string;
  id: string;
}

/** Locks one of the account's live keys until the transaction ends. Lock the balance first. */
export const lockKey = (
  tx: Tx,
  { account_id, id }: KeyId,
  kind: KeyKind = 'key',
): Promise<{ mode: KeyMode; expires_at: string | null } | undefined> =>
  tx.maybe(
    `select mode, expires_at from api_keys
     where account_id = $1 and id = $2 and kind = $3 and deleted_at is null for update`,
    [account_id, id, kind],
  );

export const findKey = (
  sql: Queryable,
  { account_id, id }: KeyId,
  kind: KeyKind = 'key',
): Promise<ApiKey | undefined> =>
  sql.maybe<ApiKey>(
    `select ${SHOWN} from api_keys k ${LIMITS}
     where k.account_id = $1 and k.id = $2 and k.kind = $3 and k.deleted_at is null`,
    [account_id, id, kind],
  );

/** The keys of the account's connections, without deleted ones. */
export const selectConnectionKeys = (sql: Queryable, account_id: string): Promise<ApiKey[]> =>
  sql.rows<ApiKey>(
    `select ${SHOWN} from api_keys k ${LIMITS}
     where k.account_id = $1 and k.kind = 'connection' and k.deleted_at is null`,
    [account_id],
  );

/** The live keys that a person made and that can still send, those of connections included, oldest first. */
export const selectKeysMadeBy = (
  sql: Queryable,
  account_id: string,
  person_id: string,
): Promise<{ name: string; kind: KeyKind }[]> =>
  sql.rows(
    `select name, kind from api_keys
     where account_id = $1 and created_by = $2 and mode = 'live' and deleted_at is null
       and coalesce(expires_at > clock_now(), true)
     order by id`,
    [account_id, person_id],
  );

export const isInFuture = async (sql: Queryable, time: string): Promise<boolean> =>
  (await sql.one<{ future: boolean }>('select $1::timestamptz > clock_now() as future', [time])).future;

/**
 * Sets a key's daily limit, and starts counting its spending if it had no limit. Requires the lock on the account's balance.
 */
export const setKeyLimit = (tx: Tx, { account_id, id }: KeyId, limit: number): Promise<number> =>
  tx.run(
    `insert into key_spending (account_id, api_key_id, daily_credit_limit) values ($1, $2, $3)
     on conflict (account_id, api_key_id) do update set daily_credit_limit = excluded.daily_credit_limit`,
    [account_id, id, limit],
  );

/** Requires the lock on the account's balance. */
export const removeKeyLimit = (tx: Tx, { account_id, id }: KeyId): Promise<number> =>
  tx.run('delete from key_spending where account_id = $1 and api_key_id = $2', [account_id, id]);

/** The person knows the secret from now on, and who knew the one before no longer does. */
export const noteMaker = (
  tx: Tx,
  { account_id, id }: KeyId,
  { person_id }: { person_id: string },
): Promise<number> =>
  tx.run('update api_keys set created_by = $3 where account_id = $1 and id = $2', [
    account_id,
    id,
    person_id,
  ]);

/** Replaces the secret. The old one stays valid for a number of days, possibly 0. */
export const replaceSecret = (
  tx: Tx,
  { account_id, id }: KeyId,
  { hash, prefix, days }: { hash: Buffer; prefix: string; days: number },
): Promise<number> =>
  tx.run(
    `update api_keys set hash = $3, prefix = $4, last_used_at = null,
       retired_hash = case when $5 > 0 then hash end,
       retired_prefix = case when $5 > 0 then prefix end,
       retired_until = case when $5 > 0 then clock_now() + make_interval(days => $5) end,
       retired_last_used_at = case when $5 > 0 then last_used_at end
     where account_id = $1 and id = $2 and deleted_at is null`,
    [account_id, id, hash, prefix, days],
  );

const MATCHING = `account_id = $1 and kind = 'key' and deleted_at is null and ($2::text is null or name ilike $2)`;
const ORDER = { created_at: 'k.id', name: 'lower(k.name)', last_used_at: 'k.last_used_at' };

export const selectKeys = (
  sql: Sql,
  account_id: string,
  { name, ordering, limit, offset }: Page & { name: string | null; ordering: string },
): Promise<ApiKey[]> =>
  sql.rows<ApiKey>(
    `select ${SHOWN} from (select * from api_keys where ${MATCHING}) k ${LIMITS}
     order by ${orderBy(ordering, ORDER, 'k.id')} limit $3 offset $4`,
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

/** Includes deleted keys. */
export const selectTestKeys = async (sql: Sql, account_id: string): Promise<string[]> =>
  (
    await sql.rows<{ id: string }>(`select id from api_keys where account_id = $1 and mode = 'test'`, [
      account_id,
    ])
  ).map(({ id }) => id);

/** Serializes key creation within an account. */
export const lockKeysOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('select 1 from accounts where id = $1 for no key update', [account_id]);

export const findKeyRules = async (sql: Queryable, account_id: string): Promise<KeyRules> =>
  (await sql.maybe<KeyRules>('select live_keys_need_admin from key_rules where account_id = $1', [
    account_id,
  ])) ?? { live_keys_need_admin: false };

/** Returns whether the rules were different. */
export const setKeyRules = async (
  tx: Tx,
  account_id: string,
  { live_keys_need_admin }: KeyRules,
): Promise<boolean> =>
  (await tx.run(
    `insert into key_rules as r (account_id, live_keys_need_admin)
     select $1, $2 where $2 or exists (select from key_rules where account_id = $1)
     on conflict (account_id) do update set live_keys_need_admin = $2
     where r.live_keys_need_admin <> $2`,
    [account_id, live_keys_need_admin],
  )) > 0;

/** Counts live keys of a kind, and keys created in the last 24 hours. Call `lockKeysOf` first. */
export const countForLimits = (
  tx: Tx,
  account_id: string,
  kind: KeyKind,
): Promise<{ live: number; today: number }> =>
  tx.one(
    `select count(*) filter (where deleted_at is null and kind = $2) as live,
       count(*) filter (where id >= uuid_floor(clock_now() - interval '24 hours')) as today
     from api_keys where account_id = $1`,
    [account_id, kind],
  );

/** Keeps the row, because the history shows the key's name. */
export const markKeyDeleted = (
  sql: Queryable,
  { account_id, id }: KeyId,
  kind: KeyKind = 'key',
): Promise<number> =>
  sql.run(
    `with gone as (
       update api_keys set deleted_at = clock_now()
       where account_id = $1 and id = $2 and kind = $3 and deleted_at is null
       returning account_id, id
     ), without_limit as (
       delete from key_spending s using gone where s.account_id = gone.account_id and s.api_key_id = gone.id
     )
     select from gone`,
    [account_id, id, kind],
  );

export const markKeysOfAccountDeleted = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `with without_limits as (delete from key_spending where account_id = $1)
     update api_keys set deleted_at = coalesce(deleted_at, clock_now()), name = '', note = '' where account_id = $1`,
    [account_id],
  );

/** Like `updateLastUsed`, but for secrets replaced by the last rotation. */
export const updateRetiredLastUsed = (sql: Sql, ids: readonly string[], at: Date): Promise<number> =>
  sql.run(
    `update api_keys set retired_last_used_at = $2 where id in (
       select id from api_keys
       where id = any ($1::uuid[]) and retired_hash is not null
         and (retired_last_used_at is null or retired_last_used_at < $2::timestamptz - interval '1 minute')
       for no key update skip locked)`,
    [ids, at],
  );

/** Skips keys already updated within the minute before `at`, and rows locked by another process. */
export const updateLastUsed = (sql: Sql, ids: readonly string[], at: Date): Promise<number> =>
  sql.run(
    `update api_keys set last_used_at = $2 where id in (
       select id from api_keys
       where id = any ($1::uuid[]) and (last_used_at is null or last_used_at < $2::timestamptz - interval '1 minute')
       for no key update skip locked)`,
    [ids, at],
  );

/** Of these secrets, those of keys that requests can use now. */
export const selectUsableKeys = (
  sql: Sql,
  hashes: readonly Buffer[],
): Promise<{ hash: Buffer; scopes: string[]; allowed_networks: string[] | null }[]> =>
  sql.rows(
    `select r.hash, k.scopes, k.allowed_networks::text[] as allowed_networks
     from unnest($1::bytea[]) r (hash)
     cross join lateral (
       select k.* from api_keys k where k.hash = r.hash
       union all
       select k.* from api_keys k where k.retired_hash = r.hash and k.retired_until > clock_now()
     ) k
     join accounts a on a.id = k.account_id and a.deleted_at is null and a.suspended_at is null
     where k.deleted_at is null and (k.expires_at is null or k.expires_at > clock_now())`,
    [hashes],
  );

/** What a send needs of this key's account; undefined if a new request could not send with the key. */
export const findSendSettings = async <Settings>(
  sql: Queryable,
  account_id: string,
  api_key_id: string,
): Promise<Settings | undefined> =>
  (
    await sql.maybe<{ settings: Settings }>(
      `select send_settings(k.account_id) as settings from api_keys k
       join accounts a on a.id = k.account_id and a.deleted_at is null and a.suspended_at is null
       where k.id = $2 and k.account_id = $1 and k.deleted_at is null and (k.expires_at is null or k.expires_at > clock_now())
         and 'otp:send' = any (k.scopes)`,
      [account_id, api_key_id],
    )
  )?.settings;

/** Key names by id, including deleted keys. */
export const selectKeyNames = async (
  sql: Queryable,
  account_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> =>
  new Map(
    (
      await sql.rows<{ id: string; name: string }>(
        'select id, name from api_keys where account_id = $1 and id = any ($2)',
        [account_id, ids],
      )
    ).map(({ id, name }) => [id, name]),
  );

export const findKeyHash = async (
  sql: Queryable,
  account_id: string,
  id: string,
): Promise<Buffer | undefined> =>
  (
    await sql.maybe<{ hash: Buffer }>(
      `select hash from api_keys where account_id = $1 and id = $2 and kind = 'key' and deleted_at is null`,
      [account_id, id],
    )
  )?.hash;
