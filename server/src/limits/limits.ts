/**
 * Limits that an account defines: how many sends a value, such as an end user's address, may cause in an interval. A rate limit has
 * a name and buckets; each bucket allows a number of sends per interval.
 */

import type { RetentionRules } from '../platform/db/retention.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';

interface OwnId {
  account_id: string;
  id: string;
}

export interface RateLimitRow extends OwnId {
  service_id: string;
  unique_name: string;
  description: string;
  created_at: string;
  updated_at: string;
}

export interface BucketRow extends OwnId {
  rate_limit_id: string;
  most: number;
  interval_seconds: number;
  created_at: string;
  updated_at: string;
}

const RATE_LIMIT = 'id, account_id, service_id, unique_name, description, created_at, updated_at';
const BUCKET = 'id, account_id, rate_limit_id, most, interval_seconds, created_at, updated_at';

/** Newest first. */
export const selectRateLimits = (sql: Queryable, service_id: string): Promise<RateLimitRow[]> =>
  sql.rows<RateLimitRow>(
    `select ${RATE_LIMIT} from twilio_rate_limits where service_id = $1 order by id desc`,
    [service_id],
  );

/** Undefined if the service has a rate limit with this name. The transaction keeps the service. */
export const insertRateLimit = (
  tx: Tx,
  row: Pick<RateLimitRow, 'id' | 'account_id' | 'service_id' | 'unique_name' | 'description'>,
): Promise<RateLimitRow | undefined> =>
  tx.maybe<RateLimitRow>(
    `insert into twilio_rate_limits (id, account_id, service_id, unique_name, description, created_at, updated_at)
     values ($1, $2, $3, $4, $5, clock_now(), clock_now())
     on conflict do nothing returning ${RATE_LIMIT}`,
    [row.id, row.account_id, row.service_id, row.unique_name, row.description],
  );

interface OfService {
  service_id: string;
  id: string;
}

export const findRateLimit = (
  sql: Queryable,
  { service_id, id }: OfService,
): Promise<RateLimitRow | undefined> =>
  sql.maybe<RateLimitRow>(`select ${RATE_LIMIT} from twilio_rate_limits where service_id = $1 and id = $2`, [
    service_id,
    id,
  ]);

export const updateRateLimit = (
  sql: Tx,
  { service_id, id }: OfService,
  description: string | undefined,
): Promise<RateLimitRow | undefined> =>
  sql.maybe<RateLimitRow>(
    `update twilio_rate_limits set description = coalesce($3, description), updated_at = clock_now()
     where service_id = $1 and id = $2 returning ${RATE_LIMIT}`,
    [service_id, id, description ?? null],
  );

export const deleteRateLimit = (sql: Tx, { service_id, id }: OfService): Promise<number> =>
  sql.run('delete from twilio_rate_limits where service_id = $1 and id = $2', [service_id, id]);

/** Newest first. */
export const selectBuckets = (sql: Queryable, rate_limit_id: string): Promise<BucketRow[]> =>
  sql.rows<BucketRow>(`select ${BUCKET} from twilio_buckets where rate_limit_id = $1 order by id desc`, [
    rate_limit_id,
  ]);

/** Undefined if the rate limit was deleted in the meantime. */
export const insertBucket = (
  tx: Tx,
  row: Pick<BucketRow, 'id' | 'account_id' | 'rate_limit_id' | 'most' | 'interval_seconds'>,
): Promise<BucketRow | undefined> =>
  tx.maybe<BucketRow>(
    `insert into twilio_buckets (id, account_id, rate_limit_id, most, interval_seconds, created_at, updated_at)
     select $1, $2, r.id, $4, $5, clock_now(), clock_now() from twilio_rate_limits r where r.id = $3
     for key share
     returning ${BUCKET}`,
    [row.id, row.account_id, row.rate_limit_id, row.most, row.interval_seconds],
  );

interface OfRateLimit {
  rate_limit_id: string;
  id: string;
}

export const findBucket = (
  sql: Queryable,
  { rate_limit_id, id }: OfRateLimit,
): Promise<BucketRow | undefined> =>
  sql.maybe<BucketRow>(`select ${BUCKET} from twilio_buckets where rate_limit_id = $1 and id = $2`, [
    rate_limit_id,
    id,
  ]);

/** A new interval begins without counts. Otherwise those of a long interval would go on until its end. */
export const updateBucket = (
  sql: Tx,
  { rate_limit_id, id }: OfRateLimit,
  { most, interval_seconds }: { most: number | undefined; interval_seconds: number | undefined },
): Promise<BucketRow | undefined> =>
  sql.maybe<BucketRow>(
    `with forgotten as (
       delete from twilio_bucket_counts c using twilio_buckets b
       where b.rate_limit_id = $1 and b.id = $2 and b.interval_seconds <> $4 and c.bucket_id = b.id)
     update twilio_buckets set most = coalesce($3, most), interval_seconds = coalesce($4, interval_seconds),
       updated_at = clock_now()
     where rate_limit_id = $1 and id = $2 returning ${BUCKET}`,
    [rate_limit_id, id, most ?? null, interval_seconds ?? null],
  );

