import type { CarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import type { CarrierReport, Message, Outcome } from './carrier.ts';

/** Stands for the account of test messages, which belong to none. */
export const TEST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

type LastTest = NonNullable<CarrierSetup['last_test']>;

interface Row extends Omit<LastTest, 'report'> {
  carrier: string;
  report: Omit<NonNullable<LastTest['report']>, 'reported_at'> | null;
  reported_at: string | null;
}

/** The last test of each carrier, by its name. */
export async function lastTests(sql: Queryable): Promise<Map<string, LastTest>> {
  const rows = await sql.rows<Row>(
    `select carrier, channel, sent_at, greatest(0, extract(epoch from clock_now() - sent_at))::integer as seconds_ago, outcome, report,
       reported_at
     from carrier_tests`,
  );
  return new Map(
    rows.map(({ carrier, report, reported_at, ...test }) => [
      carrier,
      { ...test, report: report && reported_at ? { ...report, reported_at } : null },
    ]),
  );
}

/** Replaces the carrier's last test. Before the dispatch, because a report can arrive before the response. */
export const beginTest = (
  tx: Tx,
  carrier: string,
  { id, channel }: Pick<Message, 'id' | 'channel'>,
): Promise<number> =>
  tx.run(
    `insert into carrier_tests (carrier, id, channel, sent_at) values ($1, $2, $3, clock_now())
     on conflict (carrier) do update set
       (id, channel, sent_at, outcome, report, reported_at) = (excluded.id, excluded.channel, excluded.sent_at, null, null, null)`,
    [carrier, id, channel],
  );

export const endTest = (
  sql: Queryable,
  carrier: string,
  { id, outcome }: { id: string; outcome: Outcome['kind'] },
): Promise<number> =>
  sql.run('update carrier_tests set outcome = $3 where carrier = $1 and id = $2', [carrier, id, outcome]);

/** Returns false if the report is not about the carrier's last test. A final report is kept. */
export const reportTest = async (
  sql: Queryable,
  carrier: string,
  id: string,
  { state, status = null, reason, price = null, network = null }: CarrierReport,
): Promise<boolean> =>
  (await sql.run(
    `update carrier_tests set
       report = case when report->>'state' in ('delivered', 'undelivered') then report else $3::jsonb end,
       reported_at = case when report->>'state' in ('delivered', 'undelivered') then reported_at else clock_now() end
     where carrier = $1 and id = $2`,
    [carrier, id, JSON.stringify({ state, status, reason, price, network })],
  )) === 1;

export const deleteTest = (tx: Tx, carrier: string): Promise<number> =>
  tx.run('delete from carrier_tests where carrier = $1', [carrier]);
