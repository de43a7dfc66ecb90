import { beforeEach, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { report } from './reports.ts';

/** Signed delivery reports, also late, duplicate and out of order. */
let count = 0;

const service = fixture(() => serviceWithCarriers(['twilio', 'http'], { EMAIL_CARRIERS: 'http' }));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));
beforeEach(async () => {
  service.twilio.everyone = undefined;
  await service.clock.advance(1_000);
});

async function taken(channel: 'sms' | 'voice' = 'sms', more: Record<string, unknown> = {}) {
  const recipient = `+1415555${8000 + ++count}`;
  const before = await alice.balance();
  const otp_id = await alice.sent(recipient, { channel, ...more });
  await service.drain();
  const message = await service.twilio.waitForMessageTo(recipient);
  expect((await alice.state(otp_id)).status).toBe('sent');
  return { otp_id, recipient, message, before };
}
const statuses = async (otp_id: string) => (await alice.history(otp_id)).map(({ to }) => to);

test('a delivered report sets the delivery time and does not change the status', async () => {
  const { otp_id, message, before } = await taken();
  expect(await service.twilio.report(message, 'delivered')).toBe(204);
  const state = await alice.state(otp_id);
  expect(state).toMatchObject({ status: 'sent', delivered_at: expect.any(String), cost_credits: 1 });
  expect((await alice.history(otp_id)).at(-1)).toEqual({ from: 'sent', to: 'sent', notes: 'Delivered' });
  expect(await alice.balance()).toBe(before - 1);
});

test('a delivered report and a right code store no history line, and the history shows both in order', async () => {
  const { otp_id, message } = await taken();
  await service.twilio.report(message, 'delivered');
  await alice.verify(otp_id, message.code);
  const { db } = service.app;
  expect(await db.rows('select notes from status_history where otp_id = $1', [otp_id])).toEqual([]);
  expect(await alice.history(otp_id)).toEqual([
    { from: null, to: 'pending', notes: null },
    { from: 'pending', to: 'sent', notes: 'Accepted by twilio from +12025550199' },
    { from: 'sent', to: 'sent', notes: 'Delivered' },
    { from: 'sent', to: 'verified', notes: null },
  ]);
});

test('a delivered report that arrives twice records one delivery', async () => {
  const { otp_id, message } = await taken();
  await service.twilio.report(message, 'delivered');
  const { delivered_at } = await alice.state(otp_id);
  await service.clock.advance(1_000);
  await service.twilio.report(message, 'delivered');
  expect((await alice.state(otp_id)).delivered_at).toBe(delivered_at);
  expect(await statuses(otp_id)).toEqual(['pending', 'sent', 'sent']);
});

test('an answered call is recorded as delivered', async () => {
  const { otp_id, message } = await taken('voice');
  for (const status of ['initiated', 'ringing', 'in-progress', 'completed'])
    expect(await service.twilio.report(message, status)).toBe(204);
  expect((await alice.state(otp_id)).delivered_at).not.toBeNull();
});

test('a delivered report of a verified verification changes only its delivery time', async () => {
  const { otp_id, message } = await taken();
  await alice.verify(otp_id, message.code);
  await service.twilio.report(message, 'delivered');
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'verified',
    delivered_at: expect.any(String),
  });
  expect((await alice.history(otp_id)).slice(2)).toEqual([
    { from: 'sent', to: 'verified', notes: null },
    { from: 'verified', to: 'verified', notes: 'Delivered' },
  ]);
});

test('a delivered report of an expired verification changes only its delivery time', async () => {
  const { otp_id, message } = await taken('sms', { expires_in: 60 });
  await service.clock.advance(60_000);
  await service.drain();
  await service.twilio.report(message, 'delivered');
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'expired',
    delivered_at: expect.any(String),
  });
});

test('a delivered report is not overwritten by later reports', async () => {
  const { otp_id, message } = await taken();
  await service.twilio.report(message, 'delivered');
  for (const late of ['sent', 'queued', 'undelivered', 'failed']) await service.twilio.report(message, late);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', cost_credits: 1, failure: null });
});

