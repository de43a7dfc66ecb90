import type { Template } from '@sixdigit/contract/templates.ts';
import { expect, test } from 'vitest';
import { bodyOf, NEW_TEXT, templatePage, templateSearch, valuesOf } from './templates.ts';

const template = (name: string, day: number, text: string): Template => ({
  id: name,
  name,
  version: 1,
  texts: [{ channel: 'sms', locale: 'en', text, subject: null }],
  variables: [],
  dlt: null,
  created_at: `2026-11-0${day}T00:00:00.000Z`,
  updated_at: `2026-11-0${day}T00:00:00.000Z`,
});
const all = [template('order', 1, 'Order: {code}'), template('login', 3, 'Hello'), template('pay', 2, 'Pay')];

test.each([
  [{}, ['login', 'pay', 'order']],
  [{ ordering: 'created_at' as const }, ['order', 'pay', 'login']],
  [{ ordering: 'name' as const }, ['login', 'order', 'pay']],
  [{ ordering: '-name' as const }, ['pay', 'order', 'login']],
  [{ search: ' ORDER: ' }, ['order']],
  [{ search: 'log' }, ['login']],
])('templates with %j are found by their names and texts, and sorted', (search, names) => {
  const { select } = templatePage({ ...templateSearch.defaults, ...search });
  expect(select?.({ results: all } as never).results.map(({ name }) => name)).toEqual(names);
});

test('a form of a template sends a subject only for emails, and DLT ids only if one is entered', () => {
  const empty = valuesOf({ name: ' order ', texts: [], dlt: null });
  const subject = 'Your order';
  const texts = [
    { ...NEW_TEXT, subject },
    { ...NEW_TEXT, channel: 'email' as const, subject },
    { ...NEW_TEXT, channel: 'email' as const, subject: ' ' },
  ];
  expect(bodyOf({ ...empty, texts })).toEqual({
    name: 'order',
    texts: texts.map((text, n) => ({ ...text, subject: n === 1 ? subject : null })),
    dlt: null,
  });
  const dlt = { entity_id: '1101', template_id: '1107' };
  expect(bodyOf(valuesOf({ name: 'a', texts: [], dlt }))).toMatchObject({ dlt });
  for (const one of [{ entity_id: '1101' }, { template_id: '1107' }])
    expect(bodyOf({ ...empty, ...one })).toMatchObject({ dlt: { entity_id: '', template_id: '', ...one } });
});
