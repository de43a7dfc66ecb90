import { expect, test } from 'vitest';
import { testService } from '../../../test/service.ts';
import { selectNewestStates } from './queries.ts';

test('a change of the newest verification is noticed, however many came before it', async () => {
  await using service = await testService();
  const alice = await service.customer('Alice');
  const { db } = service.app;
  const { id } = await db.one<{ id: string }>(
    `with made as (
       insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
         created_at, expires_at)
       select $1, uuid_floor(at), $2, 'email', 'a@example.com', 'sent', 1, 6, at, at + interval '1 hour'
       from (select clock_now() - make_interval(secs => 80 - n) as at from generate_series(1, 75) n) r
       returning id)
     select max(id::text) as id from made`,
    [alice.account_id, alice.api_key_id],
  );
  const state = async () => (await selectNewestStates(db, [alice.account_id]))[0]?.state;
  const before = await state();
  expect(await state()).toBe(before);
  await db.run(`update verifications set status = 'verified' where account_id = $1 and id = $2`, [
    alice.account_id,
    id,
  ]);
  expect(await state()).not.toBe(before);
});
