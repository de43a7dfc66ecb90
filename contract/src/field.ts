import { z } from 'zod';
import { canonicalEmail } from './addresses/email-address.ts';
import { LANGUAGES, type Language, languageOf } from './languages.ts';
import { isTimeZone } from './local-time.ts';
import { enteredDigits } from './text/digits.ts';
import { plainPhone } from './text/phone-text.ts';
import { isEncodedWord, isVisibleText } from './text/visible-text.ts';

export const REQUIRED = 'This field is required.';

/** A missing field gets the documented sentence unless its schema has its own. */
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

/** Text that is safe in a mail header and as a name: one line without invisible characters, which mail programs do not decode. */
export const headerText = (text: string): boolean => isVisibleText(text) && !isEncodedWord(text);
/** The error of a field that is not `headerText`. */
export const headerTextMessage = (field: string) => ({
  error: ({ input }: { input?: unknown }): string =>
    isVisibleText(String(input))
      ? `${field} must not contain an encoded word, such as =?utf-8?q?...?=`
      : `${field} must be a single line without invisible characters`,
});

/** Trimmed text that must not be blank. */
export const requiredText = (message: string = REQUIRED): z.ZodString => z.string().trim().min(1, message);

/** Lower case, with an internationalised domain in punycode. */
export const email = z
  .string()
  .trim()
  .min(1, { error: REQUIRED, abort: true })
  .overwrite((text) => canonicalEmail(text) ?? text)
  .refine((text) => canonicalEmail(text) === text, EMAIL_MESSAGE)
  .meta({ format: 'email', maxLength: 254 });

/** 8 to 128 characters of any kind. */
export const password = z
  .string()
  .min(1, REQUIRED)
  .min(8, PASSWORD_MESSAGE)
  .max(128, 'Password must be at most 128 characters long');

const SIX = 'Verification code must be 6 digits';

/**
 * Exactly six digits, as on the verification screen, in any script and with anything around them that `codeText` drops, or as a
 * number.
 */
export const verificationCode = z
  .union([z.string(), z.number().int(SIX).nonnegative(SIX)], {
    error: (issue) => (issue.input === undefined || issue.input === null ? REQUIRED : SIX),
  })
  .transform((code) => enteredDigits(code, 6))
  .pipe(
    z
      .string()
      .min(1, REQUIRED)
      .length(6, SIX)
      .regex(/^[0-9]*$/, 'Verification code must contain only numbers'),
  )
  .meta({ override: { type: 'string', minLength: 6, maxLength: 6, pattern: '^[0-9]*$' } });

export const id = z.uuid().meta({ description: 'UUIDv7' });
/** ISO 8601 UTC with milliseconds. */
export const time = z.string().meta({ format: 'date-time' });
export const optionalTime = time.nullable();
export const cents = z.number().int().meta({ description: 'US cents' });
export const credits = z.number().int();

const TIME_ZONE_MESSAGE = 'Use an IANA time zone, such as America/New_York.';
export const timeZone = z.string({ error: TIME_ZONE_MESSAGE }).refine(isTimeZone, TIME_ZONE_MESSAGE);

/**
 * A phone number that `plainPhone` can read: digits, spaces, dashes, parentheses, an optional leading plus; at least ten
 * digits.
 */
export const phoneText = z
  .string()
  .overwrite(plainPhone)
  .regex(/^\+?[\d ()-]*$/, PHONE_MESSAGE)
  .refine((text) => text.replace(/\D/g, '').length >= 10, PHONE_MESSAGE)
  .refine((text) => text.length <= 32, PHONE_MESSAGE);

/** Empty: none. */
export const optionalPhone = z
  .string()
  .overwrite(plainPhone)
  .refine((text) => text === '' || phoneText.safeParse(text).success, PHONE_MESSAGE)
  .default('');

export const COUNTRY_MESSAGE = 'Enter a two-letter country code, such as US.';
/** A country by its code in ISO 3166-1 alpha-2, in upper case. */
export const countryCode = z
  .string({ error: COUNTRY_MESSAGE })
  .trim()
  .regex(/^[A-Za-z]{2}$/, COUNTRY_MESSAGE)
  .toUpperCase();

const LANGUAGE_MESSAGE = `Language must be one of: ${LANGUAGES.join(', ')}.`;
/** A language of our texts, by any tag of it. */
export const language = z
  .string({ error: LANGUAGE_MESSAGE })
  .transform((tag) => languageOf(tag, tag as Language))
  .pipe(z.enum(LANGUAGES, { error: LANGUAGE_MESSAGE }))
  .meta({ override: { type: 'string', enum: LANGUAGES } });

const FLAG_MESSAGE = 'Must be true or false.';
/** A truth value in a query, as programs in any language write it. */
export const queryFlag = z
  .string({ error: FLAG_MESSAGE })
  .trim()
  .toLowerCase()
  .pipe(z.enum(['true', 'false'], { error: FLAG_MESSAGE }))
  .meta({ override: { type: 'string', enum: ['true', 'false'] } });

const KEY_FILTER_MESSAGE = 'Use the id of an API key.';
/** Only rows of one API key. */
export const keyFilter = z
  .string({ error: KEY_FILTER_MESSAGE })
  .trim()
  .pipe(z.uuid(KEY_FILTER_MESSAGE))
  .optional()
  .meta({ description: 'The id of an API key' });

/** The token in the link of an invitation. */
export const invitationToken = z.string().min(1, REQUIRED).max(200);

export const sessionToken = z.string().min(1, REQUIRED).max(200);

/** The password once more. */
export const passwordAgain = z.string().min(1, REQUIRED).min(8, PASSWORD_MESSAGE);
export const passwordsMatch = <T extends { password: string; confirm_password: string }>(body: T): boolean =>
  body.password === body.confirm_password;
export const passwordMismatch = { message: PASSWORD_MISMATCH, path: ['confirm_password'] };
