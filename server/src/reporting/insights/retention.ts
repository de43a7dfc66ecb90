import type { RetentionRules } from '../../platform/db/retention.ts';

/** The longest range of the screen, and the period before it. */
const DAYS = 800;

/** Counts hold no personal data, so they outlive RETENTION_DAYS: a year can be compared with the year before. */
export const insightRetention: RetentionRules = {
  rows: [{ table: 'insight_sums', where: `at < clock_now() - make_interval(days => ${DAYS})` }],
};
