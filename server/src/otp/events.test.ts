import { createWebhook, WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { hunt } from '../../test/canary-hunt.ts';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';

/** Webhook messages are written in the transaction of the change they report. */
let count = 0;

const service = fixture(() => serviceWithCarriers(['twilio']));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));
beforeAll(async () => {
  const added = await service.call(createWebhook, {
    bearer: await signedIn(service, alice),
    // No server listens there: the test reads the queue.
    body: { name: 'Hook', url: 'http://127.0.0.1:9/' },
  });
  expect(added.status).toBe(201);
});

async function taken(more?: Record<string, unknown>) {
  const recipient = `+1415555${5000 + ++count}`;
  const otp_id = await alice.sent(recipient, more);
  await service.drain();
  return { otp_id, recipient, message: await service.twilio.waitForMessageTo(recipient) };
}
async function messagesOf(otp_id: string): Promise<z.infer<typeof WebhookMessage>[]> {
  const rows = await service.app.db.rows<{ type: string; body: unknown; waits: boolean }>(
    `select m.type, m.body, exists (select from webhook_deliveries d where d.id = m.id) as waits
     from webhook_messages m where m.otp_id = $1 order by m.created_at, m.id`,
    [otp_id],
  );
  return rows.map(({ type, body, waits }) => {
    const message = WebhookMessage.parse(body);
    expect(message).toEqual(body);
    expect(message.type).toBe(type);
    expect(message.data.otp_id).toBe(otp_id);
    expect(waits).toBe(true);
    return message;
  });
}
const gist = (messages: readonly z.infer<typeof WebhookMessage>[]) =>
  messages.map(({ type, data }) => [type, data.previous_status, data.status]);

test('sent, delivered and verified events contain all data known at that time', async () => {
  const { otp_id, recipient, message } = await taken();
  await service.twilio.report(message, 'delivered');
  await alice.verify(otp_id, message.code);
  const messages = await messagesOf(otp_id);
  expect(gist(messages)).toEqual([
    ['otp.sent', 'pending', 'sent'],
    ['otp.delivered', 'sent', 'sent'],
    ['otp.verified', 'sent', 'verified'],
  ]);
  const state = await alice.state(otp_id);
  const { data } = messages.at(-1) as z.infer<typeof WebhookMessage>;
  expect(data).toEqual({
    otp_id,
    status: 'verified',
    previous_status: 'sent',
    channel: 'sms',
    recipient,
    api_key: { id: expect.any(String), name: 'Test key' },
    created_at: state.created_at,
    expires_at: state.expires_at,
    sent_at: state.sent_at,
    delivered_at: state.delivered_at,
    verified_at: state.verified_at,
    cost_credits: 1,
    failure: null,
  });
  expect(messages[0]?.data).toMatchObject({ delivered_at: null, verified_at: null });
  const places = [{ name: 'messages', text: JSON.stringify(messages) }];
  expect(hunt([{ kind: 'code', text: message.code }], places)).toEqual([]);
});

test('a failure event states its reason and that no credit was charged', async () => {
  const { otp_id, message } = await taken();
  await service.twilio.report(message, 'undelivered', { errorCode: 30005 });
  await service.twilio.report(message, 'failed');
  const messages = await messagesOf(otp_id);
  expect(gist(messages)).toEqual([
    ['otp.sent', 'pending', 'sent'],
    ['otp.failed', 'sent', 'failed'],
  ]);
  expect(messages[1]?.data).toMatchObject({ cost_credits: 0, failure: 'Not delivered: unknown recipient' });
});

test('refusals by every carrier publish one failure event', async () => {
  service.twilio.everyone = 'refuse';
  const recipient = `+1415555${5000 + ++count}`;
  const otp_id = await alice.sent(recipient);
  await service.drain();
  service.twilio.everyone = undefined;
  const [only, ...rest] = await messagesOf(otp_id);
  expect(rest).toEqual([]);
  expect(only).toMatchObject({ type: 'otp.failed', data: { previous_status: 'pending', cost_credits: 0 } });
  expect(only?.data.failure).toContain('Twilio refused the message');
});

test('too many wrong codes publish one failure event for each id of the code', async () => {
  const { otp_id, recipient, message } = await taken();
  const second = await alice.sent(recipient);
  await service.drain();
  for (let n = 0; n < 6; n++) await alice.verify(otp_id, wrongCode(message.code));
  for (const id of [otp_id, second]) {
    const last = (await messagesOf(id)).filter(({ type }) => type === 'otp.failed');
    expect(last).toHaveLength(1);
    expect(last[0]?.data).toMatchObject({ failure: 'Too many wrong codes', cost_credits: 1 });
  }
});

test('a superseded verification publishes no event', async () => {
  const { otp_id, recipient, message } = await taken();
  const second = await alice.sent(recipient);
  await service.drain();
  await alice.verify(second, message.code);
  expect(gist(await messagesOf(otp_id))).toEqual([['otp.sent', 'pending', 'sent']]);
  expect(gist(await messagesOf(second)).at(-1)).toEqual(['otp.verified', 'sent', 'verified']);
});

test('expiry and cancellation both publish an expired event', async () => {
  const timed = await taken({ expires_in: 60 });
  const canceled = await taken();
  await alice.cancel(canceled.otp_id);
  await service.clock.advance(60_000);
  await service.drain();
  for (const { otp_id } of [timed, canceled])
    expect(gist(await messagesOf(otp_id)).at(-1)).toEqual(['otp.expired', 'sent', 'expired']);
});

test('a verification that was never dispatched publishes a failed event', async () => {
  const otp_id = await alice.sent(`+1415555${5000 + ++count}`, { expires_in: 60 });
  await service.clock.advance(60_000);
  await service.drain();
  expect(gist(await messagesOf(otp_id))).toEqual([['otp.failed', 'pending', 'failed']]);
});

test('a code used after a delivery failure publishes a verified event', async () => {
  const { otp_id, message } = await taken();
  await service.twilio.report(message, 'undelivered');
  await alice.verify(otp_id, message.code);
  const messages = await messagesOf(otp_id);
  expect(gist(messages).at(-1)).toEqual(['otp.verified', 'failed', 'verified']);
  expect(messages.at(-1)?.data).toMatchObject({ failure: null, cost_credits: 0 });
});

test('events go only to subscribed endpoints of the same account', async () => {
  const bob = await sender(service, 'Bob');
  const bearer = await signedIn(service, bob);
  const add = (body: Record<string, unknown>) =>
    service.call(createWebhook, { bearer, body: { name: 'Hook', url: 'http://127.0.0.1:9/', ...body } });
  await add({ send_on_sent: false });
  await add({ is_active: false });
  const recipient = `+1415555${5000 + ++count}`;
  const otp_id = await bob.sent(recipient);
  await service.drain();
  const { code } = await service.twilio.waitForMessageTo(recipient);
  await bob.verify(otp_id, code);
  expect(gist(await messagesOf(otp_id))).toEqual([['otp.verified', 'sent', 'verified']]);
});

test('a rolled-back change publishes no event', async () => {
  const { otp_id, message } = await taken();
  const { db } = service.app;
  await db.run(
    `create function refuse_row() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
     create trigger no_rows before insert on request_logs for each row execute function refuse_row()`,
  );
  expect((await alice.verify(otp_id, message.code)).status).toBe(500);
  await db.run('drop trigger no_rows on request_logs');
  expect(gist(await messagesOf(otp_id))).toEqual([['otp.sent', 'pending', 'sent']]);
  expect((await alice.verify(otp_id, message.code)).status).toBe(200);
});
