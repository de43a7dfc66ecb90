import { MODES, type ProtectionBounds } from '@sixdigit/contract/protection/protection.ts';
import { z } from 'zod';
import { COUNTED_RULES, fieldOf, isWithin, outOfRange, rangeOf, thresholdsOf } from './rule-values.ts';

/** Accepts only whole numbers within the operator's bounds. */
export const schemaOfRules = (bounds: ProtectionBounds) =>
  z.object(
    Object.fromEntries(
      COUNTED_RULES.flatMap((rule) => [
        [fieldOf(rule, 'mode'), z.string()] as const,
        ...thresholdsOf(rule).map((name) => {
          const range = rangeOf(bounds, rule, name);
          const value = z.string().refine((text) => isWithin(text, range), { error: outOfRange(range) });
          return [fieldOf(rule, name), value] as const;
        }),
      ]),
    ),
  );

/** `codes` is one string, because unsaved changes are found by comparing strings. */
export const countriesSchema = z
  .object({ choice: z.enum(['all', 'chosen']), mode: z.enum(MODES), codes: z.string() })
  .refine(({ choice, codes }) => choice === 'all' || codes !== '', {
    message: 'Choose at least one country.',
    path: ['codes'],
  });
