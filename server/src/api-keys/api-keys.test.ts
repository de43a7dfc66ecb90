import { API_KEYS_MAX, createApiKey, deleteApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { hashOfKey, keysNamedLike, touchKeys } from './api-keys.ts';

let bearer: string;

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));
beforeAll(async () => {
  bearer = await signedIn(service, alice);
});

const create = async (name: string, owner = bearer) =>
  (await service.call(createApiKey, { bearer: owner, body: { name } })).body;
const names = async (query: Record<string, unknown>, owner = bearer) =>
  (await service.call(listApiKeys, { bearer: owner, query })).body.results.map(({ name }) => name);
const send = (apiKey: string) =>
  service.call(sendOtp, { apiKey, body: { channel: 'email', recipient: 'someone@example.com' } });

test('a new API key is shown once, works immediately, and only its hash is stored', async () => {
  const answer = await service.call(createApiKey, { bearer, body: { name: '  Production  ' } });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    name: 'Production',
    prefix: answer.body.key.slice(0, 14),
    last_used_at: null,
  });
  expect((await send(answer.body.key)).status).toBe(201);
  const listed = await service.call(listApiKeys, { bearer, query: { search: 'Production' } });
  expect(JSON.stringify(listed.body)).not.toContain(answer.body.key);
  const row = await service.app.db.one<{ hash: Buffer }>('select * from api_keys where id = $1', [
    answer.body.id,
  ]);
  expect(row.hash).toEqual(hashOfKey(answer.body.key));
  expect(JSON.stringify(row)).not.toContain(answer.body.key.slice(14));
});

test.each([
  [{}, 'This field is required.'],
  [{ name: '   ' }, 'Please enter a key name'],
  [{ name: 'x'.repeat(101) }, 'Key name must be at most 100 characters'],
])('an API key needs a valid name: %j', async (body, message) => {
  const answer = await service.call(createApiKey, { bearer, body });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ name: [message], error: message });
});

test('an API key name must be a single line that the database can store', async () => {
  for (const name of ['a\0b', 'a\nb'])
    expect((await service.call(createApiKey, { bearer, body: { name } })).status).toBe(400);
});

test('a deleted API key stops immediately and leaves the list', async () => {
  const key = await create('Short-lived');
  expect((await send(key.key)).status).toBe(201);
  expect((await service.call(deleteApiKey, { bearer, params: { id: key.id } })).status).toBe(204);
  expect(await send(key.key)).toMatchObject({ status: 401, body: { reason: 'invalid_api_key' } });
  expect(await names({ page_size: 100 })).not.toContain('Short-lived');
  expect((await service.call(deleteApiKey, { bearer, params: { id: key.id } })).status).toBe(404);
});

test('API keys are sorted newest first, by name, or by last use with unused keys last', async () => {
  await using other = await testService();
  const { app } = other;
  const owner = await signedIn(other, await other.customer('Alice'));
  const ids = [];
  for (const name of ['b', 'A', 'c'])
    ids.push((await other.call(createApiKey, { bearer: owner, body: { name } })).body.id);
  await touchKeys(app.db, [ids[0] as string], new Date('2026-01-02T00:00:00Z'));
  await touchKeys(app.db, [ids[1] as string], new Date('2026-01-03T00:00:00Z'));
  const ordered = async (ordering?: string) =>
    (
      await other.call(listApiKeys, {
        bearer: owner,
        query: { search: '', ...(ordering ? { ordering } : {}) },
      })
    ).body.results.map(({ name }) => name);
  expect(await ordered()).toEqual(['c', 'A', 'b', 'Test key']);
  expect(await ordered('created_at')).toEqual(['Test key', 'b', 'A', 'c']);
  expect(await ordered('name')).toEqual(['A', 'b', 'c', 'Test key']);
  expect(await ordered('-name')).toEqual(['Test key', 'c', 'b', 'A']);
  expect(await ordered('last_used_at')).toEqual(['b', 'A', 'c', 'Test key']);
  expect(await ordered('-last_used_at')).toEqual(['A', 'b', 'c', 'Test key']);
});

