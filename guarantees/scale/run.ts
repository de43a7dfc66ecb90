import { clientOf } from '../../server/src/accounts/sessions/client.ts';
import { startSession } from '../../server/src/accounts/sessions/sessions.ts';
import { noPlaces } from '../../server/src/platform/addresses/places.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { forgetCounts } from '../../server/src/platform/db/count-days.ts';
import type { Db } from '../../server/src/platform/db/sql.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';
import { createVault } from '../../server/src/platform/security/vault.ts';
import { type Account, fillAccounts, switchCounters } from '../harness/accounts.ts';
import { balanced, countQueued } from '../harness/audit.ts';
import { closedLoop, openLoop, quantile, sender } from '../harness/load.ts';
import { type Fleet, SECRET_KEY, startCarrier, startDatabase, startService } from '../harness/processes.ts';
import {
  atMost,
  type Check,
  check,
  countsOf,
  print,
  runScenarios,
  type Scenario,
  seconds,
  shown,
  wait,
} from '../harness/run.ts';
import { fill, TABLES, type Year } from './fill.ts';
import { areJobsDone, expireAll, retentionOf, untilRemoved } from './jobs.ts';
import { type Asking, fillInsights, p95, timeInsights, timePages, timeSearches } from './lists.ts';
import {
  fillManyAccounts,
  p95OfAll,
  slowest,
  timeOperatorLists,
  untilTransactionsCounted,
} from './operator.ts';

const VERIFICATIONS = Number(process.env.SCALE_VERIFICATIONS ?? 5_000_000);
const SECONDS = Number(process.env.SCALE_SECONDS ?? 10);
const ASKS = Number(process.env.SCALE_ASKS ?? 400);
const DAY_MS = 86_400_000;
const DAYS = 395;
const FIRST_PORT = 31_400;
const SEARCHES = [
  ...['5552671', 'user99999', 'user12', '21255', '7777', '+1415200'],
  ...['nobody', '.com', '@', '1', 'verify'],
];

/** The service, its database, and all accounts but the busiest. */
interface Service {
  db: Db;
  url: string;
  port: number;
  others: readonly Account[];
  start(apis?: number, workers?: number, env?: Record<string, string>): Promise<Fleet>;
}

const ms = (value: number) => `${value.toFixed(0)} ms`;

const scale: Scenario = {
  name: 'scale',
  about: `one account with a year of ${VERIFICATIONS.toLocaleString('en-US')} verifications among a thousand others`,
  async *run(cleanup) {
    const { url, db } = await startDatabase(cleanup);
    const carrier = await startCarrier(cleanup);
    const others = await fillAccounts(url, { accounts: 1000, keysEach: 1 });
    const keys = await fillAccounts(url, { accounts: 1, keysEach: 12 });
    const { account_id } = keys[0] as Account;
    const start: Service['start'] = (apis = 1, workers = 1, env = {}) =>
      startService(cleanup, {
        url,
        carrier,
        apis,
        workers,
        firstPort: FIRST_PORT,
        env: {
          DASHBOARD_REQUESTS_PER_SECOND: '100000',
          LOG_RETENTION_DAYS: '400',
          RECIPIENT_RETENTION_DAYS: '400',
          ...env,
        },
      });
    const service: Service = { db, url, others, port: FIRST_PORT, start };

    const empty = await measureEmpty(service);
    const now = Date.now();
    const year: Year = {
      account_id,
      api_key_ids: keys.map(({ api_key_id }) => api_key_id),
      verifications: VERIFICATIONS,
      from_ms: now - DAYS * DAY_MS,
      until_ms: now - 2 * 3_600_000,
    };
    const before = await sizes(db);
    await fillYear(service, year);
    const fleet = await start();
    yield* checkJobs(service, empty.p99);
    yield* checkSizes(db, before);
    const asking = { port: FIRST_PORT, bearer: bearerOf(db, account_id), api_key_ids: year.api_key_ids };
    yield* checkPages(asking);
    yield* checkSearches(asking);
    const insights = await timeInsights(asking);
    yield atMost('insights of 90 days, p95', 100, insights.p95, ms);
    print(`    slowest: ${insights.slowest}`);
    yield await checkOperator(db, asking, account_id);

    const fullRate = await sendsPerSecond(db, FIRST_PORT, others);
    const ratio = fullRate / empty.rate;
    const rates = `${ratio.toFixed(2)} (${fullRate.toFixed(0)} ÷ ${empty.rate.toFixed(0)})`;
    yield check('sends a second, full ÷ empty', '≥ 0.75', rates, ratio >= 0.75);
    yield* checkExpiryAndRetention(service, fleet, year);
    yield await balanced(db);
  },
};

