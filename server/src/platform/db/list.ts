import { type Matching, pageInSegments, segmentsOf } from './daily-counts.ts';
import type { Page } from './page.ts';
import type { Db, Sql } from './sql.ts';

/**
 * How the lists that grow without end answer with any page and the exact number of all that match, in one of three ways: by
 * the counts of whole days, where filters and order are such as days are counted by; in the order itself, where an index
 * serves it; and for a search, by sorting what it finds, or in the order where that is very much.
 */
export interface List {
  matching: Matching;
  orders: Record<string, Order>;
  /** what is shown of one row, for `select` */
  shown: string;
  joins: string;
}

export interface Order {
  /** an expression on the row; left out: time, which the id is ordered by */
  rows?: string;
  /** the same on the counts of whole days, where they have it */
  counts?: string;
  /** what comes before the id among rows with the same value, and agrees with it */
  ties?: string;
  /** a join that the expression needs */
  join?: string;
  isNullable?: boolean;
}

export interface Listed<T> {
  results: T[];
  count: number;
}

/** The values of a statement under construction. */
export interface Params {
  readonly values: readonly unknown[];
  /** Answers what the statement calls it. */
  add(value: unknown): string;
}

export function paramsOf(): Params {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

interface Asked extends Page {
  /** `-name` descends */
  ordering: string;
  isSearch: boolean;
}

export function selectList<T>(db: Db, list: List, params: Params, asked: Asked): Promise<Listed<T>> {
  const descends = asked.ordering.startsWith('-');
  const order = list.orders[descends ? asked.ordering.slice(1) : asked.ordering];
  if (!order) throw new Error(`No order by ${asked.ordering}`);
  const counting = [...params.values];
  const cut = { descends, limit: params.add(asked.limit), offset: params.add(asked.offset) };
  const request: Request = { db, list, order, cut, values: params.values, counting };
  if (asked.isSearch) return found(request);
  return order.rows && !order.counts ? byIndex(request) : byDays(request);
}

interface Request {
  db: Db;
  list: List;
  order: Order;
  /** parameters by name */
  cut: { descends: boolean; limit: string; offset: string };
  values: readonly unknown[];
  /** those of the conditions alone */
  counting: readonly unknown[];
}

function byDays<T>(request: Request): Promise<Listed<T>> {
  const { matching } = request.list;
  const { rows, counts } = request.order;
  const by = rows && counts ? { rows, counts } : undefined;
  const times = by || request.cut.descends ? 'desc' : 'asc';
  return dressed(request.db, request, {
    ctes: pageInSegments(matching, { ...request.cut, by }),
    order: `${matching.row}.place, ${matching.row}.id ${times}`,
  });
}

/** So many are sooner sorted than an index is read to where the last of them lies. */
const SORTED_MOST = 50_000;

async function byIndex<T>(request: Request): Promise<Listed<T>> {
  const { db, list, counting } = request;
  const { count } = await db.one<{ count: number }>(
    `with ${segmentsOf(list.matching)} select count from total`,
    counting,
  );
  const { results } = await inOrder<T>(request, { sorts: count <= SORTED_MOST });
  return { results, count };
}

function inOrder<T>(request: Request, { sorts }: { sorts: boolean }): Promise<Listed<T>> {
  const { from, row, rows } = request.list.matching;
  const order = orderOf(request);
  const all = `select ${row}.* from ${from} where ${rows}`;
  // The page is cut out first, so that rows which are passed over are not dressed up. No order passes `offset 0`.
  const source = sorts ? `(${all} offset 0) ${row}` : from;
  return dressed<T>(request.db, request, {
    ctes: `total as (select 0 as count), page as (
      select ${row}.* from ${source} ${request.order.join ?? ''} ${sorts ? '' : `where ${rows}`}
      order by ${order} ${cutOf(request)})`,
    order,
  });
}

/** What a search finds up to here is sorted as a whole; of more, a page is soon full when they are read in order. */
const FOUND_MOST = 20_000;

async function found<T>(request: Request): Promise<Listed<T>> {
  const { from, row, rows } = request.list.matching;
  const order = orderOf(request);
  const all = await onAllCores(request.db, (tx) =>
    dressed<T>(tx, request, {
      ctes: `found as materialized (select ${row}.* from ${from} where ${rows} limit ${FOUND_MOST + 1}),
        total as (select count(*) as count from found),
        page as (select ${row}.* from found ${row} ${request.order.join ?? ''} order by ${order} ${cutOf(request)})`,
      order,
    }),
  );
  if (all.count <= FOUND_MOST) return all;
  const [{ results }, count] = await Promise.all([inOrder<T>(request, { sorts: false }), countAll(request)]);
  return { results, count };
}

/** Reads every row. */
const countAll = ({ db, list: { matching }, counting }: Request): Promise<number> =>
  onAllCores(db, async (tx) => {
    const { count } = await tx.one<{ count: number }>(
      `select count(*) as count from ${matching.from} where ${matching.rows}`,
      counting,
    );
    return count;
  });

/** What looks at many rows, by processes beside the connection's own. */
const onAllCores = <T>(db: Db, work: (tx: Sql) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.run('set local max_parallel_workers_per_gather = 2');
    return work(tx);
  });

/** Reads `total` and `page` from common table expressions, in that order. */
async function dressed<T>(
  sql: Sql,
  { list, order: { join }, values }: Request,
  { ctes, order }: { ctes: string; order: string },
): Promise<Listed<T>> {
  const joins = join && !list.joins.includes(join) ? `${list.joins} ${join}` : list.joins;
  const rows = await sql.rows<T & { id: string | null; total: number }>(
    `with ${ctes} select t.count as total, ${list.shown}
     from total t left join page ${list.matching.row} on true ${joins} order by ${order}`,
    values,
  );
  return {
    count: rows[0]?.total ?? 0,
    results: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [row as unknown as T])),
  };
}

const cutOf = ({ cut: { limit, offset } }: Request): string =>
  `limit ${limit}::integer offset ${offset}::integer`;

/** Ties go newest first; what has no value comes last either way. */
function orderOf({ order, cut: { descends }, list: { matching } }: Request): string {
  const direction = descends ? 'desc' : 'asc';
  const id = `${matching.row}.id`;
  if (!order.rows) return `${id} ${direction}`;
  const value = `${order.rows} ${direction}${order.isNullable ? ' nulls last' : ''}`;
  return `${value}, ${order.ties ? `${order.ties} desc, ` : ''}${id} desc`;
}
