/**
 * Lists of any length return any page and the exact number of matches, in one of three ways. If the daily counts support the
 * filter and the order, they come from these. If an index has the order, they are read in index order. A search sorts its
 * matches, or reads in index order if there are very many.
 */

import type { CountMode } from '@sixdigit/contract/list.ts';
import {
  type CountedDays,
  countedDaysOf,
  type Matching,
  pageInSegments,
  segmentsOf,
} from './daily-counts.ts';
import type { Page } from './page.ts';
import type { Db, Queryable, Tx } from './sql.ts';

export interface List {
  matching: Matching;
  orders: Record<string, Order>;
  /** the columns to show, for `select` */
  shown: string;
  joins: string;
  /** The matches can be read without reading many other rows, for example because an index supports the filter. */
  isNarrow?: boolean;
}

export interface Order {
  /** an expression on the row; by default the id, which sorts by time */
  rows?: string;
  /** the same expression on the daily counts, if supported */
  counts?: string;
  /** a sort expression that precedes the id for rows with equal values; must agree with the order of ids */
  ties?: string;
  /** a join that the expression requires */
  join?: string;
  isNullable?: boolean;
  /** an index has this order */
  isIndexed?: boolean;
}

export interface Listed<T> {
  results: T[];
  /** null if the count was not requested with the page */
  count: number | null;
  /** the number of matches found so far, if `count` is null */
  at_least?: number;
}

/** Collects the parameters of a statement. */
export interface Params {
  readonly values: readonly unknown[];
  /** Adds a value and returns its placeholder. */
  add(value: unknown): string;
}

