import { z } from 'zod';
import { invalid } from './errors.ts';

/** Parses the fields of a form or a query. Throws 60200 for the first invalid one. */
export function parse<S extends z.ZodType>(schema: S, given: Record<string, unknown>): z.output<S> {
  const parsed = schema.safeParse(filled(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(String(issue?.path[0] ?? ''), issue?.message ?? 'not valid');
}

/** A form writes an absent value as an empty one. */
const filled = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));

const REQUIRED = 'missing';

/** A field that is sent twice is not a text. */
export const text = (most: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? REQUIRED : 'must be given once') })
    .max(most, `must have at most ${most} characters`)
    .refine((value) => !/[^\P{Cc}\n]/u.test(value) && value.isWellFormed(), 'must be plain text');

export const integer = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string({ error: (issue) => (issue.input === undefined ? REQUIRED : message) })
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);
};

/** Clients in some languages send `True`. */
export const flag = z
  .string({ error: 'must be true or false' })
  .regex(/^(true|false)$/i, 'must be true or false')
  .transform((value) => value.toLowerCase() === 'true');

const SHORT_TEXTS = z.record(z.string().max(128), z.union([z.string().max(128), z.number(), z.boolean()]));

/** A JSON object of up to ten short texts. Not for numbers beyond JavaScript's. */
export const shortTexts = text(4_096).transform((value, context): Record<string, string> => {
  const parsed = SHORT_TEXTS.safeParse(jsonOf(value));
  if (parsed.success && Object.keys(parsed.data).length <= 10)
    return Object.fromEntries(Object.entries(parsed.data).map(([name, one]) => [name, String(one)]));
  context.addIssue('must be a JSON object of at most 10 texts of at most 128 characters');
  return z.NEVER;
});

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** A parameter whose effect this service does not have, and whose silent absence would mislead. */
export const unsupported = z
  .unknown()
  .refine((value) => value === undefined || value === '', 'is not supported by this service')
  .optional();

/** The name in messages, by Twilio's rules. */
export const friendlyName = text(32)
  .trim()
  .regex(/^[\p{L}\p{N} _-]+$/u, 'must have 1 to 32 letters, numbers, spaces, dashes and underscores')
  .refine((value) => (value.match(/\p{N}/gu) ?? []).length <= 4, 'must have at most 4 digits');
