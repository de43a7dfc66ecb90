import type { Fallback } from '@sixdigit/contract/insights.ts';
import type { Tx } from '../../platform/db/sql.ts';

interface Wanted {
  account_id: string;
  from: Date;
  to: Date;
  channel: string | null;
  country: string | null;
  api_key: string | null;
  /** how many sends are read at most, newest first */
  most: number;
}

export interface StepSums {
  steps: Fallback['steps'];
  /** the number of sends that were read, with or without a plan, and the time of the oldest */
  read: number;
  oldest: string | null;
}

/**
 * What each step of plans did. A message has its place in the plan. The first one also has the ids of the others, which are in order
 * of time: the last one is the step after which the code was entered.
 */
export async function stepSums(
  tx: Tx,
  { account_id, from, to, channel, country, api_key, most }: Wanted,
): Promise<StepSums> {
  // As for the figures of a list: the planner would sort all rows of the period instead of reading the index backward.
  await tx.run('set local enable_bitmapscan = off');
  await tx.run('set local enable_seqscan = off');
  return tx.one<StepSums>(
    `with newest as materialized (
       select v.id, v.created_at, v.channel, v.plan, v.cost_credits, v.delivered_at, v.verified_at,
         v.plan is not null and not v.is_test and ($5::text is null or v.country = $5)
           and ($6::uuid is null or v.api_key_id = $6) as matches
       from verifications v
       where v.account_id = $1 and v.id >= uuid_floor($2) and v.id < uuid_floor($3) order by v.id desc limit $4::integer
     ), steps as (
       select n.verified_at - n.created_at as entered, s.value as step, s.place,
         row_number() over (partition by n.id order by s.value ->> 'id' desc nulls last) = 1 as is_last
       from newest n cross join lateral jsonb_array_elements(n.plan -> 'steps') with ordinality as s (value, place)
       where n.matches
     ), facts as (
       select (plan ->> 'step')::integer as step, channel, 1 as sent, 0 as skipped, cost_credits as credits,
         extract(epoch from delivered_at - created_at) as delivery, null as entry
       from newest where matches
       union all
       select place::integer, step ->> 'channel', 0, (step ? 'skipped')::integer, 0, null,
         case when is_last then extract(epoch from entered) end
       from steps where step ? 'skipped' or is_last
     ), sums as (
       select step, channel, sum(sent)::integer as sent, count(delivery)::integer as delivered,
         count(entry)::integer as verified, sum(skipped)::integer as skipped, sum(credits)::integer as credits,
         round((percentile_cont(0.5) within group (order by delivery))::numeric, 1)::float8 as delivery_seconds,
         round((percentile_cont(0.5) within group (order by entry))::numeric, 1)::float8 as verify_seconds
       from facts where $7::text is null or channel = $7 group by step, channel
     )
     select (select count(*) from newest)::integer as read, (select iso(min(created_at)) from newest) as oldest,
       (select coalesce(json_agg(s order by s.step, s.sent desc, s.channel), '[]') from sums s) as steps`,
    [account_id, from, to, most, country, api_key, channel],
  );
}
