import { rotateWebhookSecret, WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { webhookCustomer } from '../../test/webhook-customer.ts';
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  verifyMessage,
  type WebhookFixture,
  webhookFixture,
} from '../../test/webhook-fixture.ts';
import { webhookQueueStats } from './webhooks.ts';

const service = fixture(testService);
let hooks: WebhookFixture;
let receiver: WebhookFixture['receiver'];
let alice: WebhookFixture['alice'];
beforeEach(async () => {
  hooks = await webhookFixture(service);
  ({ receiver, alice } = hooks);
});
afterEach(() => hooks[Symbol.asyncDispose]());

test("a webhook message has the contract's fields, the standard's signature and the change", async () => {
  const { id, secret } = await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('verified');
  await service.drain();
  const [request] = receiver.requests;
  expect(receiver.requests).toHaveLength(1);
  expect(request).toMatchObject({ method: 'POST', path: '/ok' });
  expect(request?.headers['content-type']).toBe('application/json');
  const message = WebhookMessage.parse(verifyMessage(secret, request));
  expect(message).toMatchObject({
    type: 'otp.verified',
    data: {
      otp_id: alice.otp_id,
      status: 'verified',
      channel: 'email',
      recipient: alice.recipient,
      api_key: { id: alice.api_key_id },
      cost_credits: 1,
    },
  });
  const [attempt] = await alice.attempts(id);
  expect(attempt).toMatchObject({
    message_id: request?.headers['webhook-id'],
    event_type: 'otp.verified',
    otp_id: alice.otp_id,
    attempt: 1,
    response_status: 200,
    succeeded: true,
    error: null,
    response_excerpt: 'ok',
    next_attempt_at: null,
  });
  const { last_sent_at, last_success_at, ...endpoint } = await alice.endpoint(id);
  expect(endpoint).toMatchObject({ total_sent: 1, consecutive_failures: 0 });
  expect([last_sent_at, last_success_at]).toEqual([expect.any(String), expect.any(String)]);
});

test('a webhook message never contains a code', async () => {
  await alice.addEndpoint(receiver.at('/ok'));
  await alice.publish('sent');
  await service.drain();
  expect(alice.code).toMatch(/^\d{6}$/);
  expect(receiver.requests[0]?.text).not.toMatch(new RegExp(`(?<![0-9a-f-])${alice.code}(?![0-9a-f-])`));
});

test("a webhook message is signed with a customer's own secret as raw bytes", async () => {
  await alice.addEndpoint(receiver.at('/ok'), { secret: 'my own & its spaces' });
  await alice.publish('sent');
  await service.drain();
  expect(verifyMessage('my own & its spaces', receiver.requests[0], 'raw')).toMatchObject({
    type: 'otp.sent',
  });
});

test('a webhook message goes only to active endpoints subscribed to its event', async () => {
  await alice.addEndpoint(receiver.at('/200?wants'));
  await alice.addEndpoint(receiver.at('/200?not'), { send_on_sent: false });
  await alice.addEndpoint(receiver.at('/200?off'), { is_active: false });
  const bob = await webhookCustomer(service, 'Bob');
  await bob.addEndpoint(receiver.at('/200?bob'));
  await alice.publish('sent');
  await service.drain();
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/200?wants']);
});

test('a webhook message has the same bytes and id in every attempt, with a new signature', async () => {
  await alice.addEndpoint(receiver.at('/500'));
  await alice.publish('sent');
  await service.drain();
  await service.clock.advance(7 * SECOND);
  await service.drain();
  const [first, second] = receiver.requests;
  expect(receiver.requests).toHaveLength(2);
  expect(second?.text).toBe(first?.text);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
  expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
});

