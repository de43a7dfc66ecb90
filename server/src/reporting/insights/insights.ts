/**
 * Counts of verifications by the time they were sent. Triggers on `verifications` note every change as a delta in the same
 * transaction (`note_insights.sql`), and verifies note wrong codes. A job adds the deltas to sums of five minutes, and
 * a later one rolls these up into hours and days, also over all channels, countries and keys, so that a long range of an account with
 * many of them takes few rows to read.
 */

export { insightsOf } from './report.ts';
export { deleteInsightsOf, insightRetention } from './upkeep.ts';
