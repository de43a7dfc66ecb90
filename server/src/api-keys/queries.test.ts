import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock } from '../../test/held-lock.ts';
import { testService } from '../../test/service.ts';
import * as queries from './queries.ts';

/** Routes find a key before they change it. Each statement compares the account as well, for callers that do not. */

const service = fixture(testService);

test('no statement finds, changes or deletes a key of another account', async () => {
  const alice = await service.customer('Alice');
  const { account_id } = await service.customer('Bob');
  const { db } = service.app;
  const row = () => db.one('select to_jsonb(k) as key from api_keys k where id = $1', [alice.api_key_id]);
  const before = await row();
  const id = alice.api_key_id;
  const key = { account_id, id };
  await db.transaction(async (tx) => {
    expect(await queries.findKey(tx, key)).toBeUndefined();
    expect(await queries.findKeyHash(tx, account_id, id)).toBeUndefined();
    expect(await queries.lockKey(tx, key)).toBeUndefined();
    expect(await queries.updateSettings(tx, key, { name: 'Taken' })).toBe(0);
    expect(await queries.replaceSecret(tx, key, { hash: Buffer.alloc(32), prefix: 'sd_', days: 0 })).toBe(0);
    expect(await queries.markKeyDeleted(tx, account_id, id)).toBe(0);
    expect(await queries.selectKeyNames(tx, account_id, [id])).toEqual(new Map());
  });
  expect(await row()).toEqual(before);
  expect(await queries.markKeyDeleted(db, alice.account_id, id)).toBe(1);
});

test('the last use of a key is not noted while another process changes the key, and nobody waits for it', async () => {
  const { api_key_id } = await service.customer('Carol');
  const { db, clock } = service.app;
  await db.run(
    `update api_keys set retired_hash = 'a', retired_until = clock_now() + interval '1 day' where id = $1`,
    [api_key_id],
  );
  const change = await holdLock(service, 'select from api_keys where id = $1 for update', [api_key_id]);
  const note = [queries.updateLastUsed, queries.updateRetiredLastUsed] as const;
  await db.transaction(async (tx) => {
    await tx.run(`set local lock_timeout = '1s'`);
    for (const update of note) expect(await update(tx as never, [api_key_id], clock.now())).toBe(0);
  });
  await change.commit();
  await change[Symbol.asyncDispose]();
  for (const update of note) {
    expect(await update(db, [api_key_id], clock.now())).toBe(1);
    expect(await update(db, [api_key_id], clock.now()), 'within the same minute').toBe(0);
  }
});