describe('rotation', () => {
  const rotate = async (id: string) =>
    (await service.call(rotateWebhookSecret, { bearer: alice.bearer, params: { id } })).body.secret;

  test("a customer's own new webhook secret replaces all others immediately", async () => {
    const { id, secret } = await alice.addEndpoint(receiver.at('/ok'));
    await rotate(id);
    await hooks.change(id, { secret: 'a secret of mine' });
    await hooks.press(id);
    const [request] = receiver.requests;
    expect(verifyMessage('a secret of mine', request, 'raw')).toBeTruthy();
    expect(() => verifyMessage(secret, request)).toThrow();
    expect(request?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });

  // Moves the clock: receivers refuse the signatures of tests that come later.
  test('an old webhook secret also signs for exactly 24 hours, even after further rotations', async () => {
    const { id, secret: first } = await alice.addEndpoint(receiver.at('/ok'));
    const second = await rotate(id);
    const third = await rotate(id);
    expect(new Set([first, second, third]).size).toBe(3);
    await hooks.press(id);
    const [request] = receiver.requests;
    for (const secret of [first, second, third]) expect(verifyMessage(secret, request)).toBeTruthy();
    expect(request?.headers['webhook-signature']?.split(' ')).toHaveLength(3);

    await service.clock.advance(23 * HOUR);
    const fourth = await rotate(id);
    await service.clock.advance(HOUR + MINUTE);
    await hooks.press(id);
    const later = receiver.requests.at(-1);
    const signatures = later?.headers['webhook-signature']?.split(' ') ?? [];
    const at = new Date(Number(later?.headers['webhook-timestamp']) * 1000);
    const sign = (secret: string) =>
      new Verifier(secret).sign(later?.headers['webhook-id'] ?? '', at, later?.text ?? '');
    expect(signatures).toEqual([sign(fourth), sign(third)]);
  });
});

test('a webhook delivery gets ten attempts over three days', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/500'));
  // A retry comes after 0.8 to 1.2 steps. The first is so short that real time would reach it.
  const began = service.app.clock.now();
  const stopAt = (seconds: number) =>
    stopDatabaseClock(service.databaseUrl, new Date(began.getTime() + seconds * SECOND));
  await stopAt(0);
  await alice.publish('sent');
  await service.drain();
  const steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [n, step] of steps.entries()) {
    expect(receiver.requests).toHaveLength(n + 1);
    if (n === 0) await stopAt(step * 0.7);
    else await service.clock.advance(step * 0.7 * SECOND);
    await service.drain();
    expect(receiver.requests).toHaveLength(n + 1);
    await service.clock.advance(step * (n === 0 ? 1.25 : 0.55) * SECOND);
    await service.drain();
  }
  expect(receiver.requests).toHaveLength(10);
  await service.clock.advance(30 * HOUR);
  await service.drain();
  expect(receiver.requests).toHaveLength(10);
  const attempts = await alice.attempts(id);
  expect(attempts.map(({ attempt }) => attempt)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(attempts[0]).toMatchObject({ next_attempt_at: null, succeeded: false, response_status: 500 });
  expect(await alice.endpoint(id)).toMatchObject({
    total_sent: 10,
    consecutive_failures: 10,
    last_success_at: null,
    is_active: true,
  });
});

test('Retry-After of a webhook receiver is respected', async () => {
  const { id } = await alice.addEndpoint(receiver.at('/retry-after/9'));
  await alice.publish('sent');
  await service.drain();
  const [{ attempted_at, next_attempt_at } = { attempted_at: '', next_attempt_at: '' }] =
    await alice.attempts(id);
  const seconds = (Date.parse(next_attempt_at ?? '') - Date.parse(attempted_at)) / SECOND;
  expect(seconds).toBeGreaterThanOrEqual(9);
  expect(seconds).toBeLessThan(10);
});

test('a redirect from a webhook receiver is a failure and is not followed', async () => {
  const { id } = await alice.addEndpoint(receiver.at(`/redirect?to=${receiver.at('/ok')}`));
  await alice.publish('sent');
  await service.drain();
  expect(receiver.requests).toHaveLength(1);
  expect(await alice.attempts(id)).toMatchObject([
    { succeeded: false, response_status: 302, error: expect.stringContaining('not followed') },
  ]);
});

test.each(['/reset', '/garbage', '/404', '/500'])('a webhook delivery to %s is a failure', async (path) => {
  const { id } = await alice.addEndpoint(receiver.at(path));
  await alice.publish('sent');
  await service.drain();
  expect(await alice.attempts(id)).toMatchObject([{ succeeded: false, error: expect.any(String) }]);
  expect(await alice.endpoint(id)).toMatchObject({ consecutive_failures: 1 });
});

test('the first 4 KiB of a webhook receiver’s long response are stored', async () => {
  receiver.answer = () => ({ status: 500, body: 'é'.repeat(40_000) });
  const { id } = await alice.addEndpoint(receiver.at('/x'));
  await alice.publish('sent');
  await service.drain();
  const [attempt] = await alice.attempts(id);
  expect(attempt?.response_excerpt).toBe('é'.repeat(2048));
});

test('a successful delivery resets the endpoint’s count of consecutive failures', async () => {
  let status = 500;
  receiver.answer = () => status;
  const { id } = await alice.addEndpoint(receiver.at('/x'));
  await alice.publish('sent');
  await service.drain();
  status = 204;
  await service.clock.advance(7 * SECOND);
  await service.drain();
  expect(await alice.endpoint(id)).toMatchObject({ total_sent: 2, consecutive_failures: 0 });
  expect(await alice.attempts(id)).toMatchObject([
    { attempt: 2, succeeded: true },
    { attempt: 1, succeeded: false },
  ]);
});

