import { z } from 'zod';
import { credits, time } from './field.ts';
import { route } from './route.ts';

export const SPEND_LIMIT_MAX = 10_000_000;
const LIMIT_MESSAGE = 'Enter a whole number of credits from 1 to 10,000,000.';

/** The most credits in a period; null means no limit. */
export const creditLimit = z
  .number({ error: LIMIT_MESSAGE })
  .int(LIMIT_MESSAGE)
  .min(1, LIMIT_MESSAGE)
  .max(SPEND_LIMIT_MAX, LIMIT_MESSAGE)
  .nullable();

const limit = (period: string) =>
  creditLimit.meta({ description: `The most credits that sends may cost in ${period}; null: no limit` });

export const SpendLimits = z.object({
  daily_credit_limit: limit('a UTC day'),
  monthly_credit_limit: limit('a UTC month'),
});
export type SpendLimits = z.infer<typeof SpendLimits>;

export const Spend = SpendLimits.extend({
  spent_today: credits.meta({
    description: 'Credits spent on sends in the current UTC day, including refunded ones',
  }),
  spent_this_month: credits,
  day_resets_at: time,
  month_resets_at: time,
});
export type Spend = z.infer<typeof Spend>;

export const getSpend = route('GET /protection/spend/', {
  name: 'getSpend',
  tag: 'protection',
  auth: 'bearer',
  summary: 'Spend limits of the account and its current spending',
  reply: Spend,
});

export const updateSpend = route('PUT /protection/spend/', {
  name: 'updateSpend',
  tag: 'protection',
  auth: 'bearer',
  stepUp: true,
  summary: 'Change the spend limits of the account',
  description:
    'A change applies from the next send. Sends that would exceed a limit are refused with spend_limit_reached. The account gets an email when it has spent 50, 80 and 100% of a limit; if several are reached within five seconds, the email names the highest. A refund returns the credit but still counts towards a limit.',
  body: SpendLimits,
  reply: Spend,
});
