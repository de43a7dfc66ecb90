import { API_BASE } from '#contract/route.ts';
import { quantile } from '../harness/load.ts';
import type { Db } from '../server/src/platform/db/sql.ts';

/** The insights of the busiest account over 90 days, compared with the 90 days before. */
const DAYS_SEEDED = 181;

const GROUPS = {
  hours: {
    minutes: 60,
    at: `date_trunc('hour', created_at, 'UTC')`,
    of: `channel, coalesce(country, ''), api_key_id`,
  },
  days: {
    minutes: 1440,
    at: `date_trunc('day', created_at, 'UTC')`,
    of: `channel, coalesce(country, ''), api_key_id`,
  },
  hours_of_all: {
    minutes: 60,
    at: `date_trunc('hour', created_at, 'UTC')`,
    of: `'*', '', '00000000-0000-0000-0000-000000000000'::uuid`,
  },
} as const;

/** Fills the counters from the rows, as the triggers and jobs would have done over months. */
export async function fillInsights(db: Db, account_id: string): Promise<void> {
  const fill = (text: string) =>
    db.pool.query({ text, values: [account_id], query_timeout: 600_000 } as { text: string });
  const rows = `from verifications where account_id = $1 and not is_test
    and id >= uuid_floor(date_trunc('day', clock_now() - interval '${DAYS_SEEDED} days', 'UTC'))`;
  for (const { minutes, at, of } of Object.values(GROUPS)) {
    await fill(`insert into insight_counts (account_id, minutes, at, channel, country, api_key_id, sent, dispatched, delivered,
        verified, expired, failed, canceled, exhausted, superseded, credits, refunded)
      select account_id, ${minutes}, ${at}, ${of}, count(*), count(sent_at), count(delivered_at),
        count(*) filter (where status = 'verified'), count(*) filter (where status = 'expired'),
        count(*) filter (where status = 'failed'), 0, count(*) filter (where closed_by = 'attempts'), 0, sum(cost_credits), 0
      ${rows} group by 1, 2, 3, 4, 5, 6`);
    await fill(`insert into insight_times (account_id, minutes, at, channel, country, api_key_id, bucket, verified)
      select account_id, ${minutes}, ${at}, ${of}, seconds_bucket(extract(epoch from verified_at - created_at)), count(*)
      ${rows} and verified_at is not null group by 1, 2, 3, 4, 5, 6, 7`);
  }
  await db.pool.query('vacuum analyze insight_counts, insight_times');
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
