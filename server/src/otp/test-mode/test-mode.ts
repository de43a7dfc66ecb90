import { TEST_INBOX_DAYS } from '@sixdigit/contract/test-mode.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';

/**
 * Test mode: sends with a test key cost nothing and never leave the service. They run through the same batches, queue and
 * webhooks as live ones; only their code, their carrier and the outcomes of documented recipients are simulated.
 */
export { TEST_CARRIER, testCarrier } from './jobs.ts';
export type { TestMessageRow } from './queries.ts';
export { isTestUnreachable, type TestRefusal, testNumber, testRefusal } from './recipients.ts';
export { testMessageOf, testMessagesOf } from './routes.ts';

/** Older messages are removed from the inbox; their verifications remain. */
export const testModeRetention: RetentionRules = {
  rows: [
    {
      table: 'test_messages',
      where: `created_at < clock_now() - make_interval(days => ${TEST_INBOX_DAYS})`,
    },
  ],
};
