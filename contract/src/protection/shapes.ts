import { z } from 'zod';
import { countryCode, headerText, headerTextMessage, optionalTime, REQUIRED, time } from '../field.ts';
import { moment } from '../moment.ts';
import { requireProof } from '../proof.ts';
import { wholeText } from '../viewer-texts.ts';
import { knownDays } from './known.ts';
import { LookupSettings, purposes, REFUSABLE_LINES, SIM_HOURS } from './lookups.ts';
import { BLOCKERS, MODES, SCOPES } from './rules.ts';

export const LIST_MAX = 1_000;
/** The lists of an account. */
export const LISTS = ['allow', 'deny'] as const;
export type ListName = (typeof LISTS)[number];
export const LIST_KINDS = ['number', 'prefix', 'address', 'country'] as const;
export type ListKind = (typeof LIST_KINDS)[number];
export const NUMBER_MESSAGE = 'Enter a phone number with its country code, such as +14155552671.';
export const PREFIX_MESSAGE =
  'Enter the first digits of phone numbers with the country code, such as +1415555.';
export const ADDRESS_MESSAGE = 'Enter an IP address or a network, such as 203.0.113.7 or 203.0.113.0/24.';

const whole = z.number({ error: 'Must be a whole number.' }).int('Must be a whole number.');
const mode = z.enum(MODES, { error: `Mode must be one of: ${MODES.join(', ')}.` });

export const ListEntry = z.object({
  kind: z.enum(LIST_KINDS),
  value: z.string().meta({
    description: 'A number in E.164, the first digits of numbers, an IP address or network, or a country',
  }),
  note: z.string().nullable(),
  created_at: time,
  expires_at: optionalTime.meta({ description: 'When the entry expires; null: never' }),
});
export type ListEntry = z.infer<typeof ListEntry>;

const range = z.object({ min: whole, max: whole });
const own = { mode: z.enum(MODES) };
const thresholds = {
  prefix_velocity: { limit: whole },
  client_velocity: { limit: whole, recipients: whole },
  client_unverified: { limit: whole, percent: whole },
  client_countries: { limit: whole },
  prefix_conversion: { limit: whole, percent: whole, hours: whole },
  country_unverified: { limit: whole, percent: whole },
} as const;

const countries = z
  .array(z.string())
  .nullable()
  .meta({ description: 'Allowed countries, as ISO 3166-1 alpha-2; null: all countries of the deployment' });

const HOURS = `Hours must be a whole number from ${SIM_HOURS.min} to ${SIM_HOURS.max}.`;
const lookupRules = {
  line_type: {
    refused: z
      .array(z.enum(REFUSABLE_LINES, { error: `Line types are: ${REFUSABLE_LINES.join(', ')}.` }))
      .max(REFUSABLE_LINES.length, 'Name each line type once.')
      .meta({ description: 'The line types that get no message' }),
  },
  sim_swap: {
    hours: z
      .number({ error: HOURS })
      .int(HOURS)
      .min(SIM_HOURS.min, HOURS)
      .max(SIM_HOURS.max, HOURS)
      .meta({ description: 'The number gets no message for this long after its SIM card changed' }),
    purposes: purposes.nullable().meta({ description: 'Only sends for these purposes; null: all sends' }),
  },
};

export const ProtectionRules = z.object({
  country: z.object({ ...own, countries }),
  prefix_velocity: z.object({ ...own, ...thresholds.prefix_velocity }),
  client_velocity: z.object({ ...own, ...thresholds.client_velocity }),
  client_unverified: z.object({ ...own, ...thresholds.client_unverified }),
  client_countries: z.object({ ...own, ...thresholds.client_countries }),
  prefix_conversion: z.object({ ...own, ...thresholds.prefix_conversion }),
  country_unverified: z.object({ ...own, ...thresholds.country_unverified }),
  line_type: z.object({ ...own, ...lookupRules.line_type }),
  sim_swap: z.object({ ...own, ...lookupRules.sim_swap }),
});
export type ProtectionRules = z.infer<typeof ProtectionRules>;

