import { z } from 'zod';
import { adminRoute, reason } from './operator.ts';

export const RETENTION_SETTINGS = [
  'RETENTION_DAYS',
  'LOG_RETENTION_DAYS',
  'RECIPIENT_RETENTION_DAYS',
] as const;

const days = z.number({ error: 'Enter a number of days' }).int('Enter a number of days');

/** A retention setting that has become shorter. Older data stays until an operator confirms it. */
export const ShrunkRetention = z.object({
  name: z.enum(RETENTION_SETTINGS, { error: `Name must be one of: ${RETENTION_SETTINGS.join(', ')}.` }),
  days: days.meta({ description: 'What the environment says now' }),
  kept_days: days.meta({ description: 'For how long data is kept until the confirmation' }),
});
export type ShrunkRetention = z.infer<typeof ShrunkRetention>;

export const confirmRetention = adminRoute(null, 'POST /operator/retention/confirm/', {
  name: 'confirmRetention',
  summary: 'Confirm a retention setting that has become shorter',
  description:
    'Send the values that `GET /operator/overview/` returned. The workers delete what is older within ten minutes. Operator keys cannot make this call.',
  body: ShrunkRetention.extend({ reason }),
  failures: ['changed_meanwhile'],
});
