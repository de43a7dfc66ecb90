import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { listRequestLogs, type RequestLog } from '@sixdigit/contract/request-logs.ts';
import { listVerifications, STATUSES } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { holdLock } from '../../../test/held-lock.ts';
import { rolledBack } from '../../../test/rolled-back.ts';
import { type Customer, type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { allJobs } from '../../app.ts';
import { verificationsOf } from '../../otp/otp.ts';
import { forgetCounts } from '../../platform/db/count-days.ts';
import type { Db, Tx } from '../../platform/db/sql.ts';
import { uuidFloor } from '../../platform/security/random.ts';

const HOUR = 3_600_000;
/** Each of these tests compares hundreds of lists. */
const timeout = 120_000;
const DAY = 24 * HOUR;

const send = async (from: TestService, customer: { api_key: string }, recipient: string) => {
  const body = { channel: 'email', recipient };
  const answer = await from.call(sendOtp, { apiKey: customer.api_key, body });
  return answer.body.otp_id;
};

const service = fixture(() => testService({ env: { RETENTION_DAYS: '50' } }));
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));
const second = fixture(() => service.anotherKey(alice.account_id));
beforeAll(async () => {
  for (let day = 0; day < 12; day++) {
    for (const customer of [alice, { api_key: second.key }, bob]) {
      const recipient = `day${day}@example.com`;
      const otp_id = await send(service, customer, recipient);
      await service.deliver();
      const [message] = await service.inbox(recipient);
      const code = day % 3 === 0 ? '12' : (message?.code ?? '');
      await service.call(verifyOtp, { apiKey: customer.api_key, body: { otp_id, code } });
    }
    await service.clock.advance(day % 2 === 0 ? 31 * HOUR : 17 * HOUR);
    await service.drain({ keepHouse: true });
  }
  await send(service, alice, 'today@example.com');
});

const countedUntil = () =>
  service.app.db.one<{ n: number; days: number }>(
    `select (select count(*) from daily_counts) as n, (select min(until_day - from_day) from counted_days) as days`,
  );

const ROUTES = [
  { channel: 'email' },
  { carrier: 'sandbox' },
  { carrier: 'sandbox', status: 'verified' },
  { country: 'US' },
] as const;

/** No limit, whole days, parts of a day, a date. */
const windowsUntil = (now: number): (string | undefined)[] => [
  undefined,
  '4',
  new Date(now - 6.01 * DAY).toISOString(),
  '1',
  '40',
  ...[2.5, 9].map((days) => new Date(now - days * DAY).toISOString()),
  new Date(now - 5 * DAY).toISOString().slice(0, 10),
];

const STATUS_CODES = ['all', 'success', 'client_error', 'refused_send', '201', '400'] as const;

/**
 * Compares counts of a list without a search with the number of rows that the list returns: every one of the first two windows
 * with each key, and in each further window those of one key and of one filter in turns.
 */
async function compareCounts(customer: Customer, { windows = 2 } = {}): Promise<number> {
  const bearer = await signedIn(service, customer);
  const keys = [undefined, customer.api_key_id, second.id];
  let compared = 0;
  const wanted = windowsUntil(service.app.clock.now().getTime()).slice(0, windows);
  for (const [n, created_after] of wanted.entries())
    for (const api_key of n < 2 ? keys : [keys[n % keys.length]]) {
      const query = {
        page_size: 100,
        ...(created_after ? { created_after } : {}),
        ...(api_key ? { api_key } : {}),
      };
      const statuses = n < 2 ? [undefined, ...STATUSES] : [undefined, STATUSES[n % STATUSES.length]];
      for (const status of statuses) {
        const { body } = await service.call(listVerifications, {
          bearer,
          query: { ...query, ...(status ? { status } : {}) },
        });
        expect([created_after, api_key, status, body.count]).toEqual([
          created_after,
          api_key,
          status,
          body.results.length,
        ]);
        compared += body.results.length;
      }
      for (const route of created_after === '4' ? ROUTES : []) {
        const { body } = await service.call(listVerifications, { bearer, query: { ...query, ...route } });
        expect([api_key, route, body.count]).toEqual([api_key, route, body.results.length]);
        compared += body.results.length;
      }
      for (const status_code of n < 2 ? STATUS_CODES : [STATUS_CODES[n % STATUS_CODES.length]]) {
        const { body } = await service.call(listRequestLogs, { bearer, query: { ...query, status_code } });
        expect([created_after, api_key, status_code, body.count]).toEqual([
          created_after,
          api_key,
          status_code,
          body.results.length,
        ]);
        compared += body.results.length;
      }
    }
  return compared;
}

test('list counts are exact for every filter and time window, with and without daily counts', {
  timeout,
}, async () => {
  const { n, days } = await countedUntil();
  expect(n).toBeGreaterThan(20);
  expect(days).toBeGreaterThan(10);
  const every = { windows: 8 };
  const one = { windows: 1 };
  const counted = [await compareCounts(alice, every), await compareCounts(bob, one)] as const;
  expect(counted[0]).toBeGreaterThan(counted[1]);
  await service.app.db.transaction(forgetCounts);
  expect([await compareCounts(alice, every), await compareCounts(bob, one)]).toEqual(counted);
  await service.drain({ keepHouse: true });
  expect((await countedUntil()).n).toBe(n);
});

