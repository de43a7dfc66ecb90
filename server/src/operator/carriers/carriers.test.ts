import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { getOperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import {
  getOperatorCarriers,
  removeCountryRoute,
  testCarrier,
  updateCarrier,
} from '@sixdigit/contract/operator/carriers.ts';
import { examineDeployment, getOverview } from '@sixdigit/contract/operator/overview.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { sender, wrongCode } from '../../../test/sender.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { testWorker } from '../../../test/worker.ts';
import { startWork } from '../../platform/queue/work.ts';

let count = 0;
const phone = () => `+1415555${2000 + ++count}`;
const REASON = { reason: 'Incident' };

const service = fixture(() => serviceWithCarriers(['twilio', 'http'], { SMS_CARRIERS: 'twilio,http' }));
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));

const change = (name: string, body: object) =>
  olivia.call(updateCarrier, { params: { name }, body: { channel: 'sms', ...REASON, ...body } });
const sms = async () => {
  const { body } = await olivia.call(getOperatorCarriers);
  return body.channels.find(({ channel }) => channel === 'sms')?.carriers ?? [];
};
/** Runs the jobs of the other process once, as its loops do. */
const workOnOther = async () => {
  for (const job of other.jobs) {
    while (await job.run(testWorker(other.app.random.uuid())));
    await job.idle?.();
  }
};
const takenBy = (recipients: readonly string[]) => ({
  twilio: recipients.filter((one) => service.twilio.messagesTo(one).length === 1).length,
  http: recipients.filter((one) => service.http.messagesTo(one).length === 1).length,
});
const send = async (many: number): Promise<string[]> => {
  const recipients = Array.from({ length: many }, phone);
  for (const recipient of recipients) await alice.sent(recipient);
  return recipients;
};

describe('pausing a carrier', () => {
  test('an operator finds and pauses a carrier that fails under load, and every message uses the other carrier', async () => {
    service.twilio.everyone = 'error';
    const sent = [...(await send(10))];
    await service.drain();
    const [twilio] = await sms();
    expect(twilio).toMatchObject({ name: 'twilio', accepted: 0, is_paused: false });
    expect(twilio?.refused).toBeGreaterThan(0);
    const { body } = await olivia.call(getOverview);
    expect(body.errors[0]).toMatchObject({ carrier: 'twilio', channel: 'sms', kind: 'refused' });

    const running = send(20);
    await change('twilio', { is_paused: true });
    sent.push(...(await running));
    const before = service.twilio.requests;
    await Promise.all([service.drain(), workOnOther()]);
    await service.drain();
    expect(service.twilio.requests).toBe(before);
    service.twilio.everyone = undefined;
    expect(takenBy(sent)).toEqual({ twilio: 0, http: sent.length });
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'carrier.update',
      before: [{ name: 'twilio', is_paused: false }, { name: 'http' }],
      after: [{ name: 'twilio', is_paused: true }, { name: 'http' }],
    });
    await change('twilio', { is_paused: false });
  });

  test('another process skips a paused carrier within a second', async () => {
    await change('twilio', { is_paused: true });
    const [recipient = ''] = await send(1);
    await workOnOther();
    expect(takenBy([recipient])).toEqual({ twilio: 0, http: 1 });
    await change('twilio', { is_paused: false });
  });

  test('while every carrier is paused, messages stay in the queue, and none is lost', async () => {
    await change('twilio', { is_paused: true });
    await change('http', { is_paused: true });
    const sent = await send(5);
    await service.drain();
    expect(takenBy(sent)).toEqual({ twilio: 0, http: 0 });
    const { body } = await olivia.call(getOperatorCarriers);
    expect(body.channels.find(({ channel }) => channel === 'sms')?.waiting).toBe(5);
    await change('http', { is_paused: false });
    await service.drain();
    expect(takenBy(sent)).toEqual({ twilio: 0, http: 5 });
    await change('twilio', { is_paused: false });
  });

  test('a resumed carrier gets a message that the other carrier permanently refused', async () => {
    await change('http', { is_paused: true });
    // A successful probe closes the breaker that the failures above opened.
    await service.clock.advance(60_000);
    const probe = await send(1);
    await service.drain();
    expect(takenBy(probe)).toEqual({ twilio: 1, http: 0 });

    const recipient = phone();
    const otp_id = await alice.sent(recipient);
    service.twilio.everyone = 'refuse';
    await service.drain();
    service.twilio.everyone = undefined;
    expect((await alice.state(otp_id)).status).toBe('pending');
    await change('http', { is_paused: false });
    await service.clock.advance(40_000);
    await service.drain();
    expect(takenBy([recipient])).toEqual({ twilio: 0, http: 1 });
  });
});

