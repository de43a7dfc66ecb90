/**
 * Builds the indexes that only lists and searches need, for each month once its rows are final. Most are trigram indexes, with
 * which a search finds part of a recipient without reading every row. The current month is read row by row, because such an
 * index would slow down every send, and a trigram index costs more than all other indexes together.
 */

import { monotonicMs } from '../../platform/clock.ts';
import { tryLock } from '../../platform/db/advisory-locks.ts';
import type { MonthlyTable, SearchIndex } from '../../platform/db/retention.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';

type App = Needs<'db' | 'log'>;

const EVERY_MS = 10 * 60_000;
/** The delay after the end of a month. Its rows are final by then, because codes are valid for at most an hour. */
const SETTLED = `interval '2 hours'`;
/** The time limit for building an index, enough for about 400 million rows. */
const BUILD_MS = 15 * 60_000;

type MonthlyIndex = SearchIndex & { table: string };

export const searchIndexJob = (app: App, tables: readonly MonthlyTable[]): Job => ({
  name: 'search-indexes',
  everyMs: EVERY_MS,
  run: async () => {
    for (const { table, searchIndexes = [] } of tables)
      for (const one of searchIndexes) {
        const index = { table, ...one };
        const month = await monthWithout(app, index);
        if (month !== undefined) return build(app, index, month);
      }
    return false;
  },
});

/** The newest completed month without a valid index. */
const monthWithout = async (
  { db }: App,
  { table, ending, extension }: MonthlyIndex,
): Promise<string | undefined> =>
  (
    await db.maybe<{ name: string }>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = $1::text::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
         and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' + ${SETTLED} <= clock_now()
         and ($3::text is null or exists (select from pg_extension where extname = $3))
         and not exists (select from pg_index x join pg_class n on n.oid = x.indexrelid
           where x.indrelid = c.oid and n.relname = c.relname || '_' || $2 and x.indisvalid)
       order by c.relname desc limit 1`,
      [table, ending, extension ?? null],
    )
  )?.name;

/**
 * Builds the index concurrently, because late delivery reports still write to the table. A concurrent build runs outside a
 * transaction and can leave an invalid index after a crash, which this replaces. Only one process builds at a time. Returns
 * true if it built an index.
 */
const build = ({ db, log }: App, { ending, on }: MonthlyIndex, month: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await tryLock(tx, 'searchIndexes'))) return false;
    const name = `${month}_${ending}`;
    const began = monotonicMs();
    for (const text of [
      `drop index concurrently if exists "${name}"`,
      `create index concurrently "${name}" on "${month}" using ${on}`,
    ])
      await db.pool.query({ text, query_timeout: BUILD_MS } as { text: string });
    log.info({ index: name, ms: Math.round(monotonicMs() - began) }, 'search index built');
    return true;
  });
