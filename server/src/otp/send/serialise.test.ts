import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { jsonLiteral } from '../../platform/db/sql.ts';

/** A separate connection plays another process that holds locks and has not committed. */

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 100 }));

/** Resolves once a statement waits for a lock, or once the call ends. */
async function waitingOrOver(call: Promise<unknown>): Promise<void> {
  let isOver = false;
  void call.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { n } = await service.app.db.one<{ n: number }>(
      `select count(*)::integer as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (n > 0) return;
  }
}

test('a send waits for a verify of its recipient and never shares the consumed code', async () => {
  const recipient = 'reader@example.com';
  const otp_id = await alice.sent(recipient);
  await using connection = await service.app.db.connection();
  const asked = [{ account_id: alice.account_id, otp_id }];
  await connection.script(`BEGIN; SELECT lock_verifies(${jsonLiteral(asked)}, false)`);
  const send = alice.send(recipient);
  await waitingOrOver(send);
  const consumed = [
    { account_id: alice.account_id, recipient, tries_used: 0, open_ids: [], wrong_tries: [] },
  ];
  const change = {
    account_id: alice.account_id,
    id: otp_id,
    allowed: ['pending', 'sent'],
    to: 'verified',
    verified: true,
    wipe: true,
  };
  const { code } = await service.app.db.one<{ code: string }>(
    `select encode(code_hmac, 'hex') as code from verifications where id = $1`,
    [otp_id],
  );
  await connection.script(
    `SELECT write_verifies(${jsonLiteral(consumed)}, ${jsonLiteral([change])}, '[]', '[]'); COMMIT`,
  );
  const { status, body } = await send;
  expect(status).toBe(201);
  const sent = await service.app.db.one<{ code: string }>(
    `select encode(code_hmac, 'hex') as code from verifications where id = $1`,
    [body.otp_id],
  );
  expect(sent.code).not.toBe(code);
});

test('a verify waits for a send to its recipient, and the shared code still verifies', async () => {
  const recipient = 'waiting@example.com';
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const code = await alice.code(recipient);
  await using connection = await service.app.db.connection();
  const asked = [{ account_id: alice.account_id, recipient }];
  await connection.script(`BEGIN; SELECT lock_sends(${jsonLiteral(asked)}, false, false)`);
  const verify = alice.verify(otp_id, code);
  await waitingOrOver(verify);
  const [, state] = await connection.script(
    `SELECT 1; SELECT cardinality(open_ids) as open FROM recipients WHERE recipient = '${recipient}'; COMMIT`,
  );
  // While the send held its lock, the verify had changed nothing.
  expect(state?.rows[0].open).toBe(1);
  expect((await verify).status).toBe(200);
});

test('a send to a new recipient waits for an uncommitted spend of the same account and returns 402', async () => {
  const poor = await sender(service, 'Poor', { credits: 1, keys: 2 });
  await using connection = await service.app.db.connection();
  await connection.script(
    `BEGIN; UPDATE balances SET credits = credits - 1 WHERE account_id = '${poor.account_id}';
     INSERT INTO ledger (account_id, id, kind, credits, description, created_at)
       VALUES ('${poor.account_id}', new_uuid(), 'usage', -1, 'SMS verification', clock_now())`,
  );
  const send = poor.send('other@example.com');
  await waitingOrOver(send);
  await connection.script('COMMIT');
  const { status, body } = await send;
  expect([status, body]).toEqual([402, { error: 'Insufficient credits', reason: 'insufficient_credits' }]);
  expect(await poor.balance()).toBe(0);
});

test('a send waits for another account’s send to the same recipient and counts it', async () => {
  const recipient = 'popular@example.com';
  const bob = await sender(service, 'Bob');
  const carol = await sender(service, 'Carol');
  for (let n = 0; n < 5; n++) await bob.sent(recipient);
  for (let n = 0; n < 4; n++) await carol.sent(recipient);
  await using connection = await service.app.db.connection();
  const { hash } = await service.app.db.one<{ hash: string }>(
    `select encode(recipient_hash, 'hex') as hash from recipient_sends where cardinality(sends) = 9`,
  );
  const asked = [{ account_id: carol.account_id, recipient, recipient_hash: hash }];
  await connection.script(`BEGIN; SELECT lock_sends(${jsonLiteral(asked)}, false, false)`);
  const send = alice.send(recipient);
  await waitingOrOver(send);
  await connection.script(
    `UPDATE recipient_sends SET sends = sends || floor(extract(epoch from clock_now()) * 1000)::bigint
       WHERE recipient_hash = decode('${hash}', 'hex'); COMMIT`,
  );
  expect((await send).status).toBe(429);
});
