import { z } from 'zod';
import { CHANNELS } from '../channels.ts';
import { countryCode, id, oneLine, requiredText, time } from '../field.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

const channel = z.enum(CHANNELS, { error: `Channel must be one of: ${CHANNELS.join(', ')}.` });

/** The last ten minutes over all workers. */
export const CarrierHealth = z.object({
  accepted: z.number().int(),
  refused: z.number().int(),
  uncertain: z.number().int(),
  average_ms: z.number().int().nullable(),
});
export const CarrierError = z.object({
  id,
  created_at: time,
  carrier: z.string(),
  channel,
  kind: z.enum(['refused', 'uncertain', 'report']),
  reason: z.string().meta({ description: "A stable reason, with the carrier's own code if it returned one" }),
  detail: z.string(),
});
export type CarrierError = z.infer<typeof CarrierError>;
export const OperatorCarrier = CarrierHealth.extend({
  name: z.string(),
  position: z
    .number()
    .int()
    .meta({ description: 'Position in the order in which carriers are tried, from 1' }),
  is_paused: z.boolean(),
  weight: z.number().int().nullable().meta({
    description:
      'Share of the messages for which this carrier is tried first, relative to the other weights of the channel; null: by position',
  }),
  open_breakers: z
    .number()
    .int()
    .meta({ description: 'Number of workers whose circuit breaker is open for this carrier' }),
});
export type OperatorCarrier = z.infer<typeof OperatorCarrier>;
const place = z.object({ name: z.string(), is_paused: z.boolean(), weight: z.number().int().nullable() });
/** A country's carriers, in order. They replace the channel's order. */
export const CountryRoute = z.object({ country: z.string(), carriers: z.array(place) });
export type CountryRoute = z.infer<typeof CountryRoute>;
export const OperatorChannel = z.object({
  channel,
  waiting: z.number().int().meta({ description: 'Messages in the queue' }),
  oldest_seconds: z.number().meta({ description: 'How long the oldest due message has waited' }),
  carriers: z.array(OperatorCarrier),
  countries: z.array(CountryRoute).meta({ description: 'Countries with their own routes' }),
});
export type OperatorChannel = z.infer<typeof OperatorChannel>;
export const OperatorCarriers = z.object({
  channels: z.array(OperatorChannel),
  errors: z.array(CarrierError).meta({ description: 'Newest first' }),
});
export type OperatorCarriers = z.infer<typeof OperatorCarriers>;

export const getOperatorCarriers = supportRoute('carriers:read', 'GET /operator/carriers/', {
  name: 'getOperatorCarriers',
  summary: 'Carriers of each channel, with their health and recent errors',
  reply: OperatorCarriers,
});
export const CarrierCosts = z.object({
  day: z.string().meta({ description: 'Of the sends, in UTC' }),
  carrier: z.string(),
  country: z.string().meta({ description: 'ISO 3166-1 alpha-2; empty if it is unknown' }),
  currency: z.string().meta({ description: 'ISO 4217; empty if the carrier does not report it' }),
  messages: z.number().int(),
  price: z.number().meta({ description: 'What the carrier charged for all of them' }),
});
export type CarrierCosts = z.infer<typeof CarrierCosts>;
export const listCarrierCosts = supportRoute('carriers:read', 'GET /operator/carrier-costs/', {
  name: 'listCarrierCosts',
  summary: 'What carriers charged in the last 30 days, per carrier, country and day, as their reports say',
  reply: z.object({ costs: z.array(CarrierCosts) }),
});
export const updateCarrier = adminRoute('carriers:write', 'PUT /operator/carriers/:name/', {
  name: 'updateCarrier',
  summary: 'Pause or resume a carrier of a channel, or change its position or weight',
  description:
    'Every process applies the change within a second. A paused carrier gets no messages. If all carriers of a channel are paused, its messages wait in the queue. Omitted fields stay unchanged.',
  body: z.object({
    channel,
    country: countryCode.optional().meta({
      description:
        'Changes the routes of this country only. The first change copies the routes of the channel',
    }),
    is_paused: z.boolean({ error: 'Must be true or false.' }).optional(),
    position: z
      .number()
      .int('Position must be a whole number')
      .min(1, 'Position must be at least 1')
      .optional(),
    weight: z
      .number()
      .int('Weight must be a whole number')
      .min(0, 'Weight must be at least 0')
      .max(1_000, 'Weight must be at most 1,000')
      .nullable()
      .optional(),
    reason,
  }),
  reply: OperatorCarriers,
});
export const removeCountryRoute = adminRoute('carriers:write', 'POST /operator/routes/remove/', {
  name: 'removeCountryRoute',
  summary: 'Remove the routes of a country, which then follows its channel',
  body: z.object({ channel, country: countryCode, reason }),
  reply: OperatorCarriers,
});
export const testCarrier = adminRoute('carriers:write', 'POST /operator/carriers/:name/test/', {
  name: 'testCarrier',
  summary:
    'Send a test message without a valid code through one carrier, even one that is paused or turned off',
  description: 'Costs no credits. An operator can send 20 in an hour.',
  body: z.object({
    channel,
    recipient: requiredText().max(254, 'At most 254 characters').refine(oneLine, 'Must be a single line'),
  }),
  reply: z.object({
    outcome: z.enum(['accepted', 'refused', 'uncertain']),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    words: z
      .string()
      .nullable()
      .meta({ description: "The carrier's own text, if it did not accept the message" }),
    provider_message_id: z.string().nullable(),
    ms: z.number().int(),
  }),
});

/** The stored route of a channel: its carriers, in order. Carriers that it does not name come last. */
export const CarrierRouting = z.partialRecord(channel, z.array(place));
export type CarrierRouting = z.infer<typeof CarrierRouting>;

/** The stored routes of individual countries. */
export const CountryRouting = z.record(z.string(), CarrierRouting);
export type CountryRouting = z.infer<typeof CountryRouting>;
