import { expect, test } from 'vitest';
import { systemRandom } from '../platform/security/random.ts';
import { createVault } from '../platform/security/vault.ts';
import { generateSecret, openSecrets, retireSecret, sealSecret } from './message.ts';

const HOUR = 3_600_000;
let nowMs = Date.parse('2026-03-01T00:00:00Z');
const clock = { now: () => new Date(nowMs), sleep: async () => {} };
const random = systemRandom(clock);
const app = { clock, random, vault: createVault('a key for these tests', [], random, { N: 2, r: 1 }) };
const inHours = (hours: number) => new Date(nowMs + hours * HOUR).toISOString();

const endpoint = (endpoint_id: string, secret: string) => ({
  endpoint_id,
  secret: sealSecret(app, endpoint_id, secret),
  previous_secret: null as Buffer | null,
});

test('an encrypted webhook secret copied to another endpoint does not decrypt there', () => {
  const mine = endpoint('one', 'whsec_c2VjcmV0');
  expect(openSecrets(app, mine)).toEqual(['whsec_c2VjcmV0']);
  expect(() => openSecrets(app, { ...mine, endpoint_id: 'two' })).toThrow();
  const retired = retireSecret(app, mine, inHours(24));
  const other = endpoint('two', 'whsec_b3RoZXI=');
  expect(() => openSecrets(app, { ...other, previous_secret: retired })).toThrow();
});

test('a retired webhook secret also signs until just before its end time', () => {
  const first = endpoint('one', 'first');
  const rotated = { ...endpoint('one', 'second'), previous_secret: retireSecret(app, first, inHours(24)) };
  expect(openSecrets(app, rotated)).toEqual(['second', 'first']);
  nowMs += 24 * HOUR - 1;
  expect(openSecrets(app, rotated)).toEqual(['second', 'first']);
  nowMs += 1;
  expect(openSecrets(app, rotated)).toEqual(['second']);
});

test('after several rotations, each webhook secret has a separate end time', () => {
  const first = endpoint('one', 'first');
  const second = { ...endpoint('one', 'second'), previous_secret: retireSecret(app, first, inHours(24)) };
  nowMs += 10 * HOUR;
  const third = { ...endpoint('one', 'third'), previous_secret: retireSecret(app, second, inHours(24)) };
  expect(openSecrets(app, third)).toEqual(['third', 'second', 'first']);
  nowMs += 14 * HOUR;
  expect(openSecrets(app, third)).toEqual(['third', 'second']);
  nowMs += 10 * HOUR;
  expect(openSecrets(app, third)).toEqual(['third']);
});

test('generated webhook secrets have 32 random bytes', () => {
  const secrets = Array.from({ length: 100 }, () => generateSecret(app));
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(Buffer.from(secret.slice('whsec_'.length), 'base64').length).toBe(32);
});
