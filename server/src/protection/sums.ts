import type { RetentionRules } from '../platform/db/retention.ts';
import type { Sql } from '../platform/db/sql.ts';

/** Adds up to `most` seconds of deltas to the sums. Returns their number; 0 if another process is doing so. */
export const sumDeltas = async (sql: Sql, most: number): Promise<number> =>
  (await sql.one<{ n: number }>('select sum_protection_deltas($1) as n', [most])).n;

const hoursAgo = (hours: number): string =>
  `floor(extract(epoch from clock_now()) / 3600)::integer - ${hours}`;
const daysAgo = (days: number): string => `floor(extract(epoch from clock_now()) / 86400)::integer - ${days}`;

/** The rules look back an hour by minute, a day by hour and 14 days by day. */
export const protectionRetention: RetentionRules = {
  rows: [
    { table: 'protection_deltas', where: `is_summed and at < clock_now() - interval '75 minutes'` },
    {
      table: 'protection_counts',
      where: `unit = 'hour' and bucket < ${hoursAgo(25)} or unit = 'day' and bucket < ${daysAgo(16)}`,
    },
    { table: 'protection_blocks', where: `hour < ${hoursAgo(48)}` },
    {
      table: 'blocked_prefixes',
      where: `blocked_until < clock_now() - interval '1 hour' and changed_at < clock_now() - interval '1 hour'`,
    },
    { table: 'protection_mails', where: `day < (clock_now() at time zone 'UTC')::date - 2` },
  ],
};
