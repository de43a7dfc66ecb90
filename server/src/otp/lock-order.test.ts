import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../test/held-lock.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 100 }));

const refundOf = (id: string) =>
  JSON.stringify([{ account_id: alice.account_id, id, allowed: ['pending'], to: 'failed', refund: true }]);

/** Whether nothing holds the lock on a verification, and nothing its row in the dispatch queue. */
async function isUntouched(otp_id: string): Promise<{ verification: boolean; delivery: boolean }> {
  const { verification } = await service.app.db.one<{ verification: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 7)) as verification',
    [otp_id],
  );
  const free = await service.app.db.rows('select 1 from deliveries where id = $1 for update skip locked', [
    otp_id,
  ]);
  return { verification, delivery: free.length === 1 };
}

const creditsOf = async () =>
  (
    await service.app.db.one<{ credits: number }>('select credits from balances where account_id = $1', [
      alice.account_id,
    ])
  ).credits;

test.each([
  ['apply_changes', (otp_id: string) => ['select from apply_changes($1)', [refundOf(otp_id)]] as const],
  [
    'finish_deliveries',
    (otp_id: string) =>
      [
        `select finish_deliveries((select json_agg(d) from deliveries d where d.id = $2), $1)`,
        [refundOf(otp_id), otp_id],
      ] as const,
  ],
])('%s locks the balance of a refund before it touches a verification or its delivery', async (_, call) => {
  const otp_id = await alice.sent(`${service.app.random.uuid()}@example.com`);
  await service.app.db.run(
    `update deliveries set worker_id = $2, claim = $2, claimed_at = now() where id = $1`,
    [otp_id, service.app.random.uuid()],
  );
  const before = await creditsOf();
  await using balance = await holdLock(service, 'select from balances where account_id = $1 for update', [
    alice.account_id,
  ]);
  const [text, params] = call(otp_id);
  const change = service.app.db.run(text, params);
  await untilBlocked(service, '');
  expect(await isUntouched(otp_id)).toEqual({ verification: true, delivery: true });
  await balance.commit();
  await change;
  expect(await creditsOf()).toBe(before + 1);
});
