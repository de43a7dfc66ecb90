import { getTwoFactor, updateProfile, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { codeFor, type Person, person, wrongCode } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(() => testService({ env: { SUPPORT_EMAIL: 'help@sixdigit.test' } }));

const subjectsTo = async (recipient: string) => {
  await service.drain();
  return (await service.inbox(recipient)).map(({ subject }) => subject);
};

const set = (alice: Person, body: Record<string, unknown>) =>
  service.call(updateTwoFactor, { bearer: alice.access, body });
const byEmail = { two_factor_enabled: true, two_factor_method: 'email' };
const bySms = { two_factor_enabled: true, two_factor_method: 'sms' };

test('two-factor is off until enabled with the password, which sends a notice', async () => {
  const alice = await person(service, 'Switch');
  const off = { two_factor_enabled: false, two_factor_method: 'email', phone_number: alice.phone };
  expect((await service.call(getTwoFactor, { bearer: alice.access })).body).toEqual(off);
  expect((await set(alice, byEmail)).body).toMatchObject({ current_password: ['This field is required.'] });
  expect(await set(alice, { ...byEmail, current_password: alice.password })).toMatchObject({
    status: 200,
    body: { ...off, two_factor_enabled: true },
  });
  expect(await subjectsTo(alice.email)).toContain('Two-factor authentication is on');
  expect((await set(alice, { ...off })).body).toMatchObject({
    current_password: ['This field is required.'],
  });
  expect((await set(alice, { ...off, current_password: alice.password })).status).toBe(200);
  expect(await subjectsTo(alice.email)).toContain('Two-factor authentication is off');
});

test('saving unchanged two-factor settings requires no password', async () => {
  const alice = await person(service, 'Same');
  const { body } = await service.call(getTwoFactor, { bearer: alice.access });
  expect(await set(alice, body)).toMatchObject({ status: 200, body });
});

test('two-factor uses a phone number only after a code sent to it is entered', async () => {
  const alice = await person(service, 'Sms');
  const phone_number = '+14155558888';
  const wanted = { ...bySms, phone_number, current_password: alice.password };
  const asked = await set(alice, wanted);
  expect(asked).toMatchObject({
    status: 200,
    body: { requires_code: true, two_factor_enabled: false, phone_number: alice.phone },
  });
  const session_token = asked.body.session_token ?? '';
  const code = await codeFor(service, phone_number);
  expect((await set(alice, { ...wanted, session_token, code: wrongCode(code) })).body).toMatchObject({
    reason: 'invalid_verification_code',
    attempts_remaining: 4,
  });
  expect((await set(alice, { ...wanted, session_token })).body).toMatchObject({
    code: ['This field is required.'],
  });
  expect((await set(alice, { ...wanted, code })).body).toMatchObject({
    session_token: ['This field is required.'],
  });
  expect(await set(alice, { ...wanted, session_token, code })).toMatchObject({
    status: 200,
    body: { two_factor_enabled: true, two_factor_method: 'sms', phone_number },
  });
  expect(await subjectsTo(alice.email)).toEqual(
    expect.arrayContaining(['Two-factor authentication is on', 'Your phone number was changed']),
  );

  const { body } = await service.call(signIn, { body: alice });
  expect(body).toMatchObject({ requires_2fa: true, two_factor_method: 'sms' });
  const signed = await service.call(verifyTwoFactor, {
    body: { session_token: body.session_token ?? '', code: await codeFor(service, phone_number) },
  });
  expect(signed.status).toBe(200);
});

test('two-factor uses the verified number until the new number in the profile is verified', async () => {
  const alice = await person(service, 'Moved');
  const wanted = { ...bySms, phone_number: alice.phone, current_password: alice.password };
  const { session_token } = (await set(alice, wanted)).body;
  expect(
    (await set(alice, { ...wanted, session_token, code: await codeFor(service, alice.phone) })).status,
  ).toBe(200);
  await service.call(updateProfile, {
    bearer: alice.access,
    body: { phone_number: '4155557777', current_password: alice.password },
  });
  await service.call(signIn, { body: alice });
  expect(await codeFor(service, '+14155557777')).toBe('no code');
  const asked = await set(alice, { ...wanted, phone_number: '4155557777' });
  expect(asked.body.requires_code).toBe(true);
});

test('two-factor refuses a verification for another account or number', async () => {
  const [alice, mallory] = [await person(service, 'Alice'), await person(service, 'Mallory')];
  const wanted = { ...bySms, phone_number: '+14155556666' };
  const { session_token } = (await set(alice, { ...wanted, current_password: alice.password })).body;
  const code = await codeFor(service, '+14155556666');
  const stolen = await set(mallory, { ...wanted, current_password: mallory.password, session_token, code });
  expect(stolen.body.reason).toBe('invalid_session_token');
  const other = { ...wanted, phone_number: '+14155556667', current_password: alice.password };
  expect((await set(alice, { ...other, session_token, code })).body.reason).toBe('invalid_session_token');
});

test.each([
  [{}, { two_factor_enabled: ['This field is required.'] }],
  [{ ...bySms }, { phone_number: ['Phone number is required for SMS 2FA'] }],
  [{ ...bySms, phone_number: 'abc' }, { phone_number: ['Please enter a valid phone number'] }],
  [{ ...bySms, phone_number: '415.555.0199' }, { phone_number: ['Please enter a valid phone number'] }],
  [
    { ...bySms, phone_number: '9005551234' },
    { phone_number: ['This kind of phone number cannot receive codes.'] },
  ],
  [
    { ...bySms, phone_number: '+442079460958' },
    { phone_number: ['Phone numbers of this country are not allowed on this service.'] },
  ],
  [{ two_factor_enabled: true, two_factor_method: 'pigeon' }, { two_factor_method: ['Choose sms or email'] }],
])('a change of two-factor refuses %j', async (body, fields) => {
  const alice = await person(service, 'Fussy');
  expect(await set(alice, body)).toMatchObject({ status: 400, body: fields });
});

test('after STOP, two-factor sends codes by e-mail and refuses the number for SMS', async () => {
  const alice = await person(service, 'Stopped');
  const wanted = { ...bySms, phone_number: alice.phone, current_password: alice.password };
  const { session_token } = (await set(alice, wanted)).body;
  await set(alice, { ...wanted, session_token, code: await codeFor(service, alice.phone) });
  await service.app.db.run('insert into opt_outs (fingerprint) values ($1)', [
    service.app.vault.fingerprint('opt-out', alice.phone),
  ]);
  const { body } = await service.call(signIn, { body: alice });
  expect(body.two_factor_method).toBe('email');
  const bob = await person(service, 'Bob');
  const refused = await set(bob, { ...wanted, current_password: bob.password });
  expect(refused.body).toMatchObject({ phone_number: [expect.stringContaining('STOP')] });
});
