import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { invalid, TwilioError } from './errors.ts';
import type { Scope } from './verification-queries.ts';

/** Callers' own rate limits: how many sends a value, such as an end user's address, may cause in an interval. */

export const bucketRetention: RetentionRules = {
  rows: [{ table: 'twilio_bucket_counts', where: 'ends_at <= clock_now()' }],
};

interface Counted {
  bucket_id: string;
  value_hash: Buffer;
  ends_at: string;
}

interface CountedRow extends Counted {
  used: number;
  most: number;
  retry_after: number;
}

/**
 * Counts a send in the buckets of the rate limits that it names. Throws if one is full; roll back then, so that the send counts in
 * none. Returns what `giveBack` needs.
 */
export async function countSend(
  tx: Tx,
  app: Needs<'vault'>,
  { service_id, is_test }: Pick<Scope, 'service_id' | 'is_test'>,
  values: Record<string, string>,
): Promise<Counted[]> {
  const names = Object.keys(values);
  if (names.length === 0) return [];
  await requireNames(tx, service_id, names);
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
  if (full.length > 0)
    throw new TwilioError([429, 20429], 'Too many requests', {
      reason: 'service_rate_limited',
      retry_after: Math.max(...full.map(({ retry_after }) => retry_after)),
    });
  return counted;
}

/** A misspelled name would limit nothing. */
async function requireNames(sql: Queryable, service_id: string, names: readonly string[]): Promise<void> {
  const found = await sql.rows<{ unique_name: string }>(
    'select unique_name from twilio_rate_limits where service_id = $1 and unique_name = any ($2)',
    [service_id, names],
  );
  const missing = names.find((name) => !found.some(({ unique_name }) => unique_name === name));
  if (missing !== undefined) throw invalid('RateLimits', `the service has no rate limit ${missing}`);
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
