import { COUNT_NAMES, type Counts, TIME_BOUNDS } from '@sixdigit/contract/insights.ts';
import { type Params, paramsOf } from '../platform/db/list.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import type { Window } from './periods.ts';

/** Adds waiting deltas to the five-minute sums, under the lock `insights`. Returns how many it added. */
export const foldDeltas = async (tx: Tx, most: number): Promise<number> =>
  (await tx.one<{ n: number }>('select fold_insights($1) as n', [most])).n;

/**
 * Rolls five-minute rows up into hours and days once the shortest range no longer needs them. Returns the number of rows it
 * rolled up.
 */
export const mergeHours = async (tx: Tx, most: number): Promise<number> =>
  (
    await tx.one<{ n: number }>(
      `select merge_insights(date_trunc('hour', clock_now(), 'UTC') - interval '3 hours', $1) as n`,
      [most],
    )
  ).n;

export interface InsightFilter {
  account_id: string;
  channel: string | null;
  country: string | null;
  api_key_id: string | null;
}

const MINUTES: Record<Window['rows'], number> = { five_minutes: 5, hours: 60, days: 1440 };
const ANY = '*';
const ANY_KEY = '00000000-0000-0000-0000-000000000000';

/** The column by which sums are grouped. */
type Split = 'channel' | 'country' | 'api_key';

/**
 * The rows in these windows that match the filter. A five-minute row belongs to one channel, country and key. Rolled-up rows
 * also exist across all channels, countries and keys, so this selects the most aggregated ones that still allow the split.
 */
function rowsOf(params: Params, { filter, windows }: Read, split?: Split): string {
  const { account_id, channel, country, api_key_id } = filter;
  const account = params.add(account_id);
  const equal = (column: string, value: string | null) =>
    value === null ? [] : [`${column} = ${params.add(value)}`];
  const own = [
    ...equal('channel', channel),
    ...equal('country', country),
    ...equal('api_key_id', api_key_id),
  ];
  const isOverAll = split === undefined && country === null && api_key_id === null;
  const rolledUp = [
    ...equal('channel', isOverAll ? (channel ?? ANY) : channel),
    ...(split === 'channel' && channel === null ? [`channel <> '${ANY}'`] : []),
    ...(split === 'country' && country === null ? [`country <> '${ANY}'`] : equal('country', country ?? ANY)),
    ...(split === 'api_key' && api_key_id === null
      ? [`api_key_id > '${ANY_KEY}'`]
      : equal('api_key_id', api_key_id ?? ANY_KEY)),
  ];
  return windows
    .map(({ rows, from, to }) =>
      [
        `select * from insight_sums where account_id = ${account} and minutes = ${MINUTES[rows]}`,
        `at >= ${params.add(from)} and at < ${params.add(to)}`,
        ...(rows === 'five_minutes' ? own : rolledUp),
      ].join(' and '),
    )
    .join(' union all ');
}

export interface Read {
  filter: InsightFilter;
  windows: readonly Window[];
}

const SUMS = COUNT_NAMES.map((name) => `coalesce(sum(${name}), 0)::integer as ${name}`).join(', ');
const TIMES = `array[${Array.from({ length: TIME_BOUNDS.length + 1 }, (_, n) => `coalesce(sum(times[${n + 1}]), 0)::integer`).join(', ')}]
  as times`;

/** Sums, and the number of right codes in each time bucket. */
export interface Sums extends Counts {
  times: number[];
}

/**
 * The sums of each slot, which lasts until the next one starts. `at` is the slot's start in ISO 8601. Slots without traffic
 * have zeros.
 */
export function selectSeries(
  sql: Queryable,
  read: Read,
  starts: readonly Date[],
): Promise<(Sums & { at: string })[]> {
  const params = paramsOf();
  const rows = rowsOf(params, read);
  const slots = `${params.add(starts)}::timestamptz[]`;
  return sql.rows(
    `select starts.at, ${COUNT_NAMES.map((name) => `coalesce(sums.${name}, 0) as ${name}`).join(', ')},
       coalesce(sums.times, '{}') as times
     from unnest(${slots}) with ordinality as starts (at, slot) left join (
       select width_bucket(r.at, ${slots}) as slot, ${SUMS}, ${TIMES} from (${rows}) r group by 1
     ) sums using (slot) order by slot`,
    params.values,
  );
}

export function selectSums(sql: Queryable, read: Read): Promise<Sums> {
  const params = paramsOf();
  return sql.one<Sums>(`select ${SUMS}, ${TIMES} from (${rowsOf(params, read)}) r`, params.values);
}

/** The sums of each channel, of each country (empty for e-mail) and of each key. */
export interface GroupRow extends Counts {
  split: Split;
  value: string;
}

const COLUMNS: Record<Split, string> = {
  channel: 'channel',
  country: 'country',
  api_key: 'api_key_id::text',
};

export function selectGroups(sql: Queryable, read: Read): Promise<GroupRow[]> {
  const params = paramsOf();
  const splits = (Object.keys(COLUMNS) as Split[]).map(
    (split) =>
      `select '${split}' as split, ${COLUMNS[split]} as value, ${SUMS} from (${rowsOf(params, read, split)}) r group by 2`,
  );
  return sql.rows<GroupRow>(
    `select * from (${splits.join(' union all ')}) g where sent > 0 or own_codes > 0 order by split, sent + own_codes desc, value`,
    params.values,
  );
}
