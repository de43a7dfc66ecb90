import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../test/held-lock.ts';
import { rolledBack } from '../../test/rolled-back.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { applyChanges, type Change } from './change.ts';

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 100 }));

const refundOf = (id: string) =>
  JSON.stringify([{ account_id: alice.account_id, id, allowed: ['pending'], to: 'failed', refund: true }]);

/** Whether neither a verification nor its row in the dispatch queue is locked. */
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
])('%s locks the balance for a refund before it changes a verification or its delivery', async (_, call) => {
  const otp_id = await alice.sent(`${service.app.random.uuid()}@example.com`);
  await service.app.db.run(`update deliveries set worker_id = $2, claim = $2 where id = $1`, [
    otp_id,
    service.app.random.uuid(),
  ]);
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

async function copiesOf(otp_id: string, count: number): Promise<string[]> {
  const rows = await service.app.db.rows<{ id: string }>(
    `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, created_at, expires_at, is_test)
     select account_id, new_uuid(), api_key_id, channel, recipient, status, cost_credits, code_length, created_at, expires_at, is_test
     from verifications cross join generate_series(1, $3) where account_id = $1 and id = $2 returning id`,
    [alice.account_id, otp_id, count],
  );
  return rows.map(({ id }) => id);
}

async function msToChange(ids: readonly string[]): Promise<number> {
  const { account_id } = alice;
  const changes = ids.map(
    (id): Change => ({ account_id, id, allowed: ['pending'], to: 'sent', sent: true, usual: true }),
  );
  return rolledBack(service.app.db, async (tx) => {
    const began = performance.now();
    expect(await applyChanges(tx, changes)).toHaveLength(ids.length);
    return performance.now() - began;
  });
}

test('the time of a batch of changes grows linearly with its size', async () => {
  const otp_id = await alice.sent('+14155552671');
  const many = await copiesOf(otp_id, 4096);
  const few = many.slice(0, 512);
  // A plan that was made while the table was empty differs.
  await service.app.db.run('vacuum analyze verifications');
  // Alternates, so that other load slows both equally. The shortest time of each counts.
  const [short, long]: [number[], number[]] = [[], []];
  for (let turn = 1; turn <= 5; turn++) {
    short.push(await msToChange(few));
    long.push(await msToChange(many));
  }
  // 7 to 10; 64 if each row is compared with every change
  expect(Math.min(...long) / Math.min(...short)).toBeLessThan(24);
});

test('each right code in a batch keeps its client address', async () => {
  const ids = await copiesOf(await alice.sent('+14155552672'), 3);
  const { account_id } = alice;
  const addresses = ['192.0.2.1', null, '2001:db8::7'];
  await rolledBack(service.app.db, async (tx) => {
    const changed = await applyChanges(
      tx,
      ids.map((id, n) => ({
        account_id,
        id,
        allowed: ['pending'],
        to: 'verified',
        verified: true,
        wipe: true,
        ip: addresses[n] ?? null,
        usual: true,
      })),
    );
    expect(changed.map(({ status }) => status)).toEqual(['verified', 'verified', 'verified']);
    expect(
      await tx.rows(
        `select host(verified_ip) as address, status, code_hmac from verifications where id = any ($1)
         order by array_position($1, id)`,
        [ids],
      ),
    ).toEqual(addresses.map((address) => ({ address, status: 'verified', code_hmac: null })));
  });
});

test('a second delivery report changes nothing, even if it was decided before the first one', async () => {
  const id = await alice.sent('+14155552673');
  const report: Change = { account_id: alice.account_id, id, allowed: ['pending'], delivered: true };
  await rolledBack(service.app.db, async (tx) => {
    expect(await applyChanges(tx, [report])).toHaveLength(1);
    expect(await applyChanges(tx, [report])).toEqual([]);
  });
});