export const ProtectionBounds = z.object({
  prefix_velocity: z.object({ limit: range }),
  client_velocity: z.object({ limit: range, recipients: range }),
  client_unverified: z.object({ limit: range, percent: range }),
  client_countries: z.object({ limit: range }),
  prefix_conversion: z.object({ limit: range, percent: range, hours: range }),
  country_unverified: z.object({ limit: range, percent: range }),
});
export type ProtectionBounds = z.infer<typeof ProtectionBounds>;

export const Protection = z.object({
  rules: ProtectionRules,
  bounds: ProtectionBounds.meta({ description: 'The operator’s bounds of each threshold' }),
  allow: z.array(ListEntry).meta({ description: 'Overrides the rules of the account' }),
  deny: z.array(ListEntry).meta({ description: 'Overrides everything' }),
  known_days: whole.meta({
    description: 'Days that a recipient stays known after its last verified code; 0: off',
  }),
  require_proof: requireProof.meta({
    description:
      'When sends with live keys need a proof of work: never, while a rule of the account is at its limit, or always',
  }),
  lookups: LookupSettings,
  has_lookup: z
    .boolean()
    .meta({ description: 'Whether the operator has set a look-up up. Without one, its rules do nothing' }),
  allowed_countries: z
    .array(z.string())
    .meta({ description: 'Countries of the deployment; * means all countries' }),
  learning: z
    .object({
      is_learning: z.boolean(),
      finished: whole,
      verified: whole,
      finished_needed: whole,
      verified_percent_needed: whole,
    })
    .meta({
      description:
        'While is_learning is true, client_unverified, client_countries, prefix_conversion and country_unverified block nothing, whatever their mode',
    }),
  updated_at: optionalTime,
});
export type Protection = z.infer<typeof Protection>;

const given = { mode: mode.optional() };
/** A misspelled rule or threshold is an error, because ignoring it would leave the account unprotected. */
const onlyKnown = <const S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' ? `There is no ${(keys as string[]).join(', ')} here.` : undefined,
  });
const givenThresholds = <T extends Record<string, typeof whole>>(of: T) =>
  onlyKnown({ ...given, ...of }).partial();
/** An entry in a request. */
export const ListEntryBody = z.object({
  kind: z.enum(LIST_KINDS, { error: `Kind must be one of: ${LIST_KINDS.join(', ')}.` }),
  value: z.string().trim().min(1, REQUIRED).max(60, 'Value is too long.'),
  note: z
    .string()
    .trim()
    .max(100, 'Note must be at most 100 characters')
    .refine(headerText, headerTextMessage('Note'))
    .nullable()
    .optional(),
  expires_at: moment('Enter a time in ISO 8601, such as 2030-01-31T12:00:00Z.').nullable().optional(),
});
const entries = z.array(ListEntryBody).max(LIST_MAX, `A list has at most ${LIST_MAX} entries.`);

const givenRules = onlyKnown({
  country: onlyKnown({
    ...given,
    countries: z.array(countryCode).max(250, 'Too many countries.').nullable(),
  }).partial(),
  prefix_velocity: givenThresholds(thresholds.prefix_velocity),
  client_velocity: givenThresholds(thresholds.client_velocity),
  client_unverified: givenThresholds(thresholds.client_unverified),
  client_countries: givenThresholds(thresholds.client_countries),
  prefix_conversion: givenThresholds(thresholds.prefix_conversion),
  country_unverified: givenThresholds(thresholds.country_unverified),
  line_type: onlyKnown({ ...given, ...lookupRules.line_type }).partial(),
  sim_swap: onlyKnown({ ...given, ...lookupRules.sim_swap }).partial(),
})
  .partial()
  .optional()
  .meta({ description: 'Omitted rules and thresholds stay unchanged' });

