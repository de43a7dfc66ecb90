/**
 * Counts of verifications by the time they were sent. Triggers on `verifications` note every change as a delta in the same
 * transaction (`note_insights.sql`), and verifies note wrong codes. A job adds the deltas to counts of five minutes and of days, and
 * later merges the five minutes into hours.
 */
export { deleteInsightsOf } from './queries.ts';
export { insightRetention } from './retention.ts';
