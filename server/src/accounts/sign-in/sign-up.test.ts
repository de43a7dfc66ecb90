import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { resendTwoFactor, signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { callFrom, codeFor, person, wrongCode } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(testService);

const password = 'a long walk by the sea';
const form = (email: string, more: object = {}) => ({
  email,
  phone_number: '4155552671',
  password,
  confirm_password: password,
  ...more,
});

test('signing up returns tokens only for the code sent to the address', async () => {
  const started = await service.call(signUp, { body: form('Ann@People.test ') });
  expect(started.status).toBe(200);
  expect(started.body).toEqual({
    requires_2fa: true,
    is_signup: true,
    two_factor_method: 'email',
    sent_to: 'a•••@people.test',
    session_token: expect.stringMatching(/^[\w-]{43}$/),
  });
  const session_token = started.body.session_token ?? '';
  const code = await codeFor(service, 'ann@people.test');
  expect(code).toMatch(/^\d{6}$/);
  const refused = await service.call(verifyTwoFactor, { body: { session_token, code: wrongCode(code) } });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      reason: 'invalid_verification_code',
      error: 'Invalid verification code',
      attempts_remaining: 4,
    },
  });
  const tokens = await service.call(verifyTwoFactor, { body: { session_token, code } });
  expect(tokens.status).toBe(200);
  const me = await service.call(getMe, { bearer: tokens.body.access });
  expect(me.body).toMatchObject({
    email: 'ann@people.test',
    username: 'ann',
    phone_number: '+14155552671',
    credits: 25,
    debt: 0,
    two_factor_enabled: false,
    first_name: '',
  });
});

test('signing up assigns a unique username', async () => {
  const names = [];
  for (const host of ['one.test', 'two.test', 'three.test']) {
    const email = `same.name@${host}`;
    const { body } = await service.call(signUp, { body: form(email) });
    const code = await codeFor(service, email);
    const tokens = await service.call(verifyTwoFactor, {
      body: { session_token: body.session_token ?? '', code },
    });
    names.push((await service.call(getMe, { bearer: tokens.body.access })).body.username);
  }
  expect(names).toEqual(['same.name', 'same.name2', 'same.name3']);
});

test.each([
  [{ email: 'nobody' }, { email: ['Please enter a valid email address'] }],
  [{ phone_number: '555 12' }, { phone_number: ['Please enter a valid phone number'] }],
  [{ phone_number: '1234567890123456' }, { phone_number: ['Please enter a valid phone number'] }],
  [
    { password: 'short', confirm_password: 'short' },
    { password: ['Password must be at least 8 characters long'] },
  ],
  [{ confirm_password: 'something else' }, { confirm_password: ["Passwords don't match"] }],
  [
    { password: 'PassWord1', confirm_password: 'PassWord1' },
    { password: ['This password is too common. Please choose another.'] },
  ],
  [
    { phone_number: undefined, password: undefined },
    { phone_number: ['This field is required.'], password: ['This field is required.'] },
  ],
  [{ phone_number: ' ' }, { phone_number: ['This field is required.'] }],
])('signing up refuses %j', async (wrong, fields) => {
  const { status, body } = await service.call(signUp, { body: form('wrong@people.test', wrong) });
  expect(status).toBe(400);
  expect(body).toMatchObject(fields);
  expect(body.error).toBe(Object.values(fields)[0]?.[0]);
});

test('of two sign-ups with one address, the first to verify the address gets it', async () => {
  const email = 'shared@people.test';
  const first = await service.call(signUp, { body: form(email) });
  const firstCode = await codeFor(service, email);
  const second = await service.call(signUp, { body: form(email) });
  const secondCode = await codeFor(service, email);
  const enter = (session_token = '', code: string) =>
    service.call(verifyTwoFactor, { body: { session_token, code } });
  expect((await enter(second.body.session_token, secondCode)).status).toBe(200);
  expect(await enter(first.body.session_token, firstCode)).toMatchObject({
    status: 400,
    body: { reason: 'invalid_session_token' },
  });
});

