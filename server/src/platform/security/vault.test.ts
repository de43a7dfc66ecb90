import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { guessability, keyWeakness } from './key-strength.ts';
import { systemRandom } from './random.ts';
import { createVault, equalSecrets, type KeyCost, SERVICE_KEY_COST } from './vault.ts';

const random = systemRandom(systemClock);
const CHEAP: KeyCost = { N: 2, r: 1 };
const vault = createVault('the present key', ['the former key'], random, CHEAP);
const former = createVault('the former key', [], random, CHEAP);
const stranger = createVault('another key', [], random, CHEAP);

test('an encrypted value decrypts only in the same context', () => {
  const sealed = vault.seal('a secret', 'challenge:1');
  expect(vault.open(sealed, 'challenge:1')).toBe('a secret');
  for (const context of ['challenge:2', 'challenge:', '', 'Challenge:1'])
    expect(() => vault.open(sealed, context)).toThrow();
});

test('an encrypted value with a changed byte does not decrypt', () => {
  const sealed = vault.seal('a secret', 'context');
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => vault.open(changed, 'context'), `byte ${index}`).toThrow();
  }
  expect(() => vault.open(sealed.subarray(0, -1), 'context')).toThrow();
  expect(() => vault.open(Buffer.alloc(0), 'context')).toThrow();
});

test('encrypting the same text twice gives different results', () => {
  const sealed = Array.from({ length: 100 }, () => vault.seal('a secret', 'context').toString('hex'));
  expect(new Set(sealed).size).toBe(100);
});

test('every purpose has a separate derived key', () => {
  const purposes = ['code', 'opt-out', 'throttle', 'access token', 'idempotency', ''];
  const all = purposes.map((purpose) => vault.fingerprint(purpose, 'the same text').toString('hex'));
  expect(new Set(all).size).toBe(purposes.length);
});

test('a fingerprint depends on the server key', () => {
  expect(vault.fingerprint('code', 'text').equals(stranger.fingerprint('code', 'text'))).toBe(false);
  expect(vault.keyId).not.toBe(stranger.keyId);
});

test('the id of a key reveals nothing about its fingerprints', () => {
  const id = Buffer.from(vault.keyId, 'hex');
  expect(id.length).toBe(4);
  for (const text of ['', 'key id'])
    expect(vault.fingerprint('key id', text).subarray(0, 4).equals(id)).toBe(false);
});

test('during a key rotation, the previous key decrypts and recognizes values and the current key encrypts', () => {
  expect(vault.open(former.seal('a secret', 'context'), 'context')).toBe('a secret');
  expect(vault.fingerprints('code', 'text').map((one) => one.toString('hex'))).toEqual(
    [vault, former].map((one) => one.fingerprint('code', 'text').toString('hex')),
  );
  expect(() => former.open(vault.seal('a secret', 'context'), 'context')).toThrow();
});

test('another server key decrypts nothing', () => {
  expect(() => stranger.open(vault.seal('a secret', 'context'), 'context')).toThrow();
});

test('two secrets are equal only if all their bytes are', () => {
  const secret = random.bytes(32);
  expect(equalSecrets(secret, Buffer.from(secret))).toBe(true);
  for (let index = 0; index < secret.length; index++) {
    const other = Buffer.from(secret);
    other[index] = (other[index] ?? 0) ^ 1;
    expect(equalSecrets(secret, other), `byte ${index}`).toBe(false);
  }
  expect(equalSecrets(secret, secret.subarray(0, 31))).toBe(false);
  expect(equalSecrets(secret, Buffer.concat([secret, Buffer.of(0)]))).toBe(false);
  expect(equalSecrets(Buffer.alloc(0), secret)).toBe(false);
});

test('deriving from a server key costs 64 MB by default', () => {
  expect(128 * SERVICE_KEY_COST.N * SERVICE_KEY_COST.r).toBeGreaterThanOrEqual(64 * 2 ** 20);
  const byDefault = createVault('the present key', [], random);
  expect(byDefault.keyId).toBe(createVault('the present key', [], random, SERVICE_KEY_COST).keyId);
  expect(byDefault.keyId).not.toBe(vault.keyId);
});

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
  test.each(['base64', 'base64url', 'hex'] as const)(
    'a server key of 32 random bytes as %s is accepted',
    (encoding) => {
      for (let tries = 0; tries < 5_000; tries++) {
        const key = randomBytes(32).toString(encoding);
        expect(keyWeakness(key), key).toBeUndefined();
      }
    },
  );

  test('a server key of 16 random bytes or of many random words is accepted', () => {
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