test('list counts up to a moment are exact, also if the daily counts end before it', async () => {
  const bearer = await signedIn(service, alice);
  const whole = (await service.call(listVerifications, { bearer, query: { page_size: 100 } })).body.results;
  for (const behind of [0, 3]) {
    await service.app.db.run(
      `with c as (update counted_days set until_day = until_day - $1::integer returning list, until_day)
       delete from daily_counts d using c where d.list = c.list and d.day >= c.until_day`,
      [behind],
    );
    for (const days of [0.5, 1, 2, 6]) {
      const created_before = new Date(service.app.clock.now().getTime() - days * DAY).toISOString();
      const { body } = await service.call(listVerifications, { bearer, query: { created_before } });
      const count = whole.filter(({ created_at }) => created_at < created_before).length;
      expect({ behind, days, count: body.count }).toEqual({ behind, days, count });
    }
  }
  await service.drain({ keepHouse: true });
});

test('a list is exact even if its daily counts are deleted while it is read', async () => {
  const { db } = service.app;
  const query = listVerifications.query.parse({ page_size: '100' });
  const all = await verificationsOf(service.app, alice.account_id, query);
  expect(all.count).toBe(all.results.length);
  let reads = 0;
  const interrupted: Db = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) => {
        const one = async (text: string, params?: readonly unknown[]) => {
          const row = await tx.one(text, params);
          if (text.includes('from_day') && reads++ === 0) await db.transaction(forgetCounts);
          return row;
        };
        return work({ ...tx, one: one as Tx['one'] });
      }),
  };
  expect(await verificationsOf({ ...service.app, db: interrupted }, alice.account_id, query)).toEqual(all);
  expect(reads).toBe(2);
  await service.drain({ keepHouse: true });
});

const VALUES = {
  created_at: () => 0,
  request_type: (row: RequestLog) => row.request_type,
  response_status_code: (row: RequestLog) => row.response_status_code,
  credits_used: (row: RequestLog) => row.credits_used,
  response_time_ms: (row: RequestLog) => row.response_time_ms,
} as const;

/** Whether small pages, one after the other, are the whole list in its order. */
async function comparePages(customer: Customer): Promise<number> {
  const bearer = await signedIn(service, customer);
  let compared = 0;
  for (const filter of [
    {},
    { created_after: '9' },
    { api_key: second.id },
    { status_code: 'success' } as const,
  ]) {
    const whole = await service.call(listRequestLogs, { bearer, query: { ...filter, page_size: 100 } });
    for (const field of Object.keys(VALUES) as (keyof typeof VALUES)[])
      for (const sign of ['', '-'] as const) {
        const direction = sign ? -1 : 1;
        const newestFirst = field === 'created_at' && !sign ? -1 : 1;
        const expected = whole.body.results.toSorted((a, b) => {
          const [x, y] = [VALUES[field](a), VALUES[field](b)];
          return x === y ? newestFirst * (a.id < b.id ? 1 : -1) : direction * (x < y ? -1 : 1);
        });
        const seen: string[] = [];
        for (let page = 1; seen.length < (whole.body.count ?? 0); page++) {
          const query = { ...filter, ordering: `${sign}${field}` as const, page, page_size: 17 };
          const { body } = await service.call(listRequestLogs, { bearer, query });
          expect(body.count).toBe(whole.body.count);
          expect(body.results.length).toBeGreaterThan(0);
          seen.push(...body.results.map(({ id }) => id));
        }
        expect([filter, sign, field, seen]).toEqual([filter, sign, field, expected.map(({ id }) => id)]);
        compared += seen.length;
      }
  }
  return compared;
}

test('pages in every order are gapless, with and without daily counts', {
  timeout,
}, async () => {
  const compared = await comparePages(alice);
  expect(compared).toBeGreaterThan(500);
  await service.app.db.transaction(forgetCounts);
  expect(await comparePages(alice)).toBe(compared);
  await service.drain({ keepHouse: true });
});

test('a day with open verifications is counted later', async () => {
  await using other = await testService();
  const owner = await other.customer('Alice');
  const { db } = other.app;
  const body = { channel: 'email', recipient: 'waits@example.com' };
  await other.call(sendOtp, { apiKey: owner.api_key, body });
  await db.run(`update deliveries set run_at = 'infinity'`);
  await db.run(`update verifications set expires_at = clock_now() + interval '5 days'`);
  await other.clock.advance(3 * DAY);
  await other.drain({ keepHouse: true });
  const counts = () => db.rows(`select outcome, entries from daily_counts where list = 'verifications'`);
  expect(await counts()).toEqual([]);
  await other.clock.advance(3 * DAY);
  await other.drain({ keepHouse: true });
  await other.drain({ keepHouse: true });
  expect(await counts()).toEqual([{ outcome: 'failed', entries: 1 }]);
});

