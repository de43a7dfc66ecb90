import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { isUsableSecret, parseSecret, signedHeaders, verifySigned } from './standard-webhooks.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const at = new Date();
const message = { id: 'msg_1', at, body: '{"type":"otp.sent"}' };

describe('signing', () => {
  test("is accepted by the standard's own library", () => {
    expect(new Webhook(secret).verify(message.body, signedHeaders(message, [secret]))).toEqual({
      type: 'otp.sent',
    });
  });

  test('uses a secret without prefix as raw bytes, as the library does with format raw', () => {
    const headers = signedHeaders(message, ['my own secret']);
    expect(new Webhook('my own secret', { format: 'raw' }).verify(message.body, headers)).toBeTruthy();
  });

  test('with two secrets satisfies only the holders of either', () => {
    const headers = signedHeaders(message, [secret, 'older']);
    expect(new Webhook(secret).verify(message.body, headers)).toBeTruthy();
    expect(new Webhook('older', { format: 'raw' }).verify(message.body, headers)).toBeTruthy();
    expect(() => new Webhook('other', { format: 'raw' }).verify(message.body, headers)).toThrow();
  });

  test('agrees with the library for any text', () => {
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
});

describe('verifying', () => {
  const signed = (headers: Record<string, string>, over = {}) =>
    verifySigned({ secret, headers, rawBody: message.body, now: at, ...over });
  const good = signedHeaders(message, [secret]);

  test('accepts signatures of the Standard Webhooks library', () => {
    const headers = { ...good, 'webhook-signature': new Webhook(secret).sign(message.id, at, message.body) };
    expect(signed(headers)).toBe(true);
    expect(signed(headers, { rawBody: Buffer.from(message.body) })).toBe(true);
  });

  test.each([
    ['another body', good, { rawBody: `${message.body} ` }],
    ['another secret', good, { secret: 'other' }],
    ['another id', { ...good, 'webhook-id': 'msg_2' }, {}],
    [
      'another version',
      { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v2,') },
      {},
    ],
    ['no signature', { ...good, 'webhook-signature': '' }, {}],
    ['a cut signature', { ...good, 'webhook-signature': good['webhook-signature'].slice(0, -1) }, {}],
    ['a timestamp that is no number', { ...good, 'webhook-timestamp': 'now' }, {}],
    ['no headers', {}, {}],
    ['a message from six minutes ago', good, { now: new Date(at.getTime() + 360_000) }],
    ['a message from the future', good, { now: new Date(at.getTime() - 360_000) }],
  ])('refuses %s', (_, headers, over) => {
    expect(signed(headers, over)).toBe(false);
  });

  test('accepts one valid signature among several', () => {
    const both = `v1a,zzz v1,AAAA ${good['webhook-signature']}`;
    expect(signed({ ...good, 'webhook-signature': both })).toBe(true);
  });
});

describe('a secret', () => {
  test('must not be empty', () => {
    expect(() => parseSecret('')).toThrow();
    expect(() => parseSecret('whsec_')).toThrow();
  });

  test.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
    ['whsec_not base64!', false],
    // Go's library reads base64 with its padding only.
    ['whsec_c2VjcmV0cw', false],
    ['whsec_c2VjcmV0cw=', false],
    ['whsec_c2VjcmV0cw==', true],
    ['whsec_', false],
    ['', false],
    ['anything of my own', true],
  ])('%j is usable: %s', (text, usable) => {
    expect(isUsableSecret(text)).toBe(usable);
  });
});
