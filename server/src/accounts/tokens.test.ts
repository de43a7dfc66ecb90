import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/security/random.ts';
import { createVault } from '../platform/security/vault.ts';
import {
  childrenOf,
  firstRefresh,
  isOurRefresh,
  readAccess,
  sessionOfRefresh,
  signAccess,
} from './tokens.ts';

const random = systemRandom(systemClock);
const vaultOf = (key: string, ...previous: string[]) => ({
  random,
  vault: createVault(key, previous, random, { N: 2, r: 1 }),
});
const [old, fresh] = [vaultOf('the first server key'), vaultOf('the second server key')];
const rotated = vaultOf('the second server key', 'the first server key');

const access = {
  session_id: random.uuid(),
  account_id: random.uuid(),
  expires_at: new Date(1_790_000_000_123),
};

test('an access token contains the signed claims', () => {
  expect(readAccess(old, signAccess(old, access))).toEqual(access);
});

test('an access token survives a rotation of the server key and is refused by any other key', () => {
  const token = signAccess(old, access);
  expect(readAccess(rotated, token)).toEqual(access);
  expect(readAccess(fresh, token)).toBeUndefined();
});

test('an access token has only one valid encoding', () => {
  const token = signAccess(old, access);
  for (const other of [
    `${token}.`,
    `${token} `,
    token.replace('.', '..'),
    `.${token}`,
    token.split('.')[0] ?? '',
  ])
    expect(readAccess(old, other)).toBeUndefined();
});

test('a refresh token contains its session and is recognized as issued here', () => {
  const session = random.uuid();
  const token = firstRefresh(old, session);
  expect(sessionOfRefresh(token)).toBe(session);
  expect(isOurRefresh(old, token)).toBe(true);
  expect(isOurRefresh(fresh, token)).toBe(false);
  expect(isOurRefresh(rotated, token)).toBe(true);
  expect(sessionOfRefresh(`${token}A`)).toBeUndefined();
  expect(sessionOfRefresh(`${token}=`)).toBeUndefined();
});

test('a refresh token always has the same child in the same session, which requires the key to derive', () => {
  const token = firstRefresh(old, random.uuid());
  const [child = ''] = childrenOf(old, token);
  expect(childrenOf(old, token)[0]).toBe(child);
  expect(childrenOf(fresh, token)[0]).not.toBe(child);
  expect(sessionOfRefresh(child)).toBe(sessionOfRefresh(token));
  expect(isOurRefresh(old, child)).toBe(true);
  expect(childrenOf(old, child)[0]).not.toBe(token);
});

test('a refresh token still has the child derived with the previous server key', () => {
  const token = firstRefresh(old, random.uuid());
  const [child = ''] = childrenOf(old, token);
  expect(childrenOf(rotated, token)).toContain(child);
  expect(childrenOf(rotated, token)[0]).not.toBe(child);
});
