/**
 * Limits that an account defines: how many sends a value, such as an end user's address, may cause in an interval. A rate limit has
 * a name and buckets; each bucket allows a number of sends per interval. It belongs to a service of Twilio Verify's calls, or to
 * the account, which has one bucket per limit (`named-limits.ts`).
 */

import type { RetentionRules } from '../platform/db/retention.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { fairSlots } from '../platform/fair-slots.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { isKeyCaller, type KeyCaller, type UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';

const DAY_SECONDS = 86_400;

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
  row: Pick<RateLimitRow, 'id' | 'account_id' | 'unique_name' | 'description'> & {
    /** null: of the account */
    service_id: string | null;
  },
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

/** The bucket of a limit of the account, which has only one. */
export const findBucketOf = (sql: Queryable, rate_limit_id: string): Promise<BucketRow | undefined> =>
  sql.maybe<BucketRow>(`select ${BUCKET} from twilio_buckets where rate_limit_id = $1`, [rate_limit_id]);

/**
 * A new interval begins without counts. Otherwise those of a long interval would go on until its end. Locking the bucket first waits
 * for the sends that count in the old interval (`bucketsOf`), so that the deletion sees their counts.
 */
export async function updateBucket(
  tx: Tx,
  { rate_limit_id, id }: OfRateLimit,
  { most, interval_seconds }: { most: number | undefined; interval_seconds: number | undefined },
): Promise<BucketRow | undefined> {
  await tx.run('select from twilio_buckets where rate_limit_id = $1 and id = $2 for update', [
    rate_limit_id,
    id,
  ]);
  await tx.run(
    `delete from twilio_bucket_counts c using twilio_buckets b
     where b.rate_limit_id = $1 and b.id = $2 and b.interval_seconds <> $3 and c.bucket_id = b.id`,
    [rate_limit_id, id, interval_seconds ?? null],
  );
  return tx.maybe<BucketRow>(
    `update twilio_buckets set most = coalesce($3, most), interval_seconds = coalesce($4, interval_seconds),
       updated_at = clock_now()
     where rate_limit_id = $1 and id = $2 returning ${BUCKET}`,
    [rate_limit_id, id, most ?? null, interval_seconds ?? null],
  );
}

export const deleteBucket = (sql: Tx, { rate_limit_id, id }: OfRateLimit): Promise<number> =>
  sql.run('delete from twilio_buckets where rate_limit_id = $1 and id = $2', [rate_limit_id, id]);

export const limitRetention: RetentionRules = {
  rows: [{ table: 'twilio_bucket_counts', where: 'ends_at <= clock_now()' }],
};

/** Call it when the account is deleted. */
export async function deleteLimitsOf(tx: Tx, account_id: string): Promise<void> {
  await tx.run('delete from twilio_rate_limits where account_id = $1', [account_id]);
  await tx.run('delete from twilio_safe_list_changes where account_id = $1', [account_id]);
}

interface Counted {
  bucket_id: string;
  value_hash: Buffer;
  ends_at: string;
}

interface CountedRow extends Counted {
  used: number;
  retry_after: number;
}

/** Why a send may not go out: the limit that has no room, and until when. */
export interface LimitReached {
  limit: string;
  retry_after: number;
  resets_at: string;
}

/** Whose limits a send may name: those of a service, or those of the account. */
interface LimitsOwner {
  account_id: string;
  service_id: string | null;
  is_test: boolean;
}

/** The counts of a send, which `giveBack` undoes, or the limit that refuses it. */
export interface Counting {
  account_id: string;
  counted: readonly Counted[];
  reached?: LimitReached;
  /** It names an unknown limit. A repeated request is not refused: the limit may have been deleted since the first one. */
  refusal?: FieldErrors;
}

/** Rolls a count back, so that a refused send counts in no bucket. */
class Reached extends Error {
  readonly limit: LimitReached;
  constructor(limit: LimitReached) {
    super('A limit is reached');
    this.limit = limit;
  }
}

/** Sends that name one value wait for each other. They must not hold all connections of the process. */
const counting = fairSlots({ anAccount: 3, aProcess: 6, waitingAnAccount: 1_000 });
const givingBack = fairSlots({
  anAccount: 1,
  aProcess: 2,
  waitingAnAccount: Number.POSITIVE_INFINITY,
});

/** Counts a send in the buckets of the limits that it names. Throws `rate_limited` if too many of the account's sends wait. */
export const countSend = async (
  app: Needs<'db' | 'vault'>,
  owner: LimitsOwner,
  values: Record<string, string>,
): Promise<Counting> => {
  const { account_id } = owner;
  if (Object.keys(values).length === 0) return { account_id, counted: [] };
  const count = () => app.db.transaction((tx) => countIn(tx, app, owner, values));
  try {
    return { account_id, counted: await counting.run(account_id, count) };
  } catch (error) {
    if (error instanceof Reached) return { account_id, counted: [], reached: error.limit };
    if (error instanceof FieldErrors) return { account_id, counted: [], refusal: error };
    if (error instanceof Failure && error.reason === 'too_many_requests')
      throw new Failure('rate_limited', { retry_after: 1 });
    throw error;
  }
};

async function countIn(
  tx: Tx,
  app: Needs<'vault'>,
  owner: LimitsOwner,
  values: Record<string, string>,
): Promise<Counted[]> {
  const buckets = await bucketsOf(tx, owner, Object.keys(values));
  // Tests must not use up the limits of live sends. They are free, so their rows last no longer than the count of their number.
  const longest = owner.is_test ? DAY_SECONDS : Number.POSITIVE_INFINITY;
  const purpose = owner.is_test ? 'twilio-rate-limit-of-tests' : 'twilio-rate-limit';
  const hashes = buckets.map(({ name }) =>
    app.vault.fingerprint(purpose, values[name] ?? '').subarray(0, 16),
  );
  const counted = await tx.rows<CountedRow>(
    `insert into twilio_bucket_counts as c (bucket_id, value_hash, used, ends_at)
     select id, hash, 1, clock_now() + make_interval(secs => interval_seconds)
     from unnest($1::uuid[], $2::bytea[], $3::integer[]) as a (id, hash, interval_seconds) order by id, hash
     on conflict (bucket_id, value_hash) do update set
       used = case when c.ends_at <= clock_now() then 1 else c.used + 1 end,
       ends_at = case when c.ends_at <= clock_now() then excluded.ends_at else c.ends_at end
     returning bucket_id, value_hash, used, ends_at,
       ceil(extract(epoch from ends_at - clock_now()))::integer as retry_after`,
    [buckets.map(({ id }) => id), hashes, buckets.map((one) => Math.min(one.interval_seconds, longest))],
  );
  const [last] = counted
    .flatMap(({ bucket_id, used, ends_at: resets_at, retry_after }) => {
      const bucket = buckets.find(({ id }) => id === bucket_id);
      if (!bucket || used <= bucket.most) return [];
      // A send that began before the one that it waited for would wait longer than an interval.
      return [{ limit: bucket.name, retry_after: Math.min(retry_after, bucket.interval_seconds), resets_at }];
    })
    .toSorted((one, other) => other.retry_after - one.retry_after);
  if (last) throw new Reached(last);
  return counted;
}

type NamedBucket = Pick<BucketRow, 'id' | 'most' | 'interval_seconds'> & { name: string };

/** The buckets of these limits, which keep their interval until the transaction ends. A misspelled name would limit nothing. */
async function bucketsOf(tx: Tx, owner: LimitsOwner, names: readonly string[]): Promise<NamedBucket[]> {
  const { account_id, service_id } = owner;
  const params = [service_id ?? account_id, names];
  const its = service_id === null ? 'r.account_id = $1 and r.service_id is null' : 'r.service_id = $1';
  const buckets = await tx.rows<NamedBucket>(
    `select b.id, b.most, b.interval_seconds, r.unique_name as name
     from twilio_rate_limits r join twilio_buckets b on b.rate_limit_id = r.id
     where ${its} and r.unique_name = any ($2) order by b.id for share of b`,
    params,
  );
  const missing = names.filter((name) => !buckets.some((bucket) => bucket.name === name));
  if (missing.length === 0) return buckets;
  const empty = await tx.rows<{ name: string }>(
    `select r.unique_name as name from twilio_rate_limits r where ${its} and r.unique_name = any ($2)`,
    params,
  );
  const unknown = missing.find((name) => !empty.some((limit) => limit.name === name));
  if (unknown !== undefined)
    throw new FieldErrors({ limits: [`There is no limit with the name ${unknown}.`] });
  return buckets;
}

/** The counts of one send. $1 and $2 are arrays, $3 their ends, which `toISOString` has cut to milliseconds. */
const OF_SEND = `from unnest($1::uuid[], $2::bytea[], $3::timestamptz[]) as o (bucket_id, value_hash, ends_at)
  where c.bucket_id = o.bucket_id and c.value_hash = o.value_hash
    and date_trunc('milliseconds', c.ends_at) = o.ends_at`;

/** Undoes the counts of a send that was refused. Rows without a send are deleted, because refusals cost nothing. */
export const giveBack = async ({ db }: Needs<'db'>, { account_id, counted }: Counting): Promise<void> =>
  counted.length === 0
    ? undefined
    : givingBack.run(account_id, () => db.transaction((tx) => undo(tx, counted)));

async function undo(tx: Tx, counted: readonly Counted[]): Promise<void> {
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

/** Changes of live settings by API keys. Each is an entry in the audit log, so their number is limited. */
const CHANGES_A_DAY = 1_000;
/** Changes by keys and members together: keys cannot use up the part of the members. */
const ALL_CHANGES_A_DAY = 2_000;

/** Throws if the account has made too many changes today for another one by this caller. */
export const countChangeBy = (
  sql: Queryable,
  app: Needs<'clock'>,
  caller: UserCaller | KeyCaller,
): Promise<void> =>
  countChange(sql, app, {
    account_id: caller.account_id,
    most: isKeyCaller(caller) ? CHANGES_A_DAY : ALL_CHANGES_A_DAY,
  });

/** Throws if the account has made that many changes today. Locks its row of counts. */
export async function countChange(
  sql: Queryable,
  { clock }: Needs<'clock'>,
  { account_id, most = CHANGES_A_DAY }: { account_id: string; most?: number },
): Promise<void> {
  const counted = await sql.rows(
    `insert into twilio_safe_list_changes as c (account_id, day, changes)
     values ($1, (clock_now() at time zone 'UTC')::date, 1)
     on conflict (account_id) do update set day = excluded.day,
       changes = case when c.day = excluded.day then c.changes + 1 else 1 end
     where c.day <> excluded.day or c.changes < $2
     returning 1`,
    [account_id, most],
  );
  if (counted.length > 0) return;
  const dayMs = 1_000 * DAY_SECONDS;
  const retry_after = Math.ceil((dayMs - (clock.now().getTime() % dayMs)) / 1_000);
  throw new Failure('too_many_requests', { retry_after });
}
