import {
  BOUNDS,
  DEFAULTS,
  type ProtectionBounds,
  type ProtectionRules,
  RULES,
} from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { schemaOfRules } from './rule-schemas.ts';
import { RULE_SENTENCES } from './rule-texts.ts';
import {
  COUNTED_RULES,
  changesOfRules,
  rulesWithValues,
  thresholdError,
  thresholdsToTest,
  valuesOfRules,
} from './rule-values.ts';

const rules = Object.fromEntries(
  RULES.map((rule) => [
    rule,
    { mode: 'enforce', ...DEFAULTS[rule], ...(rule === 'country' && { countries: null }) },
  ]),
) as unknown as ProtectionRules;
const bounds = BOUNDS as unknown as ProtectionBounds;
const values = valuesOfRules(rules);

test('only changed rules and thresholds are sent', () => {
  expect(changesOfRules(values, values)).toEqual({});
  const edited = { ...values, prefix_velocity__limit: '50', client_countries__mode: 'off' };
  expect(changesOfRules(edited, values)).toEqual({
    prefix_velocity: { limit: 50 },
    client_countries: { mode: 'off' },
  });
});

test.each([
  ['4', false],
  ['5', true],
  ['10000', true],
  ['10001', false],
  ['7.5', false],
  ['', false],
  ['many', false],
])('a prefix limit of "%s" is inside the bounds: %s', (text, isRight) => {
  const parsed = schemaOfRules(bounds).safeParse({ ...values, prefix_velocity__limit: text });
  expect(parsed.success).toBe(isRight);
  const error = isRight ? undefined : 'Enter a whole number from 5 to 10,000.';
  expect(parsed.error?.issues[0]?.message).toBe(error);
  expect(thresholdError(bounds, 'prefix_velocity', 'limit', text)).toBe(error);
});

test('a rule’s sentence updates while its fields are edited', () => {
  const edited = rulesWithValues(rules, { ...values, prefix_velocity__limit: '50' });
  expect(RULE_SENTENCES.prefix_velocity(edited.prefix_velocity)).toContain('50 sends in 10 minutes');
  const unfinished = rulesWithValues(rules, { ...values, prefix_velocity__limit: '' });
  expect(RULE_SENTENCES.prefix_velocity(unfinished.prefix_velocity)).toContain('30 sends');
});

test('every rule has a complete sentence', () => {
  for (const rule of COUNTED_RULES)
    expect(RULE_SENTENCES[rule](rules[rule] as never)).not.toMatch(/undefined|NaN/);
});

test('only the sentence of an enforced rule claims that it blocks', () => {
  for (const rule of COUNTED_RULES) {
    const sentence = (mode: string) => RULE_SENTENCES[rule]({ ...rules[rule], mode } as never);
    expect(sentence('enforce')).toMatch(/^(Blocks|Limits) /);
    expect(sentence('monitor')).toMatch(/^Would (block|limit) /);
  }
});

test('changed thresholds are tested if they are valid, and a rule that is switched on with its saved ones', () => {
  const saved = valuesOfRules(rules);
  const toTest = (changed: Record<string, string>) =>
    thresholdsToTest(bounds, 'client_velocity', { ...saved, ...changed }, saved);
  expect(toTest({})).toBeUndefined();
  expect(toTest({ prefix_velocity__limit: '50' })).toBeUndefined();
  expect(toTest({ client_velocity__limit: ' 7 ' })).toMatchObject({
    thresholds: { limit: 7 },
    areSaved: false,
  });
  expect(toTest({ client_velocity__limit: '' })).toBe('invalid');
  expect(toTest({ client_velocity__limit: '7', client_velocity__mode: 'off' })).toBeUndefined();
  expect(toTest({ client_velocity__mode: 'monitor' })).toMatchObject({ areSaved: true });
});
