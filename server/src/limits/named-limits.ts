import { LIMITS_MAX, type Limit } from '@sixdigit/contract/limits.ts';
import { lockKey } from '../platform/db/advisory-locks.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { findBucketOf, insertBucket, insertRateLimit, updateBucket } from './limits.ts';

/** The account's limits, each with its one bucket. */
const SHOWN = `select r.id, r.unique_name as name, b.most as max_sends, b.interval_seconds as period_seconds, r.created_at, b.updated_at
  from twilio_rate_limits r join twilio_buckets b on b.rate_limit_id = r.id
  where r.account_id = $1 and r.service_id is null`;

/** Newest first. */
export const selectLimits = (sql: Queryable, account_id: string): Promise<Limit[]> =>
  sql.rows<Limit>(`${SHOWN} order by r.id desc`, [account_id]);

/** Throws `not_found` if the account has no such limit. */
export async function getLimit(sql: Queryable, account_id: string, id: string): Promise<Limit> {
  const limit = await sql.maybe<Limit>(`${SHOWN} and r.id = $2`, [account_id, id]);
  if (!limit) throw new Failure('not_found');
  return limit;
}

type Values = Pick<Limit, 'max_sends' | 'period_seconds'>;

/** Throws a refusal if the account has a limit with this name, or too many. */
export async function insertLimit(
  tx: Tx,
  ids: { account_id: string; id: string; bucket_id: string },
  { name, max_sends, period_seconds }: Values & Pick<Limit, 'name'>,
): Promise<Limit> {
  const { account_id, id } = ids;
  await lockKey(tx, 'twilio', `limits of ${account_id}`);
  const limits = await selectLimits(tx, account_id);
  if (limits.some((limit) => limit.name === name))
    throw new FieldErrors({ name: ['A limit with this name exists.'] });
  if (limits.length >= LIMITS_MAX)
    throw new FieldErrors({ name: [`An account can have at most ${LIMITS_MAX} limits.`] });
  await insertRateLimit(tx, { id, account_id, service_id: null, unique_name: name, description: '' });
  await insertBucket(tx, {
    id: ids.bucket_id,
    account_id,
    rate_limit_id: id,
    most: max_sends,
    interval_seconds: period_seconds,
  });
  return getLimit(tx, account_id, id);
}

/** Throws `not_found`. */
export async function changeLimit(
  tx: Tx,
  { account_id, id }: { account_id: string; id: string },
  { max_sends: most, period_seconds: interval_seconds }: { [K in keyof Values]: number | undefined },
): Promise<{ before: Limit; after: Limit }> {
  const before = await getLimit(tx, account_id, id);
  const bucket = await findBucketOf(tx, id);
  if (!bucket || !(await updateBucket(tx, { rate_limit_id: id, id: bucket.id }, { most, interval_seconds })))
    throw new Failure('not_found');
  return { before, after: await getLimit(tx, account_id, id) };
}

/** Deletes its counts as well. */
export const removeLimit = (tx: Tx, account_id: string, id: string): Promise<number> =>
  tx.run('delete from twilio_rate_limits where account_id = $1 and id = $2 and service_id is null', [
    account_id,
    id,
  ]);