describe('automatic deactivation', () => {
  test('a 410 deactivates the endpoint immediately and empties its queue', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/gone'));
    await alice.publish('sent', 12);
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false, disabled_reason: 'gone' });
    expect(receiver.requests.length).toBeLessThanOrEqual(4);
    await service.clock.advance(DAY);
    await service.drain();
    const before = receiver.requests.length;
    await alice.publish('sent');
    await service.drain();
    expect(receiver.requests.length).toBe(before);
    for (const attempt of await alice.attempts(id)) expect(attempt.next_attempt_at).toBeNull();
  });

  test('a 410 from the previous URL does not deactivate an endpoint whose URL was corrected', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/old'));
    receiver.answer = async ({ path }) => {
      if (path !== '/old') return 200;
      // The owner corrects the URL while the old one still responds.
      await hooks.change(id, { url: receiver.at('/new') });
      return 410;
    };
    await alice.publish('sent');
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true, disabled_reason: null });
    await service.clock.advance(MINUTE);
    await service.drain();
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/old', '/new']);
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true, consecutive_failures: 0 });
  });

  test('the owner gets one notice about a deactivated endpoint', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/gone'), { name: 'Orders' });
    await alice.publish('sent', 12);
    await service.drain();
    const mails = (await service.inbox(alice.email)).filter(({ subject }) => subject?.includes('Orders'));
    expect(mails.map(({ subject }) => subject)).toEqual(['Webhook disabled: Orders']);
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false });
  });

  test('five days without a success deactivate an endpoint, four do not', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/500'));
    await alice.publish('sent');
    await service.drain();
    await service.clock.advance(4 * DAY);
    await alice.publish('sent');
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true });
    expect(await webhookQueueStats(service.app.db)).toMatchObject({ retrying: 2, retrying_endpoints: 1 });
    await service.clock.advance(DAY + MINUTE);
    await alice.publish('sent', 3);
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false, disabled_reason: 'failing' });
    expect(await queued(id)).toBe(0);
    await service.drain();
    const mails = await service.inbox(alice.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Webhook disabled: Hook']);
  });

  test('one success restarts the five days of failures after which an endpoint is deactivated', async () => {
    let status = 500;
    receiver.answer = () => status;
    const { id } = await alice.addEndpoint(receiver.at('/x'));
    await alice.publish('sent');
    await service.drain();
    await service.clock.advance(3 * DAY);
    status = 200;
    await alice.publish('sent');
    await service.drain();
    status = 500;
    await service.clock.advance(3 * DAY);
    await alice.publish('sent');
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true });
  });

  test('manual tests do not start the five days after which an endpoint is deactivated', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/500'));
    await hooks.press(id);
    await service.clock.advance(6 * DAY);
    await alice.publish('sent');
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true, consecutive_failures: 2 });
  });

  test('a failing test keeps a deactivated endpoint inactive, and a passing test reactivates it', async () => {
    let status = 410;
    receiver.answer = () => status;
    const { id } = await alice.addEndpoint(receiver.at('/x'));
    await alice.publish('sent');
    await service.drain();
    status = 500;
    expect((await hooks.press(id)).body).toMatchObject({ success: false, response_status: 500 });
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false, disabled_reason: 'gone' });
    status = 200;
    expect((await hooks.press(id)).body).toMatchObject({
      success: true,
      response_status: 200,
      error: null,
    });
    expect(await alice.endpoint(id)).toMatchObject({
      is_active: true,
      disabled_reason: null,
      consecutive_failures: 0,
    });
    await alice.publish('sent');
    await service.drain();
    expect(await alice.attempts(id)).toMatchObject([{ event_type: 'otp.sent', succeeded: true }, {}, {}, {}]);
  });

  test('after a URL correction, enabling a deactivated endpoint or a passing test reactivates it', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/gone'));
    await alice.publish('sent');
    await service.drain();
    expect(await hooks.change(id, { is_active: true })).toMatchObject({
      is_active: true,
      disabled_reason: null,
      consecutive_failures: 0,
    });
    await alice.publish('sent');
    await service.drain();
    expect(await hooks.change(id, { url: receiver.at('/ok') })).toMatchObject({
      is_active: false,
      consecutive_failures: 0,
    });
    await hooks.press(id);
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true, disabled_reason: null });
  });

  test('a manually disabled endpoint stays disabled after any test', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/ok'), { is_active: false });
    expect((await hooks.press(id)).body).toMatchObject({ success: true });
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false, disabled_reason: null });
  });
});

const queued = async (id: string) =>
  (
    await service.app.db.one<{ n: number }>(
      'select count(*) as n from webhook_deliveries where endpoint_id = $1',
      [id],
    )
  ).n;
