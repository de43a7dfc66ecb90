import { type SixdigitPhoneNumberOptions, sixdigit } from '@sixdigit/better-auth';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { getIP } from 'better-auth/api';
import { phoneNumber } from 'better-auth/plugins';
import { FakeSixdigit } from 'sixdigit/fake';
import { expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { sender, wrongCode } from '../../../server/test/sender.ts';
import { testService } from '../../../server/test/service.ts';
import { signedIn } from '../../../server/test/signed-in.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));

/** An application that signs its users in with better-auth, and its database. */
function application(options: SixdigitPhoneNumberOptions) {
  const db: Record<string, Record<string, unknown>[]> = {
    user: [],
    session: [],
    account: [],
    verification: [],
  };
  const logged: string[] = [];
  const auth = betterAuth({
    baseURL: 'http://app.test',
    secret: 'a secret of the application under test',
    database: memoryAdapter(db),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_, message) => void logged.push(message) },
    plugins: [
      phoneNumber({
        ...sixdigit(options),
        signUpOnVerification: { getTempEmail: (number) => `${number.slice(1)}@phone.test` },
      }),
    ],
  });
  return {
    db,
    logged,
    async post(path: string, body: object, headers: Record<string, string> = {}) {
      const request = new Request(`http://app.test/api/auth${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://app.test', ...headers },
        body: JSON.stringify(body),
      });
      const response = await auth.handler(request);
      const answer = (await response.json()) as Record<string, unknown>;
      return { status: response.status, body: answer, headers: response.headers };
    },
  };
}

const live = () => ({ apiKey: alice.key(), baseUrl: origin.url });
const codeTo = async (recipient: string) => {
  await service.deliver();
  return alice.code(recipient);
};

test('a person signs up with a code of a test key, and better-auth never sees it before', async () => {
  const bearer = await signedIn(service, alice);
  const { body: key } = await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } });
  const app = application({ apiKey: key.key, baseUrl: origin.url });
  const number = '+12015550141';

  expect(await app.post('/phone-number/send-otp', { phoneNumber: number })).toMatchObject({ status: 200 });
  await service.drain();
  const { body: inbox } = await service.call(listTestMessages, { bearer });
  expect(inbox.results).toMatchObject([{ recipient: number, channel: 'sms', status: 'sent' }]);
  const code = inbox.results[0]?.code ?? '';
  expect(JSON.stringify(app.db.verification)).not.toContain(code);
  expect(JSON.stringify(app.db.verification)).toContain(inbox.results[0]?.id);

  const wrong = { phoneNumber: number, code: wrongCode(code) };
  expect(await app.post('/phone-number/verify', wrong)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_OTP' },
  });
  expect(app.db.session).toEqual([]);

  const right = await app.post('/phone-number/verify', { phoneNumber: number, code });
  expect(right).toMatchObject({ status: 200, body: { status: true, user: { phoneNumber: number } } });
  expect(right.headers.get('set-cookie')).toContain('session_token');
  expect(app.db.session).toHaveLength(1);
  expect(app.db.verification).toEqual([]);
});

test('a code signs in once, even in two requests at the same time', async () => {
  const app = application(live());
  const number = '+12015550142';
  await app.post('/phone-number/send-otp', { phoneNumber: number });
  const code = await codeTo(number);
  const verify = () => app.post('/phone-number/verify', { phoneNumber: number, code });
  const statuses = (await Promise.all([verify(), verify(), verify()])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 400, 400]);
  expect(app.db.session).toHaveLength(1);
  expect(await verify()).toMatchObject({ status: 400, body: { code: 'INVALID_OTP' } });
});

test('the code that better-auth makes is refused', async () => {
  const app = application(live());
  const number = '+12015550143';
  await app.post('/phone-number/send-otp', { phoneNumber: number });
  const theirs = app.db.verification
    ?.map(({ value }) => /^(\d{6}):0$/.exec(String(value))?.[1])
    .find(Boolean);
  expect(theirs).toMatch(/^\d{6}$/);
  expect(await app.post('/phone-number/verify', { phoneNumber: number, code: theirs })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_OTP' },
  });
});

test('a password is reset with the code of the reset', async () => {
  const app = application({ ...live(), message: 'Sign in: {code}', resetMessage: 'Reset: {code}' });
  const number = '+12015550144';
  await app.post('/phone-number/send-otp', { phoneNumber: number });
  const code = await codeTo(number);
  expect((await service.inbox(number))[0]?.text).toBe(`Sign in: ${code}`);
  await app.post('/phone-number/verify', { phoneNumber: number, code });

  const unasked = { phoneNumber: number, otp: code, newPassword: 'a new password' };
  expect(await app.post('/phone-number/reset-password', unasked)).toMatchObject({ status: 400 });
  await app.post('/phone-number/request-password-reset', { phoneNumber: number });
  const otp = await codeTo(number);
  const [message] = await service.inbox(number);
  expect(message?.text).toBe(`Reset: ${otp}`);
  const reset = { phoneNumber: number, otp, newPassword: 'a new password' };
  expect(await app.post('/phone-number/reset-password', { ...reset, otp: wrongCode(otp) })).toMatchObject({
    status: 400,
  });
  expect(await app.post('/phone-number/reset-password', reset)).toMatchObject({ status: 200 });
  const signIn = { phoneNumber: number, password: 'a new password' };
  expect(await app.post('/sign-in/phone-number', signIn)).toMatchObject({ status: 200 });
});

test('a reset for an unknown number sends nothing and answers as for a known one', async () => {
  const app = application(live());
  const number = '+12015550145';
  expect(await app.post('/phone-number/request-password-reset', { phoneNumber: number })).toMatchObject({
    status: 200,
    body: { status: true },
  });
  await service.deliver();
  expect(await service.inbox(number)).toEqual([]);
});

test("the end user's address, the channel and the validity reach the service", async () => {
  const app = application({
    ...live(),
    channel: 'voice',
    expiresIn: 120,
    clientIp: ({ request }) => request && getIP(request, {}),
  });
  const number = '+12015550146';
  const ip = { 'x-forwarded-for': '203.0.113.46' };
  expect(await app.post('/phone-number/send-otp', { phoneNumber: number }, ip)).toMatchObject({
    status: 200,
  });
  const row = await service.app.db.one(
    `select host(client_ip) as ip, channel, extract(epoch from expires_at - created_at)::integer as seconds
     from verifications where recipient = $1`,
    [number],
  );
  expect(row).toEqual({ ip: '203.0.113.46', channel: 'voice', seconds: 120 });
});

test.each([
  ['recipient_rate_limited', 429, 'TOO_MANY_REQUESTS'],
  ['rate_limited', 429, 'TOO_MANY_REQUESTS'],
  ['recipient_opted_out', 400, 'RECIPIENT_OPTED_OUT'],
  ['destination_blocked', 400, 'DESTINATION_BLOCKED'],
  ['insufficient_credits', 503, 'SERVICE_UNAVAILABLE'],
  ['connection_failed', 503, 'SERVICE_UNAVAILABLE'],
] as const)('a send that is refused with %s tells the person with %i', async (reason, status, code) => {
  const client = new FakeSixdigit();
  const app = application({ client });
  client.failNext(reason, { retry_after: 60 });
  const answer = await app.post('/phone-number/send-otp', { phoneNumber: '+12015550147' });
  expect(answer).toMatchObject({ status, body: { code, message: expect.stringMatching(/\.$/) } });
  expect(answer.headers.get('retry-after')).toBe(status === 429 ? '60' : null);
  expect(app.logged).toEqual(status === 503 ? [expect.stringContaining(reason)] : []);
  expect(JSON.stringify(answer.body)).not.toContain('credits');
});

test('an invalid number, an expired code and too many tries have the codes of better-auth', async () => {
  const client = new FakeSixdigit();
  const app = application({ client });
  expect(await app.post('/phone-number/send-otp', { phoneNumber: 'a@b.test' })).toMatchObject({
    status: 400,
    body: { code: 'INVALID_PHONE_NUMBER' },
  });

  const number = '+12015550148';
  const verify = (code: string) => app.post('/phone-number/verify', { phoneNumber: number, code });
  await app.post('/phone-number/send-otp', { phoneNumber: number });
  client.advance(301);
  expect(await verify(client.codeFor(number))).toMatchObject({ status: 400, body: { code: 'OTP_EXPIRED' } });

  await app.post('/phone-number/send-otp', { phoneNumber: number });
  const code = client.codeFor(number);
  for (let n = 1; n <= 5; n++)
    expect(await verify(wrongCode(code, n))).toMatchObject({ status: 400, body: { code: 'INVALID_OTP' } });
  expect(await verify(code)).toMatchObject({ status: 403, body: { code: 'TOO_MANY_ATTEMPTS' } });
  client.failNext('otp_closed');
  expect(await verify(code)).toMatchObject({ status: 400, body: { code: 'INVALID_OTP' } });
  client.failNext('unavailable');
  expect(await verify(code)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
  expect(app.db.session).toEqual([]);
});

test('each sign-in is one verification with its outcome in the list', async () => {
  const { body } = await service.call(listVerifications, {
    bearer: await signedIn(service, alice),
    query: { search: '+12015550142' },
  });
  expect(body.results).toMatchObject([{ status: 'verified' }]);
});
