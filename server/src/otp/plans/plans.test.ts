import { createLimit } from '@sixdigit/contract/limits.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender, wrongCode } from '../../../test/sender.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { testWorker } from '../../../test/worker.ts';
import { otpJobs } from '../jobs.ts';

/** One code on several channels in turn. */
const service = fixture(() =>
  serviceWithCarriers(['twilio', 'http'], { VOICE_CARRIERS: 'twilio', RECIPIENT_SENDS_PER_10_MIN: '8' }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 10_000, keys: 20 }));
beforeEach(() => {
  service.twilio.everyone = undefined;
});

let count = 0;
const phone = () => `+1415555${6000 + ++count}`;
const send = (recipient: string, more: object = {}) =>
  service.call(sendOtp, {
    apiKey: alice.key(),
    body: { recipient, channels: ['sms', 'voice'], ...more },
  });
const resend = (otp_id: string, body: object = {}) =>
  service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body });
const messages = (recipient: string) => service.twilio.messagesTo(recipient);
/** Sends a plan and dispatches its first message. */
async function begun(more: object = {}) {
  const recipient = phone();
  const before = await alice.balance();
  const { status, body } = await send(recipient, more);
  expect([status, body]).toMatchObject([201, { channel: 'sms', channels: ['sms', 'voice'] }]);
  await service.drain();
  const [message] = messages(recipient);
  if (!message) throw new Error('No message');
  return { otp_id: body.otp_id, recipient, before, message, code: message.code };
}
const steps = async (otp_id: string) => (await alice.state(otp_id)).steps?.map(({ at: _, ...step }) => step);
const after = async (seconds: number) => {
  await service.clock.advance(seconds * 1000);
  await service.drain();
};
const hasPlan = async (otp_id: string) =>
  (await service.app.db.maybe('select from plans where otp_id = $1', [otp_id])) !== undefined;

test('the next channel starts with the same code when the first message is not confirmed in time', async () => {
  const { otp_id, recipient, code, before } = await begun();
  const { created_at, steps: first } = await alice.state(otp_id);
  const at = new Date(Date.parse(created_at) + 60_000).toISOString();
  expect(first).toEqual([
    { channel: 'sms', status: 'sent', at: created_at },
    { channel: 'voice', status: 'waiting', at },
  ]);
  // Real time also passes, so the test stays far from the end of the wait.
  await after(30);
  expect(messages(recipient)).toHaveLength(1);
  await after(31);
  const [, call] = messages(recipient);
  expect([call?.kind, call?.body.replace(/\D/g, '')]).toEqual(['call', expect.stringContaining(code)]);
  expect(await steps(otp_id)).toEqual([
    { channel: 'sms', status: 'sent' },
    { channel: 'voice', status: 'sent' },
  ]);
  const { resends } = await alice.state(otp_id);
  expect(await alice.balance()).toBe(before - 1 - (resends?.[0]?.cost_credits ?? 0));
  expect((await alice.history(otp_id)).at(-1)?.notes).toBe(
    'Voice: the message before it was not confirmed in time',
  );
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  await after(600);
  expect(messages(recipient)).toHaveLength(2);
});

test('a verification of which only the second message was sent is sent, and then expires', async () => {
  const { otp_id } = (await send(phone())).body;
  const later = `update deliveries set run_at = clock_now() + interval '5 minutes' where id = $1`;
  await service.app.db.run(later, [otp_id]);
  await after(61);
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'sent',
    sent_at: expect.any(String),
    steps: [
      { channel: 'sms', status: 'pending' },
      { channel: 'voice', status: 'sent' },
    ],
  });
  // The code has been sent, so it expires, even if a worker then finds the first message.
  await service.app.db.run('update deliveries set run_at = clock_now() where id = $1', [otp_id]);
  await service.clock.advance(300_000);
  const [dispatches] = otpJobs(service.app);
  await dispatches?.run(testWorker(service.app.random.uuid()));
  await dispatches?.idle?.();
  await service.drain();
  expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 0 });
});

