import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPasswords, refuseCommonPassword } from './passwords.ts';

const here = { room: 'open', client: { networks: ['203.0.113.7'] } } as const;

test('hashing uses argon2id with 19 MiB, two passes and one lane', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('a sentence of mine', here);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.compare(hash, 'a sentence of mine')).toBe(true);
  expect(await passwords.compare(hash, 'a sentence of yours')).toBe(false);
  expect(await passwords.compare(null, 'a sentence of mine')).toBe(false);
  expect(await passwords.compare(undefined, '')).toBe(false);
});

test('hashing hashes long and unusual passwords in full', async () => {
  const passwords = createPasswords();
  const long = `${'🔑'.repeat(63)}a`;
  const hash = await passwords.hash(long, here);
  expect(await passwords.compare(hash, long)).toBe(true);
  expect(await passwords.compare(hash, `${'🔑'.repeat(63)}b`)).toBe(false);
  const accented = await passwords.hash('caf\u00e9 society', here);
  expect(await passwords.compare(accented, 'cafe\u0301 society')).toBe(true);
});

const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

test('common passwords are a list of at least three thousand distinct entries of at least eight characters', () => {
  expect(list.length).toBeGreaterThan(3_000);
  expect(new Set(list).size).toBe(list.length);
  expect(list.filter((one) => one.length < 8 || one !== one.toLowerCase())).toEqual([]);
});

test.each([
  'password',
  'Password1',
  '12345678',
  'QWERTYUIOP',
  'Access2026',
  'iloveyou',
  'letmein123',
  'ｐａｓｓｗｏｒｄ',
])('a common password is refused: %s', async (password) => {
  await expect(refuseCommonPassword(password)).rejects.toThrow(
    'This password is too common. Please choose another.',
  );
});

test.each(['correct horse battery staple', 'T7#kqPz!42vv', 'my dog ate 3 socks'])(
  'a password that is not common is accepted: %s',
  async (password) => {
    await expect(refuseCommonPassword(password)).resolves.toBeUndefined();
  },
);
