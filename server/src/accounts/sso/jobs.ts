import type { Job } from '../../platform/queue/job.ts';
import { proveDomainsAgain } from './domain.ts';

export const ssoJobs = (app: Parameters<typeof proveDomainsAgain>[0]): Job[] => [
  { name: 'sso-domains', everyMs: 60_000, run: () => proveDomainsAgain(app) },
];
