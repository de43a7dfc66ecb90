import { afterAll, beforeAll, expect, test } from 'vitest';
import { allJobs } from '../src/app.ts';
import { type Customer, type TestService, testService } from './service.ts';

/** More than any round of these jobs takes. The rows are inserted the newest first. */
const MANY = 600;

/** By the job that works through them: a table, when its row is due, and due rows. $1 is an account, $2 how many. */
const QUEUES: readonly [job: string, table: string, due: string, insert: string][] = [
  [
    'notices',
    'notices',
    'run_at',
    `insert into notices (id, account_id, channel, sealed, created_at, run_at, expires_at)
     select gen_random_uuid(), $1, 'email', 'a', now(), now() - make_interval(mins => n), now() - interval '1 minute'
     from generate_series(1, $2) n`,
  ],
  [
    'deliveries',
    'deliveries',
    'run_at',
    `insert into deliveries (id, account_id, channel, sealed, run_at, expires_at)
     select gen_random_uuid(), $1, 'email', 'a', now() - make_interval(mins => n), now() + interval '1 hour'
     from generate_series(1, $2) n`,
  ],
  [
    'plans',
    'plans',
    'run_at',
    `insert into plans (otp_id, account_id, current_id, rest, wait_seconds, sealed, run_at, expires_at)
     select gen_random_uuid(), $1, gen_random_uuid(), '[]', 60, 'a', now() - make_interval(mins => n), now() + interval '1 hour'
     from generate_series(1, $2) n`,
  ],
  [
    'sweep',
    'verifications',
    'expires_at',
    `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length, code_hmac, created_at, expires_at)
     select $1, new_uuid(), $1, 'sms', 'a', 'sent', 0, 6, 'a', now(), now() - make_interval(mins => n) from generate_series(1, $2) n`,
  ],
  [
    'webhooks',
    'webhook_deliveries',
    'run_at',
    `with e as (
       insert into webhook_endpoints (id, account_id, name, url, secret, created_at)
       values (gen_random_uuid(), $1, 'Hook', 'https://hooks.invalid', 'a', now()) returning id
     ), m as (
       insert into webhook_messages (id, account_id, endpoint_id, type, body, created_at)
       select new_uuid(), $1, e.id, 'webhook.test', '{}', now() from e, generate_series(1, $2) returning id, endpoint_id
     )
     insert into webhook_deliveries (id, endpoint_id, account_id, run_at)
     select id, endpoint_id, $1, now() - make_interval(mins => row_number() over ()::integer) from m`,
  ],
  [
    'message-domains',
    'message_domains',
    'checked_at',
    `insert into message_domains (id, account_id, domain, token, created_at, checked_at, verified_at)
     select gen_random_uuid(), $1, n || '.invalid', 'a', now(), now() - interval '60 days' - make_interval(mins => n), now()
     from generate_series(1, $2) n`,
  ],
  [
    'recipient-erasures',
    'recipient_erasures',
    'id',
    `insert into recipient_erasures (id, created_at, requested_by, masked, sealed, retention_days, steps)
     select uuid_floor(now() - make_interval(mins => n)), now(), $1, 'a', 'a', 30, 1 from generate_series(1, $2) n`,
  ],
  [
    'payment-events',
    'payment_events',
    'run_at',
    `insert into payment_events (id, type, received_at, run_at)
     select $1::text || n, 'charge.refunded', now(), now() - make_interval(mins => n) from generate_series(1, $2) n`,
  ],
  [
    'payment-refunds',
    'unmatched_payments',
    'run_at',
    `with o as (
       insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at)
       values (gen_random_uuid(), $1, 'custom', 100, 200, 'sandbox', 'a', now(), now()) returning id)
     insert into unmatched_payments (intent_id, provider, account_id, order_id, amount_cents, currency, reason, found_at, run_at)
     select n::text, 'sandbox', $1, o.id, 200, 'usd', 'other_amount', now(), now() - make_interval(mins => n)
     from o, generate_series(1, $2) n`,
  ],
  [
    'payment-reconciler',
    'orders',
    'check_at',
    `insert into orders (id, account_id, kind, credits, price_usd_cents, provider, customer_id, created_at, asked_at, check_at)
     select gen_random_uuid(), $1, 'custom', 100, 200, 'sandbox', 'a', now() - interval '2 days', now() - interval '2 days', now() - make_interval(mins => n)
     from generate_series(1, $2) n`,
  ],
];

let service: TestService;
let alice: Customer;
beforeAll(async () => {
  // An index would put the rows into order even if the statement did not ask for it.
  const options = encodeURIComponent('-c enable_indexscan=off -c enable_bitmapscan=off');
  service = await testService({ via: async (url) => `${url}?options=${options}` });
  for (const { name } of await service.app.db.rows<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
     where indrelid = any ($1::text[]::regclass[]) and not indisunique`,
    [QUEUES.map(([, table]) => table)],
  ))
    await service.app.db.run(`drop index ${name}`);
  alice = await service.customer('Alice');
});
afterAll(() => service[Symbol.asyncDispose]());

test.each(QUEUES)('the job %s takes the oldest rows of %s first', async (name, table, due, insert) => {
  await service.app.db.run(insert.replaceAll('now()', 'clock_now()'), [alice.account_id, MANY]);
  const rows = () =>
    service.app.db.rows<{ row: string; due: string | null }>(
      `select t::text as row, ${due}::text as due from ${table} t where ${due} is not null order by ${due}`,
    );
  const before = await rows();
  const job = allJobs(service.app).find((one) => one.name === name);
  // The rows are invalid for the next step of the job.
  await job?.run(service.worker).catch(() => {});
  await job?.idle?.();
  const after = new Set((await rows()).map(({ row }) => row));
  const taken = before.filter(({ row }) => !after.has(row));
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.length).toBeLessThan(MANY);
  expect(taken).toEqual(before.slice(0, taken.length));
});