export const deleteBucket = (sql: Tx, { rate_limit_id, id }: OfRateLimit): Promise<number> =>
  sql.run('delete from twilio_buckets where rate_limit_id = $1 and id = $2', [rate_limit_id, id]);

export const limitRetention: RetentionRules = {
  rows: [{ table: 'twilio_bucket_counts', where: 'ends_at <= clock_now()' }],
};

export interface Counted {
  bucket_id: string;
  value_hash: Buffer;
  ends_at: string;
}

interface CountedRow extends Counted {
  used: number;
  most: number;
  retry_after: number;
}

/** Why a send may not go out: a name of no rate limit, or the seconds until a full bucket has room. */
type Refused = { unknown: string } | { retry_after: number };

/**
 * Counts a send in the buckets of the rate limits that it names. Returns what `giveBack` needs. Roll back a refused send, so that it
 * counts in no bucket.
 */
export async function countSend(
  tx: Tx,
  app: Needs<'vault'>,
  { service_id, is_test }: { service_id: string; is_test: boolean },
  values: Record<string, string>,
): Promise<{ counted: readonly Counted[] } | Refused> {
  const names = Object.keys(values);
  if (names.length === 0) return { counted: [] };
  const unknown = await unknownName(tx, service_id, names);
  if (unknown !== undefined) return { unknown };
  // Tests of a live service must not use up its limits.
  const purpose = is_test ? 'twilio-rate-limit-of-tests' : 'twilio-rate-limit';
  const hashes = names.map((name) => app.vault.fingerprint(purpose, values[name] ?? '').subarray(0, 16));
  const counted = await tx.rows<CountedRow>(
    `with asked as (
       select b.id, b.most, b.interval_seconds, v.hash
       from unnest($2::text[], $3::bytea[]) as v (name, hash)
       join twilio_rate_limits r on r.service_id = $1 and r.unique_name = v.name
       join twilio_buckets b on b.rate_limit_id = r.id
     ), counted as (
       insert into twilio_bucket_counts as c (bucket_id, value_hash, used, ends_at)
       select id, hash, 1, clock_now() + make_interval(secs => interval_seconds) from asked order by id, hash
       on conflict (bucket_id, value_hash) do update set
         used = case when c.ends_at <= clock_now() then 1 else c.used + 1 end,
         ends_at = case when c.ends_at <= clock_now() then excluded.ends_at else c.ends_at end
       returning bucket_id, value_hash, used, ends_at
     )
     select c.bucket_id, c.value_hash, c.used, c.ends_at, a.most,
       ceil(extract(epoch from c.ends_at - clock_now()))::integer as retry_after
     from counted c join asked a on a.id = c.bucket_id and a.hash = c.value_hash`,
    [service_id, names, hashes],
  );
  const full = counted.filter(({ used, most }) => used > most);
  return full.length === 0
    ? { counted }
    : { retry_after: Math.max(...full.map(({ retry_after }) => retry_after)) };
}

/** A misspelled name would limit nothing. */
async function unknownName(
  sql: Queryable,
  service_id: string,
  names: readonly string[],
): Promise<string | undefined> {
  const found = await sql.rows<{ unique_name: string }>(
    'select unique_name from twilio_rate_limits where service_id = $1 and unique_name = any ($2)',
    [service_id, names],
  );
  return names.find((name) => !found.some(({ unique_name }) => unique_name === name));
}

/** The counts of one send. $1 and $2 are arrays, $3 their ends, which `toISOString` has cut to milliseconds. */
const OF_SEND = `from unnest($1::uuid[], $2::bytea[], $3::timestamptz[]) as o (bucket_id, value_hash, ends_at)
  where c.bucket_id = o.bucket_id and c.value_hash = o.value_hash
    and date_trunc('milliseconds', c.ends_at) = o.ends_at`;

/** Undoes the counts of a send that was refused. Rows without a send are deleted, because refusals cost nothing. */
export async function giveBack(tx: Tx, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return;
  const ids = counted.map(({ bucket_id }) => bucket_id);
  const hashes = counted.map(({ value_hash }) => value_hash);
  const params = [ids, hashes, counted.map(({ ends_at }) => ends_at)];
  await tx.run(
    `select from twilio_bucket_counts c
     where (bucket_id, value_hash) in (select * from unnest($1::uuid[], $2::bytea[]))
     order by bucket_id, value_hash for update`,
    [ids, hashes],
  );
  await tx.run(`update twilio_bucket_counts c set used = c.used - 1 ${OF_SEND}`, params);
  await tx.run(
    `delete from twilio_bucket_counts
     where used <= 0 and (bucket_id, value_hash) in (select * from unnest($1::uuid[], $2::bytea[]))`,
    [ids, hashes],
  );
}
