import { getMe, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changePassword,
  checkResetLink,
  forgotPassword,
  resetPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { refreshTokens, signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { codeFor, linkTokenFor, type Person, person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);

const fresh = { password: 'quite another sentence', confirm_password: 'quite another sentence' };
const DEAD = {
  error: 'This link has been used or has expired. Please ask for a new one.',
  reason: 'invalid_reset_link',
};

async function linkOf({ email }: Person): Promise<string> {
  expect((await service.call(forgotPassword, { body: { email } })).status).toBe(200);
  return linkTokenFor(service, email);
}
const reset = (token: string, given: object = {}) =>
  service.call(resetPasswordByLink, { body: { token, ...fresh, ...given } });
const check = (token: string) => service.call(checkResetLink, { body: { token } });

test('a password reset link sets the new password without a code, ends every session and issues no tokens', async () => {
  const alice = await person(service, 'Alice');
  const token = await linkOf(alice);
  expect((await check(token)).status).toBe(204);
  expect(await reset(token)).toMatchObject({ status: 204, body: undefined });
  expect((await service.call(getMe, { bearer: alice.access })).status).toBe(401);
  expect((await service.call(refreshTokens, { body: alice })).status).toBe(401);
  expect((await service.call(signIn, { body: alice })).status).toBe(400);
  expect((await service.call(signIn, { body: { ...alice, ...fresh } })).status).toBe(200);
  await service.drain();
  expect((await service.inbox(alice.email))[0]?.subject).toBe('Your password was changed');
});

test('a password reset link does not bypass the second factor', async () => {
  const alice = await person(service, 'Factor');
  const body = { two_factor_enabled: true, two_factor_method: 'email' } as const;
  await service.call(updateTwoFactor, {
    bearer: alice.access,
    body: { ...body, current_password: alice.password },
  });
  expect((await reset(await linkOf(alice))).status).toBe(204);
  const answer = await service.call(signIn, { body: { ...alice, ...fresh } });
  expect(answer.body).toMatchObject({ requires_2fa: true });
  expect(answer.body.access).toBeUndefined();
});

test('a password reset link works at most once, even under ten parallel uses', async () => {
  const alice = await person(service, 'Once');
  const token = await linkOf(alice);
  const answers = await Promise.all(Array.from({ length: 10 }, () => reset(token)));
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(await reset(token)).toMatchObject({ status: 400, body: DEAD });
  expect(await check(token)).toMatchObject({ status: 400, body: DEAD });
});

test('a password reset link works for thirty minutes and is then deleted', async () => {
  const [alice, bob] = [await person(service, 'Early'), await person(service, 'Late')];
  const [early, late] = [await linkOf(alice), await linkOf(bob)];
  await service.clock.advance(30 * 60_000 - 5_000);
  expect((await reset(early)).status).toBe(204);
  await service.clock.advance(5_000);
  expect(await check(late)).toMatchObject({ status: 400, body: DEAD });
  expect(await reset(late)).toMatchObject({ status: 400, body: DEAD });
  await service.drain({ keepHouse: true });
  expect(await service.app.db.one('select count(*) from reset_links')).toEqual({ count: 0 });
});

test('a password reset link can be one of several valid links, and using one ends all links and codes', async () => {
  const alice = await person(service, 'Several');
  const first = await linkOf(alice);
  const asked = await service.call(forgotPassword, { body: { email: alice.email } });
  const second = await linkTokenFor(service, alice.email);
  const code = await codeFor(service, alice.email);
  expect(second).not.toBe(first);
  expect((await reset(first)).status).toBe(204);
  expect(await reset(second)).toMatchObject({ status: 400, body: DEAD });
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
    expect((await reset(token, { password, confirm_password: password })).body).toMatchObject({
      password: [expect.any(String)],
    });
  expect((await reset(token, { confirm_password: 'different' })).body).toMatchObject({
    confirm_password: ["Passwords don't match"],
  });
  expect((await reset(token)).status).toBe(204);
});

test.each(['', 'made up', 'A'.repeat(43)])(
  'a password reset link is refused if its token is %j',
  async (token) => {
    expect((await reset(token)).status).toBe(400);
    expect((await check(token)).status).toBe(400);
  },
);

test('a password reset link has its token in the URL fragment, and only a hash is stored', async () => {
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
  expect((await reset(token)).status).toBe(204);
  expect(service.logLines.join('\n')).not.toContain(token);
});

test('an address without an account gets no password reset link, at the same number of rows written', async () => {
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
