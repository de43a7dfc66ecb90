import type { CountedList } from './daily-counts.ts';
import type { Queryable, Tx } from './sql.ts';

/** How a module limits its tables. The module `retention` applies these rules. */
export interface RetentionRules {
  /** In the order in which their rows are deleted. */
  monthly?: readonly MonthlyTable[];
  rows?: readonly (OldRows | RowRule)[];
}

/** A table partitioned by month of a time-ordered id. Whole months are dropped. */
export interface MonthlyTable {
  table: string;
  /** the column with the time-ordered id */
  id: string;
  /** columns of the primary key */
  key: string;
  /** how long rows stay; left out: RETENTION_DAYS */
  days?: number;
  /** the lists whose days are counted */
  counted?: readonly CountedTable[];
  /** indexes that a month gets after its end */
  searchIndexes?: readonly SearchIndex[];
}

/** Rows of a table without partitions that are no longer needed. */
export interface OldRows {
  table: string;
  /** SQL on a row */
  where: string;
}

/** Deletes up to `most` old rows and returns their number. Locked rows are left to the next round. */
export const deleteOld = (sql: Queryable, { table, where }: OldRows, most: number): Promise<number> =>
  sql.run(
    `delete from ${table} where ctid = any (array(
       select ctid from ${table} where ${where} limit $1 for update skip locked))`,
    [most],
  );

/** A table that is limited in another way. */
export interface RowRule {
  table: string;
  /** Deletes up to `batch` rows. Returns the number of deleted rows. */
  run(tx: Tx): Promise<number>;
  /** a full batch means that there may be more */
  batch?: number;
}

export interface CountedTable {
  list: CountedList;
  /** the values of `outcome`, `request_type` and `credits` in `daily_counts`, as SQL on a row */
  kinds: string;
  /** the values of `channel`, `country` and `carrier`, as SQL on a row; left out: empty */
  route?: string;
  /** The first day of this range that has rows which may still change, or `over_day`. Both days as `2026-11-21`. */
  settledUntil?(tx: Tx, from_day: string, over_day: string): Promise<string>;
}

export interface SearchIndex {
  ending: string;
  on: string;
  extension?: string;
}
