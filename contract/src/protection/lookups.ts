import { z } from 'zod';
import { time } from '../field.ts';
import { purpose } from '../otp-fields.ts';

/** What a look-up knows of a number, and when a send asks for it. */

export const LINE_TYPES = [
  'mobile',
  'landline',
  'fixed_voip',
  'non_fixed_voip',
  'voip',
  'toll_free',
  'premium',
  'shared_cost',
  'personal',
  'pager',
  'voicemail',
  'satellite',
  'other',
] as const;
export type LineType = (typeof LINE_TYPES)[number];

/** What the rule on lines can refuse: a type, or a number that is lent to anyone for a short time. */
export const REFUSABLE_LINES = [...LINE_TYPES, 'temporary'] as const;
export type RefusableLine = (typeof REFUSABLE_LINES)[number];

/** The name of each on screens. */
export const LINE_NAMES: Record<RefusableLine, string> = {
  mobile: 'Mobile',
  landline: 'Landline',
  fixed_voip: 'Fixed VoIP',
  non_fixed_voip: 'Non-fixed VoIP',
  voip: 'VoIP of any kind',
  toll_free: 'Toll-free',
  premium: 'Premium rate',
  shared_cost: 'Shared cost',
  personal: 'Personal number',
  pager: 'Pager',
  voicemail: 'Voicemail',
  satellite: 'Satellite',
  other: 'Other',
  temporary: 'Temporary numbers',
};

const fact = <T extends z.ZodType>(type: T, description: string) => type.nullable().meta({ description });

export const LookupFacts = z.object({
  line_type: fact(z.enum(LINE_TYPES), 'null: unknown'),
  carrier: fact(z.string(), 'The name of the network; null: unknown'),
  country: fact(z.string(), 'ISO 3166-1 alpha-2; null: unknown'),
  ported: fact(z.boolean(), 'Whether the number moved to another carrier; null: unknown'),
  temporary: fact(z.boolean(), 'Whether anyone can use the number for a short time; null: unknown'),
  sim: fact(
    z.object({
      changed_at: fact(time, 'null: no change is known, or only that there was one'),
      changed_within_hours: fact(
        z.number(),
        'The SIM changed within these hours before looked_up_at, but the time is unknown; null: it did not',
      ),
      unchanged_within_hours: fact(
        z.number(),
        'The SIM did not change within these hours before looked_up_at, but may have changed earlier; null: no such limit',
      ),
    }),
    'The last change of the SIM card; null: unknown',
  ),
  looked_up_at: time,
});
export type LookupFacts = z.infer<typeof LookupFacts>;

/** The part that a verification keeps. */
export const LookupOfSend = LookupFacts.pick({ line_type: true, carrier: true });
export type LookupOfSend = z.infer<typeof LookupOfSend>;

/** Why a send has no facts, and what it did to get them. */
export const LOOKUP_OUTCOMES = [
  'answered',
  'cached',
  'timeout',
  'failed',
  'unreadable',
  'busy',
  'paused',
  'budget_spent',
] as const;
export type LookupOutcome = (typeof LOOKUP_OUTCOMES)[number];

/** The hours of the rule on SIM cards. */
export const SIM_HOURS = { min: 1, max: 2_400, byDefault: 72 } as const;
export const PURPOSES_MAX = 20;

const CREDITS_MAX = 100_000;
const WHOLE = `Credits must be a whole number from 0 to ${CREDITS_MAX.toLocaleString('en-US')}.`;
export const purposes = z
  .array(purpose, { error: 'Must be a list of purposes.' })
  .max(PURPOSES_MAX, `Name at most ${PURPOSES_MAX} purposes.`);

export const LookupSettings = z.object({
  from_credits: z
    .number({ error: WHOLE })
    .int(WHOLE)
    .min(0, WHOLE)
    .max(CREDITS_MAX, WHOLE)
    .meta({ description: 'Only sends that cost at least this many credits look a number up' }),
  purposes: purposes.meta({ description: 'Sends for these purposes look a number up whatever they cost' }),
  closed_purposes: purposes.meta({
    description:
      'Sends for these purposes look a number up whatever they cost, and are refused if the look-up gives no answer; others are not',
  }),
  messengers: z
    .boolean({ error: 'Must be true or false.' })
    .meta({ description: 'The rules concern WhatsApp and Telegram too, not only SMS and voice' }),
});
export type LookupSettings = z.infer<typeof LookupSettings>;

export const LOOKUP_DEFAULTS: LookupSettings = {
  from_credits: 1,
  purposes: [],
  closed_purposes: [],
  messengers: false,
};
