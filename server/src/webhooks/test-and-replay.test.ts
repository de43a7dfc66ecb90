import {
  getWebhookAttempt,
  getWebhookQueue,
  listWebhookAttempts,
  listWebhookMessages,
  replayFailedWebhooks,
  replayWebhookMessage,
  WebhookMessage,
} from '@sixdigit/contract/webhooks.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { webhookCustomer } from '../../test/webhook-customer.ts';
import {
  DAY,
  MINUTE,
  SECOND,
  verifyMessage,
  type WebhookFixture,
  webhookFixture,
} from '../../test/webhook-fixture.ts';

const service = fixture(testService);
let hooks: WebhookFixture;
let receiver: WebhookFixture['receiver'];
let alice: WebhookFixture['alice'];
beforeEach(async () => {
  hooks = await webhookFixture(service);
  ({ receiver, alice } = hooks);
});
afterEach(() => hooks[Symbol.asyncDispose]());

const replay = (id: string, message_id: string) =>
  service.call(replayWebhookMessage, { bearer: alice.bearer, params: { id, message_id } });

test('a webhook test immediately sends a signed webhook.test message and stores the attempt', async () => {
  const { id, secret } = await alice.addEndpoint(receiver.at('/ok'));
  const { body } = await hooks.press(id);
  expect(body).toEqual({
    success: true,
    response_status: 200,
    duration_ms: expect.any(Number),
    error: null,
  });
  const message = WebhookMessage.parse(verifyMessage(secret, receiver.requests[0]));
  expect(message.type).toBe('webhook.test');
  expect(await alice.attempts(id)).toMatchObject([
    { event_type: 'webhook.test', otp_id: null, attempt: 1, succeeded: true },
  ]);
});

test('a failed webhook test returns the reason', async () => {
  const { id } = await alice.addEndpoint('http://127.0.0.1:1/');
  const { status, body } = await hooks.press(id);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: false,
    response_status: null,
    error: 'The connection was refused.',
  });
});

const undelivered = async (id: string) =>
  (
    await service.call(listWebhookAttempts, {
      bearer: alice.bearer,
      params: { id },
      query: { delivered: 'false' },
    })
  ).body.results;

test('a replay delivers the same webhook message under the same id and continues the attempt count', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent');
  await service.drain();
  const [first] = await alice.attempts(id);
  const message_id = first?.message_id ?? '';
  expect(await replay(id, message_id)).toMatchObject({
    status: 200,
    body: { message_id, status: 'queued' },
  });
  await service.drain();
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([message_id, message_id]);
  expect(receiver.requests[1]?.text).toBe(receiver.requests[0]?.text);
  expect(await alice.attempts(id)).toMatchObject([{ attempt: 2, message_id }, { attempt: 1 }]);
});

test('a replay restarts the retry schedule immediately, even for a message waiting for its retry', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  await service.drain();
  await service.clock.advance(7 * SECOND);
  await service.drain();
  const message_id = (await alice.attempts(id))[0]?.message_id ?? '';
  await replay(id, message_id);
  await service.drain();
  expect(receiver.requests).toHaveLength(3);
  await service.clock.advance(7 * SECOND);
  await service.drain();
  expect(receiver.requests).toHaveLength(4);
  expect((await alice.attempts(id)).map(({ attempt }) => attempt)).toEqual([4, 3, 2, 1]);
});

test('after a successful replay, a message has no next attempt and does not count as undelivered', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  await service.drain();
  const [failed] = await alice.attempts(id);
  expect(failed).toMatchObject({ succeeded: false, delivered: false, next_attempt_at: expect.any(String) });
  expect(await undelivered(id)).toHaveLength(1);
  await replay(id, failed?.message_id ?? '');
  await service.drain();
  const [second, first] = await alice.attempts(id);
  expect(first).toMatchObject({ attempt: 1, delivered: false, next_attempt_at: null });
  expect(second).toMatchObject({ attempt: 2, delivered: false, next_attempt_at: expect.any(String) });
  await hooks.change(id, { url: receiver.at('/ok') });
  await replay(id, failed?.message_id ?? '');
  await service.drain();
  const all = await alice.attempts(id);
  expect(
    all.map(({ attempt, succeeded, delivered, next_attempt_at }) => [
      attempt,
      succeeded,
      delivered,
      next_attempt_at,
    ]),
  ).toEqual([
    [3, true, true, null],
    [2, false, true, null],
    [1, false, true, null],
  ]);
  expect(await undelivered(id)).toEqual([]);
});

test('a webhook test message can be replayed', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await hooks.press(id);
  const [attempt] = await alice.attempts(id);
  await replay(id, attempt?.message_id ?? '');
  await service.drain();
  expect(receiver.requests[1]?.text).toBe(receiver.requests[0]?.text);
});

test("a replay of an unknown message, another endpoint's message or a malformed id returns 404", async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  const other = await alice.addEndpoint(receiver.at('/ok'));
  await hooks.press(other.id);
  const [attempt] = await alice.attempts(other.id);
  for (const wrong of [attempt?.message_id ?? '', service.app.random.uuid(), 'nonsense'])
    expect(await replay(id, wrong)).toMatchObject({ status: 404, body: { reason: 'not_found' } });
});

test('a replay to an inactive endpoint is refused', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'), { is_active: false });
  await hooks.press(id);
  const [attempt] = await alice.attempts(id);
  expect(await replay(id, attempt?.message_id ?? '')).toMatchObject({
    status: 400,
    body: { is_active: ['This webhook is inactive. Activate it first.'] },
  });
});

