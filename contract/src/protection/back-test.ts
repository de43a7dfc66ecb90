import { z } from 'zod';
import { id, REQUIRED, time } from '../field.ts';
import { recipientText } from '../viewer-texts.ts';
import { COUNTED_RULES, THRESHOLDS, type Threshold } from './rules.ts';

/** The most that a back-test looks back. */
export const BACK_TEST_DAYS = 30;
/** The most verifications that a back-test reads, the newest ones. */
export const BACK_TEST_SENDS_MAX = 30_000;
/** Before the tested period, the counters are filled from as many days, as far as verifications are kept. */
export const BACK_TEST_WARM_UP_DAYS = 14;
export const BACK_TEST_EXAMPLES = 5;

const whole = z.number({ error: 'Must be a whole number.' }).int('Must be a whole number.');

export const BackTestBody = z
  .object({
    rule: z.enum(COUNTED_RULES, {
      error: ({ input }) =>
        input === undefined ? REQUIRED : `Rule must be one of: ${COUNTED_RULES.join(', ')}.`,
    }),
    thresholds: z
      .strictObject(
        { limit: whole, recipients: whole, percent: whole, hours: whole },
        {
          error: ({ code, keys }) =>
            code === 'unrecognized_keys' ? `There is no ${(keys as string[]).join(', ')} here.` : undefined,
        },
      )
      .partial()
      .default({})
      .meta({ description: 'Omitted thresholds have their saved values' }),
  })
  .superRefine(({ rule, thresholds }, issues) => {
    const own: readonly Threshold[] = THRESHOLDS[rule];
    const others = (Object.keys(thresholds) as Threshold[]).filter((name) => !own.includes(name));
    if (others.length > 0)
      issues.addIssue({
        code: 'custom',
        path: ['thresholds'],
        message: `${rule} has no ${others.join(', ')}.`,
      });
  });
export type BackTestBody = z.output<typeof BackTestBody>;

const Blocked = z.object({
  blocked: whole.meta({ description: 'Sends that the rule would have blocked' }),
  verified: whole.meta({
    description: 'Blocked sends whose code was verified later, so they were probably real users',
  }),
});

export const BackTest = Blocked.extend({
  rule: z.enum(COUNTED_RULES),
  from: time.meta({ description: 'Start of the tested period' }),
  to: time,
  limited_by: z
    .enum(['sends', 'retention', 'time'])
    .nullable()
    .meta({
      description: `Why the period is shorter than ${BACK_TEST_DAYS} days: only the newest ${BACK_TEST_SENDS_MAX.toLocaleString('en-US')} verifications are read, older ones are deleted, or reading took too long`,
    }),
  sends: whole.meta({ description: 'Sends by SMS and voice in the period that can be replayed' }),
  verified_sends: whole.meta({ description: 'Sends in the period whose code was verified' }),
  saved: Blocked.meta({ description: 'The same with the saved thresholds' }),
  learning: whole.meta({
    description:
      'Sends that the rule would only have monitored, because it was learning. Not part of blocked',
  }),
  without_client: whole.meta({
    description: 'Sends without an end user’s address, which the rules on clients cannot compare',
  }),
  erased: whole.meta({ description: 'Sends whose recipient was erased, which cannot be replayed' }),
  examples: z
    .array(
      z.object({
        id,
        recipient: recipientText.meta({ description: 'Masked' }),
        country: z.string(),
        created_at: time,
        verified: z.boolean(),
      }),
    )
    .meta({
      description: `Up to ${BACK_TEST_EXAMPLES} blocked sends, those with a verified code first, newest first`,
    }),
});
export type BackTest = z.infer<typeof BackTest>;
