import { getWebhookAttempt, getWebhookQueue, replayFailedWebhooks } from '@sixdigit/contract/webhooks.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { MINUTE, type WebhookFixture, webhookFixture } from '../../test/webhook-fixture.ts';

const service = fixture(testService);
let hooks: WebhookFixture;
let receiver: WebhookFixture['receiver'];
let alice: WebhookFixture['alice'];
beforeEach(async () => {
  hooks = await webhookFixture(service);
  ({ receiver, alice } = hooks);
});
afterEach(() => hooks[Symbol.asyncDispose]());

const DAY_BEFORE = () => new Date(service.app.clock.now().getTime() - 24 * 60 * MINUTE).toISOString();
const replay = (id: string, since = DAY_BEFORE()) =>
  service.call(replayFailedWebhooks, { bearer: alice.bearer, params: { id }, body: { since } });
const waiting = async (id: string): Promise<number> =>
  (await service.call(getWebhookQueue, { bearer: alice.bearer, params: { id } })).body.waiting;

test('failed messages are delivered again once, however often this is requested, and received ones are not', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent', 2);
  await service.drain();
  await hooks.change(id, { url: receiver.at('/500') });
  await alice.publish('sent', 3);
  await service.drain();
  expect(await waiting(id)).toBe(3);
  await hooks.change(id, { url: receiver.at('/ok') });
  const arrived = receiver.requests.length;
  const answers = await Promise.all([replay(id), replay(id), replay(id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.map(({ body }) => body.queued).sort()).toEqual([0, 0, 3]);
  await service.drain();
  expect(receiver.requests.length - arrived).toBe(3);
  expect(await waiting(id)).toBe(0);
  expect((await replay(id)).body).toEqual({ queued: 0, has_more: false });
});

test('only what failed since the time is replayed, and not to an inactive or unknown endpoint', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  await service.drain();
  await service.clock.advance(MINUTE);
  const later = service.app.clock.now().toISOString();
  expect((await replay(id, later)).body.queued).toBe(0);
  expect((await replay(id)).body.queued).toBe(1);
  await hooks.change(id, { is_active: false });
  expect((await replay(id)).body.is_active).toEqual(['This webhook is inactive. Activate it first.']);
  expect((await replay(service.app.random.uuid())).status).toBe(404);
});

test('an attempt shows the headers and the body that were sent, without the signature', async () => {
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
  expect(JSON.stringify(body)).not.toContain(secret);
});
