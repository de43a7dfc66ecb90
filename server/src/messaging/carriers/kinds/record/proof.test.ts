import { createHash, createHmac } from 'node:crypto';
import type { Proof } from '@sixdigit/contract/operator/carrier-record.ts';
import { describe, expect, test } from 'vitest';
import type { CallbackRequest } from '../../carrier.ts';
import { isProved } from './proof.ts';

const values = {
  api_url: 'https://api.example.com/',
  username: 'acme & co',
  password: 'pass:word',
};

describe('proofs', () => {
  const request = (over: Partial<CallbackRequest>): CallbackRequest => ({
    purpose: 'reports',
    hasAddressKey: false,
    url: 'https://otp.example/s/',
    headers: {},
    rawBody: '{}',
    body: {},
    now: new Date('2026-11-29T12:00:00Z'),
    sns: { get: async () => undefined },
    ...over,
  });
  const basic = { type: 'basic', username: '{username}', password: '{password}' } as const;
  const login = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  test.each([
    ['acme & co:pass:word', true],
    ['acme & co:pass', false],
    ['', false],
  ])('the login %j is checked', (text, expected) => {
    expect(isProved(basic, request({ headers: { authorization: login(text) } }), values)).toBe(expected);
  });

  test('a token of another algorithm, or without a signature, proves nothing', () => {
    const proof = { type: 'jwt', secret: '{password}', header: 'authorization' } as const;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = part({ iat: 1_796_212_800, exp: 1_896_212_800 });
    for (const token of [
      `${part({ alg: 'none' })}.${claims}.`,
      `${part({ alg: 'none' })}.${claims}`,
      '',
      'a.b.c',
      '...',
    ])
      expect(isProved(proof, request({ headers: { authorization: `Bearer ${token}` } }), values)).toBe(false);
  });

  const now = Date.parse('2026-11-29T12:00:00Z') / 1_000;
  test.each([
    [{ iat: now - 86_400 }, true],
    [{ iat: now - 86_401 }, false],
    [{ iat: now + 660 }, true],
    [{ iat: now + 661 }, false],
    [{ exp: now, iat: now - 90_000 }, true],
    [{ exp: now - 1, iat: now - 60 }, false],
    [{ exp: now + 900, nbf: now + 661 }, false],
    [{ iat: now, hash: 'of another body' }, false],
    [{}, false],
  ])('of a token with the claims %j, the proof is %s', (claims, expected) => {
    const proof = { type: 'jwt', secret: '{password}', header: 'authorization' } as const;
    const tokenOf = (all: object) => {
      const signed = [{ alg: 'HS256' }, all]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `${signed}.${createHmac('sha256', values.password).update(signed).digest('base64url')}`;
    };
    const proves = (all: object, of: Proof = proof) =>
      isProved(
        of,
        request({ headers: { authorization: tokenOf(all) }, rawBody: '{ "a": 1 }', body: { a: 1 } }),
        values,
      );
    if (!('hash' in claims)) expect(proves(claims)).toBe(expected);
    for (const text of ['{ "a": 1 }', '{"a":1}']) {
      const hash = createHash('sha256').update(text).digest('hex');
      expect(proves({ hash, ...claims }, { ...proof, body_hash: 'hash' })).toBe(expected);
    }
  });

  test.each([
    [now - 300, true],
    [now - 301, false],
    [now + 301, false],
    [now * 1_000, true],
    [now * 1_000 - 300_001, false],
  ])('of a signature with the time %i, the proof is %s', (at, expected) => {
    const proof = {
      ...({ type: 'hmac', key: '{password}', header: 'x', encoding: 'hex' } as const),
      over: '{timestamp}.{body}',
      timestamp: { header: 'x-time', within_seconds: 300 },
    };
    const x = createHmac('sha256', values.password).update(`${at}.{}`).digest('hex');
    expect(isProved(proof, request({ headers: { x, 'x-time': String(at) } }), values)).toBe(expected);
  });

  test('without a key, nothing is proved', () => {
    const proof = {
      type: 'hmac',
      key: '{signing_key}',
      over: '{body}',
      header: 'x',
      encoding: 'hex',
    } as const;
    expect(isProved(proof, request({ headers: { x: '' } }), {})).toBe(false);
    expect(
      isProved({ ...proof, type: 'ed25519' }, request({ headers: { x: '00' } }), { signing_key: 'AAAA' }),
    ).toBe(false);
  });
});