test('the last use of an API key is stored to the minute and never moves backwards', async () => {
  const { db } = service.app;
  const { id } = await create('Busy');
  const lastUse = async () =>
    (await db.one<{ at: string }>('select last_used_at as at from api_keys where id = $1', [id])).at;
  await touchKeys(db, [id], new Date('2026-05-01T10:00:00Z'));
  await touchKeys(db, [id], new Date('2026-05-01T10:00:59Z'));
  await touchKeys(db, [id], new Date('2026-05-01T09:00:00Z'));
  expect(await lastUse()).toBe('2026-05-01T10:00:00.000Z');
  await touchKeys(db, [id], new Date('2026-05-01T10:01:01Z'));
  expect(await lastUse()).toBe('2026-05-01T10:01:01.000Z');
});

test('a search by API key name finds only the keys of the account, including deleted ones', async () => {
  const mine = await create('Checkout of Alice');
  const gone = await create('Checkout of Alice, former');
  await service.call(deleteApiKey, { bearer, params: { id: gone.id } });
  const theirs = await create('Checkout of Bob', await signedIn(service, bob));
  const found = async (account_id: string) => {
    const keys = await keysNamedLike(service.app, account_id, 'checkout of');
    return 'ids' in keys ? keys.ids : [];
  };
  expect((await found(alice.account_id)).sort()).toEqual([mine.id, gone.id].sort());
  expect(await found(bob.account_id)).toEqual([theirs.id]);
});

test('an account has at most 100 active keys, even under parallel requests, and a deletion frees a place', async () => {
  const dora = await service.customer('Dora');
  const owner = await signedIn(service, dora);
  const make = () => service.call(createApiKey, { bearer: owner, body: { name: 'Many' } });
  for (let made = 1; made < API_KEYS_MAX - 3; made += 8) await Promise.all(Array.from({ length: 8 }, make));
  const answers = await Promise.all(Array.from({ length: 20 }, make));
  const { live } = await service.app.db.one<{ live: number }>(
    'select count(*) as live from api_keys where account_id = $1 and deleted_at is null',
    [dora.account_id],
  );
  expect(live).toBe(API_KEYS_MAX);
  const refused = answers.find(({ status }) => status !== 201);
  expect(refused).toMatchObject({
    status: 400,
    body: {
      reason: 'api_key_limit_reached',
      error: 'An account can have at most 100 API keys. Delete a key that you no longer use.',
    },
  });
  const { body } = await service.call(listApiKeys, { bearer: owner });
  await service.call(deleteApiKey, { bearer: owner, params: { id: body.results[0]?.id ?? '' } });
  expect((await make()).status).toBe(201);
  expect((await make()).status).toBe(400);
});

test('creating and deleting API keys has a daily limit', async () => {
  const emil = await service.customer('Emil');
  const owner = await signedIn(service, emil);
  await service.app.db.run(
    `insert into api_keys (id, account_id, name, prefix, hash, created_at, deleted_at)
     select uuid_floor(clock_now() - make_interval(secs => n)), $1, 'Old', 'sd_live_0000', sha256(n::text::bytea), clock_now(), clock_now()
     from generate_series(1, 300) n`,
    [emil.account_id],
  );
  const make = () => service.call(createApiKey, { bearer: owner, body: { name: 'Next' } });
  expect(await make()).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
  await service.clock.advance(25 * 3_600_000);
  expect(
    await service.call(createApiKey, { bearer: await signedIn(service, emil), body: { name: 'Next' } }),
  ).toMatchObject({ status: 201 });
});

test('a search by a name that more than 100 API keys share finds the rows of all', async () => {
  const finn = await service.customer('Finn');
  const owner = await signedIn(service, finn);
  await service.app.db.run(
    `insert into api_keys (id, account_id, name, prefix, hash, created_at, deleted_at)
     select uuid_floor(clock_now() - make_interval(days => 2, secs => n)), $1, 'Batch ' || n, 'sd_live_0000',
       sha256(('finn' || n)::bytea), clock_now(), clock_now()
     from generate_series(1, 150) n`,
    [finn.account_id],
  );
  expect(await keysNamedLike(service.app, finn.account_id, 'batch')).toEqual({ pattern: '%batch%' });
  expect((await send(finn.api_key)).status).toBe(201);
  await service.app.db.run(
    `update api_keys set name = 'Batch of Finn' where account_id = $1 and deleted_at is null`,
    [finn.account_id],
  );
  for (const route of [listVerifications, listRequestLogs]) {
    const input = (search: string) => ({ bearer: owner, query: { search } });
    expect((await service.call(route, input('batch'))).body.count).toBe(1);
    expect((await service.call(route, input('no such name'))).body.count).toBe(0);
  }
});
