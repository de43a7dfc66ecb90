import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Tx } from '../../platform/db/sql.ts';

const BATCH_SIZE = 2_000;
/** The longest range of the screen, and the period before it. */
const DAYS = 800;

/** Counts hold no personal data, so they outlive RETENTION_DAYS: a year can be compared with the year before. */
export const insightRetention: RetentionRules = {
  rows: [
    {
      table: 'insight_sums',
      batch: BATCH_SIZE,
      run: (tx: Tx) =>
        tx.run(
          `delete from insight_sums where ctid = any (array(
             select ctid from insight_sums where at < clock_now() - make_interval(days => $1) limit $2))`,
          [DAYS, BATCH_SIZE],
        ),
    },
  ],
};
