/** Measures the operator console with many accounts. */

import { listTransactions } from '@sixdigit/contract/payments.ts';
import type { Db } from '../../server/src/platform/db/sql.ts';
import { FIRST_CREDITS } from '../harness/accounts.ts';
import { quantile } from '../harness/load.ts';
import { wait } from '../harness/run.ts';
import { type Asking, timedGet } from './lists.ts';

const ACCOUNTS = 100_000;

/**
 * Inserts accounts with balances and a purchase each, some suspended and some deleted. Their names and numbers differ, so that a
 * search finds few of them.
 */
export async function fillManyAccounts(db: Db): Promise<void> {
  const fill = (text: string) => db.pool.query({ text, query_timeout: 600_000 } as { text: string });
  await fill(`insert into accounts (id, email, username, first_name, last_name, phone_number, suspended_at, deleted_at)
    select uuid_floor(now() - make_interval(mins => n)), case when n % 50 <> 0 then 'person' || n || '@company' || n % 997 || '.test' end,
      case when n % 50 <> 0 then 'user' || n end, 'First' || n % 1009, 'Last' || n % 4001, '+1415' || (2000000 + n),
      case when n % 200 = 1 then now() end, case when n % 50 = 0 then now() end
    from generate_series(1, ${ACCOUNTS}) as n`);
  await fill(`insert into balances (account_id, credits) select id, abs(hashtext(id::text)) % 100000 from accounts a
    where not exists (select from balances b where b.account_id = a.id)`);
  // The ledger audit expects the same first credits in all accounts.
  await fill(`insert into ledger (account_id, id, created_at, credits, kind, reference, description)
    select account_id, account_id, now(), credits - ${FIRST_CREDITS}, 'adjustment', 'first:' || account_id, 'First credits'
    from balances where credits < 100000`);
  await fill(`insert into orders (id, account_id, kind, credits, price_usd_cents, status, provider, customer_id, intent_id, created_at, asked_at)
    select uuid_floor(now() - make_interval(secs => n)), a.id, 'custom', 100, 200 + n % 50, 'succeeded', 'stripe', 'cus_' || n, 'pi_' || n, now(), now()
    from (select id, row_number() over () as n from accounts) a`);
  await fill('vacuum analyze');
}

const LISTS: readonly string[] = [
  'accounts/',
  ...['', '-'].flatMap((way) =>
    ['created_at', 'email', 'credits'].map((by) => `accounts/?ordering=${way}${by}`),
  ),
  ...['active', 'suspended', 'deleted'].map((state) => `accounts/?state=${state}`),
  ...['person4242', 'company77.test', 'last123', '4152042', 'example', 'er9', '.test'].map(
    (text) => `accounts/?search=${encodeURIComponent(text)}`,
  ),
  'accounts/?page=5000',
  'accounts/?page=9000&ordering=email',
  'accounts/?search=user5&state=suspended',
  'payments/',
  'payments/?page=4000',
  'payments/?ordering=-price_usd_cents',
  'payments/?search=person42',
  'payments/?status=reversed',
  'audit/',
  'erasures/',
  'carriers/',
  'overview/',
];

/** The console's calls for one account. */
const OF_ACCOUNT: readonly string[] = [
  '',
  'verifications/',
  'verifications/?search=user4242@example.com',
  'transactions/',
  'requests/',
  'requests/?mode=all&page=50',
  'requests/?status_code=client_error',
  'activity/',
  'blocks/',
];

export interface Measured {
  what: string;
  ms: number[];
}

/** Opens the busiest account's payment history once, so that a job counts its entries, and waits for the job. */
export async function untilTransactionsCounted(db: Db, asking: Asking, account: string): Promise<void> {
  await timedGet(asking, listTransactions.path);
  const isCounted = async () =>
    (
      await db.one<{ is_counted: boolean }>(
        `select coalesce((select up_to_id from transaction_counts where account_id = $1) >= (
           select id from ledger where account_id = $1 and id < uuid_floor(clock_now() - interval '4 hours')
           order by id desc offset 20000 limit 1), false) as is_counted`,
        [account],
      )
    ).is_counted;
  while (!(await isCounted())) await wait(500);
}

/** Requests each list several times, one after the other. `account` is the busiest one. */
export async function timeOperatorLists(asking: Asking, account: string, times = 20): Promise<Measured[]> {
  const found: Measured[] = [];
  const ofAccount = OF_ACCOUNT.map((list) => `accounts/${account}/${list}`);
  for (const what of [...LISTS, ...ofAccount]) {
    const ms: number[] = [];
    for (let n = 0; n <= times; n++) {
      const { ms: one } = await timedGet(asking, `/operator/${what}`);
      // The first request warms the caches.
      if (n > 0) ms.push(one);
    }
    found.push({ what, ms });
  }
  return found;
}

export const p95OfAll = (all: readonly Measured[]): number =>
  quantile(
    all.flatMap(({ ms }) => ms),
    0.95,
  );

export const slowest = (all: readonly Measured[]): string[] =>
  all
    .map(({ what, ms }) => ({ what, p95: quantile(ms, 0.95) }))
    .toSorted((a, b) => b.p95 - a.p95)
    .slice(0, 8)
    .map(({ what, p95 }) => `${what}: p95 ${p95.toFixed(0)} ms`);
