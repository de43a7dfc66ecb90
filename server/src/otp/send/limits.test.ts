import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

let count = 0;
const fresh = () => `reader-${++count}@example.com`;
const MINUTE = 60_000;

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

test('the recipient limit allows five codes in ten minutes, and a send after the stated wait succeeds', async () => {
  const recipient = fresh();
  await alice.sent(recipient);
  await service.clock.advance(4 * MINUTE);
  for (let n = 0; n < 4; n++) await alice.sent(recipient);
  const before = await alice.balance();
  const refused = await alice.send(recipient);
  expect(refused.status).toBe(429);
  const retry_after = Number(refused.body.retry_after);
  expect(refused.body).toEqual({
    error: 'Too many codes for this recipient. Please try again later.',
    reason: 'recipient_rate_limited',
    retry_after,
  });
  expect(refused.headers['retry-after']).toBe(String(retry_after));
  expect(retry_after).toBeGreaterThan(6 * 60 - 30);
  expect(retry_after).toBeLessThanOrEqual(6 * 60);
  expect(await alice.balance()).toBe(before);
  await service.clock.advance((retry_after - 10) * 1000);
  expect((await alice.send(recipient)).status).toBe(429);
  await service.clock.advance(10_000);
  await alice.sent(recipient);
  expect((await alice.send(recipient)).status).toBe(429);
});

test('the recipient limit allows twenty codes a day', async () => {
  const recipient = fresh();
  for (let n = 0; n < 20; n++) {
    await alice.sent(recipient);
    await service.clock.advance(5 * MINUTE);
  }
  await service.clock.advance(10 * MINUTE);
  const refused = await alice.send(recipient);
  expect(refused.status).toBe(429);
  const retry_after = Number(refused.body.retry_after);
  const rest = 24 * 3600 - 110 * 60;
  expect(retry_after).toBeGreaterThan(rest - 60);
  expect(retry_after).toBeLessThanOrEqual(rest);
  await service.clock.advance(retry_after * 1000);
  await alice.sent(recipient);
  expect((await alice.send(recipient)).status).toBe(429);
});

test('the recipient limit counts all channels of one number together', async () => {
  const phone = '+14155552100';
  for (const channel of ['sms', 'voice', 'sms', 'voice', 'sms']) await alice.sent(phone, { channel });
  expect((await alice.send(phone, { channel: 'voice' })).status).toBe(429);
});

test('the recipient limit counts each account separately', async () => {
  const bob = await sender(service, 'Bob', { keys: 2 });
  const recipient = fresh();
  for (let n = 0; n < 5; n++) await alice.sent(recipient);
  expect((await alice.send(recipient)).status).toBe(429);
  await bob.sent(recipient);
});

test('the recipient limit does not count refused and unpaid sends', async () => {
  const poor = await sender(service, 'Poor', { credits: 1, keys: 8 });
  const recipient = fresh();
  await poor.sent(recipient);
  for (let n = 0; n < 6; n++) expect((await poor.send(recipient)).status).toBe(402);
});

test('the recipient limit is configured by the operator', async () => {
  await using other = await testService({
    env: { RECIPIENT_SENDS_PER_10_MIN: '2', RECIPIENT_SENDS_PER_DAY: '3' },
  });
  const carol = await sender(other, 'Carol');
  const recipient = fresh();
  await carol.sent(recipient);
  await carol.sent(recipient);
  expect((await carol.send(recipient)).body.retry_after).toBeLessThanOrEqual(600);
  await other.clock.advance(10 * MINUTE);
  await carol.sent(recipient);
  await other.clock.advance(10 * MINUTE);
  expect((await carol.send(recipient)).body.retry_after).toBeGreaterThan(80_000);
});
