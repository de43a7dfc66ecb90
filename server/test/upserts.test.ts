import { expect, test } from 'vitest';
import { insertInvitation } from '../src/accounts/members/invitation-queries.ts';
import { enrol } from '../src/accounts/second-factors/authenticator.ts';
import { writeSso } from '../src/accounts/sso/queries.ts';
import { beginTest } from '../src/messaging/carriers/carriers.ts';
import { noteDispute } from '../src/payments/disputes.ts';
import type { Tx } from '../src/platform/db/sql.ts';
import { insertBlockedPrefixes } from '../src/protection/exchange-queries.ts';
import { stopDatabaseClock } from './clock.ts';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));
const bytes = (n: number) => Buffer.alloc(16, n);
const id = (n: number) => `0190000${n}-0000-7000-8000-000000000000`;

interface Upsert {
  write(tx: Tx, n: 1 | 2): Promise<unknown>;
  /** what the first row becomes before it may be replaced */
  ends?: string;
  /** columns that the first row keeps */
  keeps?: readonly string[];
}

/** Each writes a row with other values in every column that its caller chooses. */
const UPSERTS: Record<string, Upsert> = {
  invitations: {
    write: (tx, n) =>
      insertInvitation(tx, {
        id: id(n),
        account_id: alice.account_id,
        email: 'dana@example.com',
        role: n === 1 ? 'admin' : 'viewer',
        token_hash: bytes(n),
        invited_by: [alice, bob][n - 1]?.account_id ?? '',
      }),
    ends: `links = 3, created_at = clock_now() - interval '8 days', expires_at = clock_now() - interval '1 day'`,
  },
  carrier_tests: {
    write: (tx, n) => beginTest(tx, 'acme', { id: id(n), channel: n === 1 ? 'sms' : 'voice' }),
    ends: `outcome = 'accepted', report = '{}', reported_at = clock_now(), sent_at = clock_now() - interval '1 day'`,
  },
  account_sso: {
    write: (tx, n) =>
      writeSso(tx, {
        account_id: alice.account_id,
        issuer: `https://idp${n}.test`,
        client_id: `client ${n}`,
        client_secret: bytes(n),
        domain: `example${n}.com`,
        token: `token ${n}`,
        default_role: n === 1 ? 'admin' : 'viewer',
        required: n === 1,
        exempt_person_id: n === 1 ? alice.account_id : null,
        session_hours: 12 * n,
        shared_redirect: n === 1,
      }),
    ends: `checked_at = clock_now(), problem = 'record_missing', verified_at = clock_now(), lapses_at = clock_now(),
      signed_in_at = clock_now(), failed_at = clock_now(), failure = 'It failed'`,
    keeps: ['created_at'],
  },
  authenticators: {
    write: (tx, n) =>
      enrol(tx, service.app, { person_id: alice.account_id, email: `${n}@example.com` }).then(() =>
        tx.run(`update authenticators set sealed = $1 where sealed <> $2`, [bytes(n), bytes(3 - n)]),
      ),
    ends: `last_step = 7, created_at = clock_now() - interval '1 hour'`,
  },
  disputes: {
    write: (tx, n) =>
      noteDispute(
        tx,
        { id: id(9), account_id: alice.account_id },
        {
          id: 'dp_1',
          cents: n * 100,
          currency: 'usd',
          reason: n === 1 ? 'general' : 'fraudulent',
          status: n === 1 ? 'needs_response' : 'won',
          evidence_due_at: n === 1 ? '2026-01-01T00:00:00Z' : null,
          has_evidence: n === 2,
          opened_at: '2026-01-01T00:00:00Z',
        },
      ),
    ends: `changed_at = clock_now() - interval '1 day'`,
  },
  blocked_prefixes: {
    write: (tx, n) =>
      insertBlockedPrefixes(tx, [
        {
          account_id: alice.account_id,
          prefix: '+1415555',
          country: n === 1 ? 'US' : 'CA',
          rule: n === 1 ? 'prefix_velocity' : 'prefix_conversion',
          until_ms: Date.UTC(2100, n),
        },
      ]),
    ends: `blocked_until = clock_now(), changed_at = clock_now() - interval '1 day'`,
  },
  idempotency_keys: {
    write: (tx, n) => {
      const key = { account_id: alice.account_id, endpoint: 'send', key: '\\x0a' };
      const stored = { ...key, request: `\\x0${n}`, status: 200 + n, response: { n } };
      return tx.run('select keep_idempotent_answers($1)', [JSON.stringify([stored])]);
    },
    ends: `created_at = clock_now() - interval '1 day'`,
  },
  recipient_sends: {
    write: (tx, n) => {
      const at = new Date(Date.UTC(2100, n));
      const { account_id } = alice;
      const row = { account_id, id: service.app.random.uuid(), api_key_id: account_id, status: 'pending' };
      const more = {
        channel: 'sms',
        recipient: 'a',
        cost_credits: 1,
        code_length: 6,
        created_at: at,
        expires_at: at,
      };
      return tx.run(`select record_sends($1, $2, '[]', '[]')`, [
        JSON.stringify([{ ...row, ...more, is_test: false, own_code: false }]),
        JSON.stringify({ recipient_hash: ['\\x0a'], code_sealed: ['\\x01'] }),
      ]);
    },
  },
  recipients: {
    write: (tx, n) =>
      tx.run(`select record_sends('[]', '{}', $1, '[]')`, [
        JSON.stringify([
          {
            account_id: alice.account_id,
            recipient: '+14155552671',
            code_hmac: `\\x0${n}`,
            code_sealed: `\\x1${n}`,
            code_length: 5 + n,
            code_first_sent_at: new Date(Date.UTC(2100, n)),
            code_until: new Date(Date.UTC(2101, n)),
            open_until: new Date(Date.UTC(2102, n)),
            open_ids: [id(n)],
            tries_used: n,
            sends: [n],
          },
        ]),
      ]),
    ends: `touched_at = clock_now() - interval '1 day'`,
  },
};

test.each(Object.entries(UPSERTS))(
  'a row of %s that replaces another has no column of the other',
  async (table, { write, ends, keeps = [] }) => {
    const { db, clock } = service.app;
    const now = clock.now();
    if (table === 'disputes')
      await db.run(
        `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at)
         values ($1, $2, 'custom', 100, 200, 'sandbox', 'a', clock_now(), clock_now())`,
        [id(9), alice.account_id],
      );
    const written = async (...rounds: (1 | 2)[]) => {
      await db.run(`delete from ${table}`);
      for (const n of rounds) {
        await stopDatabaseClock(service.databaseUrl, new Date(now.getTime() + n * 60_000));
        await db.transaction((tx) => write(tx, n));
        if (n === 1 && ends) await db.run(`update ${table} set ${ends}`);
      }
      const [{ row }] = (await db.rows(`select to_jsonb(t) as row from ${table} t`)) as [
        { row: Record<string, unknown> },
      ];
      return Object.entries(row).filter(([name]) => !keeps.includes(name));
    };
    expect(await written(1, 2)).toEqual(await written(2));
    await service.clock.advance(0);
  },
);
