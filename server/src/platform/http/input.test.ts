import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
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

test('null is kept where the schema gives it a meaning', () => {
  expect(parse({ name: 'n', ends_at: null, limits: { least: null }, any: null })).toMatchObject({
    ends_at: null,
    limits: { least: null },
    any: null,
  });
});

test('null and numbers beside a value that is nested deeply are read', () => {
  const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  expect(parse({ name: 7, note: null, any: deep })).toMatchObject({ name: '7' });
});

test('a required field that is null is reported as missing, together with the other errors', () => {
  expect(refused({ name: null, note: null })).toEqual(refused({}));
  expect(refused({ name: null, note: 'long' })).toEqual({ name: ['Enter a name.'], note: ['Too long.'] });
  expect(refused({ name: 'wrong', note: null })).toEqual({ name: ['Wrong.'] });
});

test('null in a list stays an error, and the request body is not modified', () => {
  expect(refused({ name: 'n', rows: [null] })).toHaveProperty('rows');
  for (const whole of [null, []]) expect(refused(whole)).toHaveProperty('body');
  const given = { name: 'n', note: null, limits: { most: null } };
  parse(given);
  expect(given).toEqual({ name: 'n', note: null, limits: { most: null } });
});

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const RECIPIENT = 'reader@example.com';
const TEXT = 'Tu código es {code}';
const json = JSON.stringify({ channel: 'email', recipient: RECIPIENT, message: TEXT });
const send = (payload: Buffer, headers: Record<string, string> = {}) =>
  service.inject({
    method: 'POST',
    url: API_BASE + sendOtp.path,
    headers: { 'x-api-key': alice.api_key, 'content-type': 'application/json', ...headers },
    payload,
  });
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

test('a byte order mark before a JSON body is skipped', async () => {
  expect((await send(Buffer.concat([MARK, Buffer.from(json)]))).statusCode).toBe(201);
  await service.drain();
  expect((await service.inbox(RECIPIENT))[0]?.text).toMatch(/Tu código es \d{6}/);
  const empty = await send(MARK);
  expect(empty.json()).toEqual((await send(Buffer.from('{}'))).json());
});

test.each<[string, Buffer]>([
  ['ISO 8859-1', Buffer.from(json, 'latin1')],
  ['UTF-16', Buffer.from(`\ufeff${json}`, 'utf16le')],
  ['half a character', Buffer.from(json.replace('ó', 'x'), 'utf8').fill(0xc3, 60, 61)],
  [
    'a surrogate in UTF-8',
    Buffer.concat([Buffer.from('{"recipient":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  ],
  [
    'an overlong form',
    Buffer.concat([Buffer.from('{"recipient":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
  ],
])('a request body in %s is refused instead of being misread', async (_, payload) => {
  const answer = await send(payload);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toEqual({ error: failures.malformed_json.error, reason: 'malformed_json' });
});

describe('the encoding that a request names', () => {
  test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'utf-8; x=y'])(
    'a request with charset=%s is accepted',
    async (charset) => {
      const answer = await send(Buffer.from(json), {
        'content-type': `application/json; charset=${charset}`,
      });
      expect([201, 429]).toContain(answer.statusCode);
    },
  );

  test.each([
    { 'content-type': 'application/json; charset=iso-8859-1' },
    { 'content-type': 'application/json;charset="windows-1252"' },
    { 'content-type': 'application/json; x=y; CHARSET=utf-16' },
    { 'content-type': 'application/json; charset=us-ascii' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br' },
    { 'content-encoding': 'identity, gzip' },
    { 'content-encoding': 'deflate', 'content-type': 'application/json; charset=utf-8' },
  ])('a request with %j is refused', async (headers) => {
    for (const [url, more] of [
      [sendOtp.path, { 'x-api-key': alice.api_key }],
      [signIn.path, {}],
    ] as const) {
      const answer = await service.inject({
        method: 'POST',
        url: API_BASE + url,
        headers: { 'content-type': 'application/json', ...more, ...headers },
        payload: Buffer.from(json),
      });
      expect(answer.statusCode).toBe(415);
      expect(answer.json()).toMatchObject({ reason: 'unsupported_media_type' });
    }
  });

  test('a request may declare the identity content encoding', async () => {
    expect([201, 429]).toContain(
      (await send(Buffer.from(json), { 'content-encoding': 'identity' })).statusCode,
    );
  });
});