test.each([
  ['sms', 'undelivered', 30003, 'Not delivered: unreachable handset'],
  ['sms', 'failed', 30005, 'Not delivered: unknown recipient'],
  ['sms', 'failed', undefined, 'Not delivered: failed'],
  ['voice', 'busy', undefined, 'Not delivered: busy'],
  ['voice', 'no-answer', undefined, 'Not delivered: no answer'],
  ['voice', 'failed', undefined, 'Not delivered: call failed'],
  ['voice', 'canceled', undefined, 'Not delivered: call canceled'],
] as const)(
  'a message by %s reported as %s (%s) fails with a refund',
  async (channel, status, errorCode, failure) => {
    const { otp_id, message, before } = await taken(channel);
    const code = errorCode === undefined ? {} : { errorCode };
    for (let times = 0; times < 3; times++)
      expect(await service.twilio.report(message, status, code)).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', failure, cost_credits: 0 });
    expect(await alice.balance()).toBe(before);
    expect(await statuses(otp_id)).toEqual(['pending', 'sent', 'failed']);
  },
);

test('an undelivered message reported many times in parallel is refunded once', async () => {
  const { message, before } = await taken();
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => service.twilio.report(message, n % 2 ? 'undelivered' : 'failed')),
  );
  expect(await alice.balance()).toBe(before);
});

test('an undelivered message reported as delivered and undelivered in parallel ends as one or the other', async () => {
  for (let round = 0; round < 5; round++) {
    const { otp_id, message, before } = await taken();
    await Promise.all([
      service.twilio.report(message, 'undelivered'),
      service.twilio.report(message, 'delivered'),
    ]);
    const { status, cost_credits } = await alice.state(otp_id);
    // The undelivered report came first or had no effect.
    expect([status, cost_credits]).toEqual(status === 'failed' ? ['failed', 0] : ['sent', 1]);
    expect(await alice.balance()).toBe(before - cost_credits);
  }
});

