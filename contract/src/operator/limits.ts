import { z } from 'zod';
import { countryCode, optionalTime } from '../field.ts';
import { creditLimit } from '../spend.ts';
import { accountRoute, adminRoute, reason } from './operator.ts';

const most = (name: string, max: number) => {
  const message = `${name} must be a whole number from 1 to ${max.toLocaleString('en-US')}, or empty`;
  return z.number({ error: message }).int(message).min(1, message).max(max, message).nullable();
};
const COUNTRIES = 'Countries must be two-letter codes such as DE, or empty';

/** Requests per second of each API key, unless an operator sets another limit. */
export const KEY_REQUESTS_PER_SECOND = 30;

/** The limits that an operator sets for one account. Null means the default for all accounts. */
export const AccountLimits = z.object({
  requests_per_second: most('Requests per second', 1_000).meta({
    description: `Requests per second of each API key, instead of ${KEY_REQUESTS_PER_SECOND}`,
  }),
  recipient_sends_per_10_min: most('Sends per 10 minutes', 1_000).meta({
    description: 'Sends to one recipient, instead of RECIPIENT_SENDS_PER_10_MIN',
  }),
  recipient_sends_per_day: most('Sends per day', 1_000).meta({
    description: 'Sends to one recipient, instead of RECIPIENT_SENDS_PER_DAY',
  }),
  countries: z
    .array(countryCode)
    .min(1, COUNTRIES)
    .max(250, COUNTRIES)
    .nullable()
    .meta({ description: 'Allowed countries, instead of ALLOWED_COUNTRIES' }),
  daily_credit_limit: creditLimit.meta({
    description: 'The most credits that sends may cost in a UTC day, in addition to the limit of the owner',
  }),
  monthly_credit_limit: creditLimit.meta({
    description: 'The most credits that sends may cost in a UTC month, in addition to the limit of the owner',
  }),
  is_trusted: z.boolean().meta({
    description: 'Whether the account is exempt from the fraud rules',
  }),
});
export type AccountLimits = z.infer<typeof AccountLimits>;

export const NO_LIMITS: AccountLimits = {
  requests_per_second: null,
  recipient_sends_per_10_min: null,
  recipient_sends_per_day: null,
  countries: null,
  daily_credit_limit: null,
  monthly_credit_limit: null,
  is_trusted: false,
};

export const OperatorAccountLimits = z.object({
  version: z.number().int().meta({ description: '0 before the first change' }),
  limits: AccountLimits,
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
});
export type OperatorAccountLimits = z.infer<typeof OperatorAccountLimits>;

export const getAccountLimits = accountRoute('limits/', {
  name: 'getAccountLimits',
  summary: 'Limits that operators set for an account',
  reply: OperatorAccountLimits,
});
export const updateAccountLimits = adminRoute('accounts:write', 'PUT /operator/accounts/:id/limits/', {
  name: 'updateAccountLimits',
  summary: 'Set the limits of an account',
  description:
    'Every process applies them within a second. Limits across all accounts, such as NUMBER_SENDS_PER_DAY, still apply.',
  body: AccountLimits.extend({
    version: z.number().int().min(0).optional().meta({
      description: 'The version that was read, so that no change by another operator is overwritten',
    }),
    reason,
  }),
  reply: OperatorAccountLimits,
  failures: ['changed_meanwhile'],
});