const lateRow = ({ account_id, api_key_id }: Customer, at: Date) => [
  account_id,
  uuidFloor(at),
  api_key_id,
  at.toISOString(),
];
const countDays = async ({ app, worker }: TestService): Promise<void> => {
  const job = allJobs(app).find(({ name }) => name === 'daily-counts');
  while (await job?.run(worker));
};
const INSERT_LATE: Record<'requests' | 'verifications', string> = {
  requests: `insert into request_logs (account_id, id, api_key_id, request_type, response_time_ms, response_status_code, created_at)
    values ($1, $2, $3, 'verify_otp', 1, 400, $4)`,
  verifications: `insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
      created_at, expires_at) values ($1, $2, $3, 'email', 'late@example.com', 'failed', 0, 6, $4, $4)`,
};

const LATE = (['requests', 'verifications'] as const).flatMap((list) => [
  { list, when: 'after its day was counted', isCounted: true },
  { list, when: 'while its day is being counted', isCounted: false },
]);

for (const { list, when, isCounted } of LATE)
  test(`a row of the ${list} list written ${when} is in the list and its count`, async () => {
    await using other = await testService();
    const owner = await other.customer('Alice');
    const route = list === 'requests' ? listRequestLogs : listVerifications;
    const listed = async (query: object) => {
      const bearer = await signedIn(other, owner);
      const { body } = await other.call(route, { bearer, query: { page_size: 100, ...query } });
      return [body.count, body.results.length];
    };
    await send(other, owner, 'early@example.com');
    const sentAt = other.app.clock.now();
    await other.drain();
    await other.clock.advance(HOUR);
    await other.drain();
    await other.clock.advance(4 * DAY);
    if (isCounted) await countDays(other);
    const countedDays = () =>
      other.app.db.rows(
        `select list from counted_days where list = any ($1) and until_day > $2::timestamptz::date order by list`,
        [[list, `all_${list}`], sentAt],
      );
    const both = [{ list: `all_${list}` }, { list }];
    expect(await countedDays()).toEqual(isCounted ? both : []);

    // The job meets a transaction that has written its row and not committed it.
    const row = lateRow(owner, new Date(sentAt.getTime() + 1));
    await using writer = await holdLock(other, INSERT_LATE[list], row);
    await countDays(other);
    expect(await listed({})).toEqual([1, 1]);
    await writer.commit();
    for (const isCountedAgain of [false, true]) {
      if (isCountedAgain) await countDays(other);
      expect(await listed({})).toEqual([2, 2]);
      expect(await listed({ api_key: owner.api_key_id })).toEqual([2, 2]);
      expect(await listed({ created_after: '10' })).toEqual([2, 2]);
    }
    expect(await countedDays()).toEqual(both);
  });

test.each([
  ['the first counted day', [1], 1],
  ['a day before the first counted one', [0], 5],
  ['two counted days', [4, 2], 2],
  ['a day after the last counted one', [6], 5],
])('late rows of %s drop the counts from their first day on, and no others', async (_, late, until) => {
  const date = (day: number) => `2020-02-0${day + 1}`;
  const { account_id, api_key_id } = alice;
  const left = await rolledBack(service.app.db, async (tx) => {
    await tx.run(`delete from counted_days where list = 'requests'`);
    await tx.run(`delete from daily_counts where list = 'requests'`);
    await tx.run(`insert into counted_days (list, from_day, until_day) values ('requests', $1, $2)`, [
      date(1),
      date(5),
    ]);
    await tx.run(
      `insert into daily_counts (account_id, list, day, api_key_id, outcome, entries)
       select $1, 'requests', day, $2, '', 1 from generate_series($3::date, $4::date, '1 day') day`,
      [account_id, api_key_id, date(1), date(4)],
    );
    await tx.run(
      `insert into request_logs (account_id, id, api_key_id, request_type, response_time_ms, response_status_code, created_at)
       select $1, uuid_floor(at), $2, 'verify_otp', 1, 400, at from unnest($3::timestamptz[]) at`,
      [account_id, api_key_id, late.map((day) => `${date(day)}T12:00:00Z`)],
    );
    return tx.rows(
      `select to_char(until_day, 'YYYY-MM-DD') as until, (select count(*) from daily_counts where list = 'requests') as days
       from counted_days where list = 'requests'`,
    );
  });
  expect(left).toEqual([{ until: date(until), days: until - 1 }]);
});

test('list counts stay exact while old days are removed, and removed days leave no count', {
  timeout,
}, async () => {
  for (let n = 0; n < 4; n++) {
    await service.clock.advance(13 * DAY);
    await service.drain({ keepHouse: true });
    await compareCounts(alice, { windows: 1 });
  }
  const { n } = await service.app.db.one<{ n: number }>('select count(*) as n from daily_counts');
  expect(n).toBe(0);
  await send(service, alice, 'again@example.com');
  await service.clock.advance(2 * DAY);
  await service.drain({ keepHouse: true });
  await compareCounts(alice);
  // One of the verification, one of its route, one of the request; each by key and over all keys.
  expect((await countedUntil()).n).toBe(6);
});
