import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { guessability, keyWeakness } from './key-strength.ts';

describe('guessable server keys', () => {
  test.each([
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'abababababababababababababababababababababab',
    '0123456789abcdef0123456789abcdef',
    '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    '12345678901234567890123456789012345678901234567890',
    'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    'changeme-changeme-changeme-changeme',
    'changeme1234567890!!changeme',
    'ChangeThisSecretKeyInProduction123',
    'your-secret-key-goes-here-please-change-it',
    'qwertyuiopasdfghjklzxcvbnm1234567890',
    'this is the secret key of our service',
    'sixteen characters and more',
    'correct horse battery staple',
    'S3cr3t-K3y-2026!',
    'development-development-development-1',
    // 24 digits of 4 bits are fewer than 100.
    '7f1c0a94be52d863f0e19a4c',
    'aB3$xY9!aB3$xY9!aB3$xY9!aB3$xY9!aB3$xY9!',
  ])('%s', (key) => {
    expect(keyWeakness(key)).toMatch(/different characters|easy to guess/);
  });
});

describe('a random key is accepted', () => {
  test.each(['base64', 'base64url', 'hex'] as const)('32 bytes as %s', (encoding) => {
    for (let tries = 0; tries < 5_000; tries++) {
      const key = randomBytes(32).toString(encoding);
      expect(keyWeakness(key), key).toBeUndefined();
    }
  });

  test('16 bytes as base64, and long random words', () => {
    expect(keyWeakness('n3VQ0yq7sX2mJc8LrZ1fTw==')).toBeUndefined();
    expect(
      keyWeakness('glimpse ottoman ferret juniper cactus mahogany velcro pumice drizzle tundra oxbow quench'),
    ).toBeUndefined();
  });
});

describe('guessable tokens', () => {
  test.each([
    'metrics-token-1234',
    'metrics_token_2026',
    'a-token-of-the-operator',
    'prometheus-metrics-token-2026',
    'prometheus-scrape-2025-12',
    'monitoring-password-1',
    'S3cr3t-M3tr1c5-T0k3n!',
    'sixdigit-operator-secret-01',
    'SixdigitMetricsToken1!',
    'gateway-secret-of-production',
    'acme-metrics-token',
    'qwertyuiopasdfgh',
    '1qaz2wsx3edc4rfv',
    '1122334455667788',
    'aabbccddeeffgghh',
    'abcd1234efgh5678',
    '2026-11-25-2026-11-25',
    'tokentokentokentoken',
    'Abc1Abc1Abc1Abc1',
    'correct-horse',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  ])('%s', (token) => {
    expect(guessability(token)).toBe('is easy to guess');
  });
});

test.each([
  ['hex', 8],
  ['hex', 24],
  ['base64url', 12],
  ['base64', 32],
] as const)('a random token is accepted: %s of %i bytes', (encoding, bytes) => {
  const tokens = Array.from({ length: 1_000 }, () => randomBytes(bytes).toString(encoding));
  const refused = tokens.filter(guessability);
  // Sixteen characters without a digit look like words.
  expect(refused.length, refused.join(' ')).toBeLessThanOrEqual(bytes > 12 ? 0 : 30);
});

test.each(['scrape-6f1d08c2b94e7a53', 'Zq3vT8xLw0Rb5Ny7', 'glimpse ottoman ferret juniper cactus'])(
  'a random token with a name or of words is accepted: %s',
  (token) => {
    expect(guessability(token)).toBeUndefined();
  },
);