test('a failed message starts the next channel at once and is refunded, and the verification goes on', async () => {
  const { otp_id, recipient, before, message, code } = await begun();
  await service.twilio.report(message, 'undelivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', failure: null });
  await service.drain();
  expect(await steps(otp_id)).toEqual([
    { channel: 'sms', status: 'failed', reason: 'Not delivered: undelivered' },
    { channel: 'voice', status: 'sent' },
  ]);
  const { resends = [], cost_credits } = await alice.state(otp_id);
  expect([cost_credits, await alice.balance()]).toEqual([0, before - (resends[0]?.cost_credits ?? 0)]);
  expect((await alice.history(otp_id)).at(-1)?.notes).toBe('Voice: the message before it failed');
  await service.twilio.report(message, 'undelivered');
  await service.drain();
  const [, call] = messages(recipient);
  if (!call) throw new Error('No call');
  expect(messages(recipient)).toHaveLength(2);
  await service.twilio.report(call, 'completed');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
  const told = (await alice.history(otp_id)).filter(({ notes }) => notes === 'Not delivered: undelivered');
  expect(told).toHaveLength(1);
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  expect(await steps(otp_id)).toMatchObject([{ status: 'failed' }, { status: 'delivered' }]);
});

test('the verification fails when the last message has failed, and every credit is back', async () => {
  const { otp_id, recipient, before, message } = await begun();
  await service.twilio.report(message, 'undelivered');
  await service.drain();
  const call = messages(recipient)[1];
  if (!call) throw new Error('No call');
  await service.twilio.report(call, 'failed');
  await service.drain();
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'failed',
    failure: 'Not delivered: call failed',
  });
  expect(await alice.balance()).toBe(before);
  expect(await hasPlan(otp_id)).toBe(false);
});

test('a delivered message ends the waiting, and a resend takes the next channel', async () => {
  const { otp_id, recipient, message } = await begun();
  await service.twilio.report(message, 'delivered');
  await after(200);
  expect(await alice.state(otp_id)).toMatchObject({
    steps: [{ status: 'delivered' }, { status: 'waiting', at: null }],
  });
  expect(await resend(otp_id)).toMatchObject({ status: 200, body: { channel: 'voice', otp_id } });
  await service.drain();
  expect(messages(recipient)).toHaveLength(2);
  expect(await steps(otp_id)).toMatchObject([{ status: 'delivered' }, { status: 'sent' }]);
  expect((await resend(otp_id)).body).toMatchObject({ channel: 'sms' });
});

test('a message that fails after the code was entered is not refunded', async () => {
  const { otp_id, recipient, before, message, code } = await begun();
  await after(61);
  const cost = (await alice.state(otp_id)).resends?.[0]?.cost_credits ?? 0;
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  const [, call] = messages(recipient);
  for (const one of [message, call]) if (one) await service.twilio.report(one, 'undelivered');
  await service.drain();
  expect(await alice.balance()).toBe(before - 1 - cost);
});

test('the limits that a send names count its first message only', async () => {
  const bearer = await signedIn(service, alice);
  const limit = { name: 'per-plan', max_sends: 5, period_seconds: 3_600 };
  expect((await service.call(createLimit, { bearer, body: limit })).status).toBe(201);
  const { recipient } = await begun({ limits: { 'per-plan': 'session-1' } });
  await after(61);
  expect(messages(recipient)).toHaveLength(2);
  expect(await service.app.db.rows('select used from twilio_bucket_counts')).toEqual([{ used: 1 }]);
});

describe('a plan stops', () => {
  test.each([
    ['is verified', async ({ otp_id, code }: Begun) => void (await alice.verify(otp_id, code))],
    ['is canceled', async ({ otp_id }: Begun) => void (await alice.cancel(otp_id))],
    [
      'gets too many wrong codes',
      async ({ otp_id, code }: Begun) => {
        for (let n = 1; n <= 5; n++) await alice.verify(otp_id, wrongCode(code, n));
      },
    ],
    ['expires', async () => service.clock.advance(61_000)],
  ])('when its verification %s', async (_, end) => {
    const made = await begun({ wait_seconds: 30, expires_in: 60 });
    await end(made);
    await service.drain();
    expect(await hasPlan(made.otp_id)).toBe(false);
    await after(31);
    expect(messages(made.recipient)).toHaveLength(1);
    expect((await alice.state(made.otp_id)).steps).toEqual([
      { channel: 'sms', status: 'sent', at: expect.any(String) },
      { channel: 'voice', status: 'canceled', at: null },
    ]);
  });
});
type Begun = Awaited<ReturnType<typeof begun>>;
