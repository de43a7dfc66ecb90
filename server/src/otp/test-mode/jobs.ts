import { CHANNELS } from '@sixdigit/contract/channels.ts';
import type { TestOutcome } from '@sixdigit/contract/test-mode.ts';
import type { Carrier } from '../../messaging/carriers/carriers.ts';
import type { Needs } from '../../platform/platform.ts';
import type { Job } from '../../platform/queue/job.ts';
import { insertTestMessage, markReported, selectDueReports, wipeTestCodes } from './queries.ts';
import { isTestUnreachable, outcomeOf } from './recipients.ts';

interface Report {
  carrier: string;
  account_id: string;
  otp_id: string;
  state: 'delivered' | 'undelivered';
  provider_message_id: string | null;
  is_quick: true;
  reason: string | null;
}

const BATCH_SIZE = 100;

/**
 * Generates the simulated carrier's due delivery reports. A repeated report changes nothing, so two processes may generate the
 * same one.
 */
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
          is_quick: true,
          reason: null,
        });
      if (due.length > 0) await markReported(app.db, due);
      return due.length === BATCH_SIZE;
    },
  },
  {
    name: 'test-codes',
    everyMs: 60_000,
    run: async () => (await wipeTestCodes(app.db, BATCH_SIZE)) === BATCH_SIZE,
  },
];

/** The simulated carrier's name, which no real carrier has. */
export const TEST_CARRIER = 'test' as const;

const REPORTS: Partial<Record<TestOutcome, { report: 'delivered' | 'undelivered'; seconds: number }>> = {
  undelivered: { report: 'undelivered', seconds: 1 },
  slow: { report: 'delivered', seconds: 30 },
  late_bounce: { report: 'undelivered', seconds: 90 },
};

/**
 * The carrier of test messages. It sends nothing: it stores the message in the test inbox and reports the recipient's
 * documented outcome.
 */
export const testCarrier = ({ db }: Needs<'db'>): Carrier => ({
  name: TEST_CARRIER,
  channels: CHANNELS,
  async dispatch({ id, channel, recipient }) {
    const outcome = outcomeOf(recipient);
    if (isTestUnreachable(channel, recipient))
      return {
        kind: 'refused',
        reason: 'test_unreachable',
        detail: 'The recipient does not use this channel (test).',
        final: true,
      };
    if (outcome === 'refused')
      return {
        kind: 'refused',
        reason: 'test_refused',
        detail: 'The carrier refused the recipient (test).',
        final: true,
      };
    if (outcome === 'pending')
      return { kind: 'uncertain', reason: 'test_pending', detail: 'The carrier did not answer (test).' };
    try {
      await insertTestMessage(db, { id, ...(REPORTS[outcome] ?? { report: 'delivered', seconds: 1 }) });
    } catch {
      return {
        kind: 'refused',
        reason: 'inbox_unavailable',
        detail: 'The test inbox could not take the message.',
        temporary: true,
      };
    }
    return { kind: 'accepted', provider_message_id: `test-${id}` };
  },
});
