/**
 * Counts of verifications by the time they were sent. Triggers on `verifications` record every change as a delta in the same
 * transaction (`note_insights.sql`), and verify requests record wrong codes. A job adds the deltas to five-minute sums and
 * later rolls these up into hours and days. It also stores rolled-up sums across all channels, countries and keys, so that a
 * long range takes few rows to read, even for an account with many of them.
 */

export { insightsOf } from './report.ts';
export { deleteInsightsOf, insightRetention } from './upkeep.ts';
