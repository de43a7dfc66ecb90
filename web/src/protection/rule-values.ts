import {
  COUNTED_RULES,
  type CountedRule,
  type Mode,
  type ProtectionBounds,
  type ProtectionRules,
  THRESHOLDS,
  type Threshold,
  type updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import type { Given } from '@sixdigit/contract/route.ts';

export { COUNTED_RULES } from '@sixdigit/contract/protection/protection.ts';

/** The form's values by field, such as `prefix_velocity__limit`. The form would read a dot as a nested field. */
export type RuleValues = Record<string, string>;
export type RuleChanges = NonNullable<Given<typeof updateProtection, 'body'>['rules']>;

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

export const isWithin = (text: string, { min, max }: { min: number; max: number }): boolean =>
  /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;

export const outOfRange = ({ min, max }: { min: number; max: number }): string =>
  `Enter a whole number from ${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}.`;

/** The error of a threshold's text; undefined if it is within the operator's bounds. */
export function thresholdError(
  bounds: ProtectionBounds,
  rule: CountedRule,
  name: Threshold,
  text: string,
): string | undefined {
  const range = rangeOf(bounds, rule, name);
  return isWithin(text, range) ? undefined : outOfRange(range);
}

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

/** What to test before saving: undefined without changes, or if the rule is off; 'invalid' if a threshold is out of its bounds. */
export function thresholdsToTest(
  bounds: ProtectionBounds,
  rule: CountedRule,
  values: RuleValues,
  saved: RuleValues,
): { thresholds: Partial<Record<Threshold, number>>; areSaved: boolean } | 'invalid' | undefined {
  const mode = fieldOf(rule, 'mode');
  const fields = thresholdsOf(rule).map((name) => ({
    name,
    text: (values[fieldOf(rule, name)] ?? '').trim(),
  }));
  const areSaved = fields.every(({ name, text }) => text === saved[fieldOf(rule, name)]);
  if (values[mode] === 'off' || (areSaved && values[mode] === saved[mode])) return undefined;
  if (!fields.every(({ name, text }) => isWithin(text, rangeOf(bounds, rule, name)))) return 'invalid';
  return { thresholds: Object.fromEntries(fields.map(({ name, text }) => [name, Number(text)])), areSaved };
}
