import { expect, test } from 'vitest';
import { doctorRuns } from '../../../../test/doctor.ts';
import { startHttpCarrier } from '../../../../test/fakes/http-carrier.ts';
import { listen } from '../../../../test/fakes/http-listener.ts';
import { startSmtp } from '../../../../test/fakes/smtp.ts';
import { startFakeStripe } from '../../../../test/fakes/stripe/stripe.ts';
import { startTwilio } from '../../../../test/fakes/twilio.ts';
import { callbackFindings } from './twilio.ts';

const { found } = doctorRuns();

const mail = (SMTP_URL: string) => found('mail', { SMTP_URL, EMAIL_FROM: 'Acme <codes@acme.test>' });

test('the doctor tries the login and sends no mail', async () => {
  await using smtp = await startSmtp({ tls: 'starttls', login: { user: 'me', pass: 'mail password' } });
  expect(await mail(smtp.url)).toEqual([`ok: 127.0.0.1:${smtp.port} accepts the login, over TLS.`]);
  expect(smtp.mails).toEqual([]);
  const wrong = smtp.url.replace('mail%20password', 'another%20one');
  expect((await mail(wrong)).join()).toContain('refuses the login (SMTP 535)');
  await using implicit = await startSmtp({ tls: 'implicit' });
  expect(await mail(implicit.url)).toEqual([
    `ok: 127.0.0.1:${implicit.port} accepts mail without a login, over TLS.`,
  ]);
});

test('the doctor accepts a server without TLS on this machine and warns about others', async () => {
  await using smtp = await startSmtp();
  expect((await mail(smtp.url)).join()).toContain('ok: ');
  const elsewhere = smtp.url.replace('127.0.0.1', '0.0.0.0');
  expect((await mail(elsewhere)).join()).toMatch(/^warning: .* codes travel to it unencrypted/);
});

test('the doctor names the cause of an untrusted certificate', async () => {
  await using smtp = await startSmtp({ tls: 'implicit' });
  const strict = `${smtp.url}?tls.rejectUnauthorized=true`;
  expect((await mail(strict)).join()).toMatch(/its TLS certificate (is self-signed|has expired)/);
});

test('the doctor checks the credentials of Twilio by reading the account', async () => {
  await using twilio = await startTwilio();
  const env = {
    TWILIO_ACCOUNT_SID: twilio.accountSid,
    TWILIO_AUTH_TOKEN: twilio.authToken,
    TWILIO_FROM: '+12025550199',
    TWILIO_API_URL: twilio.url,
  };
  const say = async (more = {}) => (await found('twilio', { ...env, ...more })).join();
  expect(await say()).toMatch(/^ok: .* accepts the credentials\.$/);
  expect(await say({ TWILIO_AUTH_TOKEN: 'another token' })).toMatch(
    /^problem: .* refuses the account or its token/,
  );
  expect(await say({ TWILIO_API_URL: `${twilio.url}/elsewhere` })).toMatch(
    /^warning: .* finds no such account/,
  );
  twilio.everyone = 'error';
  expect(await say()).toMatch(/^problem: .* responds with HTTP 500/);
  twilio.everyone = undefined;
  twilio.about.type = 'Trial';
  expect(await say()).toMatch(/^warning: .* is a trial/);
  twilio.about.status = 'suspended';
  expect(await say()).toMatch(/^problem: The account is suspended/);
  expect(twilio.messages).toEqual([]);
});

test('the doctor warns about Twilio without a public address for its reports', () => {
  expect(callbackFindings('http://localhost:3000/api/v1', 'https://api.twilio.com')).toMatchObject([
    { level: 'warning', says: expect.stringContaining('without delivery reports') },
  ]);
  expect(callbackFindings('https://otp.example.com/api/v1', 'https://api.twilio.com')).toEqual([]);
});

test('the doctor checks that an HTTP carrier responds', async () => {
  await using carrier = await startHttpCarrier();
  const say = async (HTTP_CARRIER_URL: string) =>
    (await found('http carrier', { HTTP_CARRIER_URL, HTTP_CARRIER_SECRET: carrier.secret })).join();
  expect(await say(carrier.url)).toMatch(/^ok: /);
  expect(carrier.messages).toEqual([]);
  const broken = await listen(() => ({ status: 502, body: {} }));
  expect(await say(broken.origin)).toMatch(/^warning: .* responds with HTTP 502/);
  await broken.close();
  expect(await say('http://no-such-host.invalid/')).toMatch(/^problem: .* its host name does not resolve/);
});

test('the doctor checks that the keys of Stripe belong together and tries the secret key', async () => {
  await using stripe = await startFakeStripe();
  const env = {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
  };
  const say = (more = {}) => found('stripe', { ...env, ...more });
  expect(await say()).toEqual(['ok: Stripe accepts the secret key.']);
  expect((await say({ STRIPE_SECRET_KEY: 'sk_test_another' })).join()).toContain(
    'problem: Stripe refuses the secret key.',
  );
  expect((await say({ STRIPE_PUBLISHABLE_KEY: 'pk_live_other' })).join()).toContain(
    'problem: The secret key is a test key and the publishable key a live key.',
  );
  const mixedUp = await say({ STRIPE_SECRET_KEY: 'pk_test_fake', STRIPE_PUBLISHABLE_KEY: 'sk_test_fake' });
  expect(mixedUp.join()).toMatch(
    /problem: STRIPE_SECRET_KEY does not have the format.*problem: STRIPE_PUBLISHABLE_KEY does not/s,
  );
  expect((await say({ STRIPE_WEBHOOK_SECRET: 'not one' })).join()).toContain(
    'problem: STRIPE_WEBHOOK_SECRET does not have the format of a signing secret.',
  );
  const fault = (status: number, type: string) =>
    stripe.faults.add({
      on: 'GET /v1/payment_intents',
      kind: 'error',
      status,
      times: 2,
      error: { type: type as never, message: 'no' },
    });
  const forbidden = fault(403, 'invalid_request_error');
  expect((await say()).join()).toContain('problem: The secret key may not read payments.');
  forbidden.release();
  fault(500, 'api_error');
  expect((await say()).join()).toContain('problem: Stripe sent an unexpected response (HTTP 500).');
  expect(stripe.requests.every(({ method }) => method === 'GET')).toBe(true);
});
