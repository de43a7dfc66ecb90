import { z } from 'zod';
import { time } from '../field.ts';
import { RULES, type Threshold } from './rules.ts';

const ORDERS = ['spread', 'walk'] as const;
const THRESHOLD_NAMES = ['limit', 'recipients', 'percent', 'hours'] as const satisfies Threshold[];

const within = (name: string, min: number, max: number) => {
  const error = `${name} must be a whole number from ${min} to ${max.toLocaleString('en-US')}.`;
  return z.number({ error }).int(error).min(min, error).max(max, error);
};

/** An attack of one day. */
export const Campaign = z.strictObject(
  {
    name: z
      .string({ error: 'Name must be a text.' })
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} ,.'’-]{0,59}$/u, 'Name must be 1 to 60 letters, digits and spaces.'),
    sends: within('Sends', 1, 20_000),
    /** over which the sends are spread evenly */
    hours: within('Hours', 1, 24),
    /** blocks of 10,000 numbers */
    prefixes: within('Prefixes', 1, 5_000),
    /** spread: all prefixes in turn; walk: one prefix after the other */
    order: z.enum(ORDERS, { error: `order must be one of: ${ORDERS.join(', ')}.` }).default('spread'),
    /** different numbers, used in turn; by default one for each send */
    numbers: within('Numbers', 1, 20_000).optional(),
    /** IP addresses, used in turn; 0: one for each send */
    clients: within('Clients', 0, 20_000).default(0),
    /** of the codes, how many the attacker enters */
    verified_percent: within('Verified percent', 0, 100).default(0),
    /** The numbers are known recipients of the account. */
    known: z.boolean({ error: 'known must be true or false.' }).default(false),
    /** accounts of the deployment that are attacked at once, each with an equal part of the sends */
    accounts: within('Accounts', 1, 50).default(1),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `There is no ${(keys as string[]).join(', ')} in a campaign.`
        : 'A campaign must be an object.',
  },
);
export type Campaign = z.output<typeof Campaign>;

export const CAMPAIGNS_MAX = 20;
export const Campaigns = z
  .array(Campaign, { error: 'The file must contain a list of campaigns.' })
  .min(1, 'The list of campaigns is empty.')
  .max(CAMPAIGNS_MAX, `The list must have at most ${CAMPAIGNS_MAX} campaigns.`)
  .refine(
    (all) => new Set(all.map(({ name }) => name)).size === all.length,
    'Each campaign needs a name of its own.',
  );

const campaign = (given: z.input<typeof Campaign>): Campaign => Campaign.parse(given);

/** The campaigns that the service plays. */
export const CAMPAIGNS: readonly Campaign[] = [
  campaign({ name: 'Country burst', sends: 3_000, hours: 1, prefixes: 150 }),
  campaign({ name: 'Prefix walk', sends: 3_000, hours: 24, prefixes: 150, order: 'walk' }),
  campaign({ name: 'Slow drip', sends: 720, hours: 24, prefixes: 72 }),
  campaign({
    name: 'Rented numbers',
    sends: 1_500,
    hours: 24,
    prefixes: 150,
    numbers: 375,
    verified_percent: 30,
  }),
  campaign({ name: 'Many accounts', sends: 3_000, hours: 1, prefixes: 60, accounts: 20 }),
  campaign({
    name: 'Stolen known numbers',
    sends: 3_000,
    hours: 24,
    prefixes: 300,
    numbers: 600,
    clients: 30,
    known: true,
  }),
];

export const WORST_DAY_SEED = 1;
/** How many runs an account may start within an hour on one process. */
export const WORST_DAYS_PER_HOUR = 20;

const count = z.number().int();
const cents = count.meta({ description: 'US cents, at the price of a credit without a discount' });

const PlayedCampaign = z.object({
  name: z.string(),
  country: z.string().nullable().meta({
    description: 'The attacked country, ISO 3166-1 alpha-2; null: the account allows none',
  }),
  sends: count.meta({ description: 'Codes that the attackers request' }),
  got_through: count.meta({ description: 'Messages that were sent' }),
  cost_cents: cents,
  without_rules_cents: cents,
  users_refused: count.meta({ description: 'Requests of real users that were refused on that day' }),
  known_refused: count.meta({ description: 'Of these, users whose number is known' }),
  refused_by: z
    .array(z.object({ by: z.string(), sends: count }))
    .meta({ description: 'What refused the attack: rules, recipient_limit, spend_limit' }),
});
export type PlayedCampaign = z.infer<typeof PlayedCampaign>;

const SETTINGS = ['mode', 'threshold', 'countries', 'known_days', 'daily_credit_limit'] as const;

const Change = z.object({
  setting: z.enum(SETTINGS),
  rule: z
    .enum(RULES)
    .nullable()
    .meta({ description: 'null with the setting mode: all rules with thresholds' }),
  threshold: z.enum(THRESHOLD_NAMES).nullable(),
  before: z.string().nullable().meta({ description: 'null: none, such as no limit or all countries' }),
  after: z.string(),
  cost_cents: cents.meta({ description: 'The worst day with this change alone' }),
  users_refused: count.meta({
    description: 'Real users refused on the day of the costliest campaign, with this change alone',
  }),
});
export type WorstDayChange = z.infer<typeof Change>;

export const WorstDay = z.object({
  seed: count,
  cost_cents: cents.meta({ description: 'Of the costliest campaign, with the account’s settings' }),
  without_rules_cents: cents.meta({ description: 'Of the costliest campaign, if nothing stops it' }),
  users_refused: count.meta({ description: 'In the campaign that refuses most real users' }),
  known_refused: count,
  campaigns: z.array(PlayedCampaign),
  changes: z.array(Change).meta({
    description: 'The three changes of single settings that lower the worst day most, best first',
  }),
  costliest: z.object({ name: z.string(), users_refused: count }),
  shape: z
    .object({
      from: time.nullable(),
      to: time.nullable(),
      sends_per_day: count,
      conversion_percent: count,
      known_percent: count,
      client_percent: count.meta({ description: 'Sends with the end user’s IP address' }),
      countries: count,
      is_learning: z.boolean(),
    })
    .meta({ description: 'The account’s sends by SMS and voice in the last 30 days' }),
});
export type WorstDay = z.infer<typeof WorstDay>;

/** The accounts whose worst days are summed for a deployment. */
export const LARGEST_ACCOUNTS = 5;

export const DeploymentWorstDay = WorstDay.pick({
  cost_cents: true,
  without_rules_cents: true,
  users_refused: true,
  known_refused: true,
}).extend({
  accounts: count.meta({
    description: `The summed accounts: at most ${LARGEST_ACCOUNTS}, those that spent most credits in this UTC month`,
  }),
  campaigns: z
    .array(PlayedCampaign)
    .meta({ description: 'Each campaign attacks all of these accounts on the same day' }),
});
export type DeploymentWorstDay = z.infer<typeof DeploymentWorstDay>;

export const WorstDayBody = z.object({
  seed: within('Seed', 0, 2_147_483_647).default(WORST_DAY_SEED).meta({
    description: 'The same seed gives the same result as long as settings and sends are the same',
  }),
});