test('a sign-up started ten times and verified in parallel creates one account', async () => {
  const email = 'crowd@people.test';
  const begun = [];
  for (let n = 0; n < 10; n += 1) {
    const { body } = await service.call(signUp, { body: form(email) });
    begun.push({ session_token: body.session_token ?? '', code: await codeFor(service, email) });
  }
  const answers = await Promise.all(begun.map((entry) => service.call(verifyTwoFactor, { body: entry })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
  const { count } = await service.app.db.one<{ count: number }>(
    `select count(*) from accounts where email = $1`,
    [email],
  );
  expect(count).toBe(1);
});

test('an unverified sign-up is deleted after a day', async () => {
  const email = 'gone@people.test';
  const { body } = await service.call(signUp, { body: form(email) });
  const code = await codeFor(service, email);
  await service.clock.advance(24 * 3_600_000);
  await service.drain();
  const left = await service.app.db.one('select count(*) from challenges');
  expect(left).toEqual({ count: 0 });
  const late = await service.call(verifyTwoFactor, {
    body: { session_token: body.session_token ?? '', code },
  });
  expect(late.body.reason).toBe('invalid_session_token');
  expect((await service.call(signIn, { body: { email, password } })).body.reason).toBe('invalid_credentials');
});

test('a sign-up with a registered address gets the same response, and the owner gets a notice instead of a code', async () => {
  const owner = await person(service, 'Owner');
  await service.app.db.run('delete from sandbox_messages');
  const known = await service.call(signUp, { body: form(owner.email) });
  const fresh = await service.call(signUp, { body: form('fresh@people.test') });
  expect(known.status).toBe(fresh.status);
  // The masked address is the one that was typed, whether it has an account or not.
  expect(known.body.sent_to).toBe('o•••@people.test');
  const same = { session_token: '', sent_to: '' };
  expect({ ...known.body, ...same }).toEqual({ ...fresh.body, ...same });
  await service.drain();
  const [notice] = await service.inbox(owner.email);
  expect(notice).toMatchObject({ subject: 'Your Sixdigit account already exists', code: null });
  expect(notice?.text).toContain('http://sixdigit.test/sign-in');

  // Its session token behaves like any other, but no code matches it.
  const session_token = known.body.session_token ?? '';
  for (const attempts_remaining of [4, 3, 2, 1, 0]) {
    const answer = await service.call(verifyTwoFactor, { body: { session_token, code: '123456' } });
    expect(answer.body).toMatchObject({ reason: 'invalid_verification_code', attempts_remaining });
  }
  const ended = await service.call(verifyTwoFactor, { body: { session_token, code: '123456' } });
  expect(ended.body.reason).toBe('invalid_session_token');
  expect((await service.call(signIn, { body: owner })).status).toBe(200);
});

test('a sign-up with a registered address may request a resend under the same rules', async () => {
  const owner = await person(service, 'Resender');
  const { body } = await service.call(signUp, { body: form(owner.email) });
  const session_token = body.session_token ?? '';
  expect((await service.call(resendTwoFactor, { body: { session_token } })).status).toBe(200);
  expect((await service.call(resendTwoFactor, { body: { session_token } })).body.reason).toBe(
    'resend_too_soon',
  );
  await service.clock.advance(30_000);
  expect(await service.call(resendTwoFactor, { body: { session_token } })).toMatchObject({
    status: 200,
    body: { retry_after: 30 },
  });
});

test('sign-ups are rate-limited per network', async () => {
  const begin = (address: string, n: number) =>
    callFrom(service, address, { route: signUp, body: form(`limit${n}@people.test`) });
  for (let n = 0; n < 60; n += 1)
    expect((await begin(`2001:db8:7:7::${n.toString(16)}`, n)).status).toBe(200);
  const refused = await begin('2001:db8:7:7:ffff::1', 61);
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  expect(refused.body.retry_after).toBeGreaterThan(3_000);
  expect((await begin('2001:db8:7:100::1', 62)).status).toBe(200);
});
