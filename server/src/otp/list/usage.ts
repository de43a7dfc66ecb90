import { countsOfDays } from '../../platform/db/daily-counts.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { OWN_CODE } from './queries.ts';

/** An account's sends in the last thirty days, and how many of them were verified. */
export interface Usage {
  sends: number;
  verified: number;
}

const DAYS = 30;
/** Days without a stored count are counted up to this many rows, so that a busy account costs little. */
const COUNTED_MOST = 50_000;

/** Excludes the sends of `test_keys`. Sends of own codes count as neither, because only their sender knows how many were verified. */
export async function usageOf(
  sql: Queryable,
  account_ids: readonly string[],
  test_keys: readonly string[],
): Promise<Map<string, Usage>> {
  const { until, counts } = await countsOfDays(sql, 'verifications', account_ids, {
    days: DAYS,
    without_keys: test_keys,
    without_type: OWN_CODE,
  });
  const recent = await sql.rows<{ account_id: string; sends: number; verified: number }>(
    `select a.id as account_id, count(v.status) as sends, count(*) filter (where v.status = 'verified') as verified
     from unnest($1::uuid[]) as a (id)
     cross join lateral (
       select v.status from verifications v
       where v.account_id = a.id and v.id >= greatest(uuid_floor(clock_now() - make_interval(days => $2)), $3::uuid)
         and v.api_key_id <> all ($4::uuid[]) and not v.own_code
       limit ${COUNTED_MOST}) v
     group by a.id`,
    [account_ids, DAYS, until, test_keys],
  );
  const usage = new Map<string, Usage>(account_ids.map((id) => [id, { sends: 0, verified: 0 }]));
  for (const { account_id, outcome, entries } of counts) {
    const own = usage.get(account_id);
    if (!own) continue;
    own.sends += entries;
    if (outcome === 'verified') own.verified += entries;
  }
  for (const { account_id, sends, verified } of recent) {
    const own = usage.get(account_id);
    if (!own) continue;
    own.sends += sends;
    own.verified += verified;
  }
  return usage;
}
