import { getMe, getTwoFactor, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword, resetPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { expect, test } from 'vitest';
import { startTwilio } from '../../../test/fakes/twilio.ts';
import { fixture } from '../../../test/fixture.ts';
import { callFrom } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

/** A service in production that can send SMS and no e-mail, behind a proxy. */
const twilio = fixture(startTwilio);
const service = fixture(() =>
  testService({
    env: {
      NODE_ENV: 'production',
      TWILIO_ACCOUNT_SID: twilio.accountSid,
      TWILIO_AUTH_TOKEN: twilio.authToken,
      TWILIO_FROM: '+12025550199',
      TWILIO_API_URL: twilio.url,
      TRUSTED_PROXIES: '10.0.0.0/8',
    },
  }),
);

const phone = '+14155552671';
const email = 'alice@people.test';
const password = 'a sentence about nothing';
const fresh = 'another sentence altogether';
const INBOUND_URL = 'http://sixdigit.test/api/v1/carriers/twilio/inbound/';

async function codeTo(recipient: string): Promise<string> {
  await service.drain();
  const text = twilio.messagesTo(recipient).at(-1)?.body ?? '';
  return /\b\d{6}\b/.exec(text)?.[0] ?? 'no code';
}

const begin = (more: object = {}) =>
  service.call(signUp, {
    body: { email, phone_number: phone, password, confirm_password: password, ...more },
  });

test('without a mail carrier, sign-up is verified by SMS, for numbers that can receive one', async () => {
  expect((await begin({ phone_number: '(555) 123-4567' })).body).toMatchObject({
    phone_number: ['Please enter a valid phone number'],
  });
  expect((await begin({ phone_number: '+442079460958' })).body).toMatchObject({
    phone_number: ['Phone numbers of this country are not allowed on this service.'],
  });
  const { status, body } = await begin();
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { two_factor_method: 'sms', is_signup: true },
  });
  const tokens = await service.call(verifyTwoFactor, {
    body: { session_token: body.session_token ?? '', code: await codeTo(phone) },
  });
  expect(tokens.status).toBe(200);
  expect((await service.call(getMe, { bearer: tokens.body.access })).body).toMatchObject({
    email,
    credits: 0,
  });

  // The number is verified, so that SMS two-factor needs no second code. E-mail is not configured.
  const wanted = { two_factor_enabled: true, phone_number: phone, current_password: password };
  const bearer = tokens.body.access;
  expect(
    (await service.call(updateTwoFactor, { bearer, body: { ...wanted, two_factor_method: 'email' } })).body,
  ).toMatchObject({ two_factor_method: ['Email is not available on this service.'] });
  expect(
    (await service.call(updateTwoFactor, { bearer, body: { ...wanted, two_factor_method: 'sms' } })).body,
  ).toEqual({ two_factor_enabled: true, two_factor_method: 'sms', phone_number: phone });
  expect((await service.call(getTwoFactor, { bearer })).body.two_factor_enabled).toBe(true);
});

test('without a mail carrier, sign-in requires a code by SMS', async () => {
  const { body } = await service.call(signIn, { body: { email, password } });
  expect(body).toMatchObject({ requires_2fa: true, two_factor_method: 'sms' });
  const { status } = await service.call(verifyTwoFactor, {
    body: { session_token: body.session_token ?? '', code: await codeTo(phone) },
  });
  expect(status).toBe(200);
});

test('without a mail carrier, a forgotten password is reset with a code to the verified number', async () => {
  const { body } = await service.call(forgotPassword, { body: { email } });
  const answer = await service.call(resetPassword, {
    body: { ...body, code: await codeTo(phone), password: fresh, confirm_password: fresh },
  });
  expect(answer.status).toBe(204);
});

test('rate limits use the client address that the trusted proxy appends', async () => {
  const tryFrom = (remoteAddress: string, forwarded: string) =>
    service.inject({
      method: 'POST',
      url: '/api/v1/auth/signin',
      remoteAddress,
      headers: { 'x-forwarded-for': forwarded },
      payload: { email: 'victim@people.test', password: 'a wrong sentence' },
    });
  for (let n = 0; n < 10; n += 1) expect((await tryFrom('10.1.1.1', '203.0.113.1')).statusCode).toBe(400);
  expect((await tryFrom('10.1.1.1', '203.0.113.1')).statusCode).toBe(429);
  expect((await tryFrom('10.1.1.1', '203.0.113.2')).statusCode).toBe(400);
  // A client can forge earlier entries of the header. Only the last one is the proxy's.
  expect((await tryFrom('10.1.1.1', '198.51.100.9, 203.0.113.1')).statusCode).toBe(429);
  for (let n = 0; n < 10; n += 1) await tryFrom('192.0.2.1', `198.51.100.${n}`);
  expect((await tryFrom('192.0.2.1', '198.51.100.77')).statusCode).toBe(429);
  const direct = { route: signIn, body: { email: 'victim@people.test', password: 'a wrong sentence' } };
  expect((await callFrom(service, '192.0.2.2', direct)).status).toBe(400);
});

test('without a channel for the two-factor code, the right password returns no tokens', async () => {
  const text = async (body: string) => {
    const { url, headers, body: payload } = twilio.inbound(INBOUND_URL, { from: phone, body });
    const answer = await service.inject({ method: 'POST', url: new URL(url).pathname, headers, payload });
    expect(answer.statusCode).toBe(200);
  };
  await text('STOP');
  const { status, body } = await service.call(signIn, { body: { email, password: fresh } });
  expect({ status, body }).toMatchObject({ status: 503, body: { reason: 'unavailable' } });
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['access']));
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['session_token']));
  await text('START');
  expect((await service.call(signIn, { body: { email, password: fresh } })).body).toMatchObject({
    requires_2fa: true,
    two_factor_method: 'sms',
  });
});
