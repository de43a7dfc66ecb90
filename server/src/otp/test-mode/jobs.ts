import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';
import { TEST_CARRIER } from './carrier.ts';
import { markReported, selectDueReports } from './queries.ts';

interface Report {
  carrier: string;
  account_id: string;
  otp_id: string;
  state: 'delivered' | 'undelivered';
  provider_message_id: string | null;
  reason: string | null;
}

const BATCH_SIZE = 100;

/** Makes the due delivery reports of the simulated carrier. A repeated report changes nothing, so two processes may make one. */
export const testModeJobs = (app: Needs<'db'>, report: (received: Report) => Promise<unknown>): Job[] => [
  {
    name: 'test-reports',
    everyMs: 500,
    async run() {
      const due = await selectDueReports(app.db, BATCH_SIZE);
      for (const { account_id, id, report: state } of due)
        await report({
          carrier: TEST_CARRIER,
          account_id,
          otp_id: id,
          state,
          provider_message_id: `test-${id}`,
          reason: null,
        });
      if (due.length > 0) await markReported(app.db, due);
      return due.length === BATCH_SIZE;
    },
  },
];
