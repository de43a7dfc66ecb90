import type { RetentionRules } from '../platform/db/retention.ts';
import type { Db } from '../platform/db/sql.ts';

/** Covers the screen's longest range and the period before it. */
const DAYS = 800;

/** Counts contain no personal data, so they are kept beyond RETENTION_DAYS, and a year can be compared with the year before. */
export const insightRetention: RetentionRules = {
  rows: [{ table: 'insight_sums', where: `at < clock_now() - make_interval(days => ${DAYS})` }],
};

const BATCH = 'ctid = any (array(select ctid from $table where account_id = $1 limit $2))';

/** Deletes up to `most` rows of a deleted account. Returns the number of deleted rows. */
export async function deleteInsightsOf(
  db: Db,
  { account_id, most }: { account_id: string; most: number },
): Promise<number> {
  for (const table of ['insight_deltas', 'insight_sums']) {
    const deleted = await db.run(`delete from ${table} where ${BATCH.replace('$table', table)}`, [
      account_id,
      most,
    ]);
    if (deleted >= most) return deleted;
  }
  return 0;
}
