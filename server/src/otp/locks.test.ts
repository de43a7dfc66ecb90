import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdLock, untilBlocked } from '../../test/held-lock.ts';
import { sender } from '../../test/sender.ts';
import { type TestService, testService } from '../../test/service.ts';

/** Another transaction holds what a send or a verify needs: it must wait, and then decide on what it finds. */
let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service[Symbol.asyncDispose]());

const RECIPIENT_LOCK = 'select pg_advisory_xact_lock(hashtextextended($1 || $2, 6))';

test('a send waits for a change of the balance, and answers 402 when that leaves no credit', async () => {
  const alice = await sender(service, 'Alice', { credits: 1 });
  await using other = await holdLock(service, 'select 1 from balances where account_id = $1 for update', [
    alice.account_id,
  ]);
  const answer = alice.send('reader@example.com');
  await untilBlocked(service, 'lock_sends');
  await other.run('update balances set credits = 0 where account_id = $1', [alice.account_id]);
  await other.commit();
  expect(await answer).toMatchObject({ status: 402, body: { reason: 'insufficient_credits' } });
  expect(service.logLines.join('\n')).not.toContain('balance_not_negative');
});

test('a send waits while a verify of its recipient is decided', async () => {
  const bob = await sender(service, 'Bob');
  const recipient = 'bobs-reader@example.com';
  await using other = await holdLock(service, RECIPIENT_LOCK, [bob.account_id, recipient]);
  const answer = bob.send(recipient);
  await untilBlocked(service, 'lock_sends');
  await other.commit();
  expect((await answer).status).toBe(201);
});

test('a verify waits while a send to its recipient is decided', async () => {
  const carol = await sender(service, 'Carol');
  const recipient = 'carols-reader@example.com';
  const otp_id = await carol.sent(recipient);
  await service.drain();
  await using other = await holdLock(service, RECIPIENT_LOCK, [carol.account_id, recipient]);
  const answer = carol.verify(otp_id, await carol.code(recipient));
  await untilBlocked(service, 'lock_verifies');
  await other.commit();
  expect((await answer).status).toBe(200);
});
