import { z } from 'zod';
import { CHANNELS, ONE_OF_CHANNELS } from './channels.ts';
import { REQUIRED } from './field.ts';
import { enteredDigits } from './text/digits.ts';

/** What the API and the dashboard's own calls have in common. The dashboard loads these fields without the others. */

export const channel = z
  .enum(CHANNELS, {
    error: (issue) =>
      issue.input === undefined || issue.input === null ? REQUIRED : `Channel must be ${ONE_OF_CHANNELS}.`,
  })
  .meta({ description: 'How the code is sent' });

const recipient = z.string().trim().min(1, REQUIRED).max(320, 'Recipient is too long.');

const PURPOSE = 'Purpose must be 1 to 32 of a-z, 0-9, _ and -.';
/** What a code is for. Codes of different purposes are never the same and never verify each other. */
export const purpose = z.string({ error: PURPOSE }).regex(/^[a-z0-9_-]{1,32}$/, PURPOSE);

/** What every send has. */
export const SendTarget = z.object({
  channel,
  recipient: recipient.meta({
    description: 'A phone number (E.164, or national for the default region) or an email address',
  }),
});

const DIGITS = 'Code must be digits.';

/**
 * Digits as a string or a number. A string can use any script, and can separate the digits with anything except letters and
 * symbols. Only the server can check the length.
 */
export const enteredCode = z
  .union([z.string(), z.number().int(DIGITS).nonnegative(DIGITS)], {
    error: (issue) => (issue.input === undefined || issue.input === null ? REQUIRED : DIGITS),
  })
  // The length of the code, and so the number of its leading zeros, is known only to the server.
  .transform((code) => (typeof code === 'number' ? code : enteredDigits(code)))
  .refine((code) => code !== '', REQUIRED);

/** How a verify names what it is for. */
interface Named {
  otp_id?: unknown;
  recipient?: unknown;
  purpose?: unknown;
}

/** Also checks a body whose other fields are refused. */
const always = { when: () => true };

export const VerifyBody = z
  .object({
    otp_id: z
      .string()
      .trim()
      .toLowerCase()
      .min(1, REQUIRED)
      .optional()
      .meta({ description: 'As returned by the send. Required without a recipient' }),
    recipient: recipient.optional().meta({
      description:
        'Instead of otp_id: the phone number or email address of the send. Its newest open verification is meant',
    }),
    purpose: purpose.optional().meta({
      description:
        'With recipient: the purpose of the send. Without it, only sends without a purpose are meant',
    }),
    code: enteredCode.meta({
      override: {
        type: 'string',
        description: 'As the person typed it: spaces, dashes and digits of any script are accepted',
      },
    }),
  })
  .refine((body: Named) => body?.otp_id !== undefined || body?.recipient !== undefined, {
    ...always,
    path: ['otp_id'],
    error: REQUIRED,
  })
  .refine((body: Named) => body?.otp_id === undefined || body?.recipient === undefined, {
    ...always,
    path: ['recipient'],
    error: 'Give either otp_id or recipient.',
  })
  .refine((body: Named) => body?.purpose === undefined || body?.recipient !== undefined, {
    ...always,
    path: ['purpose'],
    error: 'Purpose is for a verify by recipient. The otp_id has its purpose.',
  });
