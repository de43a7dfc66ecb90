import { z } from 'zod';
import { oneLine, optionalTime, requiredText } from '../field.ts';
import { LOOKUP_OUTCOMES, LookupFacts } from '../protection/lookups.ts';
import { LOOKUP_FIELD_NAMES, LOOKUP_KINDS, type LookupFieldName } from './lookup-kinds.ts';
import { adminRoute, finding, reason, supportRoute } from './operator.ts';

/** The bounds of the look-up's settings, and the values of a new one. */
export const LOOKUP_BOUNDS = {
  cache_hours: { min: 0, max: 720, byDefault: 24 },
  timeout_ms: { min: 100, max: 5_000, byDefault: 1_000 },
  daily_limit: { min: 0, max: 1_000_000, byDefault: 10_000 },
  account_daily_limit: { min: 0, max: 1_000_000, byDefault: 1_000 },
} as const;
export type LookupNumber = keyof typeof LOOKUP_BOUNDS;
export const LOOKUP_NUMBERS = Object.keys(LOOKUP_BOUNDS) as LookupNumber[];

const DESCRIPTIONS: Record<LookupNumber, string> = {
  cache_hours: 'How long an answer is used for the same number',
  timeout_ms: 'How long a send waits for an answer',
  daily_limit: 'Look-ups of all accounts in a day (UTC)',
  account_daily_limit: 'Look-ups of one account in a day (UTC)',
};
const numberOf = (name: LookupNumber) => {
  const { min, max } = LOOKUP_BOUNDS[name];
  const error = `Enter a whole number from ${min} to ${max.toLocaleString('en-US')}.`;
  return z
    .number({ error })
    .int(error)
    .min(min, error)
    .max(max, error)
    .meta({ description: DESCRIPTIONS[name] });
};
const numbers = Object.fromEntries(LOOKUP_NUMBERS.map((name) => [name, numberOf(name)])) as Record<
  LookupNumber,
  ReturnType<typeof numberOf>
>;

const kind = z.enum(LOOKUP_KINDS, { error: `Kind must be one of: ${LOOKUP_KINDS.join(', ')}.` });
const text = (most: number) =>
  z
    .string({ error: 'Must be text' })
    .trim()
    .max(most, `At most ${most.toLocaleString('en-US')} characters`);
const fields = Object.fromEntries(
  LOOKUP_FIELD_NAMES.map((name) => [
    name,
    (name === 'record' ? text(16_000) : text(2_500).refine(oneLine, 'Must be a single line')).optional(),
  ]),
) as Record<LookupFieldName, z.ZodOptional<z.ZodString>>;

export const LookupSetup = z.object({
  kind,
  is_enabled: z.boolean(),
  ...numbers,
  fields: z.array(
    z.object({
      name: z.string(),
      value: z.string().nullable().meta({ description: 'null for secrets and for fields that are not set' }),
      is_set: z.boolean(),
      last4: z.string().nullable().meta({ description: 'The end of a long secret' }),
    }),
  ),
  problem: z.string().nullable().meta({ description: 'Why the look-up is not used although it is on' }),
  paused: z.string().nullable().meta({
    description: 'What the company did, if a process currently makes no look-ups because too many failed',
  }),
  version: z.number().int(),
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
  used_today: z.number().int().meta({ description: 'Look-ups of all accounts today (UTC)' }),
});
export type LookupSetup = z.infer<typeof LookupSetup>;

const reply = z.object({ lookup: LookupSetup.nullable() });
const version = z
  .number()
  .int()
  .min(0)
  .meta({ description: 'The version that was read; 0 if there is no look-up' });

export const getLookup = supportRoute('carriers:read', 'GET /operator/lookup/', {
  name: 'getLookup',
  summary: 'The look-up of numbers, without its secrets',
  reply,
});
export const setLookup = adminRoute(null, 'PUT /operator/lookup/', {
  name: 'setLookup',
  summary: 'Set the look-up of numbers up, or change it',
  description:
    'Every process uses it within a second, and stored answers are no longer used. An empty secret keeps the stored one, unless a field changes that says where the secret is sent. Operator keys cannot make this call.',
  body: z.object({
    kind,
    is_enabled: z.boolean({ error: 'Must be true or false.' }),
    ...numbers,
    ...fields,
    version,
    reason,
  }),
  reply,
  failures: ['changed_meanwhile'],
});
export const removeLookup = adminRoute(null, 'POST /operator/lookup/remove/', {
  name: 'removeLookup',
  summary: 'Delete the look-up of numbers with its credentials',
  description:
    'The rules on line types and SIM changes then do nothing. Operator keys cannot make this call.',
  body: z.object({ version, reason }),
  reply,
  failures: ['changed_meanwhile'],
});
export const checkLookup = adminRoute('carriers:write', 'POST /operator/lookup/check/', {
  name: 'checkLookup',
  summary: 'Check the credentials of the look-up without looking a number up',
  description: 'For a company without a free request, the check only shows whether it responds.',
  body: z.object({}),
  reply: finding,
});
export const testLookup = adminRoute('carriers:write', 'POST /operator/lookup/test/', {
  name: 'testLookup',
  summary: 'Look one number up, even while the look-up is off',
  description:
    'The company may charge for it. An operator can make 20 tests of carriers and look-ups in an hour.',
  body: z.object({
    recipient: requiredText().max(32, 'At most 32 characters').refine(oneLine, 'Must be a single line'),
  }),
  reply: z.object({
    outcome: z.enum(LOOKUP_OUTCOMES),
    detail: z.string().nullable().meta({ description: 'Why there are no facts' }),
    facts: LookupFacts.nullable(),
    ms: z.number().int(),
  }),
});
