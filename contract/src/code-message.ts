import { z } from 'zod';
import { headerText, headerTextMessage, REQUIRED } from './field.ts';

/** What an account may choose of the message with the code. */

export const EXPIRY_SECONDS = { min: 60, max: 3600, default: 300 } as const;
export const CODE_LENGTH = { min: 4, max: 8, default: 6 } as const;
export const DEFAULT_SUBJECT = 'Your Verification Code';
export const DEFAULT_MESSAGE = 'Your verification code is: {code}';
export const MESSAGE_MAX = 1000;
export const MESSAGE_PLACEHOLDER = 'Message template must include {code} placeholder';
const EXPIRY_MIN_MESSAGE = `Expiry time must be at least ${EXPIRY_SECONDS.min} seconds`;
const EXPIRY_MAX_MESSAGE = `Expiry time must be at most ${EXPIRY_SECONDS.max} seconds (1 hour)`;

export const expirySeconds = z
  .number({
    error: (issue) =>
      issue.input === undefined ? REQUIRED : 'Expiry time must be a whole number of seconds',
  })
  .int('Expiry time must be a whole number of seconds')
  .min(EXPIRY_SECONDS.min, EXPIRY_MIN_MESSAGE)
  .max(EXPIRY_SECONDS.max, EXPIRY_MAX_MESSAGE);

/** Text with the `{code}` placeholder. Line breaks are the only control characters allowed. */
export const messageTemplate = z
  .string()
  .trim()
  .min(1, MESSAGE_PLACEHOLDER)
  .max(MESSAGE_MAX, `Message must be at most ${MESSAGE_MAX} characters`)
  .refine((text) => text.includes('{code}'), MESSAGE_PLACEHOLDER)
  .refine((text) => !/[^\P{Cc}\n\r\t]/u.test(text), 'Message must not contain control characters')
  .refine((text) => text.isWellFormed(), 'Message must be valid Unicode text');

/** An e-mail subject: one line. With `{code}`, locked screens show the code. */
export const subjectLine = z
  .string()
  .min(3, 'Subject must be at least 3 characters')
  .max(200, 'Subject must be at most 200 characters')
  .refine(headerText, headerTextMessage('Subject'))
  .refine((text) => text.trim().length >= 3, 'Subject must be at least 3 characters');