describe('the order of carriers', () => {
  test('a message goes to the first carrier in the configured order', async () => {
    await service.clock.advance(60_000);
    await change('http', { position: 1 });
    expect((await sms()).map(({ name }) => name)).toEqual(['http', 'twilio']);
    const sent = await send(3);
    await service.drain();
    expect(takenBy(sent)).toEqual({ twilio: 0, http: 3 });
    await change('twilio', { position: 1 });
    expect((await sms()).map(({ name, position }) => [name, position])).toEqual([
      ['twilio', 1],
      ['http', 2],
    ]);
  });

  test('carriers share messages by weight, and a carrier of weight 0 gets only those that the others fail to send', async () => {
    await change('twilio', { weight: 0 });
    await change('http', { weight: 10 });
    const all = await send(4);
    await service.drain();
    expect(takenBy(all)).toEqual({ twilio: 0, http: 4 });
    await change('twilio', { weight: null });
    await change('http', { weight: null });
    expect((await sms()).map(({ weight }) => weight)).toEqual([null, null]);
  });

  test('concurrent changes of the carrier order by two operators are both kept', async () => {
    await Promise.all([change('twilio', { weight: 3 }), change('http', { weight: 7 })]);
    expect((await sms()).map(({ weight }) => weight)).toEqual([3, 7]);
    await change('twilio', { weight: null });
    await change('http', { weight: null });
  });
});

test('changing an unknown carrier or without a reason is refused', async () => {
  expect((await change('smtp', { is_paused: true })).status).toBe(404);
  expect((await change('twilio', { is_paused: true, reason: '' })).body).toMatchObject({
    reason: ['Please enter a reason'],
  });
  expect((await change('twilio', { weight: -1, position: 0, channel: 'fax' })).status).toBe(400);
});

test('a test message goes through one carrier without a code and reports the carrier’s response', async () => {
  await change('http', { is_paused: true });
  const recipient = phone();
  const test = (to: string) =>
    olivia.call(testCarrier, { params: { name: 'http' }, body: { channel: 'sms', recipient: to } });
  expect((await test(recipient)).body).toMatchObject({ outcome: 'accepted', reason: null });
  expect(service.http.messagesTo(recipient)).toMatchObject([
    { text: 'This is a test message from Sixdigit.', code: '' },
  ]);
  expect((await auditOf(service)).at(-1)).toMatchObject({
    action: 'carrier.test',
    after: { recipient: expect.stringMatching(/^\+\d{4}••••\d\d$/) },
  });
  expect((await test('+12025550111')).body).toMatchObject({ outcome: 'refused' });
  expect((await test('no number')).body).toMatchObject({ recipient: ['Please enter a valid phone number'] });
  await change('http', { is_paused: false });
});

test('the overview shows sends, verifies, workers, queues and the database', async () => {
  await service.app.activity.flush();
  const before = (await olivia.call(getOverview)).body.last_hour;
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  await alice.send('nobody');
  const [message] = [...service.twilio.messagesTo(recipient), ...service.http.messagesTo(recipient)];
  const { code = '' } = message ?? {};
  for (const entered of [wrongCode(code), wrongCode(code), code]) await alice.verify(otp_id, entered);
  const again = await service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body: {} });
  expect(again).toMatchObject({ status: 400 });
  for (const name of ['twilio', 'http'] as const)
    for (const message of service[name].messagesTo(recipient))
      for (let n = 0; n < 2; n++) await service[name].report(message as never, 'delivered');
  await service.app.activity.flush();
  const { status, body } = await olivia.call(getOverview);
  expect(status).toBe(200);
  expect(body.minutes).toHaveLength(60);
  const counted = { sends: 1, refused_sends: 2, verified: 1, wrong_codes: 2, delivered: 1, undelivered: 0 };
  expect(body.last_hour).toMatchObject(
    Object.fromEntries(Object.entries(counted).map(([name, n]) => [name, before[name as 'sends'] + n])),
  );
  expect(body.database.bytes).toBeGreaterThan(1_000_000);
  expect(body.database.disk_free_bytes ?? 1).toBeGreaterThan(0);
  expect(body.versions.postgresql).toMatch(/^\d+/);
  expect(body.failed_jobs).toEqual([]);
  expect(body.accounts).toMatchObject({ all: 2, suspended: 0, new_24_hours: 2 });
  expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(body.public_url).toBe(service.app.config.publicUrl ?? null);
  expect((await olivia.call(examineDeployment)).body).toEqual({ findings: [] });
});

