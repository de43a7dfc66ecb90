import { z } from 'zod';
import { id, optionalTime, REQUIRED, time } from './field.ts';
import { DestinationCheck } from './protection/protection.ts';
import { RequestLog } from './request-logs.ts';
import { route } from './route.ts';
import { Suppression } from './suppressions.ts';
import { withPlusOfUrl } from './text/phone-text.ts';
import { Verification } from './verifications.ts';
import { recipientText } from './viewer-texts.ts';

export const CLOSED_BY = ['canceled', 'superseded', 'attempts'] as const;

export const RecipientVerification = Verification.extend({
  expires_at: time,
  sent_at: optionalTime,
  delivered_at: optionalTime,
  verified_at: optionalTime,
  failure: z.string().nullable(),
  closed_by: z.enum(CLOSED_BY).nullable().meta({
    description:
      'Why the code stopped working before it expired: canceled by its owner, superseded by another message whose code was verified, or too many wrong attempts',
  }),
});
export type RecipientVerification = z.infer<typeof RecipientVerification>;

export const RecipientEvent = z.object({
  id: id.meta({ description: 'The id of the verification or of the logged request' }),
  created_at: time,
  verification: RecipientVerification.nullable(),
  refusal: RequestLog.nullable().meta({ description: 'A send or verify request that failed' }),
});
export type RecipientEvent = z.infer<typeof RecipientEvent>;

/** The number of events on a page. */
export const EVENTS_A_PAGE = 25;

export const RecipientHistory = z.object({
  recipient: recipientText.meta({ description: 'E.164, or a lower-case email address' }),
  opted_out: z.boolean().meta({ description: 'Whether the owner of the number has replied STOP' }),
  suppression: Suppression.nullable().meta({
    description: 'Why the account sends no email to the address; null if it does',
  }),
  check: DestinationCheck.nullable().meta({
    description: 'The outcome of a send now. Null on further pages, and if `problem` is set',
  }),
  problem: z.string().nullable().meta({
    description: 'Why this service cannot send to the recipient at all',
  }),
  results: z.array(RecipientEvent).meta({ description: `Newest first, at most ${EVENTS_A_PAGE}` }),
  next: id.nullable().meta({ description: 'The value of `before` for the next page; null on the last one' }),
});
export type RecipientHistory = z.infer<typeof RecipientHistory>;

export const RECIPIENT_MESSAGE =
  'Enter a whole phone number with its country code, such as +14155552671, or an email address.';

export const getRecipient = route('GET /recipients/history/', {
  name: 'getRecipient',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'What happened to the codes of one recipient, and what would happen to the next one',
  description:
    'Verifications and failed requests of the account, of live and test keys. Finds a phone number in any spelling: with spaces or dashes, with 00 or nothing in place of the plus. Numbers without a country code belong to the default region. Failed requests beyond 30 in a second name no recipient and are not found.',
  query: z.object({
    recipient: z
      .string({ error: REQUIRED })
      .overwrite(withPlusOfUrl)
      .trim()
      .min(1, REQUIRED)
      .max(320, 'Recipient is too long.')
      .meta({ description: 'A phone number or an email address' }),
    before: z
      .uuid('Before must be the id of an event.')
      .optional()
      .meta({ description: '`next` of the page before' }),
  }),
  reply: RecipientHistory,
  failures: ['list_timeout'],
});
