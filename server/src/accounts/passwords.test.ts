import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../http/failure.ts';
import { createPasswords, createQueue, refuseCommonPassword } from './passwords.ts';

/** Work that ends when it is told to. */
function held(): { work: () => Promise<void>; end(): void; readonly began: boolean } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let began = false;
  return {
    work: () => {
      began = true;
      return promise;
    },
    end: resolve,
    get began() {
      return began;
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('hashing', () => {
  test('makes argon2id with 19 MiB, two passes, one lane', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash('a sentence of mine', 'here');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.matches(hash, 'a sentence of mine', 'here')).toBe(true);
    expect(await passwords.matches(hash, 'a sentence of yours', 'here')).toBe(false);
    expect(await passwords.matches(null, 'a sentence of mine', 'here')).toBe(false);
    expect(await passwords.matches(undefined, '', 'here')).toBe(false);
  });

  test('reads long and odd passwords to their end', async () => {
    const passwords = createPasswords();
    const long = `${'🔑'.repeat(63)}a`;
    const hash = await passwords.hash(long, 'here');
    expect(await passwords.matches(hash, long, 'here')).toBe(true);
    expect(await passwords.matches(hash, `${'🔑'.repeat(63)}b`, 'here')).toBe(false);
    const accented = await passwords.hash('caf\u00e9 society', 'here');
    expect(await passwords.matches(accented, 'cafe\u0301 society', 'here')).toBe(true);
  });
});

describe('the queue', () => {
  test('runs two at once, lets twenty wait and refuses more', async () => {
    const inTurn = createQueue();
    const all = Array.from({ length: 23 }, held);
    const results = all.map(({ work }) => inTurn('one network', work).catch((error: Failure) => error.facts));
    await settle();
    expect(all.filter(({ began }) => began)).toHaveLength(2);
    expect(await results[22]).toEqual({ retry_after: 1 });
    for (const one of all.slice(0, 22)) {
      expect(one.began).toBe(true);
      one.end();
      await settle();
    }
    await Promise.all(results.slice(0, 22));
  });

  test('never runs a third, also when newcomers arrive just as one ends', async () => {
    const inTurn = createQueue();
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await settle();
      running -= 1;
    };
    const crowd = async () => {
      for (let n = 0; n < 20; n += 1) await inTurn('here', work);
    };
    await Promise.all(Array.from({ length: 15 }, crowd));
    expect(most).toBe(2);
  });

  test('makes room for others at the expense of the network that crowds it', async () => {
    const inTurn = createQueue();
    const crowd = Array.from({ length: 22 }, held);
    const results = crowd.map(({ work }) =>
      inTurn('crowd', work).then(
        () => 'done',
        (error: Failure) => error.reason,
      ),
    );
    const owner = held();
    const owned = inTurn('owner', owner.work);
    expect(await results[21]).toBe('too_many_requests');
    for (const one of [...crowd, owner]) one.end();
    await owned;
    expect(await results[20]).toBe('done');
  });

  test('goes on after work that fails', async () => {
    const inTurn = createQueue();
    const fail = () => Promise.reject(new Error('broken'));
    for (let n = 0; n < 5; n += 1) await expect(inTurn('here', fail)).rejects.toThrow('broken');
    expect(await inTurn('here', async () => 'fine')).toBe('fine');
  });
});

describe('common passwords', () => {
  const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');

  test('are at least three thousand of at least eight characters, each once', () => {
    expect(list.length).toBeGreaterThan(3_000);
    expect(new Set(list).size).toBe(list.length);
    expect(list.filter((one) => one.length < 8 || one !== one.toLowerCase())).toEqual([]);
  });

  test.each([
    'password',
    'Password1',
    '12345678',
    'QWERTYUIOP',
    'iloveyou',
    'letmein123',
    'ｐａｓｓｗｏｒｄ',
  ])('are refused: %s', (password) => {
    expect(() => refuseCommonPassword(password)).toThrow(
      'This password is too common. Please choose another.',
    );
  });

  test.each(['correct horse battery staple', 'T7#kqPz!42vv', 'my dog ate 3 socks'])(
    'are not these: %s',
    (password) => {
      expect(() => refuseCommonPassword(password)).not.toThrow();
    },
  );
});
