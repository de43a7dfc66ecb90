import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { systemRandom } from './random.ts';
import { createVault, equalSecrets, type KeyCost, SERVICE_KEY_COST } from './vault.ts';

const random = systemRandom(systemClock);
const CHEAP: KeyCost = { N: 2, r: 1 };
const vault = createVault('the present key', ['the former key'], random, CHEAP);
const former = createVault('the former key', [], random, CHEAP);
const stranger = createVault('another key', [], random, CHEAP);

test('a sealed value opens only with the same context', () => {
  const sealed = vault.seal('a secret', 'challenge:1');
  expect(vault.open(sealed, 'challenge:1')).toBe('a secret');
  for (const context of ['challenge:2', 'challenge:', '', 'Challenge:1'])
    expect(() => vault.open(sealed, context)).toThrow();
});

test('a sealed value with a changed byte does not open', () => {
  const sealed = vault.seal('a secret', 'context');
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => vault.open(changed, 'context'), `byte ${index}`).toThrow();
  }
  expect(() => vault.open(sealed.subarray(0, -1), 'context')).toThrow();
  expect(() => vault.open(Buffer.alloc(0), 'context')).toThrow();
});

test('the same text is sealed differently each time', () => {
  const sealed = Array.from({ length: 100 }, () => vault.seal('a secret', 'context').toString('hex'));
  expect(new Set(sealed).size).toBe(100);
});

test('every purpose has its own key', () => {
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

test('during a rotation the previous key still opens and recognises values, and the current key seals', () => {
  expect(vault.open(former.seal('a secret', 'context'), 'context')).toBe('a secret');
  expect(vault.fingerprints('code', 'text').map((one) => one.toString('hex'))).toEqual(
    [vault, former].map((one) => one.fingerprint('code', 'text').toString('hex')),
  );
  expect(() => former.open(vault.seal('a secret', 'context'), 'context')).toThrow();
});

test('another server key opens nothing', () => {
  expect(() => stranger.open(vault.seal('a secret', 'context'), 'context')).toThrow();
});

test('secrets are equal when all their bytes are', () => {
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
