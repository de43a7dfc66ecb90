import { planChannels, waitSeconds } from '@sixdigit/contract/plan-fields.ts';
import { z } from 'zod';

/** The fields of one country's plan. */
export const planSchema = z.object({
  country: z.string().min(1, 'Choose a country.').nullable(),
  channels: planChannels,
  wait_seconds: waitSeconds,
});
