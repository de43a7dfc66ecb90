import type { Matching } from './daily-counts.ts';
import { type List, type Params, paramsOf } from './list.ts';
import { beginOfPart, dayOfId, type PartOf, type Window } from './page.ts';
import type { Queryable } from './sql.ts';

/** Collects the conditions of a list with daily counts: those on its rows and those on the counts (`daily_counts d`). */
export interface ListFilter {
  readonly params: Params;
  /** the placeholder of the account's id */
  readonly account_id: string;
  /** Adds a condition on the rows and the equivalent one on the counts. A search has no condition on the counts. */
  and(rows: string, counts?: string): void;
  /** Adds a condition on a column that rows and counts both have. */
  andColumn(column: string, condition: (column: string) => string): void;
  matching(list: Matching['list']): Matching;
}

/** Starts with the conditions for an account and a time window. `table` is the table of the rows, and `row` its alias. */
export function listFilter(
  { table, row }: { table: string; row: string },
  { account_id, from_id, from_day, until_id = null }: Window & { account_id: string },
): ListFilter {
  const params = paramsOf();
  const account = params.add(account_id);
  const from = params.add(from_id);
  const rows = [`${row}.account_id = ${account} and ${row}.id >= ${from}`];
  const counts = ['true'];
  if (until_id) rows.push(`${row}.id < ${params.add(until_id)}::uuid`);
  const and = (onRows: string, onCounts?: string) => {
    rows.push(onRows);
    if (onCounts) counts.push(onCounts);
  };
  return {
    params,
    account_id: account,
    and,
    andColumn: (column, condition) => and(condition(`${row}.${column}`), condition(`d.${column}`)),
    matching: (list) => ({
      list,
      from: `${table} ${row}`,
      row,
      rows: rows.join(' and '),
      counts: counts.join(' and '),
      account_id: account,
      from_id: from,
      from_day,
      until_day: until_id ? dayOfId(until_id) : null,
    }),
  };
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
