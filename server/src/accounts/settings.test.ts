import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  getBranding,
  getMe,
  getProfile,
  getTwoFactor,
  previewBranding,
  signIn,
  updateBranding,
  updateProfile,
  updateTwoFactor,
  verifyTwoFactor,
} from '#contract/accounts.ts';
import { codeFor, type Person, person, wrongCode } from '../../test/person.ts';
import { type TestService, testService } from '../../test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService({ env: { SUPPORT_EMAIL: 'help@sixdigit.test' } });
});
afterAll(() => service[Symbol.asyncDispose]());

const subjectsTo = async (recipient: string) => {
  await service.drain();
  return (await service.inbox(recipient)).map(({ subject }) => subject);
};

describe('the own account', () => {
  test('returns the fields of the screens', async () => {
    const alice = await person(service, 'Alice');
    const { status, body } = await service.call(getMe, { bearer: alice.access });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      username: expect.stringMatching(/^alice/),
      email: alice.email,
      first_name: '',
      last_name: '',
      phone_number: alice.phone,
      credits: 25,
      debt: 0,
      low_balance_threshold: null,
      welcome_credits_due: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      two_factor_enabled: false,
    });
  });

  test.each([
    getMe,
    getProfile,
    getTwoFactor,
    getBranding,
    updateProfile,
    updateTwoFactor,
    updateBranding,
    previewBranding,
  ])('requires a sign-in: $name', async (route) => {
    expect((await service.call(route, route.method === 'GET' ? {} : { body: {} })).status).toBe(401);
  });
});

describe('the profile', () => {
  test('leaves omitted fields unchanged, and changes names without a password', async () => {
    const alice = await person(service, 'Names');
    const { status, body } = await service.call(updateProfile, {
      bearer: alice.access,
      body: { first_name: ' Alice ', last_name: 'Liddell', phone_number: alice.phone.slice(2) },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ first_name: 'Alice', last_name: 'Liddell', phone_number: alice.phone });
    const { body: again } = await service.call(updateProfile, {
      bearer: alice.access,
      body: { last_name: 'Hargreaves' },
    });
    expect(again).toMatchObject({ first_name: 'Alice', last_name: 'Hargreaves', email: alice.email });
    expect((await service.call(getProfile, { bearer: alice.access })).body).toEqual(again);
    expect(Object.keys(again).sort()).toEqual([
      'created_at',
      'email',
      'first_name',
      'last_name',
      'phone_number',
      'username',
    ]);
  });

  test('requires the password to change the phone number, and sends a notice', async () => {
    const alice = await person(service, 'Phone');
    const change = (body: object) =>
      service.call(updateProfile, {
        bearer: alice.access,
        body: { phone_number: '(415) 555-9999', ...body },
      });
    expect((await change({})).body).toMatchObject({ current_password: ['This field is required.'] });
    expect((await change({ current_password: 'wrong' })).body).toMatchObject({
      current_password: ['The password is not correct.'],
    });
    expect((await service.call(getProfile, { bearer: alice.access })).body.phone_number).toBe(alice.phone);
    expect(await change({ current_password: alice.password })).toMatchObject({
      status: 200,
      body: { phone_number: '+14155559999' },
    });
    expect(await subjectsTo(alice.email)).toContain('Your phone number was changed');
  });

  test.each([
    [{ first_name: '  ' }, { first_name: ['First name cannot be empty'] }],
    [{ last_name: '' }, { last_name: ['Last name cannot be empty'] }],
    [{ phone_number: '12345' }, { phone_number: ['Please enter a valid phone number'] }],
    [{ phone_number: '99999999999999999' }, { phone_number: ['Please enter a valid phone number'] }],
  ])('refuses %j', async (body, fields) => {
    const alice = await person(service, 'Strict');
    expect(await service.call(updateProfile, { bearer: alice.access, body })).toMatchObject({
      status: 400,
      body: fields,
    });
  });

  test('sends no notice if nothing changes', async () => {
    const alice = await person(service, 'Quiet');
    await service.call(updateProfile, { bearer: alice.access, body: { first_name: 'Alice' } });
    expect(await subjectsTo(alice.email)).toHaveLength(1);
  });
});

