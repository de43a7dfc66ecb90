import { readFileSync } from 'node:fs';
import {
  deleteMe,
  getProfile,
  updateProfile,
  updateTwoFactor,
} from '@sixdigit/contract/accounts/accounts.ts';
import { changePassword } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { describe, expect, test } from 'vitest';
import { withAuthenticator } from '../../../test/authenticator.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../../test/held-lock.ts';
import { anotherSession, type Person, person, twoFactorPerson } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { createPasswords, isBreached, refuseCommonPassword } from './passwords.ts';

const here = { room: 'open', client: { networks: ['203.0.113.7'] } } as const;

test('passwords are hashed by argon2id with 19 MiB, two passes and one lane', async () => {
  const passwords = createPasswords();
  const hash = await passwords.hash('a sentence of mine', here);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await passwords.compare(hash, 'a sentence of mine')).toBe(true);
  expect(await passwords.compare(hash, 'a sentence of yours')).toBe(false);
  expect(await passwords.compare(null, 'a sentence of mine')).toBe(false);
  expect(await passwords.compare(undefined, '')).toBe(false);
});

test('long and unusual passwords are hashed in full', async () => {
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

test('the list of common passwords has at least 3,000 distinct entries of at least eight characters', () => {
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

test('breached passwords are found, from the first to the last on the list', async () => {
  for (const password of ['password1', 'sunshine1', 'iloveyou123', 'asdfghjkl123', 'vjht1051'])
    expect([password, await isBreached(password)]).toEqual([password, true]);
});

test('passwords outside the list of breaches are not found', async () => {
  const others = [
    'correct horse battery staple',
    'vier rote schuhe 81',
    'x7#kQ-29zmPL',
    'alice likes long walks 1',
  ];
  for (const other of others) expect([other, await isBreached(other)]).toEqual([other, false]);
  const made = Array.from({ length: 10_000 }, (_, n) => `a sentence about number ${n}`);
  const found = await Promise.all(made.map(isBreached));
  expect(found.filter(Boolean)).toEqual([]);
});

const service = fixture(testService);

test('a sign-in with the old password gets no session if the password changes meanwhile', async () => {
  const alice = await person(service, 'Alice');
  const bob = await person(service, 'Bob');
  const sessions = async () =>
    (
      await service.app.db.one<{ n: number }>(
        'select count(*) as n from sessions s join accounts a on a.id = s.account_id where a.email = $1',
        [alice.email],
      )
    ).n;
  const before = await sessions();
  await using change = await holdLock(service, 'select 1 from people where email = $1 for update', [
    alice.email,
  ]);
  const answer = service.call(signIn, { body: { email: alice.email, password: alice.password } });
  // The old password was right, and the insert of the session waits for the account row.
  await untilBlocked(service, 'for share');
  await change.run(
    'update accounts set password_hash = (select password_hash from people where email = $2) where email = $1',
    [alice.email, bob.email],
  );
  await change.commit();
  expect(await answer).toMatchObject({ status: 400, body: { reason: 'invalid_credentials' } });
  expect(await sessions()).toBe(before);
});

const fresh = { password: 'quite another sentence', confirm_password: 'quite another sentence' };

/** Every call of a session that compares the password. */
const CALLS: Record<string, (password: string) => [Route, object]> = {
  changePassword: (current_password) => [changePassword, { ...fresh, current_password }],
  updateProfile: (current_password) => [updateProfile, { phone_number: '4155556789', current_password }],
  updateTwoFactor: (current_password) => [
    updateTwoFactor,
    { two_factor_enabled: true, two_factor_method: 'email', current_password },
  ],
  stepUp: (password) => [stepUp, { password }],
  deleteMe: (password) => [deleteMe, { password }],
};

async function tryFrom(access: string, [route, body]: [Route, object], remoteAddress: string) {
  const answer = await service.inject({
    method: route.method,
    url: API_BASE + route.path,
    headers: { authorization: `Bearer ${access}` },
    payload: body,
    remoteAddress,
  });
  return { status: answer.statusCode, body: answer.body === '' ? {} : answer.json() };
}

async function lapsed<P extends Person>(someone: P): Promise<P> {
  await service.app.db.run(
    `update sessions set proven_at = clock_now() - interval '15 minutes'
     where account_id = (select id from accounts where email = $1)`,
    [someone.email],
  );
  return someone;
}

test.each(Object.keys(CALLS))(
  '%s allows ten guesses at the current password in fifteen minutes, across all addresses and calls',
  async (name) => {
    const alice = await person(service, 'Stolen');
    const other = await anotherSession(service, alice);
    const call = CALLS[name] ?? CALLS.stepUp;
    const wrong = [];
    for (let n = 0; n < 12; n += 1)
      wrong.push(await tryFrom(alice.access, call?.(`guess ${n}`) as [Route, object], `203.0.${n}.7`));
    expect(wrong.map(({ status }) => status)).toEqual([...Array(10).fill(400), 429, 429]);
    for (const another of Object.values(CALLS))
      expect((await tryFrom(alice.access, another(alice.password), '198.51.100.7')).status).toBe(429);
    // Neither another session nor a sign-in from the same address is affected.
    expect((await tryFrom(other.access, [stepUp, { password: alice.password }], '203.0.0.7')).status).toBe(
      200,
    );
    await service.clock.advance(15 * 60_000);
    const { access } = await anotherSession(service, alice);
    expect((await tryFrom(access, [stepUp, { password: alice.password }], '203.0.0.7')).status).toBe(200);
  },
);

test('a right current password does not count as a guess, and does not reset wrong guesses', async () => {
  const alice = await person(service, 'Forgets');
  const attempt = (password: string) => tryFrom(alice.access, [stepUp, { password }], '203.0.113.7');
  for (let n = 0; n < 9; n += 1) {
    expect((await attempt(`guess ${n}`)).status).toBe(400);
    expect((await attempt(alice.password)).status).toBe(200);
  }
  expect((await attempt('the tenth guess')).status).toBe(400);
  expect((await attempt(alice.password)).status).toBe(429);
});

describe('without a recent proof of identity', () => {
  const factors = {
    'codes by e-mail': () => twoFactorPerson(service, 'Mailed'),
    'an authenticator app': async () => {
      const alice = await person(service, 'App');
      await withAuthenticator(service, alice);
      return alice;
    },
  };

  test.each(Object.entries(factors))(
    'without a recent proof of identity, an account with %s cannot change its password or phone number, nor test a password',
    async (_, create) => {
      const alice = await lapsed(await create());
      for (const name of ['changePassword', 'updateProfile'])
        for (const password of [alice.password, 'not this one']) {
          const call = CALLS[name]?.(password) as [Route, object];
          expect(await tryFrom(alice.access, call, '203.0.113.7')).toMatchObject({
            status: 400,
            body: { reason: 'step_up_required' },
          });
        }
      const profile = (await service.call(getProfile, { bearer: alice.access })).body;
      expect(profile.phone_number).toBe(alice.phone);
      // The password is still the old one.
      const { email, password } = alice;
      expect((await service.call(signIn, { body: { email, password } })).body.requires_2fa).toBe(true);
      const renamed = await tryFrom(alice.access, [updateProfile, { first_name: 'Al' }], '203.0.113.7');
      expect(renamed.status).toBe(200);
    },
  );

  test.each(['changePassword', 'updateProfile'])(
    'without a second factor, the right password is the proof of identity for %s',
    async (name) => {
      const alice = await lapsed(await person(service, 'Plain'));
      const call = (password: string) =>
        tryFrom(alice.access, CALLS[name]?.(password) as [Route, object], '203.0.113.7');
      expect((await call('not this one')).body).toMatchObject({
        current_password: ['The password is not correct.'],
      });
      expect((await call(alice.password)).status).toBeLessThan(300);
    },
  );
});
