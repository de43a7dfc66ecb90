import { createWebhook, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { rememberNetwork } from '../src/accounts/sessions/client.ts';
import { createLastUse } from '../src/api-keys/api-keys.ts';
import { allJobs } from '../src/app.ts';
import { beginSearch } from '../src/operator/audit.ts';
import { LOCK_CLASSES, lockKeys } from '../src/platform/db/advisory-locks.ts';
import { jsonLiteral } from '../src/platform/db/sql.ts';
import { addObjections } from '../src/protection/exchange-queries.ts';
import { stopDatabaseClock } from './clock.ts';
import { fixture } from './fixture.ts';
import { holdLock, untilBlocked } from './held-lock.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** For each job that deletes or claims rows: SQL that inserts a due row. $1 is an account, $2 an id. */
const DUE: readonly [job: string, table: string, insert: string][] = [
  [
    'run-out',
    'challenges',
    `insert into challenges (id, token_hash, purpose, account_id, code_hmac, sealed, code_expires_at, last_sent_at, created_at, expires_at)
     values ($2, 'a', 'sign_in', $1, 'a', 'a', now() - interval '1 day', now() - interval '1 day', now() - interval '1 day', now() - interval '1 day')`,
  ],
  [
    'run-out',
    'sessions',
    `insert into sessions (id, account_id, refresh_hash, created_at, last_used_at, expires_at)
     values ($2, $1, 'a', now() - interval '1 day', now() - interval '1 day', now() - interval '1 day')`,
  ],
  ['run-out', 'throttles', `insert into throttles values ('a', 1, now() - interval '1 day')`],
  ['run-out', 'own_sms', `insert into own_sms (key, until) values ('a', now() - interval '1 day')`],
  [
    'run-out',
    'account_networks',
    `insert into account_networks (account_id, network, first_seen_at, last_seen_at)
     values ($1, '192.0.2.0/24', now() - interval '900 days', now() - interval '900 days')`,
  ],
  [
    'run-out',
    'account_devices',
    `insert into account_devices (account_id, device_hash, first_seen_at, last_seen_at)
     values ($1, 'a', now() - interval '900 days', now() - interval '900 days')`,
  ],
  [
    'run-out',
    'reset_links',
    `insert into reset_links values ('a', $1, now() - interval '2 days', now() - interval '1 day')`,
  ],
  [
    'run-out',
    'invitations',
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     values ($2, $1, 'a@example.com', 'viewer', 'a', $1, now() - interval '8 days', now() - interval '1 day')`,
  ],
  [
    'run-out',
    'authenticators',
    `insert into authenticators (account_id, sealed, created_at) values ($1, 'a', now() - interval '2 days')`,
  ],
  [
    'run-out',
    'passkey_challenges',
    `insert into passkey_challenges (hash, purpose, account_id, expires_at)
     values ('a', 'register', $1, now() - interval '1 day')`,
  ],
  [
    'retention',
    'recipients',
    `insert into recipients (account_id, recipient, touched_at) values ($1, 'a', now() - interval '2 days')`,
  ],
  [
    'retention',
    'recipient_sends',
    `insert into recipient_sends values ('a', '{}', now() - interval '2 days')`,
  ],
  [
    'retention',
    'known_recipients',
    `insert into known_recipients (account_id, hash, known_on, is_imported)
     values ($1, 'a', (now() - interval '900 days')::date, true)`,
  ],
  [
    'retention',
    'unreachable_recipients',
    `insert into unreachable_recipients values ('whatsapp', 'a', now() - interval '4 days')`,
  ],
  [
    'plans',
    'plans',
    `insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
     values ($2, $1, $2, '[]', 60, 'a', now() - interval '1 minute', now() + interval '1 hour')`,
  ],
  [
    'retention',
    'feedback',
    `insert into feedback (otp_id, account_id, message_id, created_at, run_at)
     values ($2, $1, $2, now() - interval '1 hour', now() - interval '1 hour')`,
  ],
  [
    'retention',
    'idempotency_keys',
    `insert into idempotency_keys (account_id, endpoint, key, request, created_at)
     values ($1, 'send', 'a', 'a', now() - interval '2 days')`,
  ],
  [
    'sweep',
    'recipients',
    `insert into recipients (account_id, recipient, code_hmac, code_sealed, code_until, touched_at)
     values ($1, 'b', 'a', 'a', now() - interval '1 hour', now())`,
  ],
  [
    'test-codes',
    'test_messages',
    `insert into test_messages (account_id, id, created_at, code_sealed) values ($1, $2, now() - interval '2 hours', 'a')`,
  ],
  [
    'message-domains',
    'message_domains',
    `insert into message_domains (id, account_id, domain, token, created_at, checked_at, verified_at)
     values ($2, $1, 'never.invalid', 'a', now() - interval '900 days', now() - interval '800 days', now() - interval '800 days')`,
  ],
  [
    'notices',
    'notices',
    `insert into notices (id, account_id, channel, sealed, created_at, run_at, expires_at)
     values ($2, $1, 'email', 'a', now() - interval '2 days', now() - interval '2 days', now() - interval '1 day')`,
  ],
  [
    'recipient-erasures',
    'recipient_erasures',
    `insert into recipient_erasures (id, created_at, requested_by, masked, sealed, retention_days, steps)
     values ($2, now(), $1, 'a', 'a', 30, 1)`,
  ],
  [
    'payment-events',
    'payment_events',
    `insert into payment_events (id, type, received_at, run_at) values ('a', 'charge.refunded', now(), now() - interval '1 hour')`,
  ],
  [
    'payment-reconciler',
    'orders',
    `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at, check_at)
     values ($2, $1, 'custom', 100, 200, 'sandbox', 'a', now() - interval '2 days', now() - interval '2 days', now() - interval '1 hour')`,
  ],
  [
    'payment-refunds',
    'unmatched_payments',
    `with o as (
       insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at)
       values ($2, $1, 'custom', 100, 200, 'sandbox', 'a', now(), now()) returning id)
     insert into unmatched_payments (intent_id, provider, account_id, order_id, amount_cents, currency, reason, found_at, run_at)
     select 'a', 'sandbox', $1, id, 200, 'usd', 'other_amount', now(), now() - interval '1 hour' from o`,
  ],
  [
    'auto-purchase',
    'orders',
    `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at)
     values ($2, $1, 'auto', 100, 200, 'sandbox', 'a', now() - interval '5 minutes', now() - interval '5 minutes')`,
  ],
  [
    'retention',
    'audit_entries',
    `insert into audit_entries (id, account_id, created_at, actor, action, subject)
     values (uuid_floor(now() - interval '900 days'), $1, now() - interval '900 days', 'owner', 'a', '')`,
  ],
  [
    'deliveries',
    'deliveries',
    `insert into deliveries (id, account_id, channel, sealed, run_at, expires_at)
     values ($2, $1, 'email', 'a', now() - interval '1 minute', now() + interval '1 hour')`,
  ],
  [
    'plans',
    'plans',
    `insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
     values ($2, $1, $2, '[]', 60, 'a', now() - interval '1 minute', now() + interval '1 hour')`,
  ],
  [
    'webhooks',
    'webhook_deliveries',
    `with e as (
       insert into webhook_endpoints (id, account_id, name, url, secret, created_at)
       values ($2, $1, 'Hook', 'https://hooks.invalid', 'a', now()) returning id
     ), m as (
       insert into webhook_messages (id, account_id, endpoint_id, type, body, created_at)
       select uuid_floor(now()), $1, id, 'webhook.test', '{}', now() from e returning id, endpoint_id
     )
     insert into webhook_deliveries (id, endpoint_id, account_id, run_at)
     select id, endpoint_id, $1, now() - interval '1 minute' from m`,
  ],
];

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

/** Fails as soon as a statement waits for a lock while this work runs. */
async function withoutWaiting<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const round = work.finally(() => {
    isOver = true;
  });
  round.catch(() => {});
  while (!isOver) {
    const waiting = await service.app.db.rows<{ query: string }>(
      `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(waiting, 'statements that wait for a lock').toEqual([]);
  }
  return round;
}

