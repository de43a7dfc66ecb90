import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { deleteOldChallenges } from './challenge-queries.ts';
import { deleteOldNetworks } from './client.ts';
import { eraseLeftBehind } from './delete-account.ts';
import { deleteOldDevices } from './known-devices.ts';
import { deleteOldThrottles } from './limits.ts';
import { deleteOldOwnSms } from './own-sms.ts';
import { deleteOldResetLinks } from './reset-links.ts';
import { deleteOldEnrolments, deleteOldPasskeyChallenges } from './second-factors/second-factors.ts';
import { deleteOldSessions } from './sessions.ts';

const BATCH_SIZE = 1_000;

/** Deletes expired challenges, sessions, counters, known networks and devices, and the remaining data of deleted accounts. */
export const accountJobs = ({ db }: Needs<'db'>): Job[] => [
  {
    name: 'run-out',
    everyMs: 30_000,
    async run() {
      const removed = [
        await deleteOldChallenges(db, BATCH_SIZE),
        await deleteOldSessions(db, BATCH_SIZE),
        await deleteOldThrottles(db, BATCH_SIZE),
        await deleteOldOwnSms(db, BATCH_SIZE),
        await deleteOldNetworks(db, BATCH_SIZE),
        await deleteOldDevices(db, BATCH_SIZE),
        await deleteOldResetLinks(db, BATCH_SIZE),
        await deleteOldEnrolments(db, BATCH_SIZE),
        await deleteOldPasskeyChallenges(db, BATCH_SIZE),
      ];
      return removed.some((count) => count === BATCH_SIZE);
    },
  },
  { name: 'erasure', everyMs: 30_000, run: () => eraseLeftBehind({ db }) },
];
