import { randomUUID } from 'node:crypto';
import type { Channel } from '@sixdigit/contract/channels.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listWebhooks } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { type Db, openDb } from '../src/platform/db/sql.ts';
import { testDatabase } from './database.ts';
import { fixture } from './fixture.ts';
import { PEOPLE, type PreviousCall, previousCalls, statementOf } from './previous-calls.ts';
import { rolledBack } from './rolled-back.ts';
import { rowsReadBy } from './rows-read.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** An outage of a carrier: messages wait, with statistics of the time when every message was in flight. */
const WAITING = 20_000;
const outage = (analyze: string) => `
  with waiting as (
    insert into verifications (account_id, id, api_key_id, created_at, expires_at, cost_credits, code_length, channel, recipient, status,
      code_hmac)
    select k.account_id, new_uuid(), k.id, clock_now(), clock_now() + interval '5 minutes', 1, 6, 'sms', '+1202555' || n, 'pending', '\\x01'
    from api_keys k, generate_series(1, ${WAITING}) n
    returning *
  ), opened as (
    insert into recipients (account_id, recipient, code_hmac, code_sealed, code_length, code_until, open_ids, touched_at)
    select account_id, recipient, code_hmac, '\\x02', 6, expires_at, array[id], created_at from waiting
  ), charged as (
    insert into ledger (account_id, id, created_at, credits, kind, description)
    select account_id, id, created_at, -1, 'usage', '' from waiting
  ), planned as (
    insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
    select id, account_id, id, '[]', 60, '\\x02', created_at, expires_at from waiting
  )
  insert into deliveries (id, account_id, channel, sealed, run_at, expires_at, worker_id)
  select id, account_id, channel, '\\x02', created_at, expires_at, id from waiting;
  ${analyze}
  update deliveries set worker_id = null;`;

/** The calls have one item each; a claim takes ten. An index may fetch a row for each of several statements. */
const MOST_ROWS = 50;

/** Those of plans, which the previous version did not have. */
const PLAN_CALLS: readonly PreviousCall[] = [
  { call: `select * from claim_plans('${randomUUID()}', '${randomUUID()}', 10)`, columns: [] },
  {
    call: 'select advance_plans($moves)',
    parameters: {
      moves: [{ account_id: randomUUID(), otp_id: randomUUID(), rest: [], steps: [], changes: [] }],
    },
    columns: [],
  },
];

/** Makes every call on one connection and returns those that read too many rows. */
async function wastefulCalls(prepare: (db: Db) => Promise<void>): Promise<string[]> {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => {} }, max: 1 });
  const wasteful: string[] = [];
  try {
    await db.pool.query(PEOPLE);
    await prepare(db);
    for (const previous of [...previousCalls, ...PLAN_CALLS]) {
      const [text, values] = statementOf(previous);
      await db.transaction(async (tx) => {
        for (const [table, read] of await rowsReadBy(tx, () => tx.run(text, values)))
          if (read > MOST_ROWS) wasteful.push(`${text} reads ${read} rows of ${table}`);
      });
    }
    expect(await db.one('select count(*)::integer as n from deliveries')).toEqual({ n: WAITING });
    return wasteful;
  } finally {
    await db.close();
  }
}

test(`no call of the hot path reads more rows than its batch holds while ${WAITING} messages and steps of plans wait`, async () => {
  const wasteful = await wastefulCalls(async (db) => void (await db.pool.query(outage('analyze;'))));
  expect(wasteful).toEqual([]);
});

test('plans cached while the tables were empty read no more rows than the batch holds', async () => {
  const wasteful = await wastefulCalls(async (db) => {
    await db.pool.query('vacuum analyze');
    await rolledBack(db, async (tx) => {
      // A new partition would make the connection plan again.
      for (const previous of previousCalls.filter(({ call }) => !call.includes('ensure_partitions')))
        await tx.run(...statementOf(previous));
    });
    await db.pool.query(outage(''));
  });
  expect(wasteful).toEqual([]);
});

