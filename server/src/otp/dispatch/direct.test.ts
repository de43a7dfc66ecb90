import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createTemplate } from '@sixdigit/contract/templates.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { testWorker } from '../../../test/worker.ts';
import { deliveryQueue } from './queue.ts';

let service: ServiceWithCarriers;
let alice: Sender;
let ending: AbortController;

beforeEach(async () => {
  service = await serviceWithCarriers(['http']);
  alice = await sender(service, 'Alice');
  ending = new AbortController();
});
afterEach(() => service[Symbol.asyncDispose]());

/** The deliveries of a worker in the process of the API. */
async function workHere() {
  const worker = testWorker(service.app.random.uuid(), ending.signal);
  const job = service.app.deliveries;
  job.open?.(worker);
  await job.run(worker);
  return { job, worker };
}
const arrived = (id: string) => service.http.messages.filter((message) => message.id === id);
const row = (id: string) =>
  service.app.db.maybe<{ worker_id: string | null; carrier: string | null; uncertain: number }>(
    'select worker_id, carrier, uncertain from deliveries where id = $1',
    [id],
  );

test('a send is dispatched without a claim if the worker of the same process has a free slot', async () => {
  const queued = await alice.sent('queued@example.com');
  expect(await row(queued)).toMatchObject({ worker_id: null, carrier: null });
  const { job } = await workHere();
  await job.idle?.();
  const direct = await alice.sent('direct@example.com');
  await expect.poll(() => arrived(direct)).toHaveLength(1);
  await job.idle?.();
  expect([await row(direct), (await alice.state(direct)).status]).toEqual([undefined, 'sent']);
  ending.abort();
  const late = await alice.sent('late@example.com');
  expect(await row(late)).toMatchObject({ worker_id: null });
});

test('the response to a send is returned before its message is dispatched', async () => {
  const order: string[] = [];
  const { app } = service;
  app.deliveries.reserve = (_channel, places) => ({
    worker_id: app.random.uuid(),
    claim: app.random.uuid(),
    carrier: 'http',
    places,
    start: () => void order.push('dispatch'),
    cancel: () => undefined,
  });
  await alice.sent('prompt@example.com');
  order.push('response');
  await expect.poll(() => order).toEqual(['response', 'dispatch']);
});

test('a message dispatched directly is the same as one from the queue', async () => {
  const bearer = await signedIn(service, alice);
  const body = {
    sender_name: 'Alice & Co',
    reply_to_email: 'help@alice.example',
    default_subject: 'Your key',
    default_message: 'Open with {code}, please',
  };
  expect((await service.call(updateBranding, { bearer, body })).status).toBe(200);
  const dlt = { entity_id: '1701158019630577568', template_id: '1107158091234567890' };
  const texts = [{ channel: 'sms' as const, locale: 'en', text: 'Order: {code}', subject: null }];
  const made = await service.call(createTemplate, { bearer, body: { name: 'order', texts, dlt } });
  expect(made.status).toBe(201);
  const sends = [
    ['same@example.com', {}, { sender_name: 'Alice & Co', reply_to: 'help@alice.example', dlt: null }],
    ['own@example.com', { message: 'Own {code}', subject: 'Own' }, { subject: 'Own' }],
    ['+14155550188', { template: 'order' }, { channel: 'sms', dlt }],
    ['+14155550189', { channel: 'voice', locale: 'de' }, { channel: 'voice', language: 'de' }],
  ] as const;
  const queued: string[] = [];
  for (const [recipient, more] of sends) queued.push(await alice.sent(recipient, more));
  const { job } = await workHere();
  await job.idle?.();
  const content = (otp_id = '') => {
    const own = ['id', 'message_id', 'status_url', 'expires_at', 'headers', 'arrived_at'];
    return Object.fromEntries(
      Object.entries(arrived(otp_id)[0] ?? {}).filter(([name]) => !own.includes(name)),
    );
  };
  for (const [n, [recipient, more, expected]] of sends.entries()) {
    const direct = await alice.sent(recipient, more);
    await expect.poll(() => arrived(direct)).toHaveLength(1);
    expect(content(direct)).toEqual(content(queued[n]));
    expect(content(direct)).toMatchObject(expected);
  }
  await job.idle?.();
});

test('a message whose process died during its dispatch waits for a report, is repeated once, and costs one credit', async () => {
  const before = await alice.balance();
  const { job, worker } = await workHere();
  const responds = Promise.withResolvers<void>();
  service.http.everyone = 'slow';
  service.http.slowUntil = responds.promise;
  const id = await alice.sent('dead@example.com');
  await expect.poll(() => arrived(id)).toHaveLength(1);
  expect(await row(id)).toMatchObject({ worker_id: worker.id, carrier: 'http' });
  const other = deliveryQueue(service.app);
  await other.free?.([worker.id]);
  expect(await row(id)).toMatchObject({ worker_id: null, carrier: 'http', uncertain: 1 });
  responds.resolve();
  await job.idle?.();
  expect((await alice.state(id)).status).toBe('pending');
  service.http.everyone = undefined;
  await service.clock.advance(10_000);
  await other.run(testWorker(service.app.random.uuid()));
  await other.idle?.();
  expect([arrived(id).length, (await alice.state(id)).status]).toEqual([2, 'sent']);
  expect(await alice.balance()).toBe(before - 1);
});

test('a send that could not be committed is not dispatched and frees its slot', async () => {
  const { job } = await workHere();
  const { db } = service.app;
  await db.run('alter table deliveries add constraint refused check (false) not valid');
  expect((await alice.send('refused@example.com')).status).toBe(500);
  await db.run('alter table deliveries drop constraint refused');
  const id = await alice.sent('accepted@example.com');
  await expect.poll(() => arrived(id)).toHaveLength(1);
  await job.idle?.();
  expect(service.http.messages).toHaveLength(1);
});

test('a test send is never dispatched directly, so no carrier gets it', async () => {
  const bearer = await signedIn(service, alice);
  const { key } = (await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } })).body;
  const { job } = await workHere();
  await job.idle?.();
  const body = { channel: 'email' as const, recipient: 'test@example.com' };
  const { otp_id } = (await service.call(sendOtp, { apiKey: key, body })).body;
  expect(await row(otp_id)).toMatchObject({ worker_id: null, carrier: null });
  await service.drain();
  await job.idle?.();
  expect(await row(otp_id)).toBeUndefined();
  expect(service.http.messages).toEqual([]);
});

test('direct dispatch uses half of the slots, and further messages go through the queue', async () => {
  await workHere();
  service.http.everyone = 'hang';
  const ids = await Promise.all(Array.from({ length: 70 }, (_, n) => alice.sent(`many-${n}@example.com`)));
  const rows = await Promise.all(ids.map(row));
  expect(rows.filter((one) => one?.worker_id)).toHaveLength(64);
});
