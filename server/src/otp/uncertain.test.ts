import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../test/carriers.ts';
import { type Sender, sender } from '../../test/sender.ts';
import type { TestService } from '../../test/service.ts';
import { otpJobs } from './jobs.ts';

/** A carrier that may have the message: its answer never came. */
let all: ServiceWithCarriers;
let service: TestService;
let alice: Sender;
let count = 0;
const phone = () => `+1415555${7000 + ++count}`;
const WAIT = 10_000;

beforeAll(async () => {
  all = await serviceWithCarriers(['smtp', 'twilio', 'http']);
  ({ service } = all);
  alice = await sender(service, 'Alice', { credits: 1000 });
});
afterAll(() => all[Symbol.asyncDispose]());
beforeEach(async () => {
  all.smtp.everyone = all.twilio.everyone = all.http.everyone = undefined;
  await service.clock.advance(60_000);
});

/** The carrier keeps the message, then breaks the connection. */
async function uncertain(more?: Record<string, unknown>) {
  const recipient = phone();
  const before = await alice.balance();
  all.twilio.everyone = 'reset';
  const otp_id = await alice.sent(recipient, more);
  await service.drain();
  all.twilio.everyone = undefined;
  const [first] = all.twilio.messagesTo(recipient);
  if (!first) throw new Error('Twilio did not get it');
  return { otp_id, recipient, first, before };
}
const later = async (ms: number) => {
  await service.clock.advance(ms);
  await service.drain();
};
const queued = async (otp_id: string) =>
  (await service.app.db.rows('select 1 from deliveries where id = $1', [otp_id])).length;
const detail = (otp_id: string) =>
  service.app.db.one<{ carrier: string | null; provider_message_id: string | null }>(
    'select carrier, provider_message_id from verifications where id = $1',
    [otp_id],
  );

test('it waits ten seconds, then goes once more to the same carrier with the same code', async () => {
  const { otp_id, recipient, first } = await uncertain();
  await later(WAIT - 6_000);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(1);
  expect((await alice.state(otp_id)).status).toBe('pending');
  await later(6_000);
  const [, second] = all.twilio.messagesTo(recipient);
  expect(second).toMatchObject({ code: first.code, idempotencyKey: first.idempotencyKey });
  expect(all.http.messagesTo(recipient)).toEqual([]);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(await detail(otp_id)).toEqual({ carrier: 'twilio', provider_message_id: second?.sid });
  expect((await alice.verify(otp_id, first.code)).status).toBe(200);
});

test('a mail server that broke the connection after the whole mail gets it once more, with the same id', async () => {
  const recipient = `reset+${++count}@example.com`;
  const otp_id = await alice.sent(recipient);
  await service.drain();
  expect(all.smtp.mailsTo(recipient)).toHaveLength(1);
  await later(WAIT);
  const mails = all.smtp.mailsTo(recipient);
  expect(mails).toHaveLength(2);
  expect(new Set(mails.map(({ code }) => code)).size).toBe(1);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
  // Broken twice: nobody sends it a third time.
  await later(WAIT);
  await later(60_000);
  expect(all.smtp.mailsTo(recipient)).toHaveLength(2);
  expect((await alice.verify(otp_id, mails[0]?.code)).status).toBe(200);
});

test.each([
  ['delivered', 'sent'],
  ['sent', 'sent'],
  ['queued', 'sent'],
  ['undelivered', 'failed'],
])('a report ends the wait: %s', async (reported, status) => {
  const { otp_id, recipient, first, before } = await uncertain();
  expect(await all.twilio.report(first, reported)).toBe(204);
  expect((await alice.state(otp_id)).status).toBe(status);
  expect(await queued(otp_id)).toBe(0);
  await later(WAIT);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(1);
  expect(await alice.balance()).toBe(status === 'failed' ? before : before - 1);
  expect(await detail(otp_id)).toMatchObject({ provider_message_id: first.sid });
});

test('a code that was used ends the wait: it is not sent again', async () => {
  const { otp_id, recipient, first, before } = await uncertain();
  expect((await alice.verify(otp_id, first.code)).status).toBe(200);
  await later(WAIT);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(1);
  expect(await queued(otp_id)).toBe(0);
  expect(await alice.balance()).toBe(before - 1);
});

test('canceled in the wait, it is not sent again, nor refunded: the carrier may have it', async () => {
  const { otp_id, recipient, before } = await uncertain();
  expect((await alice.cancel(otp_id)).body).toMatchObject({ status: 'expired', cost_credits: 1 });
  await later(WAIT);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(1);
  expect(await queued(otp_id)).toBe(0);
  expect(await alice.balance()).toBe(before - 1);
});

test('a certain refusal the second time moves on to the next carrier', async () => {
  const { otp_id, recipient, first } = await uncertain();
  all.twilio.everyone = 'refuse';
  await later(WAIT);
  const message = await all.http.waitForMessageTo(recipient);
  expect(message.code).toBe(first.code);
  expect(await detail(otp_id)).toMatchObject({ carrier: 'http' });
});

test('uncertain twice, it rests: no sealed code stays behind, a report or the code can still end it', async () => {
  const { otp_id, recipient, first } = await uncertain();
  all.twilio.everyone = 'reset';
  await later(WAIT);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(2);
  expect(await queued(otp_id)).toBe(0);
  expect((await alice.state(otp_id)).status).toBe('pending');
  await later(60_000);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(2);
  expect(await all.twilio.report(first, 'delivered')).toBe(204);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect((await alice.verify(otp_id, first.code)).status).toBe(200);
});

test('uncertain twice and never heard of again, it fails at its expiry, with its credit back', async () => {
  const { otp_id, before } = await uncertain({ expires_in: 60 });
  all.twilio.everyone = 'reset';
  await later(WAIT);
  await later(50_000);
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'failed',
    failure: 'No carrier confirmed it before it expired',
    cost_credits: 0,
  });
  expect(await alice.balance()).toBe(before);
});

test('nothing is dispatched once more after the expiry', async () => {
  const { otp_id, recipient, before } = await uncertain({ expires_in: 60 });
  // The worker was away for a minute.
  await later(60_000);
  expect(all.twilio.messagesTo(recipient)).toHaveLength(1);
  expect((await alice.state(otp_id)).status).toBe('failed');
  expect(await alice.balance()).toBe(before);
});

test('a worker whose claim was taken away changes nothing with its late answer', async () => {
  const [job] = otpJobs(service.app);
  const worker = { id: service.app.random.uuid(), signal: new AbortController().signal };
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  all.twilio.everyone = 'slow';
  await job?.run(worker);
  await all.twilio.waitForMessageTo(recipient);
  await job?.free?.([worker.id]);
  await job?.idle?.();
  expect((await alice.state(otp_id)).status).toBe('pending');
  expect(await queued(otp_id)).toBe(1);
  all.twilio.everyone = undefined;
  await later(WAIT);
  const [, second] = all.twilio.messagesTo(recipient);
  expect(await detail(otp_id)).toEqual({ carrier: 'twilio', provider_message_id: second?.sid });
  expect((await alice.history(otp_id)).map(({ to }) => to)).toEqual(['pending', 'sent']);
});

test('a report of the first try says nothing about the second', async () => {
  const { otp_id, recipient, first } = await uncertain();
  await later(WAIT);
  expect(await all.twilio.report(first, 'undelivered')).toBe(204);
  expect((await alice.state(otp_id)).status).toBe('sent');
  const [, second] = all.twilio.messagesTo(recipient);
  if (!second) throw new Error('no second try');
  await all.twilio.report(second, 'undelivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
});
