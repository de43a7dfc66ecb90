import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { keyWeakness } from './key-strength.ts';

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