async function measureEmpty({ db, port, others, start }: Service): Promise<{ rate: number; p99: number }> {
  print('an empty database …');
  const fleet = await start();
  const rate = await sendsPerSecond(db, port, others);
  print(`  ${rate.toFixed(0)} sends/s`);
  const p99 = await steadyP99(port, others);
  print(`  100 sends a second: p99 ${p99.toFixed(1)} ms`);
  await fleet.stop();
  return { rate, p99 };
}

async function fillYear({ db, url }: Service, year: Year): Promise<void> {
  const began = performance.now();
  print(`${VERIFICATIONS.toLocaleString('en-US')} verifications through COPY …`);
  await db.run('select ensure_partitions((clock_now() - make_interval(days => $1))::date, 15)', [DAYS]);
  await switchCounters(url, 'disable');
  await Promise.all([
    fill(url, ['verifications', 'ledger'], year),
    fill(url, ['request_logs'], year),
    fill(url, ['status_history'], year),
  ]);
  await db.run(
    `update balances set credits = 100000000 + (select sum(credits) from ledger where account_id = $1) where account_id = $1`,
    [year.account_id],
  );
  await db.transaction(forgetCounts);
  await switchCounters(url, 'enable');
  await fillInsights(db, year.account_id);
  print(`  filled in ${seconds(performance.now() - began)}`);
  await db.pool.query({ text: 'vacuum analyze', query_timeout: 3_600_000 } as { text: string });
}

async function* checkJobs({ db, port, others }: Service, emptyP99: number): AsyncGenerator<Check> {
  print('the jobs that count days and make search indexes, under 100 sends a second …');
  const began = performance.now();
  const p99 = await steadyP99(port, others, () => areJobsDone(db));
  yield shown('all days counted and all months indexed', seconds(performance.now() - began));
  const seen = `${p99.toFixed(1)} ms (${emptyP99.toFixed(1)})`;
  yield check('p99 of sends meanwhile (of an empty database)', '≤ 150 ms', seen, p99 <= 150);
}

async function* checkSizes(db: Db, before: Map<string, number>): AsyncGenerator<Check> {
  const each = [...(await sizes(db))].map(([name, bytes]) => ({
    name,
    bytes: (bytes - (before.get(name) ?? 0)) / VERIFICATIONS,
  }));
  for (const { name, bytes } of each) print(`    ${name}: ${bytes.toFixed(0)} bytes`);
  const all = each.reduce((sum, { bytes }) => sum + bytes, 0);
  yield check('disk per whole verification', '≤ 1,200 bytes', `${all.toFixed(0)} bytes`, all <= 1_200);
}

async function* checkPages(asking: Asking): AsyncGenerator<Check> {
  const chance = numbers(7);
  for (const list of ['verifications', 'logs'] as const) {
    // The first pages warm the caches.
    await timePages(asking, list, 20, chance);
    const pages = await timePages(asking, list, ASKS, chance);
    const seen = `${ms(p95(pages))} (${quantile(pages.ms, 0.5).toFixed(0)})`;
    yield check(`pages of ${list}, p95 of ${ASKS} (p50)`, '≤ 50 ms', seen, p95(pages) <= 50);
    yield atMost(`the slowest page of ${list}`, 200, Math.max(...pages.ms), ms);
    print(`    slowest: ${pages.slowest}`);
  }
}

async function* checkSearches(asking: Asking): AsyncGenerator<Check> {
  const [verifications, requests] = await timeSearches(asking, ['']);
  yield check(
    'verifications as the list counts them',
    VERIFICATIONS.toLocaleString('en-US'),
    String(verifications?.count),
    verifications?.count === VERIFICATIONS,
  );
  print(`  requests: ${requests?.count.toLocaleString('en-US')}`);
  const searches = await timeSearches(asking, SEARCHES);
  for (const { what, count, ms: found, exactMs } of searches)
    print(`    ${what}: ${count} found, ${ms(found)}, with the exact count ${ms(exactMs)}`);
  const wider = searches.filter(({ count }) => count > 10_000);
  const narrower = searches.filter(({ count }) => count <= 10_000);
  const most = (values: readonly number[]) => Math.max(...values);
  yield atMost(
    'the slowest search with at most 10,000 matches',
    200,
    most(narrower.map((one) => one.ms)),
    ms,
  );
  yield atMost('the slowest wider search, before its count', 800, most(wider.map((one) => one.ms)), ms);
  yield atMost('the same with the exact count', 2_000, most(wider.map(({ exactMs }) => exactMs)), ms);
}

