import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { rolledBack } from '../../../test/rolled-back.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

/** Page reads of the queue statements while 20,000 messages wait for a carrier. */

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));
beforeAll(async () => {
  const { db } = service.app;
  await db.run(
    `insert into deliveries (id, account_id, channel, sealed, run_at, expires_at, worker_id)
     select gen_random_uuid(), $1, 'sms', 'sealed', clock_now() - interval '1 second', clock_now() + interval '5 minutes', $2
     from generate_series(1, 20000)`,
    [alice.account_id, service.worker.id],
  );
  // Statistics from before the outage, when every message was in flight.
  await db.run('analyze deliveries');
  await db.run('update deliveries set worker_id = null');
});

/** The pages that a statement reads, in a transaction that is rolled back. */
async function pagesRead(statement: string, params: readonly unknown[]): Promise<number> {
  const measure = (): Promise<number> =>
    rolledBack(service.app.db, async (tx) => {
      const { 'QUERY PLAN': plans } = await tx.one<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
        `explain (analyze, buffers, format json) ${statement}`,
        params,
      );
      const plan = plans[0]?.Plan ?? {};
      return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    });
  // The first run of a session also reads the catalog.
  await measure();
  return await measure();
}

const claim = (channel: string, most: number) =>
  pagesRead('select * from claim_deliveries($1, $2, $3::jsonb)', [
    service.worker.id,
    service.app.random.uuid(),
    JSON.stringify([{ channel, most, carriers: ['twilio'] }]),
  ]);

test('a claim for one channel reads no waiting message of another channel', async () => {
  expect(await claim('email', 128)).toBeLessThan(50);
});

test('a claim reads only the waiting messages that it takes', async () => {
  expect(await claim('sms', 1)).toBeLessThan(100);
  expect(await claim('sms', 10)).toBeLessThan(500);
});

test('dequeuing a message and ending a claim read no other message', async () => {
  const otp_id = await alice.sent('+14155552671');
  const { account_id } = alice;
  const change = { account_id, id: otp_id, allowed: ['pending'], to: 'expired', note: 'test' };
  const changes = JSON.stringify([{ ...change, dequeue: true, refund: true }]);
  expect(await pagesRead('select * from apply_changes($1)', [changes])).toBeLessThan(400);

  const token = service.app.random.uuid();
  await service.app.db.run('update deliveries set worker_id = $1, claim = $2 where id = $3', [
    service.worker.id,
    token,
    otp_id,
  ]);
  const claims = JSON.stringify([{ id: otp_id, claim: token }]);
  const sent = JSON.stringify([{ ...change, to: 'sent', sent: true, event: 'sent' }]);
  expect(await pagesRead('select finish_deliveries($1, $2)', [claims, sent])).toBeLessThan(400);
});
