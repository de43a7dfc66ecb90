/** A caller's own labels of a send, such as the number of an order. */

import { z } from 'zod';
import { oneLine } from './field.ts';

const PAIRS_MAX = 10;
const KEY = /^[a-z0-9_-]{1,40}$/;
const VALUE_MAX = 200;
const KEY_MESSAGE = 'Keys of metadata must be 1 to 40 of a-z, 0-9, _ and -.';
const SHAPE_MESSAGE = 'Metadata must be an object of texts.';

export const metadata = z
  .record(
    z.string().regex(KEY),
    z
      .string({ error: 'Values of metadata must be texts.' })
      .max(VALUE_MAX, `Values of metadata must be at most ${VALUE_MAX} characters.`)
      .refine((text) => oneLine(text) && text.isWellFormed(), 'Values of metadata must be plain text.'),
    { error: ({ code }) => (code === 'invalid_key' ? KEY_MESSAGE : SHAPE_MESSAGE) },
  )
  .refine(
    (pairs) => Object.keys(pairs).length <= PAIRS_MAX,
    `Metadata must have at most ${PAIRS_MAX} pairs.`,
  );

/** The pair that a search such as `metadata.order=4711` is for. */
export function pairIn(search: string): [key: string, value: string] | undefined {
  const [, key, value] = /^metadata\.([a-z0-9_-]{1,40})=(.*)$/s.exec(search) ?? [];
  return key === undefined || value === undefined ? undefined : [key, value];
}

/** The purpose that a search such as `purpose=login` is for. */
export const purposeIn = (search: string): string | undefined =>
  /^purpose=([a-z0-9_-]{1,32})$/.exec(search)?.[1];