test('an undelivered message whose code was used is not refunded', async () => {
  const { otp_id, message, before } = await taken();
  await alice.verify(otp_id, message.code);
  await service.twilio.report(message, 'undelivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'verified', cost_credits: 1 });
  expect(await alice.balance()).toBe(before - 1);
});

test('an undelivered message that had expired is refunded and stays expired', async () => {
  const { otp_id, message, before } = await taken('sms', { expires_in: 60 });
  await service.clock.advance(60_000);
  await service.drain();
  for (let times = 0; times < 2; times++) await service.twilio.report(message, 'undelivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
});

test('an undelivered message later reported as delivered gets a delivery time and stays refunded', async () => {
  const { otp_id, message, before } = await taken();
  await service.twilio.report(message, 'undelivered');
  await service.twilio.report(message, 'delivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', delivered_at: expect.any(String) });
  expect(await alice.balance()).toBe(before);
});

test('a delivered report that arrives before the send is recorded is not overwritten by it', async () => {
  const recipient = `+1415555${8000 + ++count}`;
  const otp_id = await alice.sent(recipient);
  const responds = Promise.withResolvers<void>();
  service.twilio.everyone = 'slow';
  service.twilio.slowUntil = responds.promise;
  const drained = service.drain();
  const message = await service.twilio.waitForMessageTo(recipient);
  await service.twilio.report(message, 'delivered');
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
  responds.resolve();
  await drained;
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
  const row = await service.app.db.one(
    'select carrier, provider_message_id from verifications where id = $1',
    [otp_id],
  );
  expect(row).toEqual({ carrier: 'twilio', provider_message_id: message.sid });
});

test('reports from a carrier that refused the message are ignored', async () => {
  const recipient = `+1415555${8000 + ++count}`;
  service.twilio.everyone = 'error';
  const otp_id = await alice.sent(recipient);
  await service.drain();
  await service.http.waitForMessageTo(recipient);
  service.twilio.everyone = undefined;
  const url = `http://sixdigit.test/api/v1/carriers/twilio/status/?otp=${otp_id}&account=${alice.account_id}`;
  const { message } = await taken();
  expect(await service.twilio.report(message, 'failed', { url })).toBe(204);
  expect((await alice.state(otp_id)).status).toBe('sent');
});

test('a report with a forged or missing signature returns 404 and changes nothing', async () => {
  const { otp_id, message, before } = await taken();
  expect(await service.twilio.report(message, 'undelivered', { forged: true })).toBe(404);
  const { url, body } = service.twilio.callback(message, 'undelivered');
  const path = url.slice('http://sixdigit.test'.length);
  for (const headers of [{}, { 'x-twilio-signature': '' }, { 'x-twilio-signature': 'AAAA' }]) {
    const answer = await service.inject({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: body,
    });
    expect(answer.statusCode).toBe(404);
  }
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(await alice.balance()).toBe(before - 1);
});

test('a report signed for another verification returns 404', async () => {
  const one = await taken();
  const two = await taken();
  const { headers, body } = service.twilio.callback(one.message, 'undelivered');
  const path = (two.message.statusCallback ?? '').slice('http://sixdigit.test'.length);
  const answer = await service.inject({ method: 'POST', url: path, headers, payload: body });
  expect(answer.statusCode).toBe(404);
  expect((await alice.state(two.otp_id)).status).toBe('sent');
});

test.each([
  'otp=&account=',
  'otp=x&account=y',
  'otp=01941f29-7c00-7aaa-8bbb-0123456789ab&account=01941f29-7c00-7aaa-8bbb-0123456789ab',
  'otp=a&otp=b',
  '',
])('a signed report for an unknown verification returns 404: %s', async (query) => {
  const { message } = await taken();
  const url = `http://sixdigit.test/api/v1/carriers/twilio/status/?${query}`;
  for (const status of ['delivered', 'undelivered', 'sent'])
    expect(await service.twilio.report(message, status, { url })).toBe(404);
});

test('unconfigured carriers have no callback URL', async () => {
  await using bare = await serviceWithCarriers([]);
  for (const path of ['twilio/status', 'twilio/inbound', 'http/status', 'http/inbound']) {
    const answer = await bare.inject({
      method: 'POST',
      url: `/api/v1/carriers/${path}/`,
      payload: {},
    });
    expect(answer.statusCode).toBe(404);
  }
});

async function takenSms() {
  const recipient = `+1415555${7000 + ++count}`;
  const otp_id = await alice.sent(recipient, { channel: 'sms' });
  await service.drain();
  const message = await service.twilio.waitForMessageTo(recipient);
  return { otp_id, message, after: await alice.balance() };
}
const failure = (otp_id: string, carrier: string) => ({
  carrier,
  account_id: alice.account_id,
  otp_id,
  state: 'undelivered' as const,
  provider_message_id: null,
  reason: null,
});

test('only a failure report from the carrier that has the message refunds it', async () => {
  const { otp_id, after } = await takenSms();
  await report(service.app, failure(otp_id, 'http'));
  expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', cost_credits: 1 });
  expect(await alice.balance()).toBe(after);
  await report(service.app, failure(otp_id, 'twilio'));
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(after + 1);
});

test('only the carrier that has the message reports its delivery', async () => {
  const { otp_id } = await takenSms();
  const delivered = { ...failure(otp_id, 'http'), state: 'delivered' as const };
  expect(await report(service.app, delivered)).toBe(true);
  expect((await alice.state(otp_id)).delivered_at).toBeNull();
  await report(service.app, { ...delivered, carrier: 'twilio' });
  expect((await alice.state(otp_id)).delivered_at).not.toBeNull();
});

test('a verification canceled after it was sent is not refunded by a late failure report', async () => {
  const { otp_id, message, after } = await takenSms();
  expect((await alice.cancel(otp_id)).status).toBe(200);
  expect(await alice.balance()).toBe(after);
  expect(await service.twilio.report(message, 'undelivered')).toBe(204);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 1 });
  expect(await alice.balance()).toBe(after);
});

test('an expired verification is refunded once by a late failure report', async () => {
  const { otp_id, message, after } = await takenSms();
  await service.clock.advance(600_000);
  await service.drain();
  for (let n = 0; n < 2; n++) expect(await service.twilio.report(message, 'undelivered')).toBe(204);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 0 });
  expect(await alice.balance()).toBe(after + 1);
});

test('a report that names another account changes nothing', async () => {
  const { otp_id, after } = await takenSms();
  const bob = await sender(service, 'Bob');
  expect(await report(service.app, { ...failure(otp_id, 'twilio'), account_id: bob.account_id })).toBe(false);
  expect((await alice.state(otp_id)).status).toBe('sent');
  expect(await alice.balance()).toBe(after);
});
