import { MODES, type ProtectionBounds, SIM_HOURS } from '@sixdigit/contract/protection/protection.ts';
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

const purposes = z
  .string()
  .regex(/^[\sa-z0-9_,-]*$/, 'Purposes consist of a-z, 0-9, _ and -, with commas between them.');
const whole = (min: number, max: number) =>
  z.string().refine((text) => isWithin(text, { min, max }), { error: outOfRange({ min, max }) });

/** Lists are texts, because unsaved changes are found by comparing texts. */
export const lookupsSchema = z.object({
  line_mode: z.enum(MODES),
  refused: z.string(),
  sim_mode: z.enum(MODES),
  hours: whole(SIM_HOURS.min, SIM_HOURS.max),
  sim_purposes: purposes,
  from_credits: whole(0, 100_000),
  purposes,
  closed_purposes: purposes,
  messengers: z.string(),
});

/** `codes` is one string, because unsaved changes are found by comparing strings. */
export const countriesSchema = z
  .object({ choice: z.enum(['all', 'chosen']), mode: z.enum(MODES), codes: z.string() })
  .refine(({ choice, codes }) => choice === 'all' || codes !== '', {
    message: 'Choose at least one country.',
    path: ['codes'],
  });
