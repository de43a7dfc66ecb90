import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changePassword,
  checkResetLink,
  forgotPassword,
  resetPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import {
  refreshTokens,
  resendTwoFactor,
  signIn,
  signOut,
  verifyTwoFactor,
} from '@sixdigit/contract/accounts/sign-in.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import {
  anotherSession,
  callFrom,
  codeFor,
  linkTokenFor,
  type Person,
  person,
  twoFactorPerson,
  wrongCode,
} from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { type Challenge, findChallenge } from '../proofs/challenge-queries.ts';
import { openChallenge } from '../proofs/challenges.ts';
import { hashOfToken } from '../sessions/tokens.ts';

const service = fixture(testService);

const fresh = { password: 'quite another sentence', confirm_password: 'quite another sentence' };
const statusOf = async (access: string) => (await service.call(getMe, { bearer: access })).status;
const forget = async (email: string) => {
  const { status, body } = await service.call(forgotPassword, { body: { email } });
  expect(status).toBe(200);
  return body.session_token;
};
/** The reason for a refusal is in the body; a success has no body. */
const reset = async (given: object): Promise<{ status: number; body: Record<string, unknown> }> => {
  const { status, body } = await service.call(resetPassword, { body: { ...fresh, ...given } });
  return { status, body: body ?? {} };
};

test('replacing a forgotten password with a code ends every session and issues no tokens', async () => {
  const alice = await person(service, 'Alice');
  const session_token = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  expect(await reset({ session_token, code })).toEqual({ status: 204, body: {} });
  expect(await statusOf(alice.access)).toBe(401);
  expect((await service.call(refreshTokens, { body: alice })).status).toBe(401);
  expect((await service.call(signIn, { body: alice })).status).toBe(400);
  expect((await service.call(signIn, { body: { ...alice, ...fresh } })).status).toBe(200);
  await service.drain();
  const [mail] = await service.inbox(alice.email);
  expect(mail?.subject).toBe('Your password was changed');
  expect((await reset({ session_token, code })).body.reason).toBe('invalid_session_token');
});

test('a request for a forgotten password never reveals whether an account exists', async () => {
  const alice = await person(service, 'Exists');
  const answers = [];
  for (const email of [alice.email, 'nobody@people.test']) {
    const { status, body } = await service.call(forgotPassword, { body: { email } });
    const session_token = body.session_token;
    const wrong = await reset({ session_token, code: '000000' });
    const early = await service.call(resendTwoFactor, { body: { session_token } });
    answers.push({ status, fields: Object.keys(body), wrong: wrong.body, early: early.body.reason });
  }
  expect(answers[0]).toEqual(answers[1]);
  await service.drain();
  expect(await service.inbox('nobody@people.test')).toEqual([]);
});

test('a forgotten password cannot be replaced with a wrong code, an expired code or after five wrong codes', async () => {
  const alice = await person(service, 'Wrong');
  const session_token = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  for (const attempts_remaining of [4, 3, 2, 1, 0])
    expect((await reset({ session_token, code: wrongCode(code) })).body).toMatchObject({
      reason: 'invalid_verification_code',
      attempts_remaining,
    });
  expect((await reset({ session_token, code })).body.reason).toBe('invalid_session_token');
  const late = await forget(alice.email);
  const lateCode = await codeFor(service, alice.email);
  await service.clock.advance(5 * 60_000);
  const refused = await reset({ session_token: late, code: lateCode });
  expect(refused.body.reason).toBe('invalid_verification_code');
  expect((await service.call(signIn, { body: alice })).status).toBe(200);
});

test('ten parallel right codes replace a forgotten password once', async () => {
  const alice = await person(service, 'Once');
  const session_token = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  const answers = await Promise.all(Array.from({ length: 10 }, () => reset({ session_token, code })));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
});

test('replacing a forgotten password refuses a common or short password without using a try', async () => {
  const alice = await person(service, 'Common');
  const session_token = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  const common = { password: 'qwerty123', confirm_password: 'qwerty123' };
  expect((await reset({ session_token, code, ...common })).body).toMatchObject({
    password: ['This password is too common. Please choose another.'],
  });
  const different = { ...fresh, confirm_password: 'different' };
  expect((await reset({ session_token, code, ...different })).body).toMatchObject({
    confirm_password: ["Passwords don't match"],
  });
  expect((await reset({ session_token, code })).status).toBe(204);
});

