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
