import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import * as queries from './queries.ts';

/** Routes find an endpoint before they change it. Each statement compares the account as well, for callers that do not. */

const service = fixture(testService);

test('no statement finds, changes or deletes an endpoint of another account', async () => {
  const alice = await service.customer('Alice');
  const bob = await service.customer('Bob');
  const { db, random } = service.app;
  const id = random.uuid();
  const settings = {
    ...{ name: 'Orders', url: 'https://hook.example/', is_active: true },
    ...{ send_on_sent: true, send_on_delivered: true, send_on_failed: true },
    ...{ send_on_verified: true, send_on_expired: true },
  };
  const alices = { id, account_id: alice.account_id };
  const bobs = { id, account_id: bob.account_id };
  await db.transaction((tx) => queries.insertEndpoint(tx, alices, settings, Buffer.alloc(32)));
  const row = () => db.one('select to_jsonb(e) as endpoint from webhook_endpoints e where id = $1', [id]);
  const before = await row();
  await db.transaction(async (tx) => {
    expect(await queries.lockShown(tx, bobs)).toBeUndefined();
    expect(await queries.lockEndpoint(tx, bobs)).toBeUndefined();
    expect(await queries.updateEndpoint(tx, bobs, { ...settings, name: 'Taken' }, null)).toBeUndefined();
    expect(await queries.deleteEndpoint(tx, bobs)).toBe(0);
    expect(await queries.endpointIdsOf(tx, bob.account_id)).toEqual([]);
  });
  expect(await queries.findEndpoint(db, bobs)).toBeUndefined();
  expect(await row()).toEqual(before);
  expect(await db.transaction((tx) => queries.deleteEndpoint(tx, alices))).toBe(1);
});
