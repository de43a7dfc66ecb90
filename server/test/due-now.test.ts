import { beforeAll, expect, test } from 'vitest';
import { allJobs } from '../src/app.ts';
import { stopDatabaseClock } from './clock.ts';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const EARLIER = "clock_now() - interval '1 hour'";
const LATER = "clock_now() + interval '1 hour'";

/** By job: a table, and a row of it that is due at `at`. $1 is an account, $2 an id. */
const QUEUES: readonly [job: string, table: string, insert: string][] = [
  [
    'notices',
    'notices',
    `(id, account_id, channel, sealed, created_at, run_at, expires_at) values ($2, $1, 'email', 'a', ${EARLIER}, at, ${LATER})`,
  ],
  [
    'deliveries',
    'deliveries',
    `(id, account_id, channel, sealed, run_at, expires_at) values ($2, $1, 'email', 'a', at, ${LATER})`,
  ],
  [
    'plans',
    'plans',
    `(otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
     values ($2, $1, $2, '[]', 60, 'a', at, ${LATER})`,
  ],
  [
    'payment-events',
    'payment_events',
    `(id, type, received_at, run_at) values ($1::text || $2::text, 'charge.refunded', ${EARLIER}, at)`,
  ],
  [
    'payment-reconciler',
    'orders',
    `(id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at, check_at)
     values ($2, $1, 'custom', 100, 200, 'sandbox', 'a', ${EARLIER}, ${EARLIER}, at)`,
  ],
  ['run-out', 'throttles', `values (($1::text || $2::text)::bytea, 1, at)`],
  ['run-out', 'own_sms', `(key, until) values (($1::text || $2::text)::bytea, at)`],
  ['run-out', 'reset_links', `values ($2::text::bytea, $1, ${EARLIER}, at)`],
  [
    'run-out',
    'passkey_challenges',
    `(hash, purpose, account_id, expires_at) values ($2::text::bytea, 'register', $1, at)`,
  ],
  [
    'run-out',
    'challenges',
    `(id, token_hash, purpose, account_id, code_hmac, sealed, code_expires_at, last_sent_at, created_at, expires_at)
     values (gen_random_uuid(), $2::text::bytea, 'sign_in', $1, 'a', 'a', ${EARLIER}, ${EARLIER}, ${EARLIER}, at)`,
  ],
  [
    'sweep',
    'recipients',
    `(account_id, recipient, code_hmac, code_sealed, code_until, touched_at) values ($1, $2::text, 'a', 'a', at, ${EARLIER})`,
  ],
];

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  await stopDatabaseClock(service.databaseUrl, NOW);
});

test.each(QUEUES)(
  'the job %s takes a row of %s from the moment when it is due',
  async (name, table, insert) => {
    const job = allJobs(service.app).find((one) => one.name === name);
    const isTaken = async (at: string): Promise<boolean> => {
      await service.app.db.run(`delete from ${table}`);
      await service.app.db.run(`insert into ${table} ${insert.replace(/\bat\b/, at)}`, [
        alice.account_id,
        service.app.random.uuid(),
      ]);
      const rows = () => service.app.db.rows(`select t::text from ${table} t`);
      const before = await rows();
      // The row is invalid for the next step of the job.
      await job?.run(service.worker).catch(() => {});
      await job?.idle?.();
      return JSON.stringify(await rows()) !== JSON.stringify(before);
    };
    expect(await isTaken("clock_now() + interval '1 microsecond'")).toBe(false);
    expect(await isTaken('clock_now()')).toBe(true);
  },
);
