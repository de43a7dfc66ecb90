import { z } from 'zod';
import { time } from './field.ts';
import { RULES } from './protection/rules.ts';
import { route } from './route.ts';
import { wholeText } from './viewer-texts.ts';

/** The periods, in days. */
export const COST_PERIODS = ['7', '30', '90'] as const;

const count = z.number().int();
const Cost = z.object({
  country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2; null for email' }),
  verified: count,
  unverified: count.meta({ description: 'Charged sends whose code was never verified' }),
  credits: count.meta({ description: 'Credits spent on them' }),
  rule: z.enum(RULES).nullable().meta({
    description: 'The rule that limits such sends; null for email and where most codes are verified',
  }),
});

export const UnverifiedCosts = z.object({
  from: time,
  to: time,
  spent: count.meta({ description: 'Credits spent on all finished sends' }),
  unverified: count,
  credits: count,
  by_country: z.array(Cost).meta({ description: 'The most expensive first, at most 20' }),
  by_prefix: z.array(Cost.extend({ prefix: wholeText })).meta({
    description: 'A prefix is a number without its last four digits. The most expensive first, at most 20',
  }),
});
export type UnverifiedCosts = z.infer<typeof UnverifiedCosts>;
export type CountryCost = UnverifiedCosts['by_country'][number];

export const getUnverifiedCosts = route('GET /verifications/unverified-costs/', {
  name: 'getUnverifiedCosts',
  tag: 'insights',
  auth: 'bearer',
  summary: 'Credits spent on codes that were never verified, by country and prefix',
  description:
    'Counts sends that were charged and whose code expired or failed. Refunded, canceled and superseded sends do not count. Days are in UTC and include today.',
  query: z.object({
    days: z.enum(COST_PERIODS, { error: `Days must be one of: ${COST_PERIODS.join(', ')}.` }).default('30'),
  }),
  reply: UnverifiedCosts,
  failures: ['list_timeout'],
});
