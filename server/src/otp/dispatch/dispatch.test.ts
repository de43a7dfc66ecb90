import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { testWorker } from '../../../test/worker.ts';
import { otpJobs } from '../jobs.ts';
import { claimDeliveries, freeClaimsOf, nameCarrier } from './queries.ts';

/** After a crash, the database shows which carrier may have a message. No two workers hold one message. */
test('a second worker skips a message that is being claimed, without waiting for it', async () => {
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

test('a released message waits for a report, and its former worker names no other carrier', async () => {
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
});

test('the next carrier is stored before the request, so that after a crash no other carrier gets the message', async () => {
  await using service = await serviceWithCarriers(['twilio', 'http']);
  const alice = await sender(service, 'Alice');
  const recipient = '+14155552010';
  service.twilio.everyone = 'refuse';
  service.http.everyone = 'hang';
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
  await service.clock.advance(10_000);
  await service.drain();
  expect(service.twilio.messagesTo(recipient)).toEqual([]);
  expect(service.http.messagesTo(recipient)).toHaveLength(2);
  await service.http.close();
  await job?.idle?.();
});

test('a code that expires while a carrier does not respond goes to no other carrier', async () => {
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
  await service.app.db.run(
    `update deliveries set expires_at = clock_now() + interval '1 second' where id = $1`,
    [otp_id],
  );
  await service.drain();
  expect(sockets.length).toBeGreaterThan(0);
  expect(service.http.requests).toBe(0);
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(before);
  for (const socket of sockets) socket.destroy();
  mute.close();
});