/** Runs one round of a job. */
async function roundOf(name: string): Promise<void> {
  const job = allJobs(service.app).find((one) => one.name === name);
  await job?.run(service.worker);
  await job?.idle?.();
}

const rowsOf = (table: string): Promise<{ row: string }[]> =>
  service.app.db.rows(`select t::text as row from ${table} t order by 1`);

test.each(DUE)(
  'the job %s skips rows of %s that another transaction has locked and takes them later',
  async (job, table, insert) => {
    await service.app.db.run(insert.replaceAll('now()', 'clock_now()'), [
      ...(/\$1/.test(insert) ? [alice.account_id] : []),
      ...(/\$2/.test(insert) ? [service.app.random.uuid()] : []),
    ]);
    const due = await rowsOf(table);
    await using held = await holdLock(service, `select from ${table} for no key update`, []);
    await withoutWaiting(roundOf(job));
    expect(await rowsOf(table), 'while another transaction holds them').toEqual(due);
    await held.commit();
    // Some of the rows are invalid for the next step of their job.
    await roundOf(job).catch(() => {});
    expect(await rowsOf(table), 'afterwards').not.toEqual(due);
  },
);

test('a sign-in from a new network does not wait for a refresh from the oldest one', async () => {
  const { account_id } = alice;
  await service.app.db.run(
    `insert into account_networks (person_id, network, first_seen_at, last_seen_at)
     select $1, ('198.51.100.' || n)::cidr, clock_now(), clock_now() - n * interval '1 minute' from generate_series(1, 20) as n`,
    [account_id],
  );
  const oldest = 'select from account_networks where network = $1 for update';
  await using _refresh = await holdLock(service, oldest, ['198.51.100.20']);
  await withoutWaiting(
    service.app.db.transaction((tx) => rememberNetwork(tx, account_id, { home: '203.0.113.0' })),
  );
});

