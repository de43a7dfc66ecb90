import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { testWorker } from '../../../test/worker.ts';
import { otpJobs } from '../jobs.ts';
import { retrySeconds } from './policy.ts';
import { claimDeliveries, finishDeliveries, freeClaimsOf, nameCarrier } from './queries.ts';

/** After a crash, the database shows which carrier may have a message. No two workers hold one message. */
test('a second worker skips a message that another worker is claiming, without waiting', async () => {
  await using service = await testService();
  const alice = await sender(service, 'Alice');
  await Promise.all(Array.from({ length: 5 }, (_, n) => alice.sent(`+1415555200${n}`)));
  const { db, random } = service.app;
  const wanted = [{ channel: 'sms' as const, most: 5, carriers: ['sandbox'] }];
  const claim = (sql: Parameters<typeof claimDeliveries>[0]) =>
    claimDeliveries(sql, { worker_id: random.uuid(), claim: random.uuid(), wanted });
  const first = await db.transaction(async (tx) => {
    const claimed = await claim(tx);
    const others = await db.transaction(async (other) => {
      await other.run("set local lock_timeout = '5s'");
      return claim(other);
    });
    expect(others).toEqual([]);
    return claimed;
  });
  expect(new Set(first.map(({ id }) => id)).size).toBe(5);
  expect(await claim(db)).toEqual([]);
});

test('a released message waits for a report, and its former worker cannot choose another carrier', async () => {
  await using service = await testService();
  const alice = await sender(service, 'Alice');
  await alice.sent('+14155552009');
  const { db, random } = service.app;
  const worker_id = random.uuid();
  const wanted = [{ channel: 'sms' as const, most: 1, carriers: ['sandbox'] }];
  const [claimed] = await claimDeliveries(db, { worker_id, claim: random.uuid(), wanted });
  if (!claimed) throw new Error('Nothing was claimed');
  expect(await nameCarrier(db, claimed, 'http')).toBe(true);
  await freeClaimsOf(db, [worker_id]);
  expect(await nameCarrier(db, claimed, 'twilio')).toBe(false);
  const row = await db.one(
    `select carrier, worker_id, uncertain, run_at > clock_now() + interval '5 seconds' as waits
     from deliveries where id = $1`,
    [claimed.id],
  );
  expect(row).toEqual({ carrier: 'http', worker_id: null, uncertain: 1, waits: true });
  await service.clock.advance(60_000);
  const [again] = await claimDeliveries(db, { worker_id, claim: random.uuid(), wanted });
  expect([claimed.tries, again?.tries]).toEqual([1, 2]);
});

test('the next carrier is stored before the request, so a crash does not send the message through another one', async () => {
  await using service = await serviceWithCarriers(['twilio', 'http']);
  const alice = await sender(service, 'Alice');
  const recipient = '+14155552010';
  const silence = Promise.withResolvers<void>();
  service.twilio.everyone = 'refuse';
  service.http.everyone = 'late_reset';
  service.http.slowUntil = silence.promise;
  const otp_id = await alice.sent(recipient);
  const [job] = otpJobs(service.app);
  const worker = testWorker(service.app.random.uuid());
  await job?.run(worker);
  await service.http.waitForMessageTo(recipient);
  const row = await service.app.db.one(
    'select carrier, refused_by from deliveries where id = $1 and worker_id = $2',
    [otp_id, worker.id],
  );
  expect(row).toEqual({ carrier: 'http', refused_by: ['twilio'] });
  // The worker dies here, and another one releases its claim. Both carriers work again.
  await job?.free?.([worker.id]);
  service.twilio.everyone = service.http.everyone = undefined;
  silence.resolve();
  await service.clock.advance(10_000);
  await service.drain();
  expect(service.twilio.messagesTo(recipient)).toEqual([]);
  expect(service.http.messagesTo(recipient)).toHaveLength(2);
  await job?.idle?.();
});

test('a code that expires during a carrier request goes to no other carrier', async () => {
  const sockets: Socket[] = [];
  // Accepts connections but never completes TLS, so that nothing of the message is written.
  const mute = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  await using service = await serviceWithCarriers(['twilio', 'http'], {
    TWILIO_API_URL: `https://127.0.0.1:${port}`,
  });
  const alice = await sender(service, 'Alice');
  const before = await alice.balance();
  const otp_id = await alice.sent('+14155552011');
  // The claim follows at once.
  await service.app.db.run(
    `update deliveries set expires_at = clock_now() + interval '2 seconds' where id = $1`,
    [otp_id],
  );
  await service.deliver();
  expect(sockets.length).toBeGreaterThan(0);
  expect(service.http.requests).toBe(0);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
  for (const socket of sockets) socket.destroy();
  mute.close();
});

/** The middle of the random range: no jitter. */
const middle = { random: { bytes: () => Buffer.from([0x80, 0, 0, 0]) } } as never;
const drawn = (first: number) => ({ random: { bytes: () => Buffer.from([first, 0, 0, 0]) } }) as never;

/** The starts of the rounds over the carriers, in seconds since the send, if none succeeds. */
function rounds(lifeSeconds: number, app = middle): number[] {
  const begun = [0];
  for (;;) {
    const at = begun.at(-1) ?? 0;
    const pause = retrySeconds(app, {
      rounds: begun.length,
      lifeSeconds,
      remainingSeconds: lifeSeconds - at,
    });
    if (pause === undefined) return begun;
    begun.push(at + pause);
  }
}

