import type { getVerificationFigures, Outcomes } from '@sixdigit/contract/insights.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { type Reader, wholeFor } from '../../platform/db/page.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { listOf, SHOWN_STATUS, type VerificationFilter } from './queries.ts';
import { filterOf } from './verifications.ts';

/** The two periods to compare, and the starts of the slots of the later one. The first slot contains its beginning. */
interface Compared {
  before: { from: Date; to: Date };
  period: { from: Date; to: Date };
  starts: readonly Date[];
  /** how many sends are read at most */
  most: number;
}

/** Sums of the matching sends of a slot with the same bucket of the time to verify. */
export interface MatchingSums extends Outcomes {
  /** 0 for the earlier period, and from 1 on for the slots; null for sends between the periods */
  slot: number | null;
  /** null for sends that are not verified */
  bucket: number | null;
  own_codes: number;
  own_failed: number;
  credits: number;
  /** the number of sends that were read, whether they match or not, and the time of the oldest */
  read: number;
  oldest: string;
}

/**
 * Sums of the sends that match a list's filter. Tests do not match, and own codes count apart, except for their credits.
 * `isWhole` tells whether all sends of both periods were read.
 */
export async function matchingSums(
  app: Needs<'db' | 'clock' | 'config' | 'vault'>,
  tx: Tx,
  account_id: string,
  { reader, ...query }: Parsed<typeof getVerificationFigures, 'query'> & { reader: Reader },
  compared: Compared,
): Promise<{ sums: MatchingSums[]; isWhole: boolean }> {
  const { search, status, carrier, channel, country, api_key } = query;
  const asked = {
    ...{ search, status, carrier, channel, country, api_key },
    own_code: undefined,
    mode: 'all',
    created_after: compared.before.from.toISOString(),
    created_before: compared.period.to.toISOString(),
  } as const;
  const filter = await filterOf(app, account_id, asked, wholeFor(reader));
  if (filter === null) throw new Error('The contract requires the id of a key');
  const sums = await selectMatchingSums(tx, filter, compared);
  return { sums, isWhole: sums.reduce((total, { read }) => total + read, 0) < compared.most };
}

/**
 * The filter applies to the newest rows of both periods, so that the cost does not depend on it. The planner overestimates how
 * many rows a window has outside of these, and would sort all of them instead of reading the index backward.
 */
async function selectMatchingSums(
  tx: Tx,
  filter: VerificationFilter,
  { before, period, starts, most }: Compared,
): Promise<MatchingSums[]> {
  await tx.run('set local enable_bitmapscan = off');
  await tx.run('set local enable_seqscan = off');
  const { list, params } = listOf(filter);
  const { rows, account_id, from_id } = list.matching;
  const until_id = filter.until_id ? `and v.id < ${params.add(filter.until_id)}::uuid` : '';
  const slots = `${params.add(starts)}::timestamptz[]`;
  return tx.rows<MatchingSums>(
    `select slot, bucket, count(*)::integer as read, iso(min(created_at)) as oldest,
       count(*) filter (where counts)::integer as sent,
       count(*) filter (where counts and status = 'verified')::integer as verified,
       count(*) filter (where counts and status = 'expired')::integer as expired,
       count(*) filter (where counts and status = 'failed')::integer as failed,
       count(*) filter (where counts and closed_by = 'canceled')::integer as canceled,
       count(*) filter (where counts and closed_by = 'superseded')::integer as superseded,
       count(*) filter (where matches and own_code)::integer as own_codes,
       count(*) filter (where matches and own_code and status = 'failed')::integer as own_failed,
       coalesce(sum(cost_credits) filter (where matches), 0)::integer as credits
     from (
       select *, matches and not own_code as counts,
         case when matches and not own_code and status = 'verified'
           then seconds_bucket(extract(epoch from verified_at - created_at)) end as bucket
       from (
         select v.created_at, v.verified_at, v.own_code, v.closed_by, v.cost_credits, ${SHOWN_STATUS} as status,
           coalesce(${rows} and not v.is_test, false) as matches,
           case when v.created_at >= ${params.add(period.from)} then width_bucket(v.created_at, ${slots})
             when v.created_at < ${params.add(before.to)} then 0 end as slot
         from (
           select * from verifications v where v.account_id = ${account_id} and v.id >= ${from_id} ${until_id}
           order by v.id desc limit ${params.add(most)}::integer
         ) v
       ) v
     ) v group by slot, bucket`,
    params.values,
  );
}
