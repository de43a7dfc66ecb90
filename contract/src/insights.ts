import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import { countryCode, id, keyFilter, time, timeZone } from './field.ts';
import { moment } from './moment.ts';
import { STEPS_MAX } from './plan-fields.ts';
import { route } from './route.ts';
import { listVerifications } from './verifications.ts';
import { wholeText } from './viewer-texts.ts';

export const INSIGHT_RANGES = ['1h', '24h', '7d', '15d', '30d', '90d'] as const;
export type InsightRange = (typeof INSIGHT_RANGES)[number];
/** The longest custom range, in days. */
export const INSIGHT_DAYS_MAX = 400;

/** Upper bounds of the buckets of the time to verify, in seconds. The last bucket has none. */
export const TIME_BOUNDS = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 180, 240, 300, 450, 600, 900,
  1800,
] as const;

const ISO = 'Use an ISO 8601 time, such as 2026-11-21T00:00:00Z.';
const isoTime = moment(ISO);

const count = z.number().int();
const Counts = z.object({
  sent: count.meta({ description: 'Accepted sends' }),
  dispatched: count.meta({ description: 'Accepted by a carrier' }),
  delivered: count.meta({ description: 'Reported as delivered by the carrier' }),
  verified: count,
  expired: count,
  failed: count.meta({ description: 'Undelivered, or closed after too many wrong codes' }),
  canceled: count.meta({ description: 'Canceled by the account; part of expired' }),
  exhausted: count.meta({ description: 'Closed after too many wrong codes; part of failed' }),
  superseded: count.meta({
    description: 'Closed because another send to the recipient was verified; part of expired',
  }),
  credits: count.meta({ description: 'Credits spent, after refunds' }),
  refunded: count.meta({ description: 'Refunded credits' }),
  rejected: count.meta({ description: 'No carrier accepted the message; part of failed' }),
  wrong_codes: count.meta({ description: 'Wrong codes that were entered' }),
  own_codes: count.meta({
    description:
      'Accepted sends of codes that the sender made. They count only here, in own_delivered and own_failed, and in credits and refunded',
  }),
  own_delivered: count.meta({ description: 'Reported as delivered by the carrier; part of own_codes' }),
  own_failed: count.meta({ description: 'Undelivered; part of own_codes' }),
});
export type Counts = z.infer<typeof Counts>;
export const COUNT_NAMES = Object.keys(Counts.shape) as (keyof Counts)[];

/** The counts that a conversion is made of. */
export const OUTCOME_NAMES = [
  'sent',
  'verified',
  'expired',
  'failed',
  'canceled',
  'superseded',
] as const satisfies readonly (keyof Counts)[];
export type Outcomes = Pick<Counts, (typeof OUTCOME_NAMES)[number]>;

/**
 * Verified sends divided by all sends that were verified, expired or failed; null if there are none. Canceled, superseded and
 * open sends do not count. Null also while sends are open and none was verified.
 */
export function conversionOf(counts: Outcomes): number | null {
  const { verified, expired, failed, canceled, superseded } = counts;
  const over = verified + expired + failed - canceled - superseded;
  if (over === 0 || (verified === 0 && openOf(counts) > 0)) return null;
  return verified / over;
}

/** Sends that can still be verified, expire or fail. */
export const openOf = ({ sent, verified, expired, failed }: Outcomes): number =>
  Math.max(0, sent - verified - expired - failed);

const seconds = z.number().nullable();
const Totals = Counts.extend({
  conversion: z.number().nullable().meta({
    description:
      'Verified sends divided by all sends that were verified, expired or failed, excluding canceled and superseded ones. Null if there are none, or while sends are open and none has been verified',
  }),
  median_seconds: seconds.meta({ description: 'Median time from the send to the correct code' }),
  p95_seconds: seconds.meta({ description: '95th percentile of the time from the send to the correct code' }),
});
export type Totals = z.infer<typeof Totals>;

export const Insights = z.object({
  from: time,
  to: time,
  as_of: time.meta({
    description: 'The time of the counts. A point of the series that ends later is unfinished',
  }),
  time_zone: wholeText,
  interval: z.enum(['five_minutes', 'hour', 'day']),
  totals: Totals,
  before: Totals.meta({
    description:
      'The previous period of the same length; if the period has not ended, only as much of it as has passed',
  }),
  series: z.array(Totals.extend({ at: time })),
  by_channel: z.array(Counts.extend({ channel: z.enum(CHANNELS) })),
  by_country: z.array(
    Counts.extend({
      country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2; null for email' }),
    }),
  ),
  by_api_key: z.array(Counts.extend({ api_key: z.object({ id, name: wholeText }) })),
  refused: z
    .object({
      sends: count,
      without_credits: count.meta({ description: 'Refused for lack of credits; part of sends' }),
      has_more: z.boolean().meta({ description: 'Whether there are more, which were not counted' }),
    })
    .meta({
      description:
        'Sends refused with a status from 400 to 499. They create no verifications, so no other count includes them',
    }),
  times: z
    .array(
      z.object({
        from_seconds: z.number(),
        to_seconds: z.number().nullable(),
        verified: count,
      }),
    )
    .meta({ description: 'Correct codes by time to verify' }),
});
export type Insights = z.infer<typeof Insights>;

