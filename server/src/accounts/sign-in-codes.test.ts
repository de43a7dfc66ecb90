import { resendTwoFactor, signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { hunt } from '../../test/canary-hunt.ts';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { callFrom, codeFor, type Person, twoFactorPerson, wrongCode } from '../../test/person.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);

const signInAs = ({ email, password }: Pick<Person, 'email' | 'password'>) =>
  service.call(signIn, { body: { email, password } });

const careful = (name: string) => twoFactorPerson(service, name);

async function begin(somebody: Person): Promise<{ session_token: string; code: string }> {
  const { body } = await signInAs(somebody);
  return { session_token: body.session_token ?? '', code: await codeFor(service, somebody.email) };
}

const enter = (body: { session_token: string; code: string }) => service.call(verifyTwoFactor, { body });

test('a sign-in code is required, returns tokens once, and the first response contains nothing usable', async () => {
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
])('must have six digits, and other input uses no try: %j', async (wrong, fields) => {
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
  const alice = await careful('Locked');
  for (let session = 0; session < 2; session += 1) {
    const entry = await begin(alice);
    for (let n = 0; n < 5; n += 1) await enter({ ...entry, code: wrongCode(entry.code) });
  }
  const entry = await begin(alice);
  const locked = await enter(entry);
  expect(locked).toMatchObject({ status: 429, body: { reason: 'code_entry_locked' } });
  expect(locked.body.retry_after).toBeGreaterThan(890);
  expect(locked.headers['retry-after']).toBe(String(locked.body.retry_after));
  expect(
    (await service.call(resendTwoFactor, { body: { session_token: entry.session_token } })).body.reason,
  ).toBe('code_entry_locked');
  await service.clock.advance(15 * 60_000);
  expect((await enter(await begin(alice))).status).toBe(200);
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

test('a sign-in code cannot be locked without the password', async () => {
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
