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
import { withAuthenticator } from '../../test/authenticator.ts';
import { fixture } from '../../test/fixture.ts';
import { anotherSession, type Person, person, twoFactorPerson } from '../../test/person.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);

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
  'the current password in a session can be guessed ten times in fifteen minutes by %s, from whatever addresses, and other calls count along',
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

test('a right current password does not count, and does not forgive wrong ones', async () => {
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
    'an account with %s gets neither a new password nor a new phone number, and no word about the password',
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
    'the right password is the proof for %s of an account without a second factor',
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
