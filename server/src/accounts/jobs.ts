import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { deleteOldChallenges } from './challenge-queries.ts';
import { eraseLeftBehind } from './erasure.ts';
import { deleteOldNetworks } from './known-networks.ts';
import { deleteOldOwnSms } from './own-sms.ts';
import { deleteOldResetLinks } from './reset-links.ts';
import { deleteOldSessions } from './sessions.ts';
import { deleteOldThrottles } from './throttle.ts';

const MOST = 1_000;

/** Deletes what has expired: challenges with the sign-ups in them, sessions, counters, known networks; and what deleted accounts left. */
export const accountJobs = ({ db }: Needs<'db'>): Job[] => [
  {
    name: 'run-out',
    everyMs: 30_000,
    async run() {
      const removed = [
        await deleteOldChallenges(db, MOST),
        await deleteOldSessions(db, MOST),
        await deleteOldThrottles(db, MOST),
        await deleteOldOwnSms(db, MOST),
        await deleteOldNetworks(db, MOST),
        await deleteOldResetLinks(db, MOST),
      ];
      return removed.some((count) => count === MOST);
    },
  },
  { name: 'erasure', everyMs: 30_000, run: () => eraseLeftBehind({ db }) },
];
