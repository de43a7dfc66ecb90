import type { RetentionRules } from '../platform/db/retention.ts';
import type { Tx } from '../platform/db/sql.ts';

const KINDS = `status, '', 0::smallint`;

export const otpRetention: RetentionRules = {
  monthly: [
    // History goes first, so that no verification is left without its history.
    { table: 'status_history', id: 'otp_id', key: 'account_id, otp_id' },
    {
      table: 'verifications',
      id: 'id',
      key: 'account_id, id',
      counted: [
        { list: 'verifications', kinds: KINDS, settledUntil: firstUnsettledDay },
        {
          list: 'routes',
          kinds: KINDS,
          route: `channel, coalesce(country, ''), coalesce(carrier, '')`,
          settledUntil: firstUnsettledDay,
        },
      ],
      searchIndexes: [
        { ending: 'recipient', on: 'gin (recipient gin_trgm_ops)', extension: 'pg_trgm' },
        { ending: 'api_key', on: 'btree (api_key_id)' },
      ],
    },
  ],
  rows: [
    // The rate limits look back one day. The extra hour lets sends in flight finish.
    {
      table: 'recipients',
      where: `touched_at < clock_now() - interval '25 hours' and coalesce(open_until, touched_at) < clock_now()`,
    },
    { table: 'recipient_sends', where: `touched_at < clock_now() - interval '25 hours'` },
  ],
};

/** The day of the first verification that is not final, or else `over_day`. */
async function firstUnsettledDay(tx: Tx, from_day: string, over_day: string): Promise<string> {
  const found = await tx.maybe<{ day: string }>(
    `select to_char(day_of(id), 'YYYY-MM-DD') as day from verifications
     where id >= start_of($1::date) and id < start_of($2::date) and status in ('pending', 'sent')
     order by id limit 1`,
    [from_day, over_day],
  );
  return found?.day ?? over_day;
}

/** Those of these workers that have claims in the dispatch queue. */
export const dispatchClaimHolders = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>(
      'select distinct worker_id as id from deliveries where worker_id = any ($1)',
      [workers],
    )
  ).map(({ id }) => id);
