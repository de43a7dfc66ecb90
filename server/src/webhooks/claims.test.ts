/** A worker that lost its claim after its lease expired returns with an outcome. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { webhookCustomer } from '../../test/webhook-customer.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/security/random.ts';
import { deliveredOf, retryDelaySeconds } from './delivery.ts';
import {
  type Claimed,
  claimDeliveries,
  delayDelivery,
  finishDelivered,
  finishDelivery,
  freeClaimsOf,
} from './delivery-queries.ts';

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

test('a webhook worker that lost its claim neither ends nor delays the delivery, nor records an attempt', async () => {
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

test('a claim takes the oldest webhook message of each endpoint before the second of any', async () => {
  const { db, random } = service.app;
  await alice.addEndpoint('http://127.0.0.1:9/other');
  const { id } = await alice.addEndpoint('http://127.0.0.1:9/late');
  await alice.publish('sent', 3);
  await db.run(`update webhook_deliveries set run_at = run_at - interval '1 minute' where endpoint_id = $1`, [
    id,
  ]);
  const [worker_id, claim] = [random.uuid(), random.uuid()];
  const claimed = await claimDeliveries(db, { worker_id, claim, most: 3, per_endpoint: 4 });
  expect(new Set(claimed.map(({ endpoint_id }) => endpoint_id)).size).toBe(3);
});

const app = { clock: systemClock, random: systemRandom(systemClock) };
const steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const refused = (status: number | null, retry_after?: string) => ({ status, retry_after });

test.each(steps.map((step, n) => [n + 1, step]))(
  'webhook attempt %i is followed by the next after about %i s, with a jitter of 20 percent',
  (tries, step) => {
    const delays = Array.from({ length: 200 }, () => retryDelaySeconds(app, tries, refused(500)) ?? 0);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(step * 0.8);
    expect(Math.max(...delays)).toBeLessThanOrEqual(step * 1.2);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(step * 0.2);
  },
);

test('the tenth webhook attempt is the last', () => {
  expect(retryDelaySeconds(app, 10, refused(500))).toBeUndefined();
});

test.each([
  ['between one and two steps is respected', '400', 400],
  ['below one step counts as one step', '1', 300],
  ['above two steps counts as two steps', '86400', 600],
])('a webhook receiver’s Retry-After %s', (_, header, seconds) => {
  expect(retryDelaySeconds(app, 2, refused(503, header))).toBe(seconds);
});

test('a webhook receiver’s Retry-After may be a date', () => {
  const header = new Date(Date.now() + 450_000).toUTCString();
  const delay = retryDelaySeconds(app, 2, refused(429, header)) ?? 0;
  expect(Math.abs(delay - 450)).toBeLessThan(2);
});

test('a webhook receiver’s Retry-After is ignored if invalid', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const delay = retryDelaySeconds(app, 2, refused(503, header)) ?? 0;
      return delay >= 240 && delay <= 600;
    }),
  );
});

test.each([429, 502, 504])('a webhook response %i delays the retry by at least a minute', (status) => {
  expect(retryDelaySeconds(app, 1, refused(status))).toBe(60);
  expect(retryDelaySeconds(app, 1, refused(status, '7'))).toBe(60);
  expect(retryDelaySeconds(app, 2, refused(status))).toBeGreaterThanOrEqual(240);
});