test('a password reset request allows five tries, and wrong codes end only that request', async () => {
  const alice = await person(service, 'Attacked');
  const session_token = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  for (let session = 0; session < 4; session += 1) {
    const from = `198.51.${session}.5`;
    const begun = await callFrom(service, from, { route: forgotPassword, body: { email: alice.email } });
    const guess = (n: number) =>
      callFrom(service, from, {
        route: resetPassword,
        body: { ...fresh, session_token: begun.body.session_token, code: String(n).repeat(6) },
      });
    for (let n = 0; n < 5; n += 1) expect((await guess(n)).body.attempts_remaining).toBe(4 - n);
    expect((await guess(5)).body.reason).toBe('invalid_session_token');
  }
  expect((await service.call(signIn, { body: alice })).status).toBe(200);
  expect((await reset({ session_token, code })).status).toBe(204);
});

test('a forgotten password can be requested at most sixty times an hour from one address, whether or not the account exists', async () => {
  const alice = await person(service, 'Bombed');
  const refusedAfter = async (email: string, from: string) => {
    for (let n = 0; ; n += 1) {
      const { status, body } = await callFrom(service, from, { route: forgotPassword, body: { email } });
      if (status === 429) expect(body.reason).toBe('too_many_requests');
      if (status === 429) return n;
    }
  };
  expect(await refusedAfter('nobody.at.all@people.test', '198.51.100.6')).toBe(60);
  expect(await refusedAfter(alice.email, '198.51.100.7')).toBe(60);
});

test('a password reset request whose mail has no code accepts no code, not even the one that it would have had', async () => {
  const alice = await person(service, 'Linked');
  const letters: unknown[] = [];
  for (let n = 0; n < 6; n += 1) {
    const asked = { route: forgotPassword, body: { email: alice.email } };
    const { session_token } = (await callFrom(service, '198.51.100.8', asked)).body;
    const hash = hashOfToken(String(session_token));
    const challenge = await findChallenge(service.app.db, hash, ['reset_password']);
    const { letter, code } = openChallenge(service.app, challenge as Challenge);
    letters.push(letter);
    if (letter === 'passwordResetLink')
      expect((await reset({ session_token, code })).body.reason).toBe('invalid_verification_code');
    await service.clock.advance(20 * 60_000);
  }
  expect(letters.slice(-2)).toEqual(['passwordResetCode', 'passwordResetLink']);
});

test('the session token of a password reset is valid for nothing else', async () => {
  const alice = await person(service, 'Purpose');
  const session_token = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  const { body } = await service.call(verifyTwoFactor, { body: { session_token, code } });
  expect(body.reason).toBe('invalid_session_token');
});

test('a password reset request requires a valid e-mail address', async () => {
  const { status, body } = await service.call(forgotPassword, { body: { email: 'nobody' } });
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { email: ['Please enter a valid email address'] },
  });
});

const change = (bearer: string, body: object) =>
  service.call(changePassword, { bearer, body: { ...fresh, ...body } });

test('changing the password ends every other session, deletes pending codes and sends a notice', async () => {
  const alice = await person(service, 'Changer');
  const [other, ended] = [await anotherSession(service, alice), await anotherSession(service, alice)];
  await service.call(signOut, { body: { refresh: ended.refresh } });
  const pending = await forget(alice.email);
  const code = await codeFor(service, alice.email);
  const { status } = await change(alice.access, { current_password: alice.password });
  expect(status).toBe(204);
  expect(await statusOf(alice.access)).toBe(200);
  expect(await statusOf(other.access)).toBe(401);
  const { results } = (await service.call(listAuditEntries, { bearer: alice.access })).body;
  expect(results[0]).toMatchObject({ action: 'password.change', after: { ended_sessions: 1 } });
  expect((await reset({ session_token: pending, code })).body.reason).toBe('invalid_session_token');
  expect((await service.call(signIn, { body: { ...alice, ...fresh } })).status).toBe(200);
  await service.drain();
  expect((await service.inbox(alice.email))[0]?.subject).toBe('Your password was changed');
});

