import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { rowsReadBy } from '../../test/rows-read.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { verificationsOf } from '../otp/otp.ts';
import { windowOf } from '../platform/db/page.ts';
import type { Db, Tx } from '../platform/db/sql.ts';
import { type RequestLogFilter, selectRequestLogs } from './queries.ts';

const ROWS = 60_000;
const DAY = 86_400_000;

let bearer: string;

/** Requests of the last 17 days, 25 seconds apart: number 0 is the oldest. */
const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  await service.app.db.run(
    `insert into request_logs (account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
       response_time_ms, recipient, request_id, created_at)
     select $1, uuid_floor(at), $2, 'send_otp', 'POST', '/api/v1/otp/send/', case when n % 10 = 0 then 201 when n % 100 = 55 then 404 else 402 end, n % 100,
       'user' || n || '@many.test', gen_random_uuid(), at
     from (select n, clock_now() - make_interval(secs => 25 * ($3 - n)) as at from generate_series(0, $3 - 1) n) r`,
    [alice.account_id, alice.api_key_id, ROWS],
  );
  await service.app.db.run(
    `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
       created_at, expires_at)
     select account_id, id, api_key_id, 'email', recipient, 'verified', 1, 6, created_at, created_at from request_logs`,
  );
  bearer = await signedIn(service, alice);
}, 60_000);
/** The database inside of a transaction whose reads are counted. */
const inside = (tx: Tx) => ({ ...tx, transaction: (work: (tx: Tx) => unknown) => work(tx) }) as unknown as Db;
const logs = async (query: object) => {
  const { body } = await service.call(listRequestLogs, { bearer, query: { page_size: 3, ...query } });
  const { results: _, ...count } = body;
  return {
    ...count,
    found: body.results.map(({ otp }) => Number(/\d+/.exec(otp?.recipient ?? '')?.[0])),
  };
};
test.each([
  ['few', { search: 'user5999' }, 11, [59_999, 59_998, 59_997]],
  ['more than a sort can hold', { search: '@MANY' }, ROWS, [59_999, 59_998, 59_997]],
  ['all rows as', { search: 'post' }, ROWS, [59_999, 59_998, 59_997]],
  ['very many, oldest first,', { search: 'many', ordering: 'created_at' }, ROWS, [0, 1, 2]],
  ['very many, on a deep page,', { search: 'many', page: 10_001 }, ROWS, [29_999, 29_998, 29_997]],
  ['no', { search: 'nobody' }, 0, []],
] as const)('a search with %s matches counts them exactly', async (_, query, count, found) => {
  expect(await logs(query)).toEqual({ count, found });
  const { ordering, ...rest } = { ordering: '-created_at' as const, ...query };
  if (query.search === 'post') return;
  const { body } = await service.call(listVerifications, {
    bearer,
    query: { page_size: 3, ordering, ...rest },
  });
  expect(body.count).toBe(count);
  expect(body.results.map(({ recipient }) => Number(/\d+/.exec(recipient)?.[0]))).toEqual(found);
});

test.each([
  ['a wide search', { search: 'many' }, { count: null, at_least: 20_001 }, 3],
  ['a deep page of it', { search: 'many', page: 10_001 }, { count: null, at_least: 30_004 }, 3],
  ['its last page', { search: 'many', page: 20_000 }, { count: null, at_least: ROWS }, 3],
  ['a page past its end', { search: 'many', page: 20_001 }, { count: null, at_least: 20_001 }, 0],
  ['a narrower search', { search: 'user5999' }, { count: 11 }, 3],
  ['no search', {}, { count: ROWS }, 3],
] as const)('%s returns its rows without waiting for a slow count', async (_, query, count, rows) => {
  for (const route of [listRequestLogs, listVerifications]) {
    const { body } = await service.call(route, { bearer, query: { ...query, page_size: 3, count: 'later' } });
    const { results, ...counted } = body;
    expect(counted).toEqual(count);
    expect(results).toHaveLength(rows);
    const only = await service.call(route, { bearer, query: { ...query, count: 'only' } });
    expect(only.body).toEqual({ results: [], count: count.count ?? ROWS });
  }
});

test('a large request log is ordered by response time, ties newest first', async () => {
  expect(await logs({ ordering: 'response_time_ms' })).toEqual({
    count: ROWS,
    found: [59_900, 59_800, 59_700],
  });
  expect(await logs({ ordering: '-response_time_ms' })).toEqual({
    count: ROWS,
    found: [59_999, 59_899, 59_799],
  });
  expect((await logs({ ordering: 'response_time_ms', page: 201 })).found).toEqual([59_901, 59_801, 59_701]);
  expect(await logs({ ordering: 'response_time_ms', search: 'user590' })).toEqual({
    count: 111,
    found: [59_000, 5_900, 59_001],
  });
});

