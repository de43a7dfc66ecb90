import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { webhookCustomer } from '../../test/webhook-customer.ts';
import { deliveredOf } from './delivery.ts';
import {
  type Claimed,
  claimDeliveries,
  delayDelivery,
  finishDelivered,
  finishDelivery,
  freeClaimsOf,
} from './delivery-queries.ts';

/** A worker that lost its claim after its lease expired returns with an outcome. */
const service = fixture(testService);
const alice = fixture(() => webhookCustomer(service, 'Alice'));

const claimOf = async (worker_id: string): Promise<Claimed> => {
  const { db, random } = service.app;
  const [claimed] = await claimDeliveries(db, { worker_id, claim: random.uuid(), most: 1, per_endpoint: 4 });
  if (!claimed) throw new Error('Nothing is due');
  return claimed;
};
const queue = () =>
  service.app.db.rows<{ claim: string | null; tries: number }>(
    'select claim, tries from webhook_deliveries where account_id = $1',
    [alice.account_id],
  );

test('a worker that lost its claim neither ends nor delays a delivery, nor records an attempt', async () => {
  const { db, random } = service.app;
  const { id } = await alice.addEndpoint('http://127.0.0.1:9/hook');
  await alice.publish('sent');
  const [slow, next] = [random.uuid(), random.uuid()];
  const lost = await claimOf(slow);
  await freeClaimsOf(db, [slow]);
  const taken = await claimOf(next);
  expect(taken.id).toBe(lost.id);

  const outcome = {
    id: random.uuid(),
    attempted_at: service.app.clock.now().toISOString(),
    succeeded: true,
    status: 200,
    duration_ms: 5,
    error: null,
    excerpt: '',
    retry_after: undefined,
  };
  await finishDelivered(db, [deliveredOf(lost, outcome)]);
  expect(await db.transaction((tx) => finishDelivery(tx, lost))).toBeUndefined();
  expect(await db.transaction((tx) => delayDelivery(tx, lost, 60))).toBeUndefined();
  expect(await queue()).toEqual([{ claim: taken.claim, tries: 0 }]);
  expect(await alice.attempts(id)).toEqual([]);

  await finishDelivered(db, [deliveredOf(taken, { ...outcome, id: random.uuid() })]);
  expect(await queue()).toEqual([]);
  expect(await alice.attempts(id)).toHaveLength(1);
});
