import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { parseSecret, readSecret, signedHeaders, verifySigned } from './standard-webhooks.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const at = new Date();
const message = { id: 'msg_1', at, body: '{"type":"otp.sent"}' };

test('the Standard Webhooks library accepts our signature', () => {
  expect(new Webhook(secret).verify(message.body, signedHeaders(message, [secret]))).toEqual({
    type: 'otp.sent',
  });
});

test('a webhook secret without the prefix is used as raw bytes, as in the library’s raw format', () => {
  const headers = signedHeaders(message, ['my own secret']);
  expect(new Webhook('my own secret', { format: 'raw' }).verify(message.body, headers)).toBeTruthy();
});

test('a signature with two webhook secrets verifies with either, and with no other', () => {
  const headers = signedHeaders(message, [secret, 'older']);
  expect(new Webhook(secret).verify(message.body, headers)).toBeTruthy();
  expect(new Webhook('older', { format: 'raw' }).verify(message.body, headers)).toBeTruthy();
  expect(() => new Webhook('other', { format: 'raw' }).verify(message.body, headers)).toThrow();
});

test('our webhook signature equals the library’s for any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      (body, key) => {
        const whsec = `whsec_${Buffer.from(key).toString('base64')}`;
        expect(signedHeaders({ ...message, body }, [whsec])['webhook-signature']).toBe(
          new Webhook(whsec).sign(message.id, at, body),
        );
      },
    ),
  );
});

const signed = (headers: Record<string, string>, over = {}) =>
  verifySigned({ secret, headers, rawBody: message.body, now: at, ...over });
const good = signedHeaders(message, [secret]);

test('we accept signatures of the Standard Webhooks library', () => {
  const headers = { ...good, 'webhook-signature': new Webhook(secret).sign(message.id, at, message.body) };
  expect(signed(headers)).toBe(true);
  expect(signed(headers, { rawBody: Buffer.from(message.body) })).toBe(true);
});

test.each([
  ['another body', good, { rawBody: `${message.body} ` }],
  ['another secret', good, { secret: 'other' }],
  ['another id', { ...good, 'webhook-id': 'msg_2' }, {}],
  ['another version', { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v2,') }, {}],
  ['no signature', { ...good, 'webhook-signature': '' }, {}],
  ['a cut signature', { ...good, 'webhook-signature': good['webhook-signature'].slice(0, -1) }, {}],
  ['a timestamp that is no number', { ...good, 'webhook-timestamp': 'now' }, {}],
  ['no headers', {}, {}],
  ['a message from six minutes ago', good, { now: new Date(at.getTime() + 360_000) }],
  ['a message from the future', good, { now: new Date(at.getTime() - 360_000) }],
])('verifying a webhook signature fails with %s', (_, headers, over) => {
  expect(signed(headers, over)).toBe(false);
});

test('verifying accepts one valid webhook signature among several', () => {
  const both = `v1a,zzz v1,AAAA ${good['webhook-signature']}`;
  expect(signed({ ...good, 'webhook-signature': both })).toBe(true);
});

test('a webhook secret must not be empty', () => {
  expect(() => parseSecret('')).toThrow();
  expect(() => parseSecret('whsec_')).toThrow();
});

const KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.each([
  [KEY, KEY],
  [`v1,${KEY}`, KEY],
  [`v1, ${KEY}`, KEY],
  [` ${KEY}\n`, KEY],
  [`\ufeff${KEY}\u200b`, KEY],
  [`"${KEY}"`, KEY],
  [`'v1,${KEY}'`, KEY],
  [`v1,"${KEY}"`, KEY],
  [`\u201c ${KEY}\u201d`, KEY],
  ['\tmy own secret of 24 bytes ', 'my own secret of 24 bytes'],
  ['`sixteen bytes..`', 'must have at least 16 bytes'],
  ['`sixteen bytes...`', 'sixteen bytes...'],
  [`V1,${KEY}`, 'must begin with whsec_ if it contains it'],
  [`v1a,${KEY}`, 'must not begin with a version'],
  ['v1,a secret of my own', 'must not begin with a version'],
  [`"${KEY}`, 'must not begin or end with a quote'],
  [`${KEY}'`, 'must not begin or end with a quote'],
  [`SECRET=${KEY}`, 'must begin with whsec_ if it contains it'],
  [KEY.toUpperCase(), 'must begin with whsec_ if it contains it'],
  ['whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'must begin with whsec_ if it contains it'],
  ['whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'must begin with whsec_ if it contains it'],
  ['whsec_not base64 of anything', 'must be base64 after whsec_'],
  // Go's library reads base64 with its padding only.
  [`whsec_${Buffer.alloc(17, 7).toString('base64').replaceAll('=', '')}`, 'must be base64 after whsec_'],
  ['whsec_-_KQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'must be base64 after whsec_'],
  [`whsec_${Buffer.alloc(15, 7).toString('base64')}`, 'must have at least 16 bytes'],
  ['whsec_', 'must have at least 16 bytes'],
  ['""', 'must have at least 16 bytes'],
  ['x', 'must have at least 16 bytes'],
  ['', 'must have at least 16 bytes'],
  ['ein Geheimnis für uns', 'must consist of ASCII characters'],
  [`my own\u200b secret of 24 bytes`, 'must consist of ASCII characters'],
])('the pasted webhook secret %j is read as intended or refused', (text, meant) => {
  const read = readSecret(text);
  if ('secret' in read) expect(read.secret).toBe(meant);
  else expect(read.problem).toContain(meant);
});

test('the Standard Webhooks library reads a pasted webhook secret as the same key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => {
      const read = readSecret(text);
      if ('problem' in read) return;
      expect(readSecret(read.secret)).toEqual(read);
      const library = new Webhook(read.secret, read.secret.startsWith('whsec_') ? {} : { format: 'raw' });
      expect(library.verify(message.body, signedHeaders(message, [read.secret]))).toBeTruthy();
    }),
  );
});
