import { expect, test } from 'vitest';
import { LOCK_CLASSES, lockKeys } from '../src/platform/db/advisory-locks.ts';
import { jsonLiteral } from '../src/platform/db/sql.ts';
import { addObjections } from '../src/protection/exchange-queries.ts';
import { finishDelivered } from '../src/webhooks/delivery-queries.ts';
import { stopDatabaseClock } from './clock.ts';
import { fixture } from './fixture.ts';
import { holdLock, untilBlocked } from './held-lock.ts';
import { testService } from './service.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const COUNT = 21;
const middleOf = <T>(all: readonly T[]) => Math.trunc(all.length / 2);
const afterMiddle = <T>(all: readonly T[]) => all.slice(middleOf(all) + 1);

/** Returns which rows are locked and which are free while a statement waits for the row in the middle. */
async function whileWaiting(
  table: string,
  key: string,
  ids: readonly string[],
  statement: () => Promise<unknown>,
) {
  await statement();
  const one = `select from ${table} where ${key} = $1 for update`;
  await using middle = await holdLock(service, one, [ids[middleOf(ids)]]);
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

test('processes write the findings of the rules in the same order and cannot deadlock', async () => {
  const { db, random } = service.app;
  const ids = Array.from({ length: COUNT }, () => random.uuid()).toSorted();
  const found = { hour: 1, rule: 'velocity', scope: 'account', prefix: '+1999', country: 'US', client: '' };
  const counts = { blocked: 1, monitored: 0, first_ms: 0, last_ms: 0 };
  const objections = ids.toReversed().map((account_id) => ({ account_id, ...found, ...counts }));
  const free = await whileWaiting('protection_blocks', 'account_id', ids, () =>
    db.transaction((tx) => addObjections(tx, objections as never)),
  );
  expect(free).toEqual(afterMiddle(ids));
});

/** A call that locks the rows of several keys. It gets an item for each key, against their order. */
interface Locking {
  table: string;
  key: string;
  call: string | ((items: readonly unknown[]) => Promise<unknown>);
  item(id: string): unknown;
  /** inserts the rows of the keys $1 */
  rows?: string;
}

const change = { recipient: 'a', allowed: [], refund: true };
const balances: Omit<Locking, 'call'> = {
  table: 'balances',
  key: 'account_id',
  item: (account_id) => ({ account_id, id: account_id, ...change }),
  rows: `with a as (
      insert into accounts (id, email, username, created_at)
      select id, id || '@customers.test', id, clock_now() from unnest($1::uuid[]) as id returning id)
    insert into balances (account_id) select id from a`,
};
const plans: Omit<Locking, 'call'> = {
  table: 'plans',
  key: 'otp_id',
  item: (id) => ({ account_id: id, id, otp_id: id, failure: 'a', steps: [], rest: [], changes: [] }),
  rows: `with v as (
      insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, code_hmac, created_at, expires_at, failure, plan)
      select id, id, id, 'sms', 'a', 'failed', 0, 6, '', clock_now(), clock_now(), 'a', '{}' from unnest($1::uuid[]) as id returning id)
    insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
    select id, id, id, '[]', 60, 'a', clock_now(), clock_now() from v`,
};

const LOCKING: Record<string, Locking> = {
  sends: { ...balances, call: 'lock_sends($1, false, false)' },
  refunds: { ...balances, call: 'apply_changes($1)' },
  'ended dispatches': { ...balances, call: `finish_deliveries('[]', $1)` },
  'steps of plans': { ...plans, call: 'advance_plans($1)' },
  'failed messages of plans': { ...plans, call: 'hasten_plans($1)' },
  'ended plans': {
    ...plans,
    call: 'end_plans(array(select json_array_elements_text($1)::uuid))',
    item: (id) => id,
  },
  'dashboard calls': {
    table: 'account_rates',
    key: 'account_id',
    call: 'admit_accounts(array(select json_array_elements_text($1)::uuid))',
    item: (id) => id,
  },
  'requests of keys': {
    table: 'key_rates',
    key: 'api_key_id',
    call: `admit_requests(array(select decode(json_array_elements_text($1), 'hex')), array_fill(1, array[${COUNT}]),
      array_fill(''::text, array[${COUNT}]))`,
    item: (id) => id.replaceAll('-', ''),
    rows: `insert into api_keys (id, account_id, name, prefix, hash, created_at)
      select k, a.id, 'a', 'a', uuid_send(k), clock_now() from unnest($1::uuid[]) as k, accounts a where a.username = 'alice'`,
  },
  'failed sign-ins': {
    table: 'audit_entries',
    key: 'account_id',
    call: 'count_failed_sign_ins($1)',
    item: (of_account) => ({ of_account, network: 'a', subject: 'a', count: 1 }),
  },
  'delivered webhook messages': {
    table: 'webhook_endpoints',
    key: 'id',
    async call(items) {
      const { db } = service.app;
      await db.run(
        `insert into webhook_deliveries (id, endpoint_id, account_id, run_at, claim)
         select message_id, message_id, message_id, clock_now(), message_id from json_to_recordset($1) as (message_id uuid)`,
        [JSON.stringify(items)],
      );
      await finishDelivered(db, items as never);
    },
    item: (message_id) => ({
      ...{ id: service.app.random.uuid(), endpoint_id: message_id, account_id: message_id, message_id },
      ...{ event_type: 'a', attempt: 1, attempted_at: '2026-11-30', duration_ms: 1, claim: message_id },
    }),
    rows: `insert into webhook_endpoints (id, account_id, name, url, secret, created_at)
      select e, a.id, 'a', 'a', '', clock_now() from unnest($1::uuid[]) as e, accounts a where a.username = 'alice'`,
  },
  'texts of the dashboard': {
    table: 'own_sms',
    key: `encode(key, 'hex')::uuid`,
    call: 'claim_own_sms($1)',
    item: (id) => ({ rank: 0, key: id.replaceAll('-', ''), most: 9, seconds: 60, is_silent: false }),
  },
};

test.each(Object.entries(LOCKING))(
  'batches of %s lock their rows in the same order and cannot deadlock',
  async (_, { table, key, call, item, rows }) => {
    const { db, random, clock } = service.app;
    const ids = Array.from({ length: COUNT }, () => random.uuid()).toSorted();
    const items = ids.toReversed();
    // Failed sign-ins of one minute share a row.
    await stopDatabaseClock(service.databaseUrl, clock.now());
    if (rows) await db.run(rows, [items]);
    const free = await whileWaiting(table, key, ids, async () => {
      if (typeof call === 'function') return call(items.map(item));
      await using connection = await db.connection();
      // A plan that follows the table's order, as PostgreSQL may choose.
      await connection.script(
        `set enable_indexscan = off; select ${call.replace('$1', `${jsonLiteral(items.map(item))}::json`)}; reset enable_indexscan`,
      );
    });
    await service.clock.advance(0);
    expect(free).toEqual(afterMiddle(ids));
  },
);

test('late sends lock the daily counts of all lists in the same order and cannot deadlock', async () => {
  const lists = ['prefix_costs', 'routes', 'verifications']
    .flatMap((list) => [`all_${list}`, list])
    .toSorted();
  await service.app.db.run(`delete from counted_days`);
  await service.app.db.run(
    `insert into counted_days select list, '2020-01-01', '2100-01-01' from unnest($1::text[]) as list`,
    [lists.toReversed()],
  );
  const free = await whileWaiting('counted_days', 'list', lists, () =>
    service.app.db.run(
      `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, created_at, expires_at)
       select $1, uuid_floor(at), $1, 'sms', 'a', 'failed', 0, 6, at, at from (select clock_now() - interval '2 days' as at) t`,
      [alice.account_id],
    ),
  );
  expect(free).toEqual(afterMiddle(lists));
});

test('several advisory locks are taken in the order of their keys', async () => {
  const things = Array.from({ length: COUNT }, () => service.app.random.uuid());
  const { account_id } = alice;
  for (const thing of things)
    await service.app.db.run(
      `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, code_hmac, created_at, expires_at)
       values ($1, $2::uuid, $2::uuid, 'email', $2, 'sent', 0, 6, '', clock_now(), clock_now())`,
      [account_id, thing],
    );
  const keysOf = async (seed: number, names: readonly string[]) =>
    (
      await service.app.db.rows<{ key: string }>(
        'select hashtextextended(t, $2)::text as key from unnest($1::text[]) t order by hashtextextended(t, $2)',
        [names, seed],
      )
    ).map(({ key }) => key);
  const ofAccount = things.map((thing) => account_id + thing);
  const hashes = things.map((thing) => thing.replaceAll('-', ''));
  const locking =
    (call: string, field: string, values: readonly string[], more: object = {}) =>
    () =>
      service.app.db.rows(`select ${call}`, [
        JSON.stringify(values.map((value) => ({ account_id, ...more, [field]: value }))),
      ]);
  const [sends, verifies] = ['lock_sends($1, false, false)', 'lock_verifies($1, false)'] as const;
  const step = { steps: [], rest: [], changes: [] };
  const verifications = () => service.app.db.rows('select lock_verifications($1::uuid[])', [things]);
  const idempotencyKeys = () => service.app.db.transaction((tx) => lockKeys(tx, 'idempotencyKey', things));
  for (const [seed, names, statement] of [
    [LOCK_CLASSES.verification, things, verifications],
    [LOCK_CLASSES.verification, things, locking('advance_plans($1)', 'otp_id', things, step)],
    [LOCK_CLASSES.recipientOfAccount, ofAccount, locking(sends, 'recipient', things)],
    [LOCK_CLASSES.recipient, hashes, locking(sends, 'recipient_hash', hashes, { recipient: 'a' })],
    [LOCK_CLASSES.recipientOfAccount, ofAccount, locking(verifies, 'otp_id', things)],
    [
      LOCK_CLASSES.idempotencyKey,
      ofAccount,
      locking('lock_verifies($1, true)', 'idempotency_key', things, { otp_id: account_id }),
    ],
    [LOCK_CLASSES.idempotencyKey, things, idempotencyKeys],
  ] as const) {
    const keys = await keysOf(seed, names);
    await using middle = await holdLock(service, 'select pg_advisory_xact_lock($1::bigint)', [
      keys[middleOf(keys)],
    ]);
    const waiting = statement();
    await untilBlocked(service, '');
    const free = await service.app.db.rows<{ key: string }>(
      'select k::text as key from unnest($1::bigint[]) k where pg_try_advisory_xact_lock(k) order by k',
      [keys],
    );
    await middle.commit();
    await waiting;
    expect(free.map(({ key }) => key)).toEqual(afterMiddle(keys));
  }
});