async function checkOperator(db: Db, asking: Asking, account_id: string): Promise<Check> {
  await fillManyAccounts(db);
  await db.run(`insert into operators (account_id, role, created_at) values ($1, 'admin', clock_now())`, [
    account_id,
  ]);
  await untilTransactionsCounted(db, asking, account_id);
  const screens = await timeOperatorLists(asking, account_id);
  for (const line of slowest(screens)) print(`    ${line}`);
  return atMost('screens of operators over 100,000 accounts, p95', 150, p95OfAll(screens), ms);
}

async function* checkExpiryAndRetention(
  service: Service,
  fleet: Fleet,
  { account_id, from_ms }: Year,
): AsyncGenerator<Check> {
  const { db, start } = service;
  print('many codes expire at once, and old months are removed, under 100 sends a second …');
  let expired = 0;
  const what = () => `${expired.toLocaleString('en-US')} codes expired`;
  yield await underLoad(service, what, async () => {
    expired = await expireAll(db);
  });
  await fleet.stop();
  const days = retentionOf(from_ms);
  await start(1, 0);
  yield await underLoad(
    service,
    () => 'three months and a day removed',
    async () => {
      const worker = await start(0, 1, { RETENTION_DAYS: String(days) });
      await untilRemoved(db, account_id, days);
      await worker.stop();
    },
  );
}

/** Measures the highest send rate while a worker runs, then waits until the queue is empty. */
async function sendsPerSecond(db: Db, port: number, accounts: readonly Account[]): Promise<number> {
  await closedLoop(port, { connections: 64, seconds: 2 }, sender(accounts), 201);
  const { rate, refused } = await closedLoop(
    port,
    { connections: 64, seconds: SECONDS },
    sender(accounts),
    201,
  );
  if (refused.size > 0) print(`  refused: ${countsOf(refused)}`);
  while ((await countQueued(db)) > 0) await wait(200);
  return rate;
}

/** The p99 of 100 sends per second in milliseconds, for at least ten seconds and until `isDone`. */
async function steadyP99(
  port: number,
  accounts: readonly Account[],
  isDone = async () => true,
): Promise<number> {
  const next = sender(accounts);
  const waits: number[] = [];
  do waits.push(...(await openLoop(port, { perSecond: 100, seconds: 10, connections: 32 }, next)));
  while (!(await isDone()));
  return quantile(waits, 0.99);
}

/** Measures the duration of `work`, and the p99 of 100 sends per second meanwhile. `what` names the check afterwards. */
async function underLoad(
  { port, others }: Service,
  what: () => string,
  work: () => Promise<void>,
): Promise<Check> {
  const began = performance.now();
  let ms: number | undefined;
  const working = work().then(() => {
    ms = performance.now() - began;
  });
  const p99 = await steadyP99(port, others, async () => ms !== undefined);
  await working;
  const seen = `in ${seconds(ms ?? 0)}, p99 of sends meanwhile ${p99.toFixed(1)} ms`;
  return check(what(), 'p99 ≤ 150 ms', seen, p99 <= 150);
}

/** Groups of tables whose size grows with verifications. */
const FAMILIES = [...TABLES, 'daily_counts', 'recipients'];

/** Bytes of each group of tables, with their indexes. */
const sizes = async (db: Db): Promise<Map<string, number>> =>
  new Map(
    (
      await db.rows<{ name: string; bytes: number }>(
        `select f.name, pg_total_relation_size(f.name::regclass) + coalesce((
           select sum(pg_total_relation_size(t.relid)) from pg_partition_tree(f.name::regclass) t where t.relid <> f.name::regclass), 0) as bytes
         from unnest($1::text[]) as f (name)`,
        [FAMILIES],
      )
    ).map(({ name, bytes }) => [name, bytes]),
  );

/** Renews the access token every few minutes. */
function bearerOf(db: Db, account_id: string): () => Promise<string> {
  const random = systemRandom(systemClock);
  const config = { publicUrl: undefined, port: 0 };
  const app = { config, random, placeOf: noPlaces, vault: createVault(SECRET_KEY, [], random) };
  const client = clientOf({ ip: '127.0.0.1', headers: {} });
  let token = '';
  let until = 0;
  return async () => {
    if (performance.now() > until) {
      token = (await db.transaction((tx) => startSession(tx, app, account_id, client))).access;
      until = performance.now() + 5 * 60_000;
    }
    return token;
  };
}

/** Numbers from 0 to 1 that depend on the seed alone. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

await runScenarios([scale]);
