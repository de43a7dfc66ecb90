/** The channels that `channels: "auto"` means, per account. */

import { z } from 'zod';
import { CHANNELS, factsOf } from './channels.ts';
import { countryCode } from './field.ts';
import { planChannels, WAIT_SECONDS, waitSeconds } from './plan-fields.ts';
import { route } from './route.ts';

export const PLAN_COUNTRIES_MAX = 250;

const forPhones = planChannels.refine(
  (channels) => channels.every((channel) => factsOf(channel).recipient === 'phone'),
  'These plans are for phone numbers. Email has one channel.',
);

const Plan = z.object({
  channels: forPhones.meta({ description: 'In the order in which they are tried' }),
  wait_seconds: waitSeconds
    .default(WAIT_SECONDS.default)
    .meta({ description: 'How long each message may take before the next channel starts' }),
});

const CountryPlan = Plan.extend({
  country: countryCode.meta({ description: 'Of the phone number, ISO 3166-1 alpha-2' }),
});

export const PlansBody = z.object({
  default: Plan.nullable()
    .default(null)
    .meta({ description: 'For all other countries; null: SMS, then a call, if the service has both' }),
  countries: z
    .array(CountryPlan)
    .max(PLAN_COUNTRIES_MAX, `At most ${PLAN_COUNTRIES_MAX} countries can have a plan.`)
    .refine(
      (plans) => new Set(plans.map(({ country }) => country)).size === plans.length,
      'Each country has one plan.',
    )
    .default([]),
});

const PlanShown = z.object({ channels: z.array(z.enum(CHANNELS)), wait_seconds: z.number().int() });
export const Plans = z.object({
  default: PlanShown.nullable(),
  countries: z.array(PlanShown.extend({ country: z.string() })),
  built_in: PlanShown.meta({ description: 'What a default of null means on this service today' }),
});
export type Plans = z.infer<typeof Plans>;

const own = { tag: 'account', auth: 'bearer' } as const;

export const getPlans = route('GET /plans/', {
  ...own,
  name: 'getPlans',
  summary: 'The channels of sends with channels: "auto"',
  reply: Plans,
});

export const updatePlans = route('PUT /plans/', {
  ...own,
  name: 'updatePlans',
  stepUp: true,
  summary: 'Replace the channels of sends with channels: "auto"',
  description:
    'A channel must be available on the service. If it is no longer available at the time of a send, its step is left out.',
  body: PlansBody,
  reply: Plans,
});