test('the overview and the list of accounts exclude requests of test keys', async () => {
  const { body: key } = await service.call(createApiKey, {
    bearer: await signedIn(service, alice),
    body: { name: 'Test', mode: 'test' as const },
  });
  const figures = async () => {
    await service.app.activity.flush();
    const { last_hour } = (await olivia.call(getOverview)).body;
    const { sends_30_days } = (await olivia.call(getOperatorAccount, { params: { id: alice.account_id } }))
      .body;
    return { ...last_hour, sends_30_days };
  };
  const before = await figures();
  const sent = await service.call(sendOtp, {
    apiKey: key.key,
    body: { channel: 'sms', recipient: '+15005550001' },
  });
  expect(sent.status).toBe(201);
  await service.drain();
  expect(await figures()).toEqual(before);
});

test('carrier errors do not show recipients', async () => {
  const { activity } = service.app;
  activity.carrierAnswered({
    carrier: 'twilio',
    channel: 'sms',
    outcome: {
      kind: 'refused',
      reason: 'twilio_21211',
      detail: 'The number +14155559876, 14155559876 or bob@example.com is not valid',
    },
    ms: 1,
  });
  await activity.flush();
  const [error] = (await olivia.call(getOverview)).body.errors;
  expect(error?.detail).toBe('The number +1415••••76, ••••76 or b••@example.com is not valid');
});

test('a failing job is on the overview until it has run for a day without a failure', async () => {
  const failing = {
    name: 'example',
    everyMs: 60_000,
    run: () => Promise.reject(new Error('No bob@example.com')),
  };
  const working = await startWork(service.app, [failing], 'worker');
  const failed = async () => (await olivia.call(getOverview)).body.failed_jobs;
  await expect
    .poll(failed)
    .toMatchObject([{ name: 'example', failures: 1, last_error: 'No b••@example.com' }]);
  await working.stop();
  await service.clock.advance(86_400_000 + 60_000);
  expect(await failed()).toEqual([]);
});

describe('the routes of a country', () => {
  const canadian = () => `+1613555${2000 + ++count}`;
  const routeOf = async () => {
    const { body } = await olivia.call(getOperatorCarriers);
    return body.channels.find(({ channel }) => channel === 'sms')?.countries;
  };

  test('a country’s routes set the first carrier for its messages, and for no other country’s', async () => {
    await change('http', { country: 'CA', position: 1 });
    expect(await routeOf()).toMatchObject([
      { country: 'CA', carriers: [{ name: 'http' }, { name: 'twilio' }] },
    ]);
    const [there, here] = [canadian(), phone()];
    for (const recipient of [there, here]) await alice.sent(recipient);
    await service.drain();
    expect([service.http.messagesTo(there).length, service.twilio.messagesTo(there).length]).toEqual([1, 0]);
    expect([service.http.messagesTo(here).length, service.twilio.messagesTo(here).length]).toEqual([0, 1]);
  });

  test('a carrier paused in one country passes its messages to the next one, and none is lost', async () => {
    await change('http', { country: 'CA', is_paused: true });
    const recipient = canadian();
    await alice.sent(recipient);
    await service.drain();
    expect([service.http.messagesTo(recipient).length, service.twilio.messagesTo(recipient).length]).toEqual([
      0, 1,
    ]);
  });

  test('while every carrier of a country is paused, its messages stay in the queue until one is resumed', async () => {
    await change('twilio', { country: 'CA', is_paused: true });
    const [there, here] = [canadian(), phone()];
    const otp_id = await alice.sent(there);
    await alice.sent(here);
    await service.drain();
    expect(service.twilio.messagesTo(here)).toHaveLength(1);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'pending' });
    await change('twilio', { country: 'CA', is_paused: false });
    await service.clock.advance(40_000);
    await service.drain();
    expect(service.twilio.messagesTo(there)).toHaveLength(1);
  });

  test('removing a country’s routes ends them and adds an entry to the audit log', async () => {
    const body = { channel: 'sms' as const, country: 'CA', ...REASON };
    expect((await olivia.call(removeCountryRoute, { body })).status).toBe(200);
    expect(await routeOf()).toEqual([]);
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'carrier.remove_route',
      before: [{ name: 'http' }, { name: 'twilio' }],
      after: null,
    });
    expect((await olivia.call(removeCountryRoute, { body })).status).toBe(404);
    expect((await change('http', { country: 'XX', position: 1 })).status).toBe(400);
  });
});
