import { id, time } from '@sixdigit/contract/field.ts';
import { neededRole } from '@sixdigit/contract/needed-roles.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { recipientText, wholeText } from '@sixdigit/contract/viewer-texts.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { viewerMaskOf } from './viewer-masks.ts';

const NUMBER = '+14155552671';
const MASKED = '+1415••••71';

test('a field that the contract does not list is masked, at any depth and in every kind of schema', () => {
  const text = z.string();
  const schema = z.object({
    text,
    described: text.meta({ description: 'A text' }),
    optional: text.optional(),
    nullable: text.nullable(),
    list: z.array(z.object({ text })),
    record: z.record(text, text),
    union: z.union([z.number(), z.object({ text })]),
    piped: text.transform((one) => one),
    anything: z.unknown(),
    loose: z.looseObject({}),
  });
  const all = (value: string) => ({
    text: value,
    described: value,
    optional: value,
    nullable: value,
    list: [{ text: value }],
    record: { [value]: value },
    union: { text: value },
    piped: value,
    anything: [{ deep: { text: value } }],
    loose: { extra: { [value]: [value] } },
  });
  expect(viewerMaskOf(schema)(all(NUMBER))).toEqual(all(MASKED));
  expect(viewerMaskOf(schema)({ nullable: null })).toEqual({ nullable: null });
});

test('ids, times, names of a set and listed texts are not changed', () => {
  const schema = z.object({
    id,
    time,
    name: z.enum(['sms', 'email']),
    prefix: wholeText.meta({ description: 'The first digits' }),
    empty: wholeText.nullable(),
  });
  const reply = {
    id: '0199e0a0-0000-7000-8000-000000000000',
    time: '2026-11-26T12:00:00.000Z',
    name: 'sms',
    prefix: '+49151234567',
    empty: null,
  };
  expect(viewerMaskOf(schema)(reply)).toEqual(reply);
});

test('a listed recipient is masked whatever it looks like', () => {
  const schema = z.object({ recipient: recipientText.nullable().meta({ description: 'The recipient' }) });
  const shown = (recipient: string) => viewerMaskOf(schema)({ recipient });
  expect(shown(NUMBER)).toEqual({ recipient: MASKED });
  expect(shown('pigeon 7')).toEqual({ recipient: 'pigeo•••• 7' });
});

test('no list that viewers may read can be sorted by recipient', () => {
  const forViewers = routes.filter((route) => neededRole(route) === 'viewer');
  const orderings = (route: Route) =>
    JSON.stringify(route.query instanceof z.ZodObject ? (route.query.shape.ordering?._zod.def ?? '') : '');
  expect(forViewers.length).toBeGreaterThan(15);
  expect(forViewers.filter((route) => orderings(route).includes('recipient'))).toEqual([]);
});
