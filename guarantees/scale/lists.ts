/** Requests the two big lists through the API, one after the other. */

import { COUNT_NAMES, TIME_BOUNDS } from '@sixdigit/contract/insights.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { Db } from '../../server/src/platform/db/sql.ts';
import { quantile } from '../harness/load.ts';

export interface Timed {
  /** milliseconds */
  ms: number[];
  slowest: string;
}

/** The API's port, and an account's session and keys. */
export interface Asking {
  port: number;
  bearer: () => Promise<string>;
  api_key_ids: readonly string[];
}

type Query = Record<string, string>;
type List = 'verifications' | 'logs';

const FIRST_PAGES = 1_000;
const FILTERS: Record<List, Record<string, readonly string[]>> = {
  verifications: {
    created_after: ['1', '7', '15', '30'],
    status: ['pending', 'sent', 'verified', 'failed', 'expired'],
    channel: ['sms', 'email', 'voice'],
    country: ['US', 'CA'],
    carrier: ['twilio', 'smtp'],
  },
  logs: {
    created_after: ['1', '7', '15', '30', '90'],
    status_code: ['success', 'client_error', 'server_error', '200', '201', '400', '402', '404', '429', '500'],
  },
};
const ORDERS: Record<List, readonly string[]> = {
  verifications: ['created_at', 'status'],
  logs: ['created_at', 'request_type', 'response_status_code', 'credits_used', 'response_time_ms'],
};

/** Requests random pages among the first thousand, with up to two random filters and a random order. */
export async function timePages(
  asking: Asking,
  list: List,
  asks: number,
  chance: () => number,
): Promise<Timed> {
  const one = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const filters = { ...FILTERS[list], api_key: asking.api_key_ids };
  return timed(asks, () => {
    const names = Object.keys(filters).toSorted(() => chance() - 0.5);
    const query: Query = {
      page: String(1 + Math.floor(chance() * FIRST_PAGES)),
      ordering: one(['', '-']) + one(ORDERS[list]),
    };
    for (const name of names.slice(0, one([0, 1, 1, 2, 2, 2])))
      query[name] = one(filters[name as keyof typeof filters] as string[]);
    return ask(asking, list, query);
  });
}

/** Searches both lists for each text, over all time: once for the rows alone, once with the exact count. */
export async function timeSearches(
  asking: Asking,
  texts: readonly string[],
): Promise<{ ms: number; exactMs: number; count: number; what: string }[]> {
  const found = [];
  for (const search of texts)
    for (const list of ['verifications', 'logs'] as const) {
      const { ms } = await ask(asking, list, { search, count: 'later' });
      const { ms: exactMs, count, what } = await ask(asking, list, { search });
      found.push({ ms, exactMs, count, what });
    }
  return found;
}

async function timed(asks: number, next: () => ReturnType<typeof ask>): Promise<Timed> {
  const all = [];
  for (let n = 0; n < asks; n++) all.push(await next());
  const slowest = all.reduce((worst, each) => (each.ms > worst.ms ? each : worst));
  return { ms: all.map(({ ms }) => ms), slowest: `${slowest.what}: ${slowest.ms.toFixed(0)} ms` };
}

async function ask(asking: Asking, list: List, query: Query) {
  const what = `${list} ${new URLSearchParams(query)}`;
  const { ms, text } = await timedGet(asking, `/${list}/?${new URLSearchParams(query)}`);
  return { ms, count: (JSON.parse(text) as { count: number }).count, what };
}

/** Calls the API with the account's session. Resolves with the milliseconds until the whole response arrived. */
export async function timedGet(
  { port, bearer }: Asking,
  path: string,
): Promise<{ ms: number; text: string }> {
  const headers = { authorization: `Bearer ${await bearer()}` };
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${API_BASE}${path}`, { headers });
  const text = await answer.text();
  const ms = performance.now() - began;
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return { ms, text };
}

export const p95 = ({ ms }: Timed): number => quantile(ms, 0.95);

/** The insights of the busiest account over 90 days, compared with the 90 days before. */
const DAYS_SEEDED = 181;

const COUNTS = COUNT_NAMES.filter((name) => name !== 'rejected' && name !== 'wrong_codes');
const BUCKETS = Array.from({ length: TIME_BOUNDS.length + 1 }, (_, n) => n);
const NIL = '00000000-0000-0000-0000-000000000000';

/** Computes the sums from the rows, as triggers and jobs would have done over months. */
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

/** Requests the last 90 days, without and with filters, in UTC and in another time zone. */
export async function timeInsights(asking: Asking, times = 10): Promise<{ p95: number; slowest: string }> {
  const { api_key_ids } = asking;
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
        const { ms } = await timedGet(asking, `/${what}`);
        // The first request warms the caches.
        if (n > 0) found.push({ what, ms });
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
