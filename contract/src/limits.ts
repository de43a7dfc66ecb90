import { z } from 'zod';
import { id, time } from './field.ts';
import { route } from './route.ts';

/** Maximum number of limits per account. */
export const LIMITS_MAX = 20;
export const LIMIT_SENDS = { min: 1, max: 1_000_000 } as const;
const DAY_SECONDS = 86_400;
export const LIMIT_SECONDS = { min: 1, max: 30 * DAY_SECONDS } as const;

const whole = ({ min, max }: { min: number; max: number }, error: string) =>
  z.number({ error }).int(error).min(min, error).max(max, error);
/** As sends name it, in `limit-values.ts`, which the dashboard does not load. */
const NAME = 'Name must be 1 to 64 letters, digits, - and _.';
const name = z.string({ error: NAME }).regex(/^[\w-]{1,64}$/, NAME);
const max_sends = whole(LIMIT_SENDS, 'Sends must be a whole number from 1 to 1,000,000.');
const period_seconds = whole(LIMIT_SECONDS, 'Period must be a whole number of seconds, at most 30 days.');

export const Limit = z.object({
  id,
  name: z.string().meta({ description: 'By which sends name it' }),
  max_sends: z.number().int().meta({ description: 'Sends per value and period' }),
  period_seconds: z.number().int().meta({ description: 'A period begins with the first send for a value' }),
  created_at: time,
  updated_at: time,
});
export type Limit = z.infer<typeof Limit>;

/** The dashboard makes these calls with a session, and a key of live sends with its scope. */
const base = { tag: 'limits', auth: 'bearer', scope: 'limits:write' } as const;

export const listLimits = route('GET /limits/', {
  ...base,
  name: 'listLimits',
  summary: 'Limits of the account, newest first',
  description:
    'How many codes a value may cause, such as the address or the user of a visitor. A send names the limits that count it, with their values, in `limits`.',
  reply: z.object({ results: z.array(Limit), count: z.number().int() }),
});

export const createLimit = route('POST /limits/', {
  ...base,
  name: 'createLimit',
  summary: `Add a limit, at most ${LIMITS_MAX} per account`,
  body: z.object({ name, max_sends, period_seconds }),
  status: 201,
  reply: Limit,
  failures: ['missing_scope'],
});

export const updateLimit = route('PUT /limits/:id/', {
  ...base,
  name: 'updateLimit',
  stepUp: true,
  summary: 'Change a limit',
  description:
    'Omitted fields stay unchanged, and the name cannot be changed. With another period, every value counts anew. Another number of sends applies to running periods.',
  body: z.object({ max_sends: max_sends.optional(), period_seconds: period_seconds.optional() }),
  reply: Limit,
  failures: ['not_found', 'missing_scope'],
});

export const deleteLimit = route('DELETE /limits/:id/', {
  ...base,
  name: 'deleteLimit',
  stepUp: true,
  summary: 'Delete a limit',
  description: 'Sends that name it are refused from then on, with a field error.',
  failures: ['not_found', 'missing_scope'],
});
