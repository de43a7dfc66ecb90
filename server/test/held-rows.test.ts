import { createWebhook, updateWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { knownHome, rememberNetwork } from '../src/accounts/sessions/client.ts';
import { createLastUse } from '../src/api-keys/api-keys.ts';
import { allJobs } from '../src/app.ts';
import { beginSearch } from '../src/operator/audit.ts';
import { fixture } from './fixture.ts';
import { holdLock } from './held-lock.ts';
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
  const { db } = service.app;
  const { account_id } = alice;
  const { account_id: other } = await service.customer('Bob');
  await db.run(
    `insert into account_networks (person_id, network, first_seen_at, last_seen_at)
     select id, ('198.51.100.' || n)::cidr, clock_now(), clock_now() - n * interval '1 minute'
     from unnest($1::uuid[]) as id, generate_series(1, 20) as n`,
    [[account_id, other]],
  );
  const oldest = 'select from account_networks where network = $1 for update';
  await using refresh = await holdLock(service, oldest, ['198.51.100.20']);
  const home = '203.0.113.0';
  const remember = () => db.transaction((tx) => rememberNetwork(tx, account_id, { home }));
  await withoutWaiting(remember());
  await refresh.commit();
  await remember();
  // The twenty that each person used last.
  expect(await knownHome(db, account_id, { home })).toBe(home);
  expect(await knownHome(db, account_id, { home: '198.51.100.20' })).toBeNull();
  expect(await knownHome(db, account_id, { home: '198.51.100.19' })).not.toBeNull();
  expect(await knownHome(db, other, { home: '198.51.100.20' })).not.toBeNull();
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

test('a job that ends rows of several tables goes on while one of them has more than a batch', async () => {
  const { db } = service.app;
  await db.run(
    `insert into throttles select n::text::bytea, 1, clock_now() - interval '1 day' from generate_series(1, 1001) n`,
  );
  const job = allJobs(service.app).find(({ name }) => name === 'run-out');
  const rounds = [await job?.run(service.worker), await job?.run(service.worker)];
  expect([rounds, await db.rows('select from throttles')]).toEqual([[true, false], []]);
});