test('a page of the request log past the end is empty and has the exact count', async () => {
  expect(await logs({ page: 20_001 })).toEqual({ count: ROWS, found: [] });
  expect(await logs({ page: 20_001, search: 'many' })).toEqual({ count: ROWS, found: [] });
});

test('a page of the request log reads only rows of its account', async () => {
  const { app } = service;
  const bob = await service.customer('Bob');
  await app.db.run(
    `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
       created_at, expires_at)
     select $1, uuid_floor(created_at + interval '1 ms'), $2, channel, recipient, status, 1, 6, created_at, created_at
     from verifications where account_id = $3`,
    [bob.account_id, bob.api_key_id, alice.account_id],
  );
  await service.drain({ keepHouse: true });
  await app.db.pool.query('vacuum analyze verifications');
  const query = listVerifications.query.parse({ status: 'verified', channel: 'email', page: 5_000 });
  const since = await app.db.one<{ n: number }>(
    `select count(*) as n from verifications where account_id = $1 and id >= start_of((clock_now() - interval '1 day')::date)`,
    [alice.account_id],
  );
  await app.db.transaction(async (tx) => {
    // As in a large month of which the planner expects to need much.
    await tx.run('set local random_page_cost = 1000');
    const read = await rowsReadBy(tx, async () => {
      const { count } = await verificationsOf({ ...app, db: inside(tx) }, alice.account_id, query);
      expect(count).toBe(ROWS);
    });
    const rows = [...read].filter(([table]) => table.startsWith('verifications'));
    // the rows of the last days that are not counted, and those of the day on which the page lies
    expect(rows.reduce((sum, [, n]) => sum + n, 0)).toBeLessThan(2 * since.n);
  });
});

/** Rows of the request log that a page reads, apart from index entries. */
async function rowsOfPage(wanted: Partial<RequestLogFilter>, page: { ordering: string; offset: number }) {
  const { app } = service;
  const filter: RequestLogFilter = {
    account_id: alice.account_id,
    ...windowOf(undefined, app.clock.now()),
    days: Number.POSITIVE_INFINITY,
    type: null,
    status: null,
    channel: null,
    phones: null,
    carrier: null,
    api_key_id: null,
    mode: null,
    search: null,
    ...wanted,
  };
  return app.db.transaction(async (tx) => {
    let found: Awaited<ReturnType<typeof selectRequestLogs>> | undefined;
    const read = await rowsReadBy(tx, async () => {
      found = await selectRequestLogs(inside(tx), filter, { ...page, limit: 20, count: 'exact' });
    });
    const rows = [...read].filter(([table]) => table.startsWith('request_logs'));
    return {
      read: rows.reduce((sum, [, n]) => sum + n, 0),
      count: found?.count,
      durations: found?.results.map(({ response_time_ms: ms }) => ms),
    };
  });
}

test('pages by response time with a status filter read few other rows, even in the current month', async () => {
  await service.drain({ keepHouse: true });
  await service.app.db.pool.query('vacuum analyze request_logs');
  const sorted = await rowsOfPage({ status: [404, 404] }, { ordering: 'response_time_ms', offset: 300 });
  expect(sorted).toMatchObject({ count: ROWS / 100, durations: Array(20).fill(55) });
  expect(sorted.read).toBeLessThan(300);
  const accepted = await rowsOfPage({ status: [201, 201] }, { ordering: 'response_time_ms', offset: 0 });
  expect(accepted).toMatchObject({ count: ROWS / 10, durations: Array(20).fill(0) });
  // Up to two days are not counted yet.
  expect(accepted.read).toBeLessThan(8_000);
});

test('refused requests of past months are ordered by response time from an index alone', async () => {
  await service.clock.advance(32 * DAY);
  await service.drain({ keepHouse: true });
  await service.app.db.pool.query('vacuum analyze request_logs');
  for (const [ordering, first] of [
    ['response_time_ms', 18],
    ['-response_time_ms', 82],
  ] as const) {
    const page = await rowsOfPage({ status: [400, 499] }, { ordering, offset: 10_000 });
    expect(page).toMatchObject({ count: ROWS * 0.9, durations: Array(20).fill(first) });
    expect(page.read).toBeLessThan(500);
  }
});
