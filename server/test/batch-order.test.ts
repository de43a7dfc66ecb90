import { expect, test } from 'vitest';
import { LOCK_CLASSES, lockKeys } from '../src/platform/db/advisory-locks.ts';
import { addObjections } from '../src/protection/exchange-queries.ts';
import { fixture } from './fixture.ts';
import { holdLock, untilBlocked } from './held-lock.ts';
import { testService } from './service.ts';

const service = fixture(testService);

const COUNT = 21;
const MIDDLE = 10;

const ADMISSION = `select * from admit_requests($1::bytea[], array_fill(1, array[cardinality($1::bytea[])]),
  array_fill(''::text, array[cardinality($1::bytea[])]))`;

/** The locked and the free rows while a statement waits for the row in the middle. */
async function whileWaiting(
  table: string,
  key: string,
  ids: readonly string[],
  statement: () => Promise<unknown>,
) {
  await statement();
  await using middle = await holdLock(service, `select from ${table} where ${key} = $1 for update`, [
    ids[MIDDLE],
  ]);
  const waiting = statement();
  await untilBlocked(service, '');
  const free = await service.app.db.rows<{ id: string }>(
    `select ${key} as id from ${table} where ${key} = any ($1) order by ${key} for update skip locked`,
    [ids],
  );
  await middle.commit();
  await waiting;
  return free.map(({ id }) => id);
}

test('batches of dashboard calls lock accounts in one order, so that two batches never wait for each other', async () => {
  const ids = Array.from({ length: COUNT }, () => service.app.random.uuid()).toSorted();
  const asked = ids.toReversed();
  const free = await whileWaiting('account_rates', 'account_id', ids, () =>
    service.app.db.rows('select * from admit_accounts($1::uuid[])', [asked]),
  );
  expect(free).toEqual(ids.slice(MIDDLE + 1));
});

test('batches of requests lock API keys in one order, so that two batches never wait for each other', async () => {
  const { account_id } = await service.customer('Alice');
  const keys: { id: string; hash: string }[] = [];
  for (let n = 0; n < COUNT; n += 1) {
    const { id } = await service.anotherKey(account_id);
    const { hash } = await service.app.db.one<{ hash: string }>(
      `select encode(hash, 'hex') as hash from api_keys where id = $1`,
      [id],
    );
    keys.push({ id, hash: `\\x${hash}` });
  }
  keys.sort((a, b) => (a.id < b.id ? -1 : 1));
  const ids = keys.map(({ id }) => id);
  const hashes = keys.map(({ hash }) => hash).toReversed();
  const free = await whileWaiting('key_rates', 'api_key_id', ids, () =>
    service.app.db.rows(ADMISSION, [hashes]),
  );
  expect(free).toEqual(ids.slice(MIDDLE + 1));
});

test('processes write what the rules found in one order, so that two of them never wait for each other', async () => {
  const { db, random } = service.app;
  const ids = Array.from({ length: COUNT }, () => random.uuid()).toSorted();
  const found = {
    hour: 1,
    rule: 'velocity',
    scope: 'account',
    prefix: '+1999',
    country: 'US',
    client: '',
  } as const;
  const counts = { blocked: 1, monitored: 0, first_ms: 0, last_ms: 0 };
  const objections = ids.toReversed().map((account_id) => ({ account_id, ...found, ...counts }));
  const free = await whileWaiting('protection_blocks', 'account_id', ids, () =>
    db.transaction((tx) => addObjections(tx, objections as never)),
  );
  expect(free).toEqual(ids.slice(MIDDLE + 1));
});

test('locks on several things are taken in the order of their keys', async () => {
  const things = Array.from({ length: COUNT }, () => service.app.random.uuid());
  const keysOf = async (seed: number) =>
    (
      await service.app.db.rows<{ key: string }>(
        'select hashtextextended(t, $2)::text as key from unnest($1::text[]) t order by hashtextextended(t, $2)',
        [things, seed],
      )
    ).map(({ key }) => key);
  for (const [seed, statement] of [
    [7, () => service.app.db.rows('select lock_verifications($1::uuid[])', [things])],
    [
      LOCK_CLASSES.idempotencyKey,
      () => service.app.db.transaction((tx) => lockKeys(tx, 'idempotencyKey', things)),
    ],
  ] as const) {
    const keys = await keysOf(seed);
    await using middle = await holdLock(service, 'select pg_advisory_xact_lock($1::bigint)', [keys[MIDDLE]]);
    const waiting = statement();
    await untilBlocked(service, '');
    const free = await service.app.db.rows<{ key: string }>(
      'select k::text as key from unnest($1::bigint[]) k where pg_try_advisory_xact_lock(k) order by k',
      [keys],
    );
    await middle.commit();
    await waiting;
    expect(free.map(({ key }) => key)).toEqual(keys.slice(MIDDLE + 1));
  }
});
