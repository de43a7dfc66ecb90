import { expect, test } from 'vitest';
import { linesOf, lineText, RECORD_PARTS, REMOVED, readText, withValue } from './record-text.ts';

const part = (path: string) => {
  const found = RECORD_PARTS.find((one) => one.path === path);
  if (!found) throw new Error(`No part ${path}`);
  return found;
};

test.each([
  ['send.url', '{api_url}/messages', '{api_url}/messages'],
  ['send.accept', '200, 202', [200, 202]],
  ['send.accept', '200,', undefined],
  ['send.accept', 'x', undefined],
  ['send.headers', 'X-A: 1\nX-B: a: b', { 'X-A': '1', 'X-B': 'a: b' }],
  ['send.headers', 'X-A', undefined],
  ['send.errors', 'http_402: carrier_down', { http_402: 'carrier_down' }],
  ['send.body', '{"a": "{to}"}', { a: '{to}' }],
  ['send.body', '{"a": ', undefined],
  ['send.id', 'data.id', 'data.id'],
  ['send.id', 'data.id, id', ['data.id', 'id']],
  ['send.id', ' ', REMOVED],
])('the form reads the part %s of %j', (path, text, expected) => {
  expect(linesOf(part(path), text)).toEqual(expected);
});

test.each([
  ['send.accept', { send: { accept: [200, 202] } }, '200, 202'],
  ['send.errors', { send: { errors: { a: 'retry', b: 'permanent' } } }, 'a: retry\nb: permanent'],
  ['send.id', { send: {} }, ''],
  ['inbound', {}, ''],
])('the form shows the part %s of %j', (path, record, expected) => {
  expect(lineText(record, part(path))).toBe(expected);
});

test('a change of one part keeps the others, and an empty text removes it', () => {
  const record = { send: { url: 'a', id: 'b' }, check: { url: 'c' } };
  expect(JSON.parse(withValue(record, 'send.id', 'x'))).toEqual({ ...record, send: { url: 'a', id: 'x' } });
  expect(JSON.parse(withValue(record, 'send.id', REMOVED))).toEqual({ ...record, send: { url: 'a' } });
  expect(JSON.parse(withValue({}, 'send.url', 'x'))).toEqual({ send: { url: 'x' } });
  expect([readText(''), readText('[]'), readText('{')]).toEqual([{}, undefined, undefined]);
});
