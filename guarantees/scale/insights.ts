import { COUNT_NAMES, TIME_BOUNDS } from '@sixdigit/contract/insights.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { Db } from '../../server/src/platform/db/sql.ts';
import { quantile } from '../harness/load.ts';

/** The insights of the busiest account over 90 days, compared with the 90 days before. */
const DAYS_SEEDED = 181;

const COUNTS = COUNT_NAMES.filter((name) => name !== 'rejected' && name !== 'wrong_codes');
const BUCKETS = Array.from({ length: TIME_BOUNDS.length + 1 }, (_, n) => n);
const NIL = '00000000-0000-0000-0000-000000000000';

/** Fills the sums from the rows, as the triggers and jobs would have done over months. */
export async function fillInsights(db: Db, account_id: string): Promise<void> {
  await db.pool.query({
    text: `with cells as materialized (
        select date_trunc('hour', created_at, 'UTC') as at, channel, coalesce(country, '') as country, api_key_id,
          count(*) as sent, count(sent_at) as dispatched, count(delivered_at) as delivered,
          count(*) filter (where status = 'verified') as verified, count(*) filter (where status = 'expired') as expired,
          count(*) filter (where status = 'failed') as failed, 0 as canceled,
          count(*) filter (where closed_by = 'attempts') as exhausted, 0 as superseded,
          sum(cost_credits) as credits, 0 as refunded,
          array[${BUCKETS.map((bucket) => `count(*) filter (where bucket = ${bucket})`).join(', ')}] as times
        from (select *, seconds_bucket(extract(epoch from verified_at - created_at)) as bucket from verifications
          where account_id = $1 and not is_test
            and id >= uuid_floor(date_trunc('day', clock_now() - interval '${DAYS_SEEDED} days', 'UTC'))) v
        group by 1, 2, 3, 4)
      insert into insight_sums (account_id, minutes, country, api_key_id, channel, at, ${COUNTS.join(', ')}, rejected,
        wrong_codes, times)
      select $1, w.minutes, case when grouping(country) = 0 then country else '*' end,
        case when grouping(api_key_id) = 0 then api_key_id else '${NIL}' end,
        case when grouping(channel) = 0 then channel else '*' end, date_trunc(w.unit, at, 'UTC'),
        ${COUNTS.map((name) => `sum(${name})`).join(', ')}, 0, 0,
        array[${BUCKETS.map((bucket) => `sum(times[${bucket + 1}])`).join(', ')}]
      from cells cross join (values (60, 'hour'), (1440, 'day')) w (minutes, unit)
      group by w.minutes, date_trunc(w.unit, at, 'UTC'),
        grouping sets ((), (channel), (channel, country), (channel, api_key_id), (channel, country, api_key_id))`,
    values: [account_id],
    query_timeout: 600_000,
  } as { text: string });
  await db.pool.query('vacuum analyze insight_sums');
}

/** Milliseconds of each request for the last 90 days, without and with filters, in UTC and in another time zone. */
export async function timeInsights(
  {
    port,
    bearer,
    api_key_ids,
  }: { port: number; bearer: () => Promise<string>; api_key_ids: readonly string[] },
  times = 10,
): Promise<{ p95: number; slowest: string }> {
  const found: { what: string; ms: number }[] = [];
  const filters = [
    '',
    '&channel=sms',
    '&country=US',
    `&api_key=${api_key_ids[0]}`,
    `&api_key=${api_key_ids[0]}&channel=sms`,
  ];
  for (const zone of ['UTC', 'America/New_York'])
    for (const filter of filters) {
      const what = `insights/?range=90d&time_zone=${zone}${filter}`;
      for (let n = 0; n <= times; n++) {
        const headers = { authorization: `Bearer ${await bearer()}` };
        const began = performance.now();
        const answer = await fetch(`http://127.0.0.1:${port}${API_BASE}/${what}`, { headers });
        await answer.text();
        if (!answer.ok) throw new Error(`${what}: ${answer.status}`);
        // The first one warms the caches.
        if (n > 0) found.push({ what, ms: performance.now() - began });
      }
    }
  const slowest = found.reduce((worst, one) => (one.ms > worst.ms ? one : worst));
  return {
    p95: quantile(
      found.map(({ ms }) => ms),
      0.95,
    ),
    slowest: `${slowest.what}: ${slowest.ms.toFixed(0)} ms`,
  };
}