test('after 30 days, a message cannot be replayed and its attempts are no longer listed', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await hooks.press(id);
  const [attempt] = await alice.attempts(id);
  await service.clock.advance(30 * DAY + MINUTE);
  const { bearer } = await webhookCustomer(service, alice.name);
  const late = await service.call(replayWebhookMessage, {
    bearer,
    params: { id, message_id: attempt?.message_id ?? '' },
  });
  expect(late.status).toBe(404);
});

const DAY_BEFORE = () => new Date(service.app.clock.now().getTime() - 24 * 60 * MINUTE).toISOString();
const replayFailed = (id: string, since = DAY_BEFORE()) =>
  service.call(replayFailedWebhooks, { bearer: alice.bearer, params: { id }, body: { since } });
const waiting = async (id: string): Promise<number> =>
  (await service.call(getWebhookQueue, { bearer: alice.bearer, params: { id } })).body.waiting;

test('repeated replays of failed messages deliver each message once and skip delivered ones', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent', 2);
  await service.drain();
  await hooks.change(id, { url: receiver.at('/500') });
  await alice.publish('sent', 3);
  await service.drain();
  expect(await waiting(id)).toBe(3);
  await hooks.change(id, { url: receiver.at('/ok') });
  const arrived = receiver.requests.length;
  const answers = await Promise.all([replayFailed(id), replayFailed(id), replayFailed(id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.map(({ body }) => body.queued).sort()).toEqual([0, 0, 3]);
  await service.drain();
  expect(receiver.requests.length - arrived).toBe(3);
  expect(await waiting(id)).toBe(0);
  expect((await replayFailed(id)).body).toEqual({ queued: 0, has_more: false });
});

test('a bulk replay includes only messages that failed since the given time, no tests, and requires an active endpoint', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  await service.drain();
  await hooks.press(id);
  await service.clock.advance(MINUTE);
  const later = service.app.clock.now().toISOString();
  expect((await replayFailed(id, later)).body.queued).toBe(0);
  expect((await replayFailed(id)).body.queued).toBe(1);
  await hooks.change(id, { is_active: false });
  expect((await replayFailed(id)).body.is_active).toEqual(['This webhook is inactive. Activate it first.']);
  expect((await replayFailed(service.app.random.uuid())).status).toBe(404);
});

test('a webhook attempt shows the sent headers and body, without the signature', async () => {
  const { id, secret } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent');
  await service.drain();
  const [attempt] = await alice.attempts(id);
  const [received] = receiver.requests;
  const { status, body } = await service.call(getWebhookAttempt, {
    bearer: alice.bearer,
    params: { id, attempt_id: attempt?.id ?? '' },
  });
  expect(status).toBe(200);
  expect(body.body).toBe(received?.text);
  const { 'webhook-signature': signature, ...headers } = body.headers;
  expect(received?.headers).toMatchObject(headers);
  expect(Object.keys(headers)).toEqual(
    expect.arrayContaining(['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']),
  );
  expect(signature).toBe('v1,(not stored)');
  expect(body.response_excerpt).toBe(attempt?.response_excerpt);
  expect(JSON.stringify(body)).not.toContain(secret);
});

const messages = async (id: string, failing?: 'true' | 'false') =>
  (
    await service.call(listWebhookMessages, {
      bearer: alice.bearer,
      params: { id },
      query: failing === undefined ? {} : { failing },
    })
  ).body.results;

test('each webhook message is listed once with its attempts, and its state follows them', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  expect(await messages(id)).toMatchObject([
    { state: 'waiting', attempt_count: 0, attempts: [], next_attempt_at: expect.any(String) },
  ]);
  await service.drain();
  await service.clock.advance(7 * SECOND);
  await service.drain();
  expect(await messages(id)).toMatchObject([
    {
      event_type: 'otp.sent',
      otp_id: alice.otp_id,
      recipient: alice.recipient,
      state: 'retrying',
      next_attempt_at: expect.any(String),
      attempt_count: 2,
      attempts: [
        { attempt: 2, response_status: 500, succeeded: false, error: expect.any(String) },
        { attempt: 1, response_status: 500, succeeded: false },
      ],
    },
  ]);
  expect(await messages(id, 'true')).toHaveLength(1);
  expect(await messages(id, 'false')).toEqual([]);

  await hooks.change(id, { url: receiver.at('/ok') });
  const [failing] = await messages(id);
  await replay(id, failing?.id ?? '');
  await service.drain();
  expect(await messages(id, 'true')).toEqual([]);
  const attempts = await alice.attempts(id);
  expect(await messages(id, 'false')).toMatchObject([
    {
      state: 'delivered',
      next_attempt_at: null,
      attempt_count: 3,
      attempts: attempts.map(({ id, attempt, attempted_at }) => ({ id, attempt, attempted_at })),
    },
  ]);
});

test('a webhook message to a deactivated endpoint is listed as failed or dropped', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  await service.drain();
  await alice.publish('verified');
  await hooks.change(id, { is_active: false });
  await service.drain();
  expect((await messages(id)).map(({ event_type, state }) => [event_type, state])).toEqual([
    ['otp.verified', 'dropped'],
    ['otp.sent', 'failed'],
  ]);
  expect(await messages(id, 'true')).toMatchObject([{ event_type: 'otp.sent' }]);
});

test('the list of webhook messages shows at most ten attempts per message, but counts all', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent');
  await service.drain();
  const [message] = await messages(id);
  for (let n = 0; n < 11; n += 1) {
    expect((await replay(id, message?.id ?? '')).status).toBe(200);
    await service.drain();
    await service.clock.advance(MINUTE);
  }
  const [replayed] = await messages(id);
  expect(replayed?.attempt_count).toBe(12);
  expect(replayed?.attempts.map(({ attempt }) => attempt)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
});
