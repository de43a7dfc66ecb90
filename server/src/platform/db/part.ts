import type { List, Params } from './list.ts';
import type { Queryable } from './sql.ts';

/** One part of a list in the order of its time-ordered ids, newest first. */
export interface PartOf {
  /** the part ends below this id */
  below: string;
  /** the number of rows that the part reads, whether or not they match; limits the work of a statement */
  most: number;
}

interface Scope extends PartOf {
  /** `ledger` */
  from: string;
  /** the first column of the primary key, which is followed by the id */
  owner: 'account_id' | 'endpoint_id';
  owner_id: string;
  from_id: string;
}

/** The lowest id of a part, or null if fewer rows are left. */
export async function beginOfPart(
  sql: Queryable,
  { from, owner, owner_id, from_id, below, most }: Scope,
): Promise<string | null> {
  const row = await sql.maybe<{ id: string }>(
    `select id from ${from} where ${owner} = $1 and id >= $2 and id < $3 order by id desc offset $4 limit 1`,
    [owner_id, from_id, below, most - 1],
  );
  return row?.id ?? null;
}

/**
 * Reads one part of a list that `selectList` shows. The first two parameters are the account and the lowest id of the time
 * window.
 */
export async function selectPart<T>(
  sql: Queryable,
  { matching: { list, from, row, rows }, shown, joins }: List,
  params: Params,
  part: PartOf,
): Promise<{ rows: T[]; next: string | null }> {
  const [owner_id, from_id] = params.values as [string, string];
  const rowsOf = list.endsWith('requests') ? 'request_logs' : 'verifications';
  const next = await beginOfPart(sql, { from: rowsOf, owner: 'account_id', owner_id, from_id, ...part });
  const values = [...params.values, part.below, next ?? from_id];
  const found = await sql.rows<T>(
    `with page as (select ${row}.* from ${from} where ${rows}
       and ${row}.id < $${values.length - 1}::uuid and ${row}.id >= $${values.length}::uuid)
     select ${shown} from page ${row} ${joins} order by ${row}.id desc`,
    values,
  );
  return { rows: found, next };
}