test('changing the password requires the current password', async () => {
  const alice = await person(service, 'Present');
  expect(await change(alice.access, { current_password: 'not it at all' })).toMatchObject({
    status: 400,
    body: { current_password: ['The password is not correct.'], error: 'The password is not correct.' },
  });
  expect((await change(alice.access, {})).body).toMatchObject({
    current_password: ['This field is required.'],
  });
  expect(await statusOf(alice.access)).toBe(200);
});

test('of parallel changes of one password, exactly one succeeds', async () => {
  const alice = await person(service, 'Twice');
  const answers = await Promise.all(
    ['the first new sentence', 'the second new sentence'].map((password) =>
      change(alice.access, { current_password: alice.password, password, confirm_password: password }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
});

test('changing the password refuses common passwords', async () => {
  const alice = await person(service, 'Simple');
  const common = { password: 'iloveyou', confirm_password: 'iloveyou', current_password: alice.password };
  expect((await change(alice.access, common)).body).toMatchObject({
    password: ['This password is too common. Please choose another.'],
  });
});

const DEAD = {
  error: 'This link has been used or has expired. Please request a new one.',
  reason: 'invalid_reset_link',
};

async function linkOf({ email }: Person): Promise<string> {
  expect((await service.call(forgotPassword, { body: { email } })).status).toBe(200);
  return linkTokenFor(service, email);
}
const resetByLink = (token: string, given: object = {}) =>
  service.call(resetPasswordByLink, { body: { token, ...fresh, ...given } });
const check = (token: string) => service.call(checkResetLink, { body: { token } });

test('a password reset link sets the new password without a code, ends every session and issues no tokens', async () => {
  const alice = await person(service, 'Alice');
  const token = await linkOf(alice);
  expect((await check(token)).status).toBe(204);
  expect(await resetByLink(token)).toMatchObject({ status: 204, body: undefined });
  expect((await service.call(getMe, { bearer: alice.access })).status).toBe(401);
  expect((await service.call(refreshTokens, { body: alice })).status).toBe(401);
  expect((await service.call(signIn, { body: alice })).status).toBe(400);
  expect((await service.call(signIn, { body: { ...alice, ...fresh } })).status).toBe(200);
  await service.drain();
  expect((await service.inbox(alice.email))[0]?.subject).toBe('Your password was changed');
});

test.each(['code', 'link'])('a password reset by %s does not bypass the second factor', async (way) => {
  const alice = await twoFactorPerson(service, 'Factor');
  const session_token = await forget(alice.email);
  const { status } =
    way === 'code'
      ? await reset({ session_token, code: await codeFor(service, alice.email) })
      : await resetByLink(await linkTokenFor(service, alice.email));
  expect(status).toBe(204);
  const answer = await service.call(signIn, { body: { ...alice, ...fresh } });
  expect(answer.body).toMatchObject({ requires_2fa: true });
  expect(answer.body.access).toBeUndefined();
});

test('a password reset link works at most once, even under ten parallel uses', async () => {
  const alice = await person(service, 'Once');
  const token = await linkOf(alice);
  const answers = await Promise.all(Array.from({ length: 10 }, () => resetByLink(token)));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(await resetByLink(token)).toMatchObject({ status: 400, body: DEAD });
  expect(await check(token)).toMatchObject({ status: 400, body: DEAD });
});

test('a password reset link works for thirty minutes and is then deleted', async () => {
  const [alice, bob] = [await person(service, 'Early'), await person(service, 'Late')];
  const [early, late] = [await linkOf(alice), await linkOf(bob)];
  await service.clock.advance(30 * 60_000 - 5_000);
  expect((await resetByLink(early)).status).toBe(204);
  await service.clock.advance(5_000);
  expect(await check(late)).toMatchObject({ status: 400, body: DEAD });
  expect(await resetByLink(late)).toMatchObject({ status: 400, body: DEAD });
  await service.drain({ keepHouse: true });
  expect(await service.app.db.one('select count(*) from reset_links')).toEqual({ count: 0 });
});

test('several password reset links can be valid, and using one ends all links and codes', async () => {
  const alice = await person(service, 'Several');
  const first = await linkOf(alice);
  const asked = await service.call(forgotPassword, { body: { email: alice.email } });
  const second = await linkTokenFor(service, alice.email);
  const code = await codeFor(service, alice.email);
  expect(second).not.toBe(first);
  expect((await resetByLink(first)).status).toBe(204);
  expect(await resetByLink(second)).toMatchObject({ status: 400, body: DEAD });
  const byCode = await service.call(resetPassword, { body: { ...asked.body, code, ...fresh } });
  expect(byCode.body).toMatchObject({ reason: 'invalid_session_token' });
});

test.each(['the code', 'a change of the password'])(
  'a password reset link is invalidated by %s',
  async (way) => {
    const alice = await person(service, 'Ended');
    const asked = await service.call(forgotPassword, { body: { email: alice.email } });
    const token = await linkTokenFor(service, alice.email);
    const code = await codeFor(service, alice.email);
    const { status } =
      way === 'the code'
        ? await service.call(resetPassword, { body: { ...asked.body, code, ...fresh } })
        : await service.call(changePassword, {
            bearer: alice.access,
            body: { current_password: alice.password, ...fresh },
          });
    expect(status).toBe(204);
    expect(await check(token)).toMatchObject({ status: 400, body: DEAD });
  },
);

test('a password reset link is not used up by a refused password', async () => {
  const alice = await person(service, 'Common');
  const token = await linkOf(alice);
  for (const password of ['qwerty123', 'short'])
    expect((await resetByLink(token, { password, confirm_password: password })).body).toMatchObject({
      password: [expect.any(String)],
    });
  expect((await resetByLink(token, { confirm_password: 'different' })).body).toMatchObject({
    confirm_password: ["Passwords don't match"],
  });
  expect((await resetByLink(token)).status).toBe(204);
});

test.each(['', 'made up', 'A'.repeat(43)])(
  'a password reset link is refused if its token is %j',
  async (token) => {
    expect((await resetByLink(token)).status).toBe(400);
    expect((await check(token)).status).toBe(400);
  },
);

test('a password reset link has its token in the URL fragment, and only the hash of the token is stored', async () => {
  const alice = await person(service, 'Rest');
  await service.call(forgotPassword, { body: { email: alice.email } });
  const atRest = async () =>
    (
      await service.app.db.rows<{ row: string }>(
        `select row_to_json(l)::text as row from reset_links l union all
           select row_to_json(c)::text from challenges c union all select row_to_json(n)::text from notices n`,
      )
    ).map(({ row }) => row);
  const before = await atRest();
  const token = await linkTokenFor(service, alice.email);
  expect((await service.inbox(alice.email))[0]?.text).toContain(
    `http://sixdigit.test/reset-password#${token}\n`,
  );
  const spellings = [
    token,
    Buffer.from(token).toString('hex'),
    Buffer.from(token, 'base64url').toString('hex'),
  ];
  for (const row of [...before, ...(await atRest())])
    for (const spelling of spellings) expect(row).not.toContain(spelling);
  expect((await resetByLink(token)).status).toBe(204);
  expect(service.logLines.join('\n')).not.toContain(token);
});

test('an address without an account gets no password reset link, but the request writes as many rows', async () => {
  const alice = await person(service, 'Exists');
  await service.drain();
  const rowsOf = async (email: string) => {
    const count = async () =>
      service.app.db.one<{ links: number; challenges: number; notices: number }>(
        `select (select count(*) from reset_links) as links, (select count(*) from challenges) as challenges,
             (select count(*) from notices) as notices`,
      );
    const before = await count();
    await service.call(forgotPassword, { body: { email } });
    const after = await count();
    return [after.links - before.links, after.challenges - before.challenges, after.notices - before.notices];
  };
  expect(await rowsOf('nobody.here@people.test')).toEqual([1, 1, 1]);
  expect(await rowsOf(alice.email)).toEqual([1, 1, 1]);
  await service.drain();
  expect(await service.inbox('nobody.here@people.test')).toEqual([]);
});
