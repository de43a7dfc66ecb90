import { oldNoticeLog } from '../messaging/notices/notices.ts';
import { deleteOld, type OldRows } from '../platform/db/retention.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { expiredInvitations } from './members/invitation-queries.ts';
import { oldEnrolments, oldPasskeyChallenges } from './second-factors/second-factors.ts';
import { oldNetworks } from './sessions/client.ts';
import { oldDevices } from './sessions/known-devices.ts';
import { oldLinks, oldLogins } from './sso/sso.ts';

const BATCH_SIZE = 1_000;

const RUN_OUT: readonly OldRows[] = [
  { table: 'challenges', where: 'expires_at <= clock_now()' },
  { table: 'sessions', where: 'expires_at < clock_now()' },
  { table: 'throttles', where: 'until <= clock_now()' },
  { table: 'own_sms', where: 'until <= clock_now()' },
  oldNetworks,
  oldDevices,
  { table: 'reset_links', where: 'expires_at <= clock_now()' },
  oldEnrolments,
  oldPasskeyChallenges,
  expiredInvitations,
  oldNoticeLog,
  oldLogins,
  oldLinks,
];

/** Deletes expired challenges, sessions, counters, and known networks and devices. */
export const accountJobs = ({ db }: Needs<'db'>): Job[] => [
  {
    name: 'run-out',
    everyMs: 30_000,
    async run() {
      let isMore = false;
      for (const rows of RUN_OUT) isMore = (await deleteOld(db, rows, BATCH_SIZE)) === BATCH_SIZE || isMore;
      return isMore;
    },
  },
];
