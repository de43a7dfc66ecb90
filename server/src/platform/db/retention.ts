import type { Config } from '../config.ts';
import type { CountedList } from './daily-counts.ts';
import type { RecipientTable } from './removed-recipients.ts';
import type { Queryable, Tx } from './sql.ts';

/** A module's rules for deleting old rows of its tables. The module `retention` applies them. */
export interface RetentionRules {
  /** The tables, in the order in which their rows are deleted. */
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
  /** how many days rows are kept, as a number or the name of its setting; by default RETENTION_DAYS */
  days?: number | 'logRetentionDays';
  /** the rows name recipients, which are removed after RECIPIENT_RETENTION_DAYS */
  recipients?: Omit<RecipientTable, 'table'>;
  /** the lists that have daily counts */
  counted?: readonly CountedTable[];
  /** indexes that are built for a month after its end */
  searchIndexes?: readonly SearchIndex[];
}

export const daysOf = (
  { days }: Pick<MonthlyTable, 'days'>,
  kept: Pick<Config, 'retentionDays' | 'logRetentionDays'>,
): number => (typeof days === 'number' ? days : kept[days ?? 'retentionDays']);

/** Rows of an unpartitioned table that are no longer needed. */
export interface OldRows {
  table: string;
  /** an SQL condition on a row */
  where: string;
}

/** Deletes up to `most` old rows and returns their number. Skips locked rows until the next round. */
export const deleteOld = (sql: Queryable, { table, where }: OldRows, most: number): Promise<number> =>
  sql.run(
    `delete from ${table} where ctid = any (array(
       select ctid from ${table} where ${where} limit $1 for update skip locked))`,
    [most],
  );

/** A table with its own rule for deleting rows. */
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
  /** the values of `channel`, `country` and `carrier`, as SQL on a row; empty by default */
  route?: string;
  /**
   * The first day of this range with rows that may still change, or `over_day` if there is none. Days are written as
   * `2026-11-21`.
   */
  settledUntil?(tx: Tx, from_day: string, over_day: string): Promise<string>;
}

export interface SearchIndex {
  ending: string;
  on: string;
  extension?: string;
}
