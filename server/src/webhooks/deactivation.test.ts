import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { DAY, MINUTE, type WebhookFixture, webhookFixture } from '../../test/webhook-fixture.ts';

const service = fixture(testService);
let hooks: WebhookFixture;
let receiver: WebhookFixture['receiver'];
let alice: WebhookFixture['alice'];
beforeEach(async () => {
  hooks = await webhookFixture(service);
  ({ receiver, alice } = hooks);
});
afterEach(() => hooks[Symbol.asyncDispose]());

describe('automatic deactivation', () => {
  test('a 410 deactivates the endpoint at once and empties its queue', async () => {
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

  test('the owner gets one notice', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/gone'), { name: 'Orders' });
    await alice.publish('sent', 12);
    await service.drain();
    const mails = (await service.inbox(alice.email)).filter(({ subject }) => subject?.includes('Orders'));
    expect(mails.map(({ subject }) => subject)).toEqual(['Webhook switched off: Orders']);
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false });
  });

  test('five days without a success deactivate the endpoint, four do not', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/500'));
    await alice.publish('sent');
    await service.drain();
    await service.clock.advance(4 * DAY);
    await alice.publish('sent');
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true });
    await service.clock.advance(DAY + MINUTE);
    await alice.publish('sent', 3);
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: false, disabled_reason: 'failing' });
    expect(await queued(id)).toBe(0);
    await service.drain();
    const mails = await service.inbox(alice.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Webhook switched off: Hook']);
  });

  test('one success within the five days restarts the period', async () => {
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

  test('manual tests do not start the five days', async () => {
    const { id } = await alice.addEndpoint(receiver.at('/500'));
    await hooks.press(id);
    await service.clock.advance(6 * DAY);
    await alice.publish('sent');
    await service.drain();
    expect(await alice.endpoint(id)).toMatchObject({ is_active: true, consecutive_failures: 2 });
  });

  test('a failing test leaves the endpoint inactive, and a passing one reactivates it', async () => {
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

  test('enabling it or a test after a URL correction reactivates it', async () => {
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
