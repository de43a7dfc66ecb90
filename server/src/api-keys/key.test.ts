import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  API_KEY_PATTERN,
  createApiKey,
  deleteApiKey,
  listApiKeys,
  rotateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { getOtp } from '@sixdigit/contract/otp.ts';
import { beforeAll, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { holdLock } from '../../test/held-lock.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/security/random.ts';
import { createLastUse } from './authenticate.ts';
import { hashOfKey, keyLooksGenuine, newKeyText, prefixOfKey } from './key.ts';
import * as queries from './queries.ts';

const random = systemRandom(systemClock);
const config = { cell: '00' };
const app = { config, random };

test('an API key is recognized by its format and checksum', () => {
  const key = newKeyText(app);
  expect(key).toMatch(API_KEY_PATTERN);
  expect(keyLooksGenuine(key)).toBe(true);
});

test('the checksum of an API key is the CRC-32 of the preceding characters in six base62 characters', () => {
  const zeros = newKeyText({ config, random: { bytes: (count) => Buffer.alloc(count) } });
  expect(zeros.slice(0, 40)).toBe(`sd_live_${'0'.repeat(32)}`);
  expect(zeros.slice(40)).toBe(checksumOf(zeros.slice(0, 40)));
});

test('one wrong character anywhere in an API key fails the checksum', () => {
  const key = newKeyText(app);
  for (let at = 8; at < key.length; at++) {
    const other = key[at] === 'A' ? 'B' : 'A';
    expect(keyLooksGenuine(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
  }
  for (const text of ['', 'sd_live_', key.slice(0, -1), `${key}0`, ` ${key}`, key.replace('live', 'test')])
    expect(keyLooksGenuine(text)).toBe(false);
});

test('generating an API key discards biased bytes', () => {
  let call = 0;
  const bytes = (count: number) => Buffer.alloc(count, call++ === 0 ? 248 : 61);
  expect(newKeyText({ config, random: { bytes } }).slice(8, 40)).toBe(`00${'z'.repeat(30)}`);
  expect(call).toBe(2);
});

test('generated API keys do not repeat and use the whole alphabet', () => {
  const keys = Array.from({ length: 500 }, () => newKeyText(app));
  expect(new Set(keys).size).toBe(500);
  expect(new Set(keys.flatMap((key) => [...key.slice(10, 40)])).size).toBe(62);
});

test('the cell is the first two of the 32 characters of an API key', () => {
  const key = newKeyText({ config: { cell: 'zA' }, random });
  expect(key.slice(8, 10)).toBe('zA');
  expect(key).toHaveLength(46);
  expect(keyLooksGenuine(key)).toBe(true);
  expect(keyLooksGenuine(key.replace('zA', 'zB'))).toBe(false);
});

/** Bit by bit, as the standard (ISO 3309) defines it. */
function checksumOf(text: string): string {
  let crc = 0xff_ff_ff_ff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  let rest = (crc ^ 0xff_ff_ff_ff) >>> 0;
  let digits = '';
  for (let n = 0; n < 6; n++) {
    digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

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

test('a rotated API key has a new secret, and the old secret works until its days are over', async () => {
  const { id, key: old } = await create();
  const { status, body } = await rotate(id, 2);
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, retired: { prefix: old.slice(0, 14), last_used_at: null } });
  expect([await works(body.key), await works(old)]).toEqual([true, true]);
  await service.clock.advance(2 * DAY - 60_000);
  expect(await works(old)).toBe(true);
  await service.clock.advance(61_000);
  expect([await works(body.key), await works(old)]).toEqual([true, false]);
  bearer = await signedIn(service, alice);
  const listed = (await service.call(listApiKeys, { bearer, query: {} })).body.results;
  expect(listed.find((one) => one.id === id)?.retired).toBeNull();
});

test('a rotation with days left ends earlier old API key secrets, and one with zero days ends all', async () => {
  const { id, key: first } = await create();
  const second = (await rotate(id, 7)).body.key;
  const third = (await rotate(id, 7)).body.key;
  expect(await Promise.all([first, second, third].map(works))).toEqual([false, true, true]);
  const fourth = (await rotate(id, 0)).body;
  expect(fourth.retired).toBeNull();
  expect(await Promise.all([second, third, fourth.key].map(works))).toEqual([false, false, true]);
});

test('the activity shows the API key secret prefixes before and after a rotation', async () => {
  const { id, key } = await create();
  const { prefix } = (await rotate(id, 1)).body;
  const { body } = await service.call(listAuditEntries, { bearer, query: {} });
  expect(body.results[0]).toMatchObject({
    action: 'api_key.rotate',
    before: { prefix: key.slice(0, 14) },
    after: { prefix, old_ends_in_days: 1 },
  });
});

test('a rotation keeps the mode of an API key', async () => {
  const body = { name: 'Test', mode: 'test' as const };
  const { id, key } = (await service.call(createApiKey, { bearer, body })).body;
  const rotated = (await rotate(id, 0)).body;
  expect([key, rotated.key, rotated.prefix].map((text) => text.slice(0, 8))).toEqual(
    Array(3).fill('sd_test_'),
  );
  expect(rotated.mode).toBe('test');
});

test('deleting an API key ends both of its secrets', async () => {
  const { id, key: old } = await create();
  const fresh = (await rotate(id, 7)).body.key;
  await service.call(deleteApiKey, { bearer, params: { id } });
  expect([await works(old), await works(fresh)]).toEqual([false, false]);
});

test('both secrets of an API key share its rate limit', async () => {
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

test('each secret of an API key has a separate last use', async () => {
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

test('an API key rotation accepts 0 to 7 days, from the owner only', async () => {
  const { id, key } = await create();
  for (const days of [-1, 8, 1.5]) expect((await rotate(id, days)).status).toBe(400);
  const bob = await signedIn(service, await service.customer('Bob'));
  expect((await rotate(id, 0, bob)).status).toBe(404);
  expect((await service.call(rotateApiKey, { params: { id }, body: { valid_days: 0 } })).status).toBe(401);
  expect(await works(key)).toBe(true);
});

/** Routes find a key before they change it. Each statement also checks the account, in case a caller does not. */
test('no statement finds, changes or deletes an API key of another account', async () => {
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
    expect(await queries.markKeyDeleted(tx, key)).toBe(0);
    expect(await queries.selectKeyNames(tx, account_id, [id])).toEqual(new Map());
  });
  expect(await row()).toEqual(before);
  expect(await queries.markKeyDeleted(db, { account_id: alice.account_id, id })).toBe(1);
});

test('recording the last use skips an API key that another process is changing, without waiting', async () => {
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
    const now = clock.now();
    expect(await update(db, [api_key_id], now)).toBe(1);
    expect(await update(db, [api_key_id], now), 'within the same minute').toBe(0);
  }
});

test('the query in docs/growth.md lists exactly the API keys that do not name their cell', async () => {
  const { db } = service.app;
  const growth = readFileSync(join(import.meta.dirname, '../../../docs/growth.md'), 'utf8');
  const query = /```sql\n(select encode\(hash[^`]*)```/.exec(growth)?.[1] ?? '';
  const unnamed = async () => (await db.rows<{ encode: string }>(query)).map(({ encode }) => encode);
  const hex = (key: string) => hashOfKey(key).toString('hex');
  expect(await unnamed()).toEqual([]);
  // A key from before the setting.
  const { key: old, hash, prefix } = keyOf('zz');
  const { id, key } = await create();
  await db.run('update api_keys set hash = $2, prefix = $3 where id = $1', [id, hash, prefix.slice(0, 12)]);
  expect(await works(key)).toBe(false);
  expect(await works(old)).toBe(true);
  expect(await unnamed()).toEqual([hex(old)]);
  await rotate(id, 2);
  expect(await unnamed(), 'while the old secret is valid').toEqual([hex(old)]);
  await db.run(`update api_keys set retired_until = now() - interval '1 second' where id = $1`, [id]);
  expect(await unnamed()).toEqual([]);
});

const keyOf = (cell: string) => {
  const key = newKeyText({ config: { cell }, random });
  return { key, hash: hashOfKey(key), prefix: prefixOfKey(key) };
};

test('the key of a connection is found, locked and deleted only as such', async () => {
  const { db } = service.app;
  const { account_id } = await service.customer('Carol');
  const key = { account_id, id: service.app.random.uuid() };
  const hash = service.app.random.bytes(32);
  await queries.insertKey(db, {
    ...key,
    name: 'Sign-in',
    mode: 'live',
    prefix: '',
    hash,
    kind: 'connection',
    created_by: null,
  });
  await db.transaction(async (tx) => {
    expect(await queries.lockKey(tx, key)).toBeUndefined();
    expect(await queries.findKey(tx, key)).toBeUndefined();
    expect(await queries.findKeyHash(tx, account_id, key.id)).toBeUndefined();
    expect(await queries.markKeyDeleted(tx, key)).toBe(0);
    expect(await queries.lockKey(tx, key, 'connection')).toBeDefined();
    expect(await queries.markKeyDeleted(tx, key, 'connection')).toBe(1);
  });
});
