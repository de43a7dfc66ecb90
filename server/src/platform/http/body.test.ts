import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';

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

test('a byte order mark before the JSON is skipped', async () => {
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
])('a body in %s is refused instead of being read wrong', async (_, payload) => {
  const answer = await send(payload);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toEqual({ error: failures.malformed_json.error, reason: 'malformed_json' });
});

describe('the encoding that a request names', () => {
  test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'utf-8; x=y'])('charset=%s is read', async (charset) => {
    const answer = await send(Buffer.from(json), { 'content-type': `application/json; charset=${charset}` });
    expect([201, 429]).toContain(answer.statusCode);
  });

  test.each([
    { 'content-type': 'application/json; charset=iso-8859-1' },
    { 'content-type': 'application/json;charset="windows-1252"' },
    { 'content-type': 'application/json; x=y; CHARSET=utf-16' },
    { 'content-type': 'application/json; charset=us-ascii' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br' },
    { 'content-encoding': 'identity, gzip' },
    { 'content-encoding': 'deflate', 'content-type': 'application/json; charset=utf-8' },
  ])('%j is refused', async (headers) => {
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

  test('a body that is not compressed may say so', async () => {
    expect([201, 429]).toContain(
      (await send(Buffer.from(json), { 'content-encoding': 'identity' })).statusCode,
    );
  });
});