describe('two-factor', () => {
  const set = (alice: Person, body: Record<string, unknown>) =>
    service.call(updateTwoFactor, { bearer: alice.access, body });
  const byEmail = { two_factor_enabled: true, two_factor_method: 'email' };
  const bySms = { two_factor_enabled: true, two_factor_method: 'sms' };

  test('is off until enabled with the password, which sends a notice', async () => {
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

  test('requires no password if nothing changes', async () => {
    const alice = await person(service, 'Same');
    const { body } = await service.call(getTwoFactor, { bearer: alice.access });
    expect(await set(alice, body)).toMatchObject({ status: 200, body });
  });

  test('uses a phone only after a code sent to it was entered', async () => {
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

  test('continues with the verified number until a new number of the profile is verified', async () => {
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

  test('refuses a verification of another account or number', async () => {
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
    [
      { ...bySms, phone_number: '9005551234' },
      { phone_number: ['This kind of phone number cannot receive codes.'] },
    ],
    [
      { ...bySms, phone_number: '+442079460958' },
      { phone_number: ['Phone numbers of this country are not allowed on this service.'] },
    ],
    [
      { two_factor_enabled: true, two_factor_method: 'pigeon' },
      { two_factor_method: ['Choose sms or email'] },
    ],
  ])('refuses %j', async (body, fields) => {
    const alice = await person(service, 'Fussy');
    expect(await set(alice, body)).toMatchObject({ status: 400, body: fields });
  });

  test('respects STOP: codes go by e-mail, and the number is refused for SMS', async () => {
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
});

describe('the OTP configuration', () => {
  const defaults = {
    sender_name: 'Sixdigit',
    reply_to_email: 'no-reply@sixdigit.test',
    default_subject: 'Your Verification Code',
    default_message: 'Your verification code is: {code}',
    default_otp_length: 6,
    default_expiry_seconds: 300,
    auto_purchase_enabled: false,
    auto_purchase_threshold: 50,
    auto_purchase_amount: 500,
    low_balance_threshold: null,
  };
  const own = {
    sender_name: 'Acme',
    reply_to_email: 'hello@acme.test',
    default_subject: 'Acme: your code',
    default_message: 'Acme says {code}',
    default_otp_length: 8,
    default_expiry_seconds: 600,
    auto_purchase_enabled: false,
    auto_purchase_threshold: 10,
    auto_purchase_amount: 1000,
    low_balance_threshold: 5,
  };
  const stored = (alice: Person) =>
    service.app.db.one(
      'select sender_name, reply_to_email, default_subject, default_message from accounts where email = $1',
      [alice.email],
    );
  const nothing = { sender_name: '', reply_to_email: '', default_subject: '', default_message: '' };

  test('shows the defaults, which stay defaults if submitted unchanged', async () => {
    const alice = await person(service, 'Defaults');
    const { status, body } = await service.call(getBranding, { bearer: alice.access });
    expect({ status, body }).toEqual({ status: 200, body: defaults });
    expect((await service.call(updateBranding, { bearer: alice.access, body })).body).toEqual(defaults);
    expect(await stored(alice)).toEqual(nothing);
  });

  test('can be changed, and an empty field restores the default', async () => {
    const alice = await person(service, 'Own');
    const put = (body: object) => service.call(updateBranding, { bearer: alice.access, body });
    expect(await put(own)).toMatchObject({ status: 200, body: own });
    expect((await service.call(getBranding, { bearer: alice.access })).body).toEqual(own);
    expect((await put({ ...own, ...nothing })).body).toEqual({
      ...own,
      sender_name: 'Sixdigit',
      reply_to_email: 'no-reply@sixdigit.test',
      default_subject: 'Your Verification Code',
      default_message: 'Your verification code is: {code}',
    });
    expect(await stored(alice)).toEqual(nothing);
  });

  test('belongs to one account', async () => {
    const [alice, bob] = [await person(service, 'Alice'), await person(service, 'Bob')];
    await service.call(updateBranding, { bearer: alice.access, body: own });
    expect((await service.call(getBranding, { bearer: bob.access })).body).toEqual(defaults);
  });

  test.each([
    [{ sender_name: 'A' }, { sender_name: ['Sender name must be at least 2 characters'] }],
    ...[
      'Acme\r\nBcc: all',
      'Acme\u202egro.knab',
      'Acme\u2028Bank',
      'Ac\u200bme',
      'Ac\u00adme',
      'Acme\ud800',
    ].map((sender_name): [object, object] => [
      { sender_name },
      { sender_name: ['Sender name must be a single line without invisible characters'] },
    ]),
    [{ sender_name: 'security@bank.example' }, { sender_name: ['Sender name must not contain @'] }],
    [
      { default_subject: 'Your\u202eedoc' },
      { default_subject: ['Subject must be a single line without invisible characters'] },
    ],
    [{ reply_to_email: 'nobody' }, { reply_to_email: ['Please enter a valid email address'] }],
    [{ default_subject: 'ab' }, { default_subject: ['Subject must be at least 3 characters'] }],
    [
      { default_message: 'no code' },
      { default_message: ['Message template must include {code} placeholder'] },
    ],
    [{ default_otp_length: 3 }, { default_otp_length: ['OTP length must be at least 4 digits'] }],
    [{ default_otp_length: 9 }, { default_otp_length: ['OTP length must be at most 8 digits'] }],
    [{ default_expiry_seconds: 59 }, { default_expiry_seconds: ['Expiry time must be at least 60 seconds'] }],
    [
      { default_expiry_seconds: 3601 },
      { default_expiry_seconds: ['Expiry time must be at most 3600 seconds (1 hour)'] },
    ],
    [
      { auto_purchase_threshold: 0 },
      { auto_purchase_threshold: ['Auto-purchase threshold must be at least 1 credit'] },
    ],
    [
      { auto_purchase_amount: 99 },
      { auto_purchase_amount: ['Auto-purchase amount must be at least 100 credits'] },
    ],
  ])('refuses %j', async (wrong, fields) => {
    const alice = await person(service, 'Refused');
    const body = { ...own, ...wrong };
    expect(await service.call(updateBranding, { bearer: alice.access, body })).toMatchObject({
      status: 400,
      body: fields,
    });
  });

  test('refuses a default message that takes too many SMS segments with the longest code', async () => {
    const alice = await person(service, 'Long');
    const put = (default_message: string) =>
      service.call(updateBranding, {
        bearer: alice.access,
        body: { ...own, default_otp_length: 4, default_message },
      });
    expect((await put(`{code}${'a'.repeat(298)}`)).status).toBe(200);
    expect(await put(`{code}${'a'.repeat(299)}`)).toMatchObject({
      status: 400,
      body: {
        default_message: ['This message takes 3 SMS segments with its code; at most 2 are allowed.'],
      },
    });
  });

  test('has a preview identical to the sent mail', async () => {
    const alice = await person(service, 'Preview');
    const { status, body } = await service.call(previewBranding, {
      bearer: alice.access,
      body: { ...own, default_message: 'Acme <b>says</b> {code}' },
    });
    expect(status).toBe(200);
    expect(body.subject).toBe('Acme: your code');
    expect(body.text).toContain('Acme <b>says</b> 12345678');
    expect(body.text).toContain('10 minutes');
    expect(body.html).toContain('12345678');
    expect(body.html).not.toContain('<b>says');
    const empty = await service.call(previewBranding, { bearer: alice.access, body: {} });
    expect(empty.body).toMatchObject({ subject: 'Your Verification Code' });
    expect(empty.body.text).toContain('Your verification code is: 123456');
    expect(await stored(alice)).toEqual(nothing);
  });
});
