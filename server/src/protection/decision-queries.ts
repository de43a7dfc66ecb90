import {
  DECISION_OUTCOMES,
  type DecisionOutcome,
  type DestinationDecision,
  type exportDecisions,
  type listDecisions,
} from '@sixdigit/contract/protection/decisions.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { deleteRowsOf } from '../platform/db/erasure.ts';
import {
  beginOfPart,
  containing,
  endOfWindow,
  orderBy,
  type PartOf,
  pageOf,
  windowOf,
} from '../platform/db/page.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';
import type { DecisionRow } from './decision-store.ts';

/** Further sends of a row that is already written are added to it. */
export const addDecisions = (tx: Tx, rows: readonly DecisionRow[]): Promise<number> =>
  tx.run(
    `insert into protection_decisions as d (account_id, id, at, last_at, sends, outcome, exemption, rule, findings, api_key_id,
       prefix, country, client, strictest, loosest)
     select account_id, id, to_timestamp(first_ms / 1000.0), to_timestamp(last_ms / 1000.0), sends, outcome, exemption, rule,
       findings, api_key_id, prefix, country, client, strictest, loosest
     from json_to_recordset($1) as n (account_id uuid, id uuid, first_ms bigint, last_ms bigint, sends integer, outcome text,
       exemption text, rule text, findings jsonb, api_key_id uuid, prefix text, country text, client text, strictest boolean,
       loosest boolean)
     order by account_id, id
     on conflict (account_id, id) do update set sends = d.sends + excluded.sends,
       last_at = greatest(d.last_at, excluded.last_at)`,
    [JSON.stringify(rows)],
  );

/** Deletes up to `most` of a deleted account. */
export const deleteDecisionsOf = (sql: Sql, part: { account_id: string; most: number }): Promise<number> =>
  deleteRowsOf(sql, { table: 'protection_decisions', key: 'id' }, part);

type Filter = readonly [account_id: string, from_id: string, before_id: string | null, ...(string | null)[]];

export function filterOf(
  account_id: string,
  query: Parsed<typeof exportDecisions, 'query'>,
  now: Date,
): Filter {
  const { outcome, rule, country, prefix, client, api_key, search } = query;
  return [
    account_id,
    windowOf(query.created_after, now).from_id,
    endOfWindow(query.created_before, now),
    outcome ?? null,
    rule ?? null,
    country ?? null,
    prefix ?? null,
    client ?? null,
    api_key ?? null,
    containing(search),
  ];
}

/** The deny list is the rule of a row without findings. */
const MATCHING = `account_id = $1 and id >= $2 and ($3::uuid is null or id < $3) and ($4::text is null or outcome = $4)
  and ($5::text is null or rule = $5 or findings @> jsonb_build_array(jsonb_build_object('rule', $5::text)))
  and ($6::text is null or country = $6) and ($7::text is null or starts_with(prefix, $7) or prefix <> '' and starts_with($7, prefix))
  and ($8::text is null or client = $8) and ($9::uuid is null or api_key_id = $9)
  and ($10::text is null or prefix ilike $10 or country ilike $10 or client ilike $10)`;
const SHOWN = `id, at as created_at, last_at, sends, outcome, rule, exemption, findings, strictest, loosest, api_key_id,
  nullif(prefix, '') as prefix, nullif(country, '') as country, nullif(client, '') as client`;

export async function selectDecisions(
  sql: Queryable,
  filter: Filter,
  query: Parsed<typeof listDecisions, 'query'>,
): Promise<{ results: DestinationDecision[]; count: number }> {
  const { limit, offset } = pageOf(query);
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from protection_decisions where ${MATCHING}`,
    filter,
  );
  const results = await sql.rows<DestinationDecision>(
    `select ${SHOWN} from protection_decisions where ${MATCHING}
     order by ${orderBy(query.ordering, { created_at: 'id', sends: 'sends' }, 'id')} limit $11 offset $12`,
    [...filter, limit, offset],
  );
  return { results, count };
}

export async function selectDecisionPart(
  sql: Queryable,
  filter: Filter,
  part: PartOf,
): Promise<{ rows: DestinationDecision[]; next: string | null }> {
  const [owner_id, from_id] = filter;
  const next = await beginOfPart(sql, {
    from: 'protection_decisions',
    owner: 'account_id',
    owner_id,
    from_id,
    ...part,
  });
  const rows = await sql.rows<DestinationDecision>(
    `select ${SHOWN} from protection_decisions where ${MATCHING} and id < $11::uuid and id >= $12::uuid order by id desc`,
    [...filter, part.below, next ?? from_id],
  );
  return { rows, next };
}

export const sumDecisionsByDay = (
  sql: Queryable,
  account_id: string,
): Promise<({ day: string } & Record<DecisionOutcome, number>)[]> =>
  sql.rows(
    `select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, ${DECISION_OUTCOMES.map(
      (outcome) => `coalesce(sum(sends) filter (where outcome = '${outcome}'), 0)::integer as ${outcome}`,
    ).join(', ')}
     from protection_decisions where account_id = $1 group by 1 order by 1`,
    [account_id],
  );
