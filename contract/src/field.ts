import { z } from 'zod';
import { canonicalEmail } from './email-address.ts';
import { REQUIRED } from './errors.ts';

/** A field that is not there says so in the documented words, wherever its schema has no sentence of its own. */
z.config({
  customError: (issue) => {
    if (issue.code === 'invalid_type' && (issue.input === undefined || issue.input === null)) return REQUIRED;
    return undefined;
  },
});

export const EMAIL_MESSAGE = 'Please enter a valid email address';
export const PHONE_MESSAGE = 'Please enter a valid phone number';
export const PASSWORD_MESSAGE = 'Password must be at least 8 characters long';
export const PASSWORD_MISMATCH = "Passwords don't match";

/** No control characters: safe in a log line. For a mail header, see `headerText`. */
export const oneLine = (text: string): boolean => !/\p{Cc}/u.test(text);

/**
 * Text that may stand in a mail header: no line breaks, and no control, format or separator characters, which can hide or
 * reorder what people read. Spaces are fine.
 */
export const headerText = (text: string): boolean =>
  text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
/** What a field says that is no `headerText`. */
export const headerTextMessage = (field: string): string =>
  `${field} must be a single line without invisible characters`;

/** Text that must be there and not be blank; trimmed. */
export const requiredText = (message: string = REQUIRED): z.ZodString => z.string().trim().min(1, message);

/** Lower-cased, an internationalised domain as punycode. */
export const email = z
  .string()
  .trim()
  .min(1, { error: REQUIRED, abort: true })
  .overwrite((text) => canonicalEmail(text) ?? text)
  .refine((text) => canonicalEmail(text) === text, EMAIL_MESSAGE)
  .meta({ format: 'email', maxLength: 254 });

/** At least 8 characters, at most 128; anything goes otherwise. */
export const password = z
  .string()
  .min(1, REQUIRED)
  .min(8, PASSWORD_MESSAGE)
  .max(128, 'Password must be at most 128 characters long');

/** Exactly six digits, as the verification screen asks for. */
export const verificationCode = z
  .string()
  .min(1, REQUIRED)
  .length(6, 'Verification code must be 6 digits')
  .regex(/^[0-9]*$/, 'Verification code must contain only numbers');

export const id = z.uuid().meta({ description: 'UUIDv7' });
/** A path parameter; what is no UUID names nothing, and is answered like an object that does not exist. */
export const idParam = z.object({ id: z.string() });
/** ISO 8601 UTC with milliseconds. */
export const time = z.string().meta({ format: 'date-time' });
export const optionalTime = time.nullable();
export const cents = z.number().int().meta({ description: 'US cents' });
export const credits = z.number().int();