/** The query of counts over a period, with further filters. */
const periodQuery = <S extends z.ZodRawShape>(filters: S) =>
  z
    .object({
      range: z
        .enum(INSIGHT_RANGES, { error: `Use one of: ${INSIGHT_RANGES.join(', ')}.` })
        .default('7d')
        .meta({ description: 'A period that ends now. `from` and `to` override it.' }),
      from: isoTime.optional(),
      to: isoTime.optional(),
      time_zone: timeZone
        .default('UTC')
        .meta({ description: 'Days begin at midnight in this IANA time zone.' }),
      channel: z.enum(CHANNELS, { error: 'Select a channel' }).optional(),
      country: countryCode.optional(),
      api_key: keyFilter,
      ...filters,
    })
    .superRefine((query, issues) => {
      const { from, to } = query as { from?: string; to?: string };
      if ((from === undefined) !== (to === undefined))
        issues.addIssue({
          code: 'custom',
          path: [from === undefined ? 'from' : 'to'],
          message: 'Give both from and to.',
        });
      if (from === undefined || to === undefined) return;
      const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
      if (days <= 0) issues.addIssue({ code: 'custom', path: ['to'], message: 'To must be after from.' });
      if (days > INSIGHT_DAYS_MAX)
        issues.addIssue({
          code: 'custom',
          path: ['from'],
          message: `The range can span at most ${INSIGHT_DAYS_MAX} days.`,
        });
    });

export const getInsights = route('GET /insights/', {
  name: 'getInsights',
  tag: 'insights',
  auth: 'bearer',
  summary: 'Counts of verifications over a period, compared with the period before',
  description:
    'A verification counts in the period in which it was sent. Status changes appear within ten seconds.',
  query: periodQuery({}),
  reply: Insights,
});

const Figures = Totals.pick({
  sent: true,
  verified: true,
  expired: true,
  failed: true,
  canceled: true,
  superseded: true,
  own_codes: true,
  own_failed: true,
  credits: true,
  conversion: true,
  median_seconds: true,
});
export type Figures = z.infer<typeof Figures>;

/** A call reads at most this many sends of the two periods, newest first. */
export const FIGURES_MOST = 100_000;

export const VerificationFigures = z.object({
  ...Insights.pick({ from: true, to: true, as_of: true, time_zone: true, interval: true, refused: true })
    .shape,
  counted_from: time.meta({
    description: 'Equal to `from`, or later if only the newest sends of the period were read',
  }),
  totals: Figures,
  before: Figures.nullable().meta({
    description: 'As in insights. Null if not all sends of the previous period were read',
  }),
  series: z.array(Figures.extend({ at: time })),
});
export type VerificationFigures = z.infer<typeof VerificationFigures>;

export const getVerificationFigures = route('GET /verifications/figures/', {
  name: 'getVerificationFigures',
  tag: 'insights',
  auth: 'bearer',
  summary: 'Counts of the verifications that match a search, a status or a carrier',
  description: `Compares a period with the period before. Reads the newest ${FIGURES_MOST.toLocaleString('en-US')} sends of both, whether they match or not. \`refused\` counts refused sends by period, channel, country and key only.`,
  query: periodQuery({
    search: listVerifications.query.shape.search,
    status: listVerifications.query.shape.status,
    carrier: listVerifications.query.shape.carrier,
  }),
  reply: VerificationFigures,
  failures: ['list_timeout'],
});

/** The longest period of fallbacks, in days. */
export const FALLBACK_DAYS_MAX = 30;

export const Fallback = z.object({
  from: time,
  to: time,
  counted_from: time.meta({
    description: 'Equal to `from`, or later if only the newest sends of the period were read',
  }),
  steps: z.array(
    z.object({
      step: z.number().int().max(STEPS_MAX).meta({ description: 'The place in the plan, from 1 on' }),
      channel: z.enum(CHANNELS),
      sent: count.meta({ description: 'Messages of this step' }),
      delivered: count.meta({ description: 'Reported as delivered by the carrier' }),
      verified: count.meta({ description: 'Codes that were entered when this was the last step started' }),
      skipped: count.meta({ description: 'Plans that left the step out' }),
      credits: count.meta({ description: 'Credits spent, after refunds' }),
      delivery_seconds: seconds.meta({ description: 'Median time from the message to its delivery' }),
      verify_seconds: seconds.meta({
        description: 'Median time from the first message of the plan to the correct code',
      }),
    }),
  ),
});
export type Fallback = z.infer<typeof Fallback>;

export const getFallback = route('GET /insights/fallback/', {
  name: 'getFallback',
  tag: 'insights',
  auth: 'bearer',
  summary: 'What each step of plans delivered, verified and cost over a period',
  description: `Reads the newest ${FIGURES_MOST.toLocaleString('en-US')} sends of the period, and at most its last ${FALLBACK_DAYS_MAX} days. Sends of one channel and sends with test keys do not count.`,
  query: periodQuery({}),
  reply: Fallback,
  failures: ['list_timeout'],
});