test('a message that no carrier accepts is retried after 1, 2, 4, 8 and 16 seconds, then every 30 seconds', () => {
  expect(rounds(300)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181, 211, 241, 270]);
});

test.each([
  [60, 54],
  [100, 90],
  [300, 270],
  [3600, 3570],
])('a message that expires after %d seconds is retried for the last time after %d seconds', (life, last) => {
  expect(rounds(life).at(-1)).toBe(last);
});

test('each round over the carriers of one message doubles its pause', async () => {
  await using service = await serviceWithCarriers(['http']);
  service.http.everyone = 'error';
  const { db, clock } = service.app;
  const alice = await sender(service, 'Alice');
  await alice.sent('+14155552012');
  for (const pause of [1, 2, 4]) {
    await stopDatabaseClock(service.databaseUrl, clock.now());
    await service.deliver();
    const { seconds } = await db.one<{ seconds: number }>(
      'select extract(epoch from run_at - clock_now())::double precision as seconds from deliveries',
    );
    // The jitter is 20 %.
    expect(Math.abs(seconds / pause - 1)).toBeLessThanOrEqual(0.2);
    await service.clock.advance(seconds * 1000 + 1);
  }
});

test('messages that failed together are retried with a jitter of 20 %', () => {
  const pause = (first: number) =>
    retrySeconds(drawn(first), { rounds: 4, lifeSeconds: 300, remainingSeconds: 290 });
  expect(pause(0)).toBeCloseTo(6.4, 5);
  expect(pause(255)).toBeCloseTo(9.6, 1);
});

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));

const finish = async (id: string, claim: string): Promise<number> => {
  const change = {
    account_id: alice.account_id,
    id,
    allowed: ['pending'],
    to: 'failed',
    failure: 'Refused',
    note: 'Refused',
    refund: true,
  };
  const { n } = await service.app.db.one<{ n: number }>('select finish_deliveries($1, $2) as n', [
    JSON.stringify([{ id, claim }]),
    JSON.stringify([change]),
  ]);
  return n;
};

test('a worker that lost its claim neither ends the delivery nor changes or refunds the verification', async () => {
  const { db, random } = service.app;
  const otp_id = await alice.sent('reader@example.com');
  const balance = await alice.balance();
  const [lost, present] = [random.uuid(), random.uuid()];
  await db.run('update deliveries set worker_id = $2, claim = $3 where id = $1', [
    otp_id,
    random.uuid(),
    present,
  ]);
  expect(await finish(otp_id, lost)).toBe(0);
  expect(await db.one('select claim from deliveries where id = $1', [otp_id])).toEqual({ claim: present });
  expect(await alice.state(otp_id)).toMatchObject({ status: 'pending', cost_credits: 1 });
  expect(await alice.balance()).toBe(balance);

  expect(await finish(otp_id, present)).toBe(1);
  expect(await db.maybe('select 1 from deliveries where id = $1', [otp_id])).toBeUndefined();
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(balance + 1);
});

test('only the worker that holds a canceled message returns its credit after the carrier refused it', async () => {
  const { db, random } = service.app;
  const before = await alice.balance();
  const otp_id = await alice.sent('canceled@example.com');
  const [lost, present] = [random.uuid(), random.uuid()];
  await db.run('update deliveries set worker_id = $2, claim = $3 where id = $1', [
    otp_id,
    random.uuid(),
    present,
  ]);
  expect((await alice.cancel(otp_id)).status).toBe(200);
  expect(await alice.balance()).toBe(before - 1);
  expect(await finish(otp_id, lost)).toBe(0);
  expect(await alice.balance()).toBe(before - 1);
  expect(await finish(otp_id, present)).toBe(1);
  expect(await alice.balance()).toBe(before);
  expect(await finish(otp_id, present)).toBe(0);
  expect(await alice.balance()).toBe(before);
});

test('a batch of acceptances changes each message independently, except those whose claim was lost', async () => {
  const { db, random } = service.app;
  const [ours, taken] = [random.uuid(), random.uuid()];
  const ids = await Promise.all(['a', 'b', 'c'].map((name) => alice.sent(`${name}@example.com`)));
  await db.run('update deliveries set worker_id = $2, claim = $3 where id = any ($1)', [
    ids,
    random.uuid(),
    ours,
  ]);
  await db.run('update deliveries set claim = $2 where id = $1', [ids[1], taken]);

  await finishDeliveries(
    db,
    ids.map((id) => ({ id, claim: ours })),
    ids.map((id, n) => ({
      account_id: alice.account_id,
      id,
      allowed: ['pending'],
      to: 'sent',
      sent: true,
      event: 'sent',
      carrier: 'smtp',
      provider_message_id: n === 2 ? null : `message ${n}`,
      usual: true,
    })),
  );
  expect(
    await db.rows(
      `select status, carrier, provider_message_id, sent_at is not null as is_sent from verifications
       where id = any ($1) order by array_position($1, id)`,
      [ids],
    ),
  ).toEqual([
    { status: 'sent', carrier: 'smtp', provider_message_id: 'message 0', is_sent: true },
    { status: 'pending', carrier: null, provider_message_id: null, is_sent: false },
    { status: 'sent', carrier: 'smtp', provider_message_id: null, is_sent: true },
  ]);
  expect(await db.rows('select id from deliveries where id = any ($1)', [ids])).toEqual([{ id: ids[1] }]);
});
