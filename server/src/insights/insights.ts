/**
 * Counts of verifications by the time they were sent. Triggers on `verifications` note every change as a delta in the same
 * transaction (`note_insights.sql`); a job adds the deltas to counts of five minutes, and later of hours.
 */
export { insightRetention } from './retention.ts';
