import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { callFrom, type Person, person, twoFactorPerson } from '../../test/person.ts';
import { testService } from '../../test/service.ts';
import { createPasswords } from './passwords.ts';

const service = fixture(testService);

const signInAs = ({ email, password }: Pick<Person, 'email' | 'password'>) =>
  service.call(signIn, { body: { email, password } });

const careful = (name: string) => twoFactorPerson(service, name);

test('the right password returns working tokens', async () => {
  const alice = await person(service, 'Alice');
  const { status, body } = await signInAs({ ...alice, email: ` ${alice.email.toUpperCase()} ` });
  expect(status).toBe(200);
  expect(body).toEqual({ access: expect.any(String), refresh: expect.any(String), requires_2fa: false });
  expect((await service.call(getMe, { bearer: body.access ?? '' })).body.email).toBe(alice.email);
});

test('the right password matches in every Unicode composition', async () => {
  const bob = await person(service, 'Bob');
  await service.app.db.run(
    `update accounts set password_hash = (select password_hash from accounts where email = $1) where email = $1`,
    [bob.email],
  );
  expect((await signInAs({ ...bob, password: bob.password.replace(/o/g, 'ｏ') })).status).toBe(200);
});

test('sign-in fails alike for a wrong password and an unknown address, with the same timing', async () => {
  await using real = await testService({ passwords: createPasswords() });
  const fastest = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  // Both cost one hash. Without it, the response for an unknown address would be ten times faster.
  const areAlike = () => fastest.unknown > fastest.known / 2 && fastest.known > fastest.unknown / 2;
  // A busy machine can delay every try of a round, but not every try of ten rounds.
  for (let round = 0; round < 10 && !(round > 0 && areAlike()); round += 1) {
    const emails = {
      known: (await person(real, 'Timing')).email,
      unknown: `nobody.${round}@people.test`,
    };
    for (let n = 0; n < 8; n += 1)
      for (const which of ['known', 'unknown'] as const) {
        const guess = { email: emails[which], password: `wrong password ${n}` };
        const before = performance.now();
        const answer = await callFrom(real, `203.0.113.${round}`, { route: signIn, body: guess });
        fastest[which] = Math.min(fastest[which], performance.now() - before);
        expect(answer).toEqual({
          status: 400,
          body: { error: 'Invalid email or password', reason: 'invalid_credentials' },
        });
      }
  }
  expect(areAlike(), JSON.stringify(fastest)).toBe(true);
});

test.each([
  [{}, { email: ['This field is required.'], password: ['This field is required.'] }],
  [{ email: 'x', password: 'y' }, { email: ['Please enter a valid email address'] }],
])('sign-in requires both fields: %j', async (body, fields) => {
  expect(await service.call(signIn, { body })).toMatchObject({ status: 400, body: fields });
});

test('ten wrong passwords lock one address, not the owner elsewhere', async () => {
  const alice = await person(service, 'Flooded');
  const from = (address: string, password: string) =>
    callFrom(service, address, { route: signIn, body: { email: alice.email, password } });
  const tries = await Promise.all(Array.from({ length: 15 }, (_, n) => from('203.0.113.9', `guess ${n}`)));
  const refused = tries.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(5);
  expect(refused[0]?.body).toMatchObject({ reason: 'too_many_requests', retry_after: expect.any(Number) });
  expect((await from('203.0.113.9', alice.password)).status).toBe(429);
  expect((await from('203.0.113.10', alice.password)).status).toBe(200);
  await service.clock.advance(15 * 60_000);
  expect((await from('203.0.113.9', alice.password)).status).toBe(200);
});

test('the right password may be right any number of times', async () => {
  const alice = await person(service, 'Often');
  for (let n = 0; n < 15; n += 1) expect((await signInAs(alice)).status).toBe(200);
});

test('guessing from many networks makes sign-in require a code from unknown networks, not from the owner’s', async () => {
  const alice = await person(service, 'Botnet');
  const from = (address: string, password: string) =>
    callFrom(service, address, { route: signIn, body: { email: alice.email, password } });
  for (let n = 0; n < 101; n += 1) {
    expect((await from(`2001:db8:${n.toString(16)}::1`, 'guess guess')).status).toBe(400);
  }
  const stranger = await from('198.51.100.77', alice.password);
  expect(stranger).toMatchObject({ status: 200, body: { requires_2fa: true, two_factor_method: 'email' } });
  const home = await from('127.0.0.1', alice.password);
  expect(home).toMatchObject({ status: 200, body: { requires_2fa: false } });
}, 60_000);

describe('a password that changes during its comparison', () => {
  test.each([
    ['gives no session', (name: string) => person(service, name)],
    ['starts no code step', careful],
  ])('%s', async (_, signedUp) => {
    const alice = await signedUp('Raced');
    const { db } = service.app;
    const { account_id } = await db.one<{ account_id: string }>(
      'select id as account_id from accounts where email = $1',
      [alice.email],
    );
    const { promise: answered, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof signInAs>>>();
    let isAnswered = false;
    await db.transaction(async (tx) => {
      // Not committed yet: the sign-in accepts the old password and then waits for the row.
      await tx.run('update accounts set password_hash = $2 where id = $1', [account_id, 'changed meanwhile']);
      const { pid } = await tx.one<{ pid: number }>('select pg_backend_pid() as pid');
      void signInAs(alice).then((answer) => {
        isAnswered = true;
        resolve(answer);
      });
      await vi.waitFor(
        async () => {
          const { waits } = await db.one<{ waits: boolean }>(
            'select exists (select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))) as waits',
            [pid],
          );
          expect(waits || isAnswered).toBe(true);
        },
        { timeout: 15_000 },
      );
    });
    const { status, body } = await answered;
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: 'Invalid email or password', reason: 'invalid_credentials' },
    });
    const { left } = await db.one<{ left: number }>(
      `select (select count(*) from sessions where account_id = $1)
         + (select count(*) from challenges where account_id = $1) as left`,
      [account_id],
    );
    // The session of her sign-up.
    expect(left).toBe(1);
  });
});
