import { beforeEach, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testWorker } from '../../../test/worker.ts';
import { otpJobs } from '../jobs.ts';

/** Uncertain dispatches: the carrier may have the message, but its response was lost. */
let count = 0;
const phone = () => `+1415555${7000 + ++count}`;
const WAIT = 10_000;

const service = fixture(() => serviceWithCarriers(['smtp', 'twilio', 'http']));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));
beforeEach(async () => {
  service.smtp.everyone = service.twilio.everyone = service.http.everyone = undefined;
  await service.clock.advance(60_000);
});

/** The carrier accepts the message, then breaks the connection. */
async function uncertain(more?: Record<string, unknown>) {
  const recipient = phone();
  const before = await alice.balance();
  service.twilio.everyone = 'reset';
  const otp_id = await alice.sent(recipient, more);
  await service.drain();
  service.twilio.everyone = undefined;
  const [first] = service.twilio.messagesTo(recipient);
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

test('an uncertain message is sent again after ten seconds, to the same carrier with the same code', async () => {
  const { otp_id, recipient, first } = await uncertain();
  await later(WAIT - 6_000);
  expect(service.twilio.messagesTo(recipient)).toHaveLength(1);
  expect((await alice.state(otp_id)).status).toBe('pending');
  await later(6_000);
  const [, second] = service.twilio.messagesTo(recipient);
  expect(second).toMatchObject({ code: first.code, idempotencyKey: first.idempotencyKey });
  expect(service.http.messagesTo(recipient)).toEqual([]);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(await detail(otp_id)).toEqual({ carrier: 'twilio', provider_message_id: second?.sid });
  expect((await alice.verify(otp_id, first.code)).status).toBe(200);
});

test('a mail whose connection broke after the last byte is sent again once, with the same Message-ID', async () => {
  const recipient = `reset+${++count}@example.com`;
  const otp_id = await alice.sent(recipient);
  await service.drain();
  expect(service.smtp.mailsTo(recipient)).toHaveLength(1);
  await later(WAIT);
  const mails = service.smtp.mailsTo(recipient);
  expect(mails).toHaveLength(2);
  expect(new Set(mails.map(({ code }) => code)).size).toBe(1);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
  // Broken twice: it is not sent a third time.
  await later(WAIT);
  await later(60_000);
  expect(service.smtp.mailsTo(recipient)).toHaveLength(2);
  expect((await alice.verify(otp_id, mails[0]?.code)).status).toBe(200);
});

test.each([
  ['delivered', 'sent'],
  ['sent', 'sent'],
  ['queued', 'sent'],
  ['undelivered', 'failed'],
])(
  'the delivery report "%s" ends the wait of an uncertain message in the status %s',
  async (reported, status) => {
    const { otp_id, recipient, first, before } = await uncertain();
    expect(await service.twilio.report(first, reported)).toBe(204);
    expect((await alice.state(otp_id)).status).toBe(status);
    expect(await queued(otp_id)).toBe(0);
    await later(WAIT);
    expect(service.twilio.messagesTo(recipient)).toHaveLength(1);
    expect(await alice.balance()).toBe(status === 'failed' ? before : before - 1);
    expect(await detail(otp_id)).toMatchObject({ provider_message_id: first.sid });
  },
);

test('a used code ends the wait of an uncertain message, which is not sent again', async () => {
  const { otp_id, recipient, first, before } = await uncertain();
  expect((await alice.verify(otp_id, first.code)).status).toBe(200);
  await later(WAIT);
  expect(service.twilio.messagesTo(recipient)).toHaveLength(1);
  expect(await queued(otp_id)).toBe(0);
  expect(await alice.balance()).toBe(before - 1);
});

test('an uncertain message canceled during its wait is neither sent again nor refunded', async () => {
  const { otp_id, recipient, before } = await uncertain();
  expect((await alice.cancel(otp_id)).body).toMatchObject({ status: 'expired', cost_credits: 1 });
  await later(WAIT);
  expect(service.twilio.messagesTo(recipient)).toHaveLength(1);
  expect(await queued(otp_id)).toBe(0);
  expect(await alice.balance()).toBe(before - 1);
});

test.each([
  ['late_reset', 1],
  ['slow', 1],
  ['refuse', 0],
  ['error', 0],
] as const)(
  'a message canceled during a carrier’s "%s" goes to no carrier again and costs %i credits',
  async (behaviour, cost_credits) => {
    const [job] = otpJobs(service.app);
    const worker = testWorker(service.app.random.uuid());
    const recipient = phone();
    const before = await alice.balance();
    const otp_id = await alice.sent(recipient);
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const [carrier] = service.app.carriers.forChannel('sms');
    if (!carrier) throw new Error('no carrier');
    const dispatchOf = carrier.dispatch;
    // The carrier answers after the cancel.
    carrier.dispatch = async (...given) => {
      asked.resolve();
      await promise;
      return dispatchOf.apply(carrier, given);
    };
    service.twilio.everyone = behaviour;
    await job?.run(worker);
    await asked.promise;
    expect((await alice.cancel(otp_id)).body).toMatchObject({ status: 'expired', cost_credits: 1 });
    resolve();
    await job?.idle?.();
    carrier.dispatch = dispatchOf;
    service.twilio.everyone = undefined;
    await later(WAIT);
    await later(60_000);
    expect(service.twilio.messagesTo(recipient)).toHaveLength(cost_credits);
    expect(service.http.messagesTo(recipient)).toEqual([]);
    expect(await queued(otp_id)).toBe(0);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits });
    expect(await alice.balance()).toBe(before - cost_credits);
    expect((await alice.history(otp_id)).map(({ notes }) => notes)).toEqual([
      null,
      'Canceled',
      ...(cost_credits === 0 ? ['Credit returned: never dispatched to a carrier'] : []),
    ]);
  },
);

