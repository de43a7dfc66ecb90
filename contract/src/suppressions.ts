/** E-mail addresses to which an account sends nothing, because earlier messages came back or were complained about. */

import { z } from 'zod';
import { id, optionalTime, REQUIRED, time } from './field.ts';
import { EXPORT_DESCRIPTION, exportQuery, listOf, listQuery } from './list.ts';
import { route } from './route.ts';
import { recipientText, wholeText } from './viewer-texts.ts';

export const SUPPRESSION_REASONS = [
  'hard_bounce',
  'soft_bounces',
  'complaint',
  'provider',
  'manual',
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** What became of an address at the mail provider that reported it. */
export const PROVIDER_OUTCOMES = ['removed', 'refused', 'not_asked'] as const;

/** Of entries that members and keys add, at most this many per account. */
export const SUPPRESSIONS_MOST = 10_000;
/** So many soft bounces in a row stop an address, for a day. */
export const SOFT_BOUNCES = 3;

const MEANING =
  'hard_bounce: the mailbox does not exist. soft_bounces: three messages in a row came back, which stops the address for a day. complaint: the recipient reported a message as spam. provider: the mail provider suppresses the address. manual: added by the account';

export const suppressionReason = z.enum(SUPPRESSION_REASONS).meta({ description: MEANING });

export const Suppression = z.object({
  id,
  recipient: recipientText.meta({
    description: 'The masked address. Only a keyed hash of the whole one is stored',
  }),
  reason: suppressionReason,
  carrier: wholeText
    .nullable()
    .meta({ description: 'The carrier that reported it; null if the account added it' }),
  otp_id: id.nullable().meta({ description: 'The verification whose message was reported' }),
  detail: z.string().nullable().meta({ description: 'The mail server’s words, shortened and masked' }),
  created_at: time,
  until: optionalTime.meta({
    description: 'When messages are sent again by themselves; null: not before a removal',
  }),
});
export type Suppression = z.infer<typeof Suppression>;

const reason = z.enum(SUPPRESSION_REASONS, {
  error: `Reason must be one of: ${SUPPRESSION_REASONS.join(', ')}.`,
});

/** Also for keys with the scope. */
const shared = { tag: 'protection', auth: 'bearer', scope: 'recipients:write' } as const;

export const listSuppressions = route('GET /recipients/suppressed/', {
  ...shared,
  name: 'listSuppressions',
  summary: 'Suppressed email addresses of the account',
  description:
    'A search for a whole address finds it by its hash; another text is searched for in masked addresses and in the mail servers’ words.',
  query: listQuery(['created_at'], '-created_at').extend({ reason: reason.optional() }),
  reply: listOf(Suppression),
});

export const exportSuppressions = route('GET /recipients/suppressed/export/', {
  name: 'exportSuppressions',
  tag: 'protection',
  auth: 'bearer',
  summary: 'Suppressed email addresses as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listSuppressions.query),
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});

export const createSuppression = route('POST /recipients/suppressed/', {
  ...shared,
  name: 'createSuppression',
  summary: `Suppress an email address, at most ${SUPPRESSIONS_MOST} by hand`,
  description:
    'Sends of the account to the address are refused with `recipient_suppressed` and cost nothing, until the entry is removed. An address that is already suppressed keeps its entry.',
  body: z.object({
    recipient: z.string({ error: REQUIRED }).trim().min(1, REQUIRED).max(320, 'Recipient is too long.'),
    reason: z
      .enum(['manual', 'hard_bounce', 'complaint'], {
        error: 'Reason must be manual, hard_bounce or complaint.',
      })
      .default('manual')
      .meta({ description: 'Why, for example from the list of another mail provider' }),
  }),
  status: 201,
  reply: Suppression,
});

export const deleteSuppression = route('DELETE /recipients/suppressed/:id/', {
  ...shared,
  name: 'deleteSuppression',
  stepUp: true,
  summary: 'Remove an address from the suppressed ones, so that messages are sent to it again',
  description:
    'Afterwards, the mail provider that reported the address is asked to remove it from its own list, for at most five seconds. The address is removed from ours whatever the provider does; if it does not remove it, the next message comes back.',
  reply: z.object({
    provider: z
      .object({
        carrier: wholeText,
        outcome: z.enum(PROVIDER_OUTCOMES).meta({
          description:
            'removed: the provider no longer suppresses the address. refused: the provider did not remove it. not_asked: it has no call for this, the address is no longer stored, or only an operator may remove it',
        }),
        detail: z.string().nullable().meta({ description: 'Why it was not removed' }),
      })
      .nullable()
      .meta({ description: 'null if no provider with a list of its own reported the address' }),
  }),
  failures: ['not_found'],
});
