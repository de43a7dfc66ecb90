import { createApiKey, deleteApiKey, listApiKeys, rotateApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { getOtp } from '@sixdigit/contract/otp.ts';
import { beforeAll, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { createLastUse } from './authenticate.ts';

let bearer: string;

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  bearer = await signedIn(service, alice);
});

const DAY = 86_400_000;
const create = async () => (await service.call(createApiKey, { bearer, body: { name: 'Key' } })).body;
const rotate = (id: string, valid_days: number, by = bearer) =>
  service.call(rotateApiKey, { bearer: by, params: { id }, body: { valid_days } });
const works = async (apiKey: string) =>
  (
    await service.call(getOtp, {
      apiKey,
      params: { otp_id: '01941f29-7c00-7aaa-8bbb-0123456789ab' },
    })
  ).status === 404;

test('a rotated key has a new secret, and the old one works until its days are over', async () => {
  const { id, key: old } = await create();
  const { status, body } = await rotate(id, 2);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, retired: { prefix: old.slice(0, 12), last_used_at: null } });
  expect([await works(body.key), await works(old)]).toEqual([true, true]);
  await service.clock.advance(2 * DAY - 60_000);
  expect(await works(old)).toBe(true);
  await service.clock.advance(61_000);
  expect([await works(body.key), await works(old)]).toEqual([true, false]);
  bearer = await signedIn(service, alice);
  const listed = (await service.call(listApiKeys, { bearer, query: {} })).body.results;
  expect(listed.find((one) => one.id === id)?.retired).toBeNull();
});

test('with zero days, and after another rotation, the old secret stops at once', async () => {
  const { id, key: first } = await create();
  const second = (await rotate(id, 0)).body;
  expect(second.retired).toBeNull();
  expect([await works(first), await works(second.key)]).toEqual([false, true]);
  const third = (await rotate(id, 7)).body.key;
  const fourth = (await rotate(id, 7)).body.key;
  expect(await Promise.all([second.key, third, fourth].map(works))).toEqual([false, true, true]);
});

test('the activity names the secret before and after a rotation', async () => {
  const { id, key } = await create();
  const { prefix } = (await rotate(id, 1)).body;
  const { body } = await service.call(listAuditEntries, { bearer, query: {} });
  expect(body.results[0]).toMatchObject({
    action: 'api_key.rotate',
    before: { prefix: key.slice(0, 12) },
    after: { prefix, old_ends_in_days: 1 },
  });
});

test('a rotation leaves the mode of a key as it is', async () => {
  const body = { name: 'Test', mode: 'test' as const };
  const { id, key } = (await service.call(createApiKey, { bearer, body })).body;
  const rotated = (await rotate(id, 0)).body;
  expect([key, rotated.key, rotated.prefix].map((text) => text.slice(0, 8))).toEqual(
    Array(3).fill('sd_test_'),
  );
  expect(rotated.mode).toBe('test');
});

test('deleting a key ends both of its secrets', async () => {
  const { id, key: old } = await create();
  const fresh = (await rotate(id, 7)).body.key;
  await service.call(deleteApiKey, { bearer, params: { id } });
  expect([await works(old), await works(fresh)]).toEqual([false, false]);
});

test('both secrets share the rate limit of their key', async () => {
  const { id, key: old } = await create();
  const fresh = (await rotate(id, 7)).body.key;
  await stopDatabaseClock(service.databaseUrl, service.app.clock.now());
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      service.call(getOtp, { apiKey: n % 2 ? old : fresh, params: { otp_id: id } }),
    ),
  );
  await service.clock.advance(0);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(30);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
});

test('each secret has its own last use', async () => {
  const { id } = await create();
  await rotate(id, 7);
  const { db } = service.app;
  const lastUse = createLastUse();
  const base = { account_id: alice.account_id, api_key_id: id, api_key_name: 'Key' };
  const used = (uses_retired_secret: boolean) =>
    lastUse.seen({ ...base, uses_retired_secret } as Parameters<typeof lastUse.seen>[0]);
  used(true);
  await lastUse.write(db, new Date('2026-05-01T10:00:00Z'));
  used(false);
  await lastUse.write(db, new Date('2026-05-02T10:00:00Z'));
  const listed = (await service.call(listApiKeys, { bearer, query: {} })).body.results;
  expect(listed.find((one) => one.id === id)).toMatchObject({
    last_used_at: '2026-05-02T10:00:00.000Z',
    retired: { last_used_at: '2026-05-01T10:00:00.000Z' },
  });
});

test('rotation takes 0 to 7 days, and only the owner rotates', async () => {
  const { id, key } = await create();
  for (const days of [-1, 8, 1.5]) expect((await rotate(id, days)).status).toBe(400);
  const bob = await signedIn(service, await service.customer('Bob'));
  expect((await rotate(id, 0, bob)).status).toBe(404);
  expect((await service.call(rotateApiKey, { params: { id }, body: { valid_days: 0 } })).status).toBe(401);
  expect(await works(key)).toBe(true);
});
