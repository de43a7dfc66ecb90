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
  daily_credit_limit: limit('a day of UTC'),
  monthly_credit_limit: limit('a month of UTC'),
});
export type SpendLimits = z.infer<typeof SpendLimits>;

export const Spend = SpendLimits.extend({
  spent_today: credits.meta({
    description: 'Credits of the sends of this day of UTC, refunded ones included',
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
  summary: 'Spend limits of the account, and what it has spent',
  reply: Spend,
});

export const updateSpend = route('PUT /protection/spend/', {
  name: 'updateSpend',
  tag: 'protection',
  auth: 'bearer',
  stepUp: true,
  summary: 'Change the spend limits of the account',
  description:
    'A change holds from the next send on. Sends beyond a limit are refused with spend_limit_reached. The account gets an email when it has spent 50, 80 and 100 % of a limit; if several are reached within five seconds, the email names the highest. A refund returns the credit but does not raise what a limit leaves.',
  body: SpendLimits,
  reply: Spend,
});