test('a definite refusal of an uncertain message’s second attempt moves it to the next carrier', async () => {
  const { otp_id, recipient, first } = await uncertain();
  service.twilio.everyone = 'refuse';
  await later(WAIT);
  const message = await service.http.waitForMessageTo(recipient);
  expect(message.code).toBe(first.code);
  expect(await detail(otp_id)).toMatchObject({ carrier: 'http' });
});

test('after two uncertain attempts the sealed code is deleted, and a report or the code can still end the verification', async () => {
  const { otp_id, recipient, first } = await uncertain();
  service.twilio.everyone = 'reset';
  await later(WAIT);
  expect(service.twilio.messagesTo(recipient)).toHaveLength(2);
  expect(await queued(otp_id)).toBe(0);
  expect((await alice.state(otp_id)).status).toBe('pending');
  await later(60_000);
  expect(service.twilio.messagesTo(recipient)).toHaveLength(2);
  expect(await service.twilio.report(first, 'delivered')).toBe(204);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect((await alice.verify(otp_id, first.code)).status).toBe(200);
});

test('after two uncertain attempts and no report, the verification fails at its expiry with a refund', async () => {
  const { otp_id, before } = await uncertain({ expires_in: 60 });
  service.twilio.everyone = 'reset';
  await later(WAIT);
  await later(50_000);
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'failed',
    failure: 'No carrier confirmed it before it expired',
    cost_credits: 0,
  });
  expect(await alice.balance()).toBe(before);
});

test('an uncertain message is not sent again after its expiry', async () => {
  const { otp_id, recipient, before } = await uncertain({ expires_in: 60 });
  // The worker was paused for a minute.
  await later(60_000);
  expect(service.twilio.messagesTo(recipient)).toHaveLength(1);
  expect((await alice.state(otp_id)).status).toBe('failed');
  expect(await alice.balance()).toBe(before);
});

test('a late carrier response changes nothing if the worker has lost its claim', async () => {
  const [job] = otpJobs(service.app);
  const worker = testWorker(service.app.random.uuid());
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  const responds = Promise.withResolvers<void>();
  service.twilio.everyone = 'slow';
  service.twilio.slowUntil = responds.promise;
  await job?.run(worker);
  await service.twilio.waitForMessageTo(recipient);
  await job?.free?.([worker.id]);
  responds.resolve();
  await job?.idle?.();
  expect((await alice.state(otp_id)).status).toBe('pending');
  expect(await queued(otp_id)).toBe(1);
  service.twilio.everyone = undefined;
  await later(WAIT);
  const [, second] = service.twilio.messagesTo(recipient);
  expect(await detail(otp_id)).toEqual({ carrier: 'twilio', provider_message_id: second?.sid });
  expect((await alice.history(otp_id)).map(({ to }) => to)).toEqual(['pending', 'sent']);
});

test('a delivery report about the first attempt does not apply to the second', async () => {
  const { otp_id, recipient, first } = await uncertain();
  await later(WAIT);
  expect(await service.twilio.report(first, 'undelivered')).toBe(204);
  expect((await alice.state(otp_id)).status).toBe('sent');
  const [, second] = service.twilio.messagesTo(recipient);
  if (!second) throw new Error('no second try');
  await service.twilio.report(second, 'undelivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
});
