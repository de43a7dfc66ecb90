import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayWebhookMessage, testWebhook, WebhookMessage } from '#contract/webhooks.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../test/fakes/receiver.ts';
import { type TestService, testService } from '../../test/service.ts';
import { type WebhookCustomer, webhookCustomer } from '../../test/webhook-customer.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let service: TestService;
let receiver: Receiver;
let alice: WebhookCustomer;
beforeEach(async () => {
  service = await testService();
  receiver = await startReceiver();
  alice = await webhookCustomer(service, 'Alice');
});
afterEach(async () => {
  await receiver.close();
  await service[Symbol.asyncDispose]();
});

const verify = (secret: string, request: ReceivedRequest | undefined, format?: 'raw') =>
  new Verifier(secret, format ? { format } : undefined).verify(request?.body ?? '', request?.headers ?? {});
const press = (id: string) => service.call(testWebhook, { bearer: alice.bearer, params: { id } });
const replay = (id: string, message_id: string) =>
  service.call(replayWebhookMessage, { bearer: alice.bearer, params: { id, message_id } });

describe('a test', () => {
  test('sends a signed webhook.test message immediately and stores the attempt', async () => {
    const { id, secret } = await alice.addEndpoint(receiver.at('/ok'));
    const { body } = await press(id);
    expect(body).toEqual({
      success: true,
      response_status: 200,
      duration_ms: expect.any(Number),
      error: null,
    });
    const message = WebhookMessage.parse(verify(secret, receiver.requests[0]));
    expect(message.type).toBe('webhook.test');
    expect(await alice.attempts(id)).toMatchObject([
      { event_type: 'webhook.test', otp_id: null, attempt: 1, succeeded: true },
    ]);
  });

  test('that fails returns the reason', async () => {
    const { id } = await alice.addEndpoint('http://127.0.0.1:1/');
    const { status, body } = await press(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: false,
      response_status: null,
      error: 'The connection was refused.',
    });
  });
});

describe('a replay', () => {
  test('delivers the same message under its own id and continues its attempt count', async () => {
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

  test('restarts the schedule at once, even for a message waiting for its retry', async () => {
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

  test('of a test message works too', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/ok'));
    await press(id);
    const [attempt] = await alice.attempts(id);
    await replay(id, attempt?.message_id ?? '');
    await service.drain();
    expect(receiver.requests[1]?.text).toBe(receiver.requests[0]?.text);
  });

  test("of an unknown message, another endpoint's message or a malformed id returns 404", async () => {
    const { id } = await alice.addEndpoint(receiver.at('/ok'));
    const other = await alice.addEndpoint(receiver.at('/ok'));
    await press(other.id);
    const [attempt] = await alice.attempts(other.id);
    for (const wrong of [attempt?.message_id ?? '', service.app.random.uuid(), 'nonsense'])
      expect(await replay(id, wrong)).toMatchObject({ status: 404, body: { reason: 'not_found' } });
  });

  test('of an inactive endpoint is refused', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/ok'), { is_active: false });
    await press(id);
    const [attempt] = await alice.attempts(id);
    expect(await replay(id, attempt?.message_id ?? '')).toMatchObject({
      status: 400,
      body: { is_active: ['This webhook is inactive. Activate it first.'] },
    });
  });

  test('after 30 days finds nothing, and neither does the list of attempts', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/ok'));
    await press(id);
    const [attempt] = await alice.attempts(id);
    await service.clock.advance(30 * DAY + MINUTE);
    const { bearer } = await webhookCustomer(service, 'Alice');
    const late = await service.call(replayWebhookMessage, {
      bearer,
      params: { id, message_id: attempt?.message_id ?? '' },
    });
    expect(late.status).toBe(404);
  });
});
