import { z } from 'zod';
import { oneLine } from './field.ts';

const VALUES_MAX = 10;
const VALUE_MAX = 128;
const NAME = 'Names of limits must be 1 to 64 letters, digits, - and _.';
const SHAPE = 'Limits must be an object of texts.';

/** The name of a limit that an account defines. */
const limitName = z.string({ error: NAME }).regex(/^[\w-]{1,64}$/, NAME);

/** What a send counts for, by the names of limits. */
export const limitValues = z
  .record(
    limitName,
    z
      .string({ error: 'Values of limits must be texts.' })
      .min(1, 'Values of limits must not be empty.')
      .max(VALUE_MAX, `Values of limits must be at most ${VALUE_MAX} characters.`)
      .refine((text) => oneLine(text) && text.isWellFormed(), 'Values of limits must be plain text.'),
    { error: ({ code }) => (code === 'invalid_key' ? NAME : SHAPE) },
  )
  .refine(
    (values) => Object.keys(values).length <= VALUES_MAX,
    `Limits must have at most ${VALUES_MAX} values.`,
  );
