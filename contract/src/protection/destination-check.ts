import { z } from 'zod';
import { endUserAddress } from '../addresses/end-user-address.ts';
import { CHANNELS, ONE_OF_CHANNELS } from '../channels.ts';
import { optionalTime, REQUIRED } from '../field.ts';
import { purpose } from '../otp-fields.ts';
import { route } from '../route.ts';
import { recipientText, wholeText } from '../viewer-texts.ts';
import { LookupFacts } from './lookups.ts';
import { BLOCKERS, MODES, RULES, SCOPES } from './rules.ts';

const whole = z.number().int();

export const DestinationBody = z.object({
  channel: z
    .enum(CHANNELS, { error: `Channel must be ${ONE_OF_CHANNELS}.` })
    .default('sms')
    .meta({ description: 'The rules concern phone numbers' }),
  recipient: z.string().trim().min(1, REQUIRED).max(320, 'Recipient is too long.'),
  client_ip: endUserAddress.optional(),
  purpose: purpose
    .optional()
    .meta({ description: 'The purpose of the send, for the rules that concern only some' }),
});

export const RuleFinding = z.object({
  rule: z.enum(RULES),
  scope: z.enum(SCOPES),
  mode: z.enum(MODES),
  is_exceeded: z.boolean().meta({ description: 'Whether the rule finds the send suspicious' }),
  is_enforced: z
    .boolean()
    .meta({ description: 'Whether the rule is in mode enforce and no longer learning' }),
  is_compared: z.boolean().meta({
    description: 'false if the request lacks what the rule compares, such as the address of the end user',
  }),
  measured: z.array(
    z.object({
      name: z.string(),
      value: z.number(),
      limit: z.number().nullable(),
    }),
  ),
  explanation: z.string(),
  blocked_until: optionalTime,
});
export type RuleFinding = z.infer<typeof RuleFinding>;

export const DestinationCheck = z.object({
  channel: z.enum(CHANNELS),
  recipient: recipientText,
  country: z.string().nullable(),
  prefix: wholeText.nullable(),
  client: wholeText.nullable(),
  decision: z.enum(['allowed', 'blocked', 'refused']).meta({
    description:
      'allowed: a send would be accepted now. blocked: a rule or a deny list would block it. refused: the send would fail for the reason in refusal',
  }),
  refusal: z
    .object({
      reason: z.string().meta({ description: 'The reason with which the send would fail' }),
      error: z.string(),
      retry_after: whole.nullable().meta({ description: 'Seconds' }),
      resets_at: optionalTime,
    })
    .nullable()
    .meta({ description: 'The response of the send, if it would be refused' }),
  blocked_by: z.array(z.enum(BLOCKERS)),
  blocked_until: optionalTime,
  monitored_by: z
    .array(z.enum(RULES))
    .meta({ description: 'Rules in mode monitor, or still learning, that would have blocked the send' }),
  listed: z
    .enum(['allow', 'deny'])
    .nullable()
    .meta({ description: 'The list that contains the destination' }),
  known: z.boolean().meta({
    description: 'Whether the recipient is known: a code was verified, or it was imported, within known_days',
  }),
  passed: z.array(z.enum(RULES)).meta({
    description:
      'Rules that let the send pass because the recipient is known or the destination allowed, or because the look-up gave no answer',
  }),
  lookup: LookupFacts.nullable().meta({
    description:
      'What the latest look-up found, if a rule needs it; null otherwise. This call makes no look-up',
  }),
  rules: z.array(RuleFinding).meta({
    description:
      'Rules that are off are absent. Empty for email, test keys, and a destination on a deny list',
  }),
});
export type DestinationCheck = z.infer<typeof DestinationCheck>;

export const checkDestination = route('POST /otp/check-destination/', {
  name: 'checkDestination',
  tag: 'otp',
  auth: 'api_key',
  scope: 'otp:read',
  summary: 'Check whether a destination is blocked, without sending',
  description:
    'Free. Runs the checks of a send with the account’s default message, in the same order: opt-out, destination rules, recipient limits, spend limits, credits. Returns every rule that is on, with its numbers. Nothing is counted. Invalid input is refused as in a send.',
  body: DestinationBody,
  reply: DestinationCheck,
  failures: ['rate_limited'],
});
