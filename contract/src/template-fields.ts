import { z } from 'zod';
import { isVisibleText } from './text/visible-text.ts';

/** What a send says about a template. The documentation loads these fields without the calls. */
export const VARIABLES_MAX = 5;
const VALUE_MAX = 100;
export const VARIABLE = /^[a-z][a-z0-9_]{0,29}$/;

const NAME_MESSAGE = 'Template must be 1 to 40 of a-z, 0-9, _ and -, beginning with a letter.';
export const templateName = z.string({ error: NAME_MESSAGE }).regex(/^[a-z][a-z0-9_-]{0,39}$/, NAME_MESSAGE);

const VALUES_MESSAGE = 'Variables must be an object of texts.';
/** Text of a stranger, such as the name of a person who signs up. */
const VALUE_TEXT = 'Values of variables must be one line without invisible characters, { } < and >.';

export const templateVariables = z
  .record(
    z.string().regex(VARIABLE),
    z
      .string({ error: 'Values of variables must be texts.' })
      .trim()
      .min(1, 'Values of variables must not be empty.')
      .max(VALUE_MAX, `Values of variables must be at most ${VALUE_MAX} characters.`)
      .refine((value) => isVisibleText(value) && !/[{}<>]/.test(value), VALUE_TEXT),
    {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'Names of variables must be 1 to 30 of a-z, 0-9 and _, beginning with a letter.'
          : VALUES_MESSAGE,
    },
  )
  .refine(
    (values) => Object.keys(values).length <= VARIABLES_MAX,
    `A template has at most ${VARIABLES_MAX} variables.`,
  );
