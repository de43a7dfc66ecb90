import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { ERASURES_TOPIC, runNextErasure } from './accounts/recipient-erasures.ts';

type App = Needs<'db' | 'random' | 'vault' | 'config' | 'clock' | 'wakeups'>;

export const operatorJobs = (app: App): Job[] => [
  { name: 'recipient-erasures', topic: ERASURES_TOPIC, everyMs: 5_000, run: () => runNextErasure(app) },
];
