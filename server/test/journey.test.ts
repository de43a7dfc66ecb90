import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { listTransactions } from '@sixdigit/contract/payments.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { createWebhook, listWebhookAttempts, WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allJobs } from '../src/app.ts';
import { startWork, type Working } from '../src/platform/queue/work.ts';
import { startReceiver } from './fakes/receiver.ts';
import { startSmtp } from './fakes/smtp.ts';
import { fixture } from './fixture.ts';
import { answerProblems } from './openapi-answers.ts';
import { testService } from './service.ts';
import { type Wire, wire } from './wire.ts';

/** A developer's first day with the API, over real sockets, with a real mail server and real workers. */
describe('from a sign-up to a verified code', () => {
  let working: Working;
  let developer: Wire;
  const ana = { email: 'ana@company.example', password: 'seven green bottles' };
  const recipient = 'her-customer@mail.example';
  let bearer: string;
  let apiKey: string;
  let webhook: { id: string; secret: string };
  let otp_id: string;

  const smtp = fixture(startSmtp);
  const receiver = fixture(startReceiver);
  const service = fixture(() =>
    testService({
      env: { SMTP_URL: smtp.url, EMAIL_FROM: 'Sixdigit <codes@sixdigit.test>', WELCOME_CREDITS: '25' },
    }),
  );
  beforeAll(async () => {
    developer = wire(await service.listen());
    working = await startWork(service.app, allJobs(service.app), 'worker');
  });
  afterAll(async () => {
    await working.stop();
  });

  test('a new customer completes the sign-up with the code from the mail', async () => {
    const started = await developer.call(signUp, {
      body: { ...ana, phone_number: '4155550123', confirm_password: ana.password },
    });
    expect(started).toMatchObject({ status: 200, body: { requires_2fa: true, is_signup: true } });
    expect(started.body).not.toHaveProperty('access');

    const mail = await smtp.waitForMailTo(ana.email);
    expect(mail.from?.address).toBe('codes@sixdigit.test');
    const session_token = started.body.session_token ?? '';
    const tokens = await developer.call(verifyTwoFactor, { body: { session_token, code: mail.code } });
    expect(tokens.status).toBe(200);
    bearer = tokens.body.access;
    const me = await developer.call(getMe, { bearer });
    expect(me.body).toMatchObject({ email: ana.email, username: 'ana', credits: 25 });
  });

  test('a new customer creates an API key and a webhook endpoint', async () => {
    const key = await developer.call(createApiKey, { bearer, body: { name: 'First key' } });
    expect(key.status).toBe(201);
    apiKey = key.body.key;
    const made = await developer.call(createWebhook, {
      bearer,
      body: { name: 'Events', url: receiver.at('/ok') },
    });
    expect(made.status).toBe(201);
    webhook = made.body;
  });

  test('a sent e-mail contains the code in its text and HTML, but not in its subject', async () => {
    const sent = await developer.call(sendOtp, { apiKey, body: { channel: 'email', recipient } });
    expect(sent).toMatchObject({ status: 201, body: { status: 'pending', channel: 'email', recipient } });
    otp_id = sent.body.otp_id;
    const mail = await smtp.waitForMailTo(recipient);
    expect(mail.code).toMatch(/^\d{6}$/);
    expect(mail.text).toContain(`Your verification code is: ${mail.code}`);
    expect(mail.html).toContain(mail.code);
    expect(mail.subject).toBe('Your Verification Code');
    await receiver.waitFor(1);
  });

  test('a wrong code is refused with the remaining tries, and the right code verifies once', async () => {
    const { code } = await smtp.waitForMailTo(recipient);
    const wrong = await developer.call(verifyOtp, {
      apiKey,
      body: { otp_id, code: code === '123456' ? '654321' : '123456' },
    });
    expect(wrong).toMatchObject({ status: 400, body: { reason: 'invalid_code', attempts_remaining: 4 } });
    const right = await developer.call(verifyOtp, { apiKey, body: { otp_id, code } });
    expect(right).toMatchObject({ status: 200, body: { status: 'verified', otp_id } });
    const again = await developer.call(verifyOtp, { apiKey, body: { otp_id, code } });
    expect(again).toMatchObject({ status: 400, body: { reason: 'otp_already_verified' } });
  });

  test('a send costs one credit and adds a ledger entry', async () => {
    const { body } = await developer.call(getMe, { bearer });
    expect(body.credits).toBe(24);
    const history = await developer.call(listTransactions, { bearer });
    expect(history.body.results.map(({ transaction_type, amount }) => [transaction_type, amount])).toEqual([
      ['usage', 1],
      ['purchase', 25],
    ]);
  });

  test('the request log of a new customer lists the send and the verifies in order', async () => {
    await service.app.requestLog.flush();
    const { body } = await developer.call(listRequestLogs, { bearer, query: { ordering: 'created_at' } });
    const lines = body.results.map((line) => [
      line.request_type,
      line.response_status_code,
      line.credits_used,
    ]);
    expect(lines).toEqual([
      ['send_otp', 201, 1],
      ['verify_otp', 400, 0],
      ['verify_otp', 200, 0],
      ['verify_otp', 400, 0],
    ]);
    expect(body.results.every((line) => line.otp?.recipient === recipient)).toBe(true);
  });

  test('a verification shows its whole history', async () => {
    const { body } = await developer.call(getVerification, { bearer, params: { id: otp_id } });
    expect(body).toMatchObject({ status: 'verified', recipient, api_key: { name: 'First key' } });
    expect(body.status_logs.map(({ new_status }) => new_status).sort()).toEqual([
      'pending',
      'sent',
      'verified',
    ]);
  });

  test('the sent and verified events arrive with signatures that the Standard Webhooks library accepts', async () => {
    const requests = await receiver.waitFor(2);
    const checker = new Webhook(webhook.secret);
    const types = requests.map(({ text, headers }) => {
      const message = WebhookMessage.parse(checker.verify(text, headers));
      expect(message.data).toMatchObject({ otp_id, recipient, channel: 'email', cost_credits: 1 });
      return message.type;
    });
    expect(types.sort()).toEqual(['otp.sent', 'otp.verified']);
    const [first] = requests;
    expect(() => checker.verify(`${first?.text} `, first?.headers ?? {})).toThrow();
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  test('the attempt log lists both webhook deliveries', async () => {
    const attempts = async () =>
      (await developer.call(listWebhookAttempts, { bearer, params: { id: webhook.id } })).body;
    await expect.poll(async () => (await attempts()).count).toBe(2);
    expect((await attempts()).results.every(({ succeeded }) => succeeded)).toBe(true);
  });

  test('every response matches the OpenAPI document and has a request id', () => {
    expect(developer.exchanges.length).toBeGreaterThan(10);
    const problems = developer.exchanges.flatMap((exchange) =>
      answerProblems({ ...exchange, contentType: exchange.headers['content-type'] ?? '' }),
    );
    expect(problems).toEqual([]);
    const ids = developer.exchanges.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(developer.exchanges.length);
  });
});
