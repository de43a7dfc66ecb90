import type { Job } from '../../platform/queue/job.ts';
import { type DomainsApp, proveAgain } from './domains.ts';

export const messageLinkJobs = (app: DomainsApp): Job[] => [
  { name: 'message-domains', everyMs: 60_000, run: () => proveAgain(app) },
];
