import {
  type Mode,
  type ProtectionBounds,
  type ProtectionRules,
  RULES,
  THRESHOLDS,
  type Threshold,
  type updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { z } from 'zod';
import type { CountedRule } from './rule-texts.ts';

/** The form's values by field, such as `prefix_velocity__limit`. The form would read a dot as a nested field. */
export type RuleValues = Record<string, string>;
export type RuleChanges = NonNullable<Given<typeof updateProtection, 'body'>['rules']>;

export const COUNTED_RULES = RULES.filter((rule) => rule !== 'country') as CountedRule[];
export const thresholdsOf = (rule: CountedRule): readonly Threshold[] => THRESHOLDS[rule];
export const fieldOf = (rule: CountedRule, name: Threshold | 'mode'): string => `${rule}__${name}`;

export const valuesOfRules = (rules: ProtectionRules): RuleValues =>
  Object.fromEntries(
    COUNTED_RULES.flatMap((rule) => [
      [fieldOf(rule, 'mode'), rules[rule].mode],
      ...thresholdsOf(rule).map((name) => [fieldOf(rule, name), String(numberIn(rules, rule, name))]),
    ]),
  );

export const rangeOf = (
  bounds: ProtectionBounds,
  rule: CountedRule,
  name: Threshold,
): { min: number; max: number } =>
  (bounds[rule] as Record<string, { min: number; max: number }>)[name] ?? { min: 0, max: 0 };

/** Accepts only whole numbers within the operator's bounds. */
export const schemaOfRules = (bounds: ProtectionBounds) =>
  z.object(
    Object.fromEntries(
      COUNTED_RULES.flatMap((rule) => [
        [fieldOf(rule, 'mode'), z.string()] as const,
        ...thresholdsOf(rule).map((name) => {
          const { min, max } = rangeOf(bounds, rule, name);
          const isRight = (text: string): boolean =>
            /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;
          return [
            fieldOf(rule, name),
            z.string().refine(isRight, {
              error: `Enter a whole number from ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}.`,
            }),
          ] as const;
        }),
      ]),
    ),
  );

/** The rules with the form's values, for the sentences that describe them. An invalid value falls back to the stored one. */
export function rulesWithValues(rules: ProtectionRules, values: RuleValues): ProtectionRules {
  const changed = COUNTED_RULES.map((rule) => {
    const numbers = thresholdsOf(rule).map((name) => {
      const text = values[fieldOf(rule, name)] ?? '';
      return [name, /^\d+$/.test(text.trim()) ? Number(text) : numberIn(rules, rule, name)];
    });
    return [rule, { ...rules[rule], mode: values[fieldOf(rule, 'mode')], ...Object.fromEntries(numbers) }];
  });
  return { ...rules, ...Object.fromEntries(changed) };
}

/** Returns only the changes, so that two users who change different rules do not overwrite each other. */
export function changesOfRules(values: RuleValues, saved: RuleValues): RuleChanges {
  const changes: Record<string, Record<string, Mode | number>> = {};
  for (const rule of COUNTED_RULES)
    for (const name of ['mode', ...thresholdsOf(rule)] as const) {
      const field = fieldOf(rule, name);
      const value = values[field] ?? '';
      if (value === saved[field]) continue;
      changes[rule] = { ...changes[rule], [name]: name === 'mode' ? (value as Mode) : Number(value) };
    }
  return changes;
}

const numberIn = (rules: ProtectionRules, rule: CountedRule, name: Threshold): number =>
  (rules[rule] as unknown as Record<Threshold, number>)[name];
