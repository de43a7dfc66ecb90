import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { BURST } from './pace.ts';

test('calls of an account are limited over all its sessions, without affecting other accounts', async () => {
  await using service = await testService({ env: { DASHBOARD_REQUESTS_PER_SECOND: '10' } });
  const alice = await service.customer('Alice');
  const bob = await service.customer('Bob');
  const sessions = [await signedIn(service, alice), await signedIn(service, alice)];
  const bearer = await signedIn(service, bob);
  await stopDatabaseClock(service.databaseUrl, new Date());
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => service.call(listApiKeys, { bearer: sessions[n % 2] ?? '' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({ status: 429, body: { reason: 'too_many_requests', retry_after: 1 } });
  expect(refused?.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-limit': '10',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '1',
  });
  const other = await service.call(listApiKeys, { bearer });
  expect(other.status).toBe(200);
  expect(other.headers['ratelimit-remaining']).toBe('9');
});

test('calls of an account above a burst start at the even rate of its limit', async () => {
  await using service = await testService({ env: { DASHBOARD_REQUESTS_PER_SECOND: '100' } });
  const bearer = await signedIn(service, await service.customer('Alice'));
  const beganMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: BURST + 20 }, () => service.call(listApiKeys, { bearer })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(performance.now() - beganMs).toBeGreaterThan(195);
});