export function paramsOf(): Params {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

interface Asked extends Page {
  /** `-name` sorts in descending order */
  ordering: string;
  isSearch: boolean;
  count: CountMode;
}

export function selectList<T>(db: Db, list: List, params: Params, asked: Asked): Promise<Listed<T>> {
  const descends = asked.ordering.startsWith('-');
  const order = list.orders[descends ? asked.ordering.slice(1) : asked.ordering];
  if (!order) throw new Error(`No order by ${asked.ordering}`);
  const counting = [...params.values];
  const cut = { descends, limit: params.add(asked.limit), offset: params.add(asked.offset) };
  const request: Request = { db, list, order, cut, values: params.values, counting };
  if (asked.count === 'only')
    return (asked.isSearch ? countAll(request) : countByDays(request)).then(countAlone);
  if (asked.isSearch) return found(request, asked);
  return order.rows && !order.counts ? byIndex(request) : byDays(request);
}

interface Counted<T> extends Listed<T> {
  count: number;
}

const countAlone = (count: number): Listed<never> => ({ results: [], count });

interface Request {
  db: Db;
  list: List;
  order: Order;
  /** parameter placeholders */
  cut: { descends: boolean; limit: string; offset: string };
  values: readonly unknown[];
  /** only the parameters of the conditions */
  counting: readonly unknown[];
}

function byDays<T>(request: Request): Promise<Counted<T>> {
  const { matching } = request.list;
  const { rows, counts } = request.order;
  const by = rows && counts ? { rows, counts } : undefined;
  const times = by || request.cut.descends ? 'desc' : 'asc';
  return withCountedDays(request, (tx, counted) =>
    dressed<T>(tx, request, {
      ctes: pageInSegments(matching, counted, { ...request.cut, by }),
      order: `${matching.row}.place, ${matching.row}.id ${times}`,
    }),
  );
}

/** Reads again if a job has counted days or dropped counts since `counted` was read. */
const withCountedDays = <T extends { count: number | null }>(
  { db, list: { matching } }: Request,
  read: (tx: Tx, counted: CountedDays | undefined) => Promise<T>,
): Promise<T & { count: number }> =>
  db.transaction(async (tx) => {
    for (;;) {
      const found = await read(tx, await countedDaysOf(tx, matching.list));
      if (found.count !== null) return { ...found, count: found.count };
    }
  });

/**
 * Up to this many matches, sorting them is faster than reading an index up to a deep page, provided that few other rows must be
 * read.
 */
const SORTED_MOST = 50_000;

async function countByDays(request: Request): Promise<number> {
  const { list, counting } = request;
  const { count } = await withCountedDays(request, (tx, counted) =>
    tx.one<{ count: number | null }>(
      `with ${segmentsOf(list.matching, counted)} select count from total`,
      counting,
    ),
  );
  return count;
}

async function byIndex<T>(request: Request): Promise<Listed<T>> {
  const count = await countByDays(request);
  const { list, order } = request;
  const sorts = count <= SORTED_MOST && (list.isNarrow === true || !order.isIndexed);
  const { results } = await inOrder<T>(request, { sorts });
  return { results, count };
}

function inOrder<T>(request: Request, { sorts }: { sorts: boolean }): Promise<Listed<T>> {
  const { from, row, rows, account_id } = request.list.matching;
  const order = orderOf(request);
  const all = `select ${row}.* from ${from} where ${rows}`;
  // Select the page's ids first, from an index alone if it has all columns, so that skipped rows are neither read nor joined.
  // `offset 0` keeps the planner from reading in index order.
  const source = sorts ? `(${all} offset 0) ${row}` : from;
  return dressed<T>(request.db, request, {
    ctes: `total as (select 0 as count), cut as (
      select ${row}.id from ${source} ${request.order.join ?? ''} ${sorts ? '' : `where ${rows}`}
      order by ${order} ${cutOf(request)}
    ), page as (
      select ${row}.* from cut join ${from} on ${row}.account_id = ${account_id} and ${row}.id = cut.id)`,
    order,
  });
}

/** A search sorts up to this many matches. With more matches, reading in index order fills a page sooner. */
const FOUND_MOST = 20_000;

async function found<T>(request: Request, asked: Asked): Promise<Listed<T>> {
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
  if (all.count !== null && all.count <= FOUND_MOST) return all;
  if (asked.count === 'later') return uncounted(request, asked);
  const [{ results }, count] = await Promise.all([inOrder<T>(request, { sorts: false }), countAll(request)]);
  return { results, count };
}

/** A page of a search with too many matches to sort. Reads one extra row to find out whether another page follows. */
async function uncounted<T>(request: Request, { limit, offset }: Page): Promise<Listed<T>> {
  const cut = { ...request.cut, limit: `1 + ${request.cut.limit}` };
  const { results } = await inOrder<T>({ ...request, cut }, { sorts: false });
  const seen = results.length === 0 ? 0 : offset + results.length;
  return { results: results.slice(0, limit), count: null, at_least: Math.max(FOUND_MOST + 1, seen) };
}

/** Counts the matches by reading every row. */
const countAll = ({ db, list: { matching }, counting }: Request): Promise<number> =>
  onAllCores(db, async (tx) => {
    const { count } = await tx.one<{ count: number }>(
      `select count(*) as count from ${matching.from} where ${matching.rows}`,
      counting,
    );
    return count;
  });

/** Allows parallel query, for statements that read many rows. */
const onAllCores = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.run('set local max_parallel_workers_per_gather = 2');
    return work(tx);
  });

/** Reads `total` and `page` from common table expressions, in that order. */
async function dressed<T>(
  sql: Queryable,
  { list, order: { join }, values }: Request,
  { ctes, order }: { ctes: string; order: string },
): Promise<Listed<T>> {
  const joins = join && !list.joins.includes(join) ? `${list.joins} ${join}` : list.joins;
  const rows = await sql.rows<T & { id: string | null; total: number | null }>(
    `with ${ctes} select t.count as total, ${list.shown}
     from total t left join page ${list.matching.row} on true ${joins} order by ${order}`,
    values,
  );
  return {
    count: rows[0]?.total ?? null,
    results: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [row as unknown as T])),
  };
}

const cutOf = ({ cut: { limit, offset } }: Request): string =>
  `limit ${limit}::integer offset ${offset}::integer`;

/** Rows with equal values are sorted newest first. Nulls come last in both directions. */
function orderOf({ order, cut: { descends }, list: { matching } }: Request): string {
  const direction = descends ? 'desc' : 'asc';
  const id = `${matching.row}.id`;
  if (!order.rows) return `${id} ${direction}`;
  const value = `${order.rows} ${direction}${order.isNullable ? ' nulls last' : ''}`;
  return `${value}, ${order.ties ? `${order.ties} desc, ` : ''}${id} desc`;
}
