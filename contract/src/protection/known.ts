import { z } from 'zod';
import { REQUIRED } from '../field.ts';
import { route } from '../route.ts';

/** How long a recipient stays known after its last verified code, unless the account has set it. */
export const KNOWN_DAYS = { min: 0, max: 400, byDefault: 180 } as const;
/** Rows of one import. */
export const KNOWN_ROWS_MAX = 1_000;
/** The most recipients that an account has when it imports more. */
export const KNOWN_MAX = 2_000_000;
/** The most recipients that an account imports before it has bought credits. */
export const KNOWN_UNPAID_MAX = 10_000;
/** A known number passes the rules only while it got fewer codes of the account in 24 hours. */
export const KNOWN_SENDS_PER_DAY = 5;
/** A number that became known in the last 24 hours passes only while its prefix had at most as many verified codes in that time. */
export const NEWLY_KNOWN_PER_PREFIX = 3;

const DAYS = `Days must be a whole number from ${KNOWN_DAYS.min} to ${KNOWN_DAYS.max}.`;
/** The field of a change. */
export const knownDays = z
  .number({ error: DAYS })
  .int(DAYS)
  .min(KNOWN_DAYS.min, DAYS)
  .max(KNOWN_DAYS.max, DAYS)
  .meta({ description: 'Days that a recipient stays known after its last verified code; 0: off' });

/** The dashboard makes these calls with a session, and a key of live sends with its scope. */
const base = { tag: 'protection', auth: 'bearer', scope: 'recipients:write' } as const;

export const KnownRecipients = z.object({
  known_days: z.number().int(),
  count: z.number().int(),
  days: z
    .array(z.object({ day: z.string().meta({ format: 'date' }), count: z.number().int() }))
    .meta({ description: 'By the day (UTC) of the last verified code, newest first' }),
});
export type KnownRecipients = z.infer<typeof KnownRecipients>;

export const getKnownRecipients = route('GET /recipients/known/', {
  ...base,
  name: 'getKnownRecipients',
  summary: 'Number of known recipients, by day',
  description:
    'Recipients of whom a code was verified, or that the account imported. They are stored as keyed hashes, so they cannot be listed or exported.',
  reply: KnownRecipients,
  failures: ['missing_scope', 'list_timeout'],
});

const ROWS = `Send 1 to ${KNOWN_ROWS_MAX.toLocaleString('en-US')} recipients.`;

/** A row is checked alone, so that a bad one does not stop the others. */
export const importKnownRecipients = route('POST /recipients/known/', {
  ...base,
  name: 'importKnownRecipients',
  stepUp: true,
  bodyBytes: 256 * 1024,
  summary: `Import known recipients, at most ${KNOWN_ROWS_MAX.toLocaleString('en-US')} at once`,
  description: `Each of \`recipients\` is \`{recipient, verified_at?}\`: a phone number with its country code or an email address, and the time of its last verified code, in ISO 8601 or milliseconds since 1970; now by default. Rows with errors are skipped, and duplicates count once. An account imports while it has fewer than ${KNOWN_MAX.toLocaleString('en-US')} known recipients, and at most ${KNOWN_UNPAID_MAX.toLocaleString('en-US')} until it has bought credits.`,
  body: z.object({
    recipients: z.array(z.unknown(), { error: ROWS }).min(1, ROWS).max(KNOWN_ROWS_MAX, ROWS),
  }),
  reply: z.object({
    imported: z.number().int().meta({ description: 'Recipients that are known now' }),
    errors: z.array(
      z.object({
        row: z.number().int().meta({ description: 'Position in the request, from 1' }),
        error: z.string(),
      }),
    ),
  }),
  failures: ['missing_scope'],
});

export const removeKnownRecipient = route('POST /recipients/known/remove/', {
  ...base,
  name: 'removeKnownRecipient',
  summary: 'Forget one known recipient',
  body: z.object({
    recipient: z.string({ error: REQUIRED }).trim().min(1, REQUIRED).max(320, 'Recipient is too long.'),
  }),
  reply: z.object({ removed: z.boolean().meta({ description: 'false: the recipient was not known' }) }),
  failures: ['missing_scope'],
});

export const deleteKnownRecipients = route('DELETE /recipients/known/', {
  ...base,
  name: 'deleteKnownRecipients',
  stepUp: true,
  summary: 'Forget known recipients, a part at a time',
  description: 'Deletes up to 20,000. Repeat the call until `is_complete`.',
  reply: z.object({ deleted: z.number().int(), is_complete: z.boolean() }),
  failures: ['missing_scope'],
});
