import { expect, test } from 'vitest';
import { z } from 'zod';
import { FieldErrors } from './failure.ts';
import { parserOf } from './input.ts';

const schema = z
  .object({
    name: z.string({ error: 'Enter a name.' }),
    note: z.string().max(3, 'Too long.').optional(),
    ends_at: z.string().nullable().optional(),
    kind: z.enum(['a', 'b']).default('a'),
    limits: z.object({ most: z.number().optional(), least: z.number().nullable().optional() }).optional(),
    rows: z.array(z.object({ id: z.number(), note: z.string().optional() })).optional(),
    to: z.union([z.number(), z.object({ at: z.number(), zone: z.string().optional() })]).optional(),
    any: z.unknown().optional(),
  })
  .refine(({ name }) => name !== 'wrong', { message: 'Wrong.', path: ['name'] });
const parse = parserOf(schema);
const refused = (input: unknown): unknown => {
  try {
    return parse(input);
  } catch (error) {
    return error instanceof FieldErrors ? error.fields : error;
  }
};

test.each<[string, object, object]>([
  ['an optional field', { note: null }, {}],
  ['a field with a default', { kind: null }, {}],
  ['an optional object', { limits: null }, {}],
  ['a field of an object', { limits: { most: null } }, { limits: {} }],
  ['a field within a list', { rows: [{ id: 1, note: null }] }, { rows: [{ id: 1 }] }],
  ['a field with alternatives', { to: null }, {}],
  ['a field of an alternative', { to: { at: 1, zone: null } }, { to: { at: 1 } }],
  ['several fields', { note: null, limits: { most: null }, to: null }, { limits: {} }],
])('null in %s counts as absent', (_, given, meant) => {
  expect(parse({ name: 'n', ...given })).toEqual(parse({ name: 'n', ...meant }));
});

test('null stays where the schema gives it a meaning', () => {
  expect(parse({ name: 'n', ends_at: null, limits: { least: null }, any: null })).toMatchObject({
    ends_at: null,
    limits: { least: null },
    any: null,
  });
});

test('a required field that is null is reported as one that is missing, beside the other errors', () => {
  expect(refused({ name: null, note: null })).toEqual(refused({}));
  expect(refused({ name: null, note: 'long' })).toEqual({ name: ['Enter a name.'], note: ['Too long.'] });
  expect(refused({ name: 'wrong', note: null })).toEqual({ name: ['Wrong.'] });
});

test('null as an element of a list stays an error, and the request is left as it was', () => {
  expect(refused({ name: 'n', rows: [null] })).toHaveProperty('rows');
  for (const whole of [null, []]) expect(refused(whole)).toHaveProperty('body');
  const given = { name: 'n', note: null, limits: { most: null } };
  parse(given);
  expect(given).toEqual({ name: 'n', note: null, limits: { most: null } });
});