const givenLists = {
  allow: entries.optional().meta({ description: 'Replaces the list' }),
  deny: entries.optional().meta({ description: 'Replaces the list' }),
};

const givenLookups = {
  lookups: onlyKnown(LookupSettings.shape)
    .partial()
    .optional()
    .meta({ description: 'When sends look a number up; omitted settings stay unchanged' }),
};

export const ProtectionBody = z.object({
  rules: givenRules,
  ...givenLists,
  ...givenLookups,
  known_days: knownDays.optional(),
  require_proof: requireProof.optional(),
});

const givenRange = range.refine(({ min, max }) => min <= max, {
  error: 'The lower bound must not be above the upper one.',
});

/** The operator's settings for the rules across all accounts. */
export const DeploymentRulesBody = z.object({
  rules: givenRules,
  ...givenLists,
  ...givenLookups,
  bounds: z
    .object({
      prefix_velocity: z.object({ limit: givenRange }).partial(),
      client_velocity: z.object({ limit: givenRange, recipients: givenRange }).partial(),
      client_unverified: z.object({ limit: givenRange, percent: givenRange }).partial(),
      client_countries: z.object({ limit: givenRange }).partial(),
      prefix_conversion: z.object({ limit: givenRange, percent: givenRange, hours: givenRange }).partial(),
      country_unverified: z.object({ limit: givenRange, percent: givenRange }).partial(),
    })
    .partial()
    .optional()
    .meta({
      description: 'Bounds of the thresholds that accounts may choose; omitted bounds stay unchanged',
    }),
});
export type DeploymentRulesBody = z.output<typeof DeploymentRulesBody>;

export const Block = z.object({
  rule: z.enum(BLOCKERS),
  scope: z.enum(SCOPES),
  prefix: wholeText.meta({ description: 'The number without its last four digits' }),
  country: z.string().nullable(),
  client: wholeText.nullable().meta({
    description: 'The end user’s address (IPv6: its /64 network), for the rules on clients',
  }),
  blocked: whole.meta({ description: 'Blocked sends' }),
  monitored: whole.meta({ description: 'Sends that the rule would have blocked' }),
  first_at: time,
  last_at: time,
  blocked_until: optionalTime.meta({ description: 'The prefix is blocked until this time' }),
  allow: z
    .object({ kind: z.enum(LIST_KINDS), value: z.string() })
    .nullable()
    .meta({
      description:
        'The body for POST /protection/allow/ that unblocks it; null if the block cannot be lifted',
    }),
  is_allowed: z.boolean().meta({ description: 'Whether the allow list contains it' }),
});
export type Block = z.infer<typeof Block>;

/** The rules across all accounts, the bounds of accounts' thresholds, and the blocks of the last 24 hours. */
export const DeploymentRules = z.object({
  rules: ProtectionRules,
  bounds: ProtectionBounds,
  allow: z.array(ListEntry).meta({ description: 'Overrides the rules across all accounts' }),
  deny: z.array(ListEntry).meta({ description: 'Overrides everything, in every account' }),
  lookups: LookupSettings,
  updated_at: optionalTime,
  blocked: whole.meta({ description: 'Sends of all accounts that any rule blocked in the last 24 hours' }),
  monitored: whole,
  blocks: z
    .array(
      z.object({
        rule: z.enum(BLOCKERS),
        scope: z
          .enum(SCOPES)
          .meta({ description: 'Whether a rule of the account or of the operator blocked the sends' }),
        country: z.string().nullable(),
        accounts: whole.meta({ description: 'Number of accounts that sent to this country' }),
        prefixes: whole,
        blocked: whole,
        monitored: whole,
        last_at: time,
      }),
    )
    .meta({ description: 'The 100 most frequent by rule, scope and country' }),
});
export type DeploymentRules = z.infer<typeof DeploymentRules>;
