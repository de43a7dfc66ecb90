import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { OwnId } from './service-queries.ts';

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

/** Undefined if the service has a rate limit with this name. */
export const insertRateLimit = (
  tx: Tx,
  row: Pick<RateLimitRow, 'id' | 'account_id' | 'service_id' | 'unique_name' | 'description'>,
): Promise<RateLimitRow | undefined> =>
  tx.maybe<RateLimitRow>(
    `insert into twilio_rate_limits (id, account_id, service_id, unique_name, description, created_at, updated_at)
     select $1, $2, s.id, $4, $5, clock_now(), clock_now() from twilio_services s where s.id = $3
     for key share
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

export const updateBucket = (
  sql: Tx,
  { rate_limit_id, id }: OfRateLimit,
  { most, interval_seconds }: { most: number | undefined; interval_seconds: number | undefined },
): Promise<BucketRow | undefined> =>
  sql.maybe<BucketRow>(
    `update twilio_buckets set most = coalesce($3, most), interval_seconds = coalesce($4, interval_seconds),
       updated_at = clock_now()
     where rate_limit_id = $1 and id = $2 returning ${BUCKET}`,
    [rate_limit_id, id, most ?? null, interval_seconds ?? null],
  );

export const deleteBucket = (sql: Tx, { rate_limit_id, id }: OfRateLimit): Promise<number> =>
  sql.run('delete from twilio_buckets where rate_limit_id = $1 and id = $2', [rate_limit_id, id]);
