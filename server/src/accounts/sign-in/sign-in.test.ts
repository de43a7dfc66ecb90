import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword, resetPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { resendTwoFactor, signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { describe, expect, test, vi } from 'vitest';
import { hunt } from '../../../test/canary-hunt.ts';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { fixture } from '../../../test/fixture.ts';
import { callFrom, codeFor, type Person, person, twoFactorPerson, wrongCode } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { masked } from '../masked.ts';
import { createPasswords } from '../passwords/passwords.ts';

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

test('the right password signs in in every Unicode composition', async () => {
  const bob = await person(service, 'Bob');
  await service.app.db.run(
    `update accounts set password_hash = (select password_hash from accounts where email = $1) where email = $1`,
    [bob.email],
  );
  expect((await signInAs({ ...bob, password: bob.password.replace(/o/g, 'ｏ') })).status).toBe(200);
});

test('sign-in fails with the same response and timing for a wrong password and an unknown address', async () => {
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

test('after guesses from many networks, sign-in requires a code from unknown networks but not from the owner’s', async () => {
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
    [
      'a password that changes during its comparison gives no session',
      (name: string) => person(service, name),
    ],
    ['a password that changes during its comparison starts no code step', careful],
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

async function begin(somebody: Person): Promise<{ session_token: string; code: string }> {
  const { body } = await signInAs(somebody);
  return { session_token: body.session_token ?? '', code: await codeFor(service, somebody.email) };
}

const enter = (body: { session_token: string; code: string }) => service.call(verifyTwoFactor, { body });

test('with two-factor, only the sign-in code returns tokens, and only once', async () => {
  const alice = await careful('Code');
  const { status, body } = await signInAs(alice);
  expect(status).toBe(200);
  expect(body).toEqual({
    requires_2fa: true,
    two_factor_method: 'email',
    two_factor_methods: ['email'],
    sent_to: 'c•••@people.test',
    session_token: expect.stringMatching(/^[\w-]{43}$/),
  });
  const code = await codeFor(service, alice.email);
  const session_token = body.session_token ?? '';
  expect((await enter({ session_token, code })).status).toBe(200);
  expect((await enter({ session_token, code })).body.reason).toBe('invalid_session_token');
});

test('a sign-in code is never stored in plain text', async () => {
  const alice = await careful('Rest');
  await signInAs(alice);
  const rows = await service.app.db.rows<{ row: string }>(
    `select row_to_json(c)::text as row from challenges c union all select row_to_json(n)::text from notices n`,
  );
  const code = await codeFor(service, alice.email);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const { row } of rows) {
    expect(hunt([{ kind: 'code', text: code }], [{ name: 'row', text: row }])).toEqual([]);
    expect(row).not.toContain(alice.email);
    expect(row).not.toContain(Buffer.from(alice.email).toString('hex'));
  }
});

test('a sign-in code returns tokens once, even under fifty parallel right codes', async () => {
  const alice = await careful('Fifty');
  const entry = await begin(alice);
  const answers = await Promise.all(Array.from({ length: 50 }, () => enter(entry)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.reason))).toEqual(
    new Set(['invalid_session_token']),
  );
});

test('a sign-in code is compared five times, even under parallel wrong codes', async () => {
  const alice = await careful('Guessed');
  const entry = await begin(alice);
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => enter({ ...entry, code: wrongCode(entry.code) })),
  );
  const compared = answers.filter(({ body }) => body.reason === 'invalid_verification_code');
  expect(compared.map(({ body }) => body.attempts_remaining).sort()).toEqual([0, 1, 2, 3, 4]);
  expect((await enter(entry)).body.reason).toBe('invalid_session_token');
});

test('a sign-in code succeeds on the fifth try', async () => {
  const alice = await careful('Fifth');
  const entry = await begin(alice);
  for (let n = 0; n < 4; n += 1) await enter({ ...entry, code: wrongCode(entry.code) });
  expect((await enter(entry)).status).toBe(200);
});

test('a sign-in code expires after five minutes, its session after ten', async () => {
  const alice = await careful('Late');
  // The time that passes on a busy machine must not count.
  const sentAt = new Date();
  await stopDatabaseClock(service.databaseUrl, sentAt);
  const early = await begin(alice);
  await stopDatabaseClock(service.databaseUrl, new Date(sentAt.getTime() + 5 * 60_000 - 1));
  expect((await enter(early)).status).toBe(200);
  await service.clock.advance(0);
  const late = await begin(alice);
  await service.clock.advance(5 * 60_000);
  expect((await enter(late)).body).toMatchObject({
    reason: 'invalid_verification_code',
    attempts_remaining: 4,
  });
  await service.clock.advance(5 * 60_000);
  expect((await enter(late)).body.reason).toBe('invalid_session_token');
});

test.each([
  [{ code: '12345' }, { code: ['Verification code must be 6 digits'] }],
  [{ code: 'abcdef' }, { code: ['Verification code must contain only numbers'] }],
  [{}, { code: ['This field is required.'] }],
])('input other than six digits is refused without using a try: %j', async (wrong, fields) => {
  const alice = await careful('Digits');
  const entry = await begin(alice);
  const { session_token } = entry;
  expect(await service.call(verifyTwoFactor, { body: { session_token, ...wrong } })).toMatchObject({
    status: 400,
    body: fields,
  });
  const { body } = await enter({ ...entry, code: wrongCode(entry.code) });
  expect(body.attempts_remaining).toBe(4);
});

test('a sign-in code is locked for fifteen minutes after ten wrong tries within an hour, over several sessions', async () => {
  const [alice, bob] = [await careful('Locked'), await careful('Neighbor')];
  for (let session = 0; session < 2; session += 1) {
    const entry = await begin(alice);
    for (let n = 0; n < 5; n += 1) await enter({ ...entry, code: wrongCode(entry.code) });
    if (session === 0) await service.clock.advance(55 * 60_000);
  }
  // Neither lock nor count are those of another person in the same network.
  expect((await enter(await begin(bob))).status).toBe(200);
  const entry = await begin(alice);
  const locked = await enter(entry);
  expect(locked).toMatchObject({ status: 429, body: { reason: 'code_entry_locked' } });
  expect(locked.body.retry_after).toBeGreaterThan(890);
  expect(locked.headers['retry-after']).toBe(String(locked.body.retry_after));
  expect(
    (await service.call(resendTwoFactor, { body: { session_token: entry.session_token } })).body.reason,
  ).toBe('code_entry_locked');
  // Her forgotten password can be reset.
  const { session_token } = (await service.call(forgotPassword, { body: alice })).body;
  expect((await resend(session_token)).status).toBe(200);
  const code = await codeFor(service, alice.email);
  const fresh = { password: 'quite another sentence', confirm_password: 'quite another sentence' };
  const reset = await service.call(resetPassword, { body: { session_token, code, ...fresh } });
  expect(reset.status).toBe(204);
  await service.clock.advance(15 * 60_000);
  expect((await enter(await begin({ ...alice, ...fresh }))).status).toBe(200);
});

test('a sign-in code is compared at most ten times an hour, even in parallel over many sessions', async () => {
  const alice = await careful('Parallel');
  const entries = [];
  for (let n = 0; n < 4; n += 1) entries.push(await begin(alice));
  const answers = await Promise.all(
    entries.flatMap((entry) =>
      Array.from({ length: 5 }, () => enter({ ...entry, code: wrongCode(entry.code) })),
    ),
  );
  const compared = answers.filter(({ body }) => body.reason === 'invalid_verification_code');
  expect(compared).toHaveLength(10);
});

test('sign-in codes cannot be locked without the password', async () => {
  const alice = await careful('Outsider');
  for (let n = 0; n < 12; n += 1)
    await callFrom(service, `203.0.113.${n + 20}`, {
      route: signIn,
      body: { email: alice.email, password: 'not the password' },
    });
  expect((await enter(await begin(alice))).status).toBe(200);
});

const resend = (session_token: string) => service.call(resendTwoFactor, { body: { session_token } });

test('a resend of a sign-in code sends the same code after thirty seconds, at most five times', async () => {
  const alice = await careful('Resend');
  const { session_token, code } = await begin(alice);
  expect(await resend(session_token)).toMatchObject({ status: 200, body: { retry_after: 30 } });
  const early = await resend(session_token);
  expect(early).toMatchObject({ status: 429, body: { reason: 'resend_too_soon' } });
  expect(early.body.retry_after).toBeGreaterThan(0);
  expect(early.body.retry_after).toBeLessThanOrEqual(30);
  for (let n = 0; n < 4; n += 1) {
    await service.clock.advance(30_000);
    expect(await resend(session_token)).toMatchObject({ status: 200, body: { retry_after: 30 } });
    expect(await codeFor(service, alice.email)).toBe(code);
  }
  const mails = await service.inbox(alice.email);
  expect(mails.filter(({ subject }) => subject === 'Your Sixdigit sign-in code')).toHaveLength(6);
  await service.clock.advance(30_000);
  expect(await resend(session_token)).toMatchObject({
    status: 429,
    body: { reason: 'resend_limit_reached' },
  });
  expect((await enter({ session_token, code })).status).toBe(200);
});

test('a resend of a sign-in code happens once, even under parallel requests', async () => {
  const alice = await careful('Once');
  const { session_token } = await begin(alice);
  await service.clock.advance(30_000);
  const answers = await Promise.all(Array.from({ length: 10 }, () => resend(session_token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a resend of a sign-in code extends the code by five minutes, as its message states', async () => {
  const alice = await careful('Longer');
  const entry = await begin(alice);
  await service.clock.advance(4 * 60_000);
  await resend(entry.session_token);
  await service.clock.advance(4 * 60_000);
  expect((await enter(entry)).status).toBe(200);
});

test('a resend of a sign-in code accepts only session tokens', async () => {
  expect((await resend('made up')).body.reason).toBe('invalid_session_token');
  expect((await service.call(resendTwoFactor, { body: {} })).body).toMatchObject({
    session_token: ['This field is required.'],
  });
});

test('a masked address is recognizable to its owner but useless to a stranger', () => {
  expect(masked({ channel: 'email', recipient: 'alice@example.com' })).toBe('a•••@example.com');
  expect(masked({ channel: 'sms', recipient: '+14155552671' })).toBe('••• 2671');
});
