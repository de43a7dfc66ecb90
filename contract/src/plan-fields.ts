import { z } from 'zod';
import { CHANNELS, type Channel, factsOf, ONE_OF_CHANNELS } from './channels.ts';
import { optionalTime, REQUIRED } from './field.ts';

/** The channels of one code, in the order in which they are tried. */

export const STEPS_MAX = 10;
export const WAIT_SECONDS = { min: 15, max: 900, default: 60 } as const;

/** The plan of the account for the recipient's country. */
export const AUTO = 'auto';

const CHANNELS_MESSAGE = `Channels must be a list of ${ONE_OF_CHANNELS}.`;

/** Whether one recipient can have messages of all these channels. */
const areOfOneKind = (channels: readonly Channel[]): boolean =>
  new Set(channels.map((one) => factsOf(one).recipient)).size <= 1;

export const planChannels = z
  .array(z.enum(CHANNELS, { error: CHANNELS_MESSAGE }), {
    error: ({ input }) => (input === undefined || input === null ? REQUIRED : CHANNELS_MESSAGE),
  })
  .min(1, 'A plan needs a channel.')
  .max(STEPS_MAX, `A plan has at most ${STEPS_MAX} channels.`)
  .refine((channels) => new Set(channels).size === channels.length, 'A plan has each channel once.')
  .refine(areOfOneKind, 'A plan is for phone numbers or for email addresses, not for both.');

const WAIT_MESSAGE = `Wait must be a whole number of seconds from ${WAIT_SECONDS.min} to ${WAIT_SECONDS.max}.`;
export const waitSeconds = z
  .number({ error: WAIT_MESSAGE })
  .int(WAIT_MESSAGE)
  .min(WAIT_SECONDS.min, WAIT_MESSAGE)
  .max(WAIT_SECONDS.max, WAIT_MESSAGE);

/** What a send takes in place of `channel`. */
export const planFields = {
  channels: z
    .union([z.literal(AUTO), planChannels], {
      error: `Channels must be "auto" or a list of ${ONE_OF_CHANNELS}.`,
    })
    .optional()
    .meta({
      description:
        'Instead of channel: 1 to 10 channels in the order in which they are tried, such as ["sms", "voice"], or "auto" for the plan of the account for the recipient’s country. The next channel starts when the message of the one before it fails, or is not confirmed in time',
    }),
  wait_seconds: waitSeconds.optional().meta({
    description:
      'With channels: how long each message may take before the next channel starts, 15 to 900 seconds and less than the code is valid. Default: that of the account’s plan with "auto", or else 60, or less for codes that are valid for a short time',
  }),
};

interface Chosen {
  channel?: unknown;
  channels?: unknown;
  wait_seconds?: unknown;
  code?: unknown;
}

/** Also checks a body whose other fields are refused. */
const always = { when: () => true };

/** A body with either a channel or a plan. */
export const withPlan = <T extends z.ZodType>(body: T): T =>
  body
    .refine((one) => given(one).channel !== undefined || given(one).channels !== undefined, {
      ...always,
      path: ['channel'],
      error: REQUIRED,
    })
    .refine((one) => given(one).channel === undefined || given(one).channels === undefined, {
      ...always,
      path: ['channels'],
      error: 'Give either channel or channels.',
    })
    .refine((one) => given(one).wait_seconds === undefined || given(one).channels !== undefined, {
      ...always,
      path: ['wait_seconds'],
      error: 'A wait is for a send with channels.',
    })
    .refine((one) => given(one).code === undefined || given(one).channels === undefined, {
      ...always,
      path: ['channels'],
      error: 'This is not for a code of your own.',
    });

const given = (body: unknown): Chosen => (typeof body === 'object' && body !== null ? body : {});

export const STEP_STATUSES = [
  'waiting',
  'pending',
  'sent',
  'delivered',
  'failed',
  'skipped',
  'canceled',
] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** Why a step of a plan was left out, besides the refusals of a send. */
export const SKIP_REASONS = [
  'channel_unavailable',
  'own_text',
  'recipient_refused',
  'unreachable',
  'api_key_unusable',
] as const;

/** One channel of a plan. */
export const Step = z.object({
  channel: z.enum(CHANNELS),
  status: z.enum(STEP_STATUSES).meta({
    description:
      'waiting: not started yet. pending, sent, delivered and failed: its message. skipped: no message, because of the reason. canceled: the verification ended before a carrier had the message',
  }),
  at: optionalTime.meta({
    description:
      'When the message was made or the channel was skipped. Of a waiting step, when it starts unless something happens before; null: only a resend starts it',
  }),
  reason: z.string().optional().meta({
    description:
      'Why the step failed, as a text, or why it was skipped: a reason of a refused send, channel_unavailable, own_text (the channel shows no text of your own), recipient_refused (the channel does not reach the number), unreachable (the recipient does not use the channel) or api_key_unusable',
  }),
});
export type Step = z.infer<typeof Step>;