test('no database function disables nested loops in a way that PostgreSQL 17 recompiles on every call', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => {} }, max: 1 });
  try {
    const functions = await db.rows<{ name: string; is_compiled: boolean }>(
      `select proname as name, not 'jit=off' = any (proconfig) as is_compiled from pg_proc
       where 'enable_nestloop=off' = any (proconfig) order by proname`,
    );
    expect(functions).toEqual([
      { name: 'admit_requests', is_compiled: false },
      { name: 'apply_changes', is_compiled: false },
      { name: 'note_insights', is_compiled: false },
    ]);
  } finally {
    await db.close();
  }
});

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

test('a send is accepted and dispatched while other statements hold all connections available to them', async () => {
  const { db } = service.app;
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: 40 }, () => db.transaction(() => release.promise));
  await expect.poll(() => db.connections().waiting).toBeGreaterThan(0);
  try {
    const plan: Channel[] = ['whatsapp', 'sms'];
    const sends = [{ channel: 'sms' }, { channels: plan }, { channels: 'auto' }] as const;
    const sent = await Promise.all(
      sends.map((one, n) =>
        service.call(sendOtp, {
          apiKey: alice.api_key,
          body: { recipient: `+1415555267${n}`, ...one },
        }),
      ),
    );
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(db.connections().waiting).toBeGreaterThan(0);
  } finally {
    release.resolve();
    await Promise.all(held);
  }
  const { status } = await service.call(listWebhooks, { bearer: await signedIn(service, alice) });
  expect(status).toBe(200);
});

test('a batch reads the rows of each of its items, whatever their order', async () => {
  const { db, random } = service.app;
  const owners = [alice, await service.customer('Bob')];
  const items = Array.from({ length: 20 }, (_, n) => {
    const [otp_id, later_id] = [random.uuid(), random.uuid()];
    const recipient_hash = otp_id.replaceAll('-', '');
    return {
      account_id: owners[n % 2]?.account_id,
      ...{ recipient: `own:${n}`, otp_id, later_id, recipient_hash, suppression: [`\\x${recipient_hash}`] },
    };
  }).toReversed();
  await db.run(
    `with i as (
       select * from json_to_recordset($1) as i (account_id uuid, recipient text, recipient_hash text, otp_id uuid, later_id uuid)
     ), v as (
       insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, code_hmac, created_at, expires_at)
       select account_id, id, account_id, 'sms', recipient, 'sent', 0, 6, 'a', clock_now(), clock_now() + interval '5 minutes'
       from i cross join lateral unnest(array[otp_id, later_id]) as id
     ), r as (
       insert into recipients (account_id, recipient, open_ids, open_until, touched_at)
       select account_id, recipient, array[otp_id, later_id], clock_now() + interval '5 minutes', clock_now() from i
     ), k as (
       insert into known_recipients (account_id, hash, known_on, is_imported)
       select account_id, decode(recipient_hash, 'hex'), current_date, true from i
     )
     insert into suppressions (id, account_id, fingerprint, recipient, reason, created_at)
     select otp_id, account_id, decode(recipient_hash, 'hex'), recipient, 'manual', clock_now() from i`,
    [JSON.stringify(items)],
  );
  const found = async (call: string) =>
    (
      await db.one<{ found: Record<string, object[]> & object[] }>(`select ${call} as found`, [
        JSON.stringify(items),
      ])
    ).found;
  const of = (rows: readonly object[] = [], ...fields: string[]) =>
    rows.map((row) => fields.map((field) => (row as Record<string, unknown>)[field]).join(' ')).toSorted();
  const both = [...of(items, 'account_id', 'otp_id'), ...of(items, 'account_id', 'later_id')].toSorted();
  const sends = await found('lock_sends($1, false, false)');
  expect(of(sends.recipients, 'account_id', 'recipient')).toEqual(of(items, 'account_id', 'recipient'));
  expect(of(sends.known, 'account_id', 'hash')).toEqual(of(items, 'account_id', 'recipient_hash'));
  expect(of(sends.suppressed, 'account_id', 'fingerprint')).toEqual(of(items, 'account_id', 'suppression'));
  const verifies = await found('lock_verifies($1, false)');
  expect(of(verifies.verifications, 'account_id', 'id')).toEqual(of(items, 'account_id', 'otp_id'));
  expect(of(verifies.siblings, 'account_id', 'id')).toEqual(both);
  expect(of(await found('find_own_codes($1)'), 'account_id', 'id')).toEqual(both);
});