test('the last use of API keys and an operator’s search do not wait for rows that others hold', async () => {
  const { db, clock } = service.app;
  const { id } = await service.anotherKey(alice.account_id);
  await db.run(`update api_keys set retired_hash = 'a' where id = $1`, [id]);
  await db.run(`insert into operator_searches values ('old', clock_now() - interval '1 hour')`);
  await using held = await holdLock(service, 'select from api_keys where id = $1 for update', [id]);
  await held.run('select from operator_searches for update', []);
  const uses = createLastUse();
  for (const uses_retired_secret of [true, false])
    for (const api_key_id of [id, alice.api_key_id])
      uses.seen({ api_key_id, uses_retired_secret } as Parameters<typeof uses.seen>[0]);
  await withoutWaiting(uses.write(db, clock.now()));
  await withoutWaiting(db.transaction((tx) => beginSearch(tx, Buffer.from('new'))));
  expect(await db.rows('select id from api_keys where last_used_at is not null')).toEqual([
    { id: alice.api_key_id },
  ]);
});

test('deactivating a webhook does not wait for a worker that claims one of its deliveries', async () => {
  const bearer = await signedIn(service, alice);
  const body = { name: 'Hook', url: 'https://hooks.example.com/otp' };
  const { id } = (await service.call(createWebhook, { bearer, body })).body;
  await service.app.db.run(
    `insert into webhook_deliveries (id, endpoint_id, account_id, run_at) values ($1, $2, $3, clock_now())`,
    [service.app.random.uuid(), id, alice.account_id],
  );
  const claimed = 'select from webhook_deliveries where endpoint_id = $1 for update';
  await using _claim = await holdLock(service, claimed, [id]);
  const { status } = await withoutWaiting(
    service.call(updateWebhook, { bearer, params: { id }, body: { ...body, is_active: false } }),
  );
  expect(status).toBe(200);
});

const COUNT = 21;
const middleOf = <T>(all: readonly T[]) => Math.trunc(all.length / 2);
const afterMiddle = <T>(all: readonly T[]) => all.slice(middleOf(all) + 1);

const ADMISSION = `select * from admit_requests($1::bytea[], array_fill(1, array[cardinality($1::bytea[])]),
  array_fill(''::text, array[cardinality($1::bytea[])]))`;

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

test('batches of requests lock API keys in the same order and cannot deadlock', async () => {
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
  expect(free).toEqual(afterMiddle(ids));
});

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
  call: string;
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
      insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, created_at, expires_at, failure, plan)
      select id, id, id, 'sms', 'a', 'failed', 0, 6, clock_now(), clock_now(), 'a', '{}' from unnest($1::uuid[]) as id returning id)
    insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
    select id, id, id, '[]', 60, 'a', clock_now(), clock_now() from v`,
};

const LOCKING: Record<string, Locking> = {
  sends: { ...balances, call: 'lock_sends($1, false, false)' },
  refunds: { ...balances, call: 'apply_changes($1)' },
  'ended dispatches': { ...balances, call: `finish_deliveries('[]', $1)` },
  'steps of plans': { ...plans, call: 'advance_plans($1)' },
  'failed messages of plans': { ...plans, call: 'hasten_plans($1)' },
  'dashboard calls': {
    table: 'account_rates',
    key: 'account_id',
    call: 'admit_accounts(array(select json_array_elements_text($1)::uuid))',
    item: (id) => id,
  },
  'failed sign-ins': {
    table: 'audit_entries',
    key: 'account_id',
    call: 'count_failed_sign_ins($1)',
    item: (of_account) => ({ of_account, network: 'a', subject: 'a', count: 1 }),
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
