import { type Counts, getInsights, TIME_BOUNDS } from '@sixdigit/contract/insights.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { type Customer, testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseLeftBehind } from '../deletion/delete-account.ts';
import { eraseRecipient } from '../deletion/deletion.ts';
import { openDb } from '../platform/db/sql.ts';
import { createLog } from '../platform/log.ts';
import { boundsOf, quantileOf } from './report.ts';

const MINUTE = 60_000;

const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: '*' } }));
const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));

type Query = Given<typeof getInsights, 'query'>;
async function insights(query: Partial<Query> = {}, who: Customer = alice) {
  const bearer = await signedIn(service, who);
  const { status, body } = await service.call(getInsights, { bearer, query: query as Query });
  expect(status).toBe(200);
  return body;
}

let count = 0;
const phone = (start: string) => `${start}${String(++count).padStart(4, '0')}`;
async function verified(recipient: string, waitMs = 0): Promise<void> {
  const otp_id = await alice.sent(recipient);
  await service.drain();
  if (waitMs > 0) await service.clock.advance(waitMs);
  expect((await alice.verify(otp_id, await alice.code(recipient))).status).toBe(200);
}

const COUNTS = [
  ...[
    'sent',
    'dispatched',
    'delivered',
    'verified',
    'expired',
    'failed',
    'canceled',
    'exhausted',
    'superseded',
  ],
  ...['credits', 'refunded', 'rejected', 'wrong_codes', 'own_codes', 'own_delivered', 'own_failed'],
];

test('each count is added to what its five minutes, hour and day have, over two rounds', async () => {
  const { db, random } = service.app;
  const account_id = random.uuid();
  const at = '2026-01-05T10:00:00Z';
  const round = (share: number, bucket = 1) =>
    db.run(
      `insert into insight_deltas (account_id, country, api_key_id, channel, at, bucket, ${COUNTS.join()})
       values ($1, 'US', $1, 'sms', $2, $3, ${COUNTS.map((_, n) => (n + 1) * share).join()})`,
      [account_id, at, bucket],
    );
  const fold = () => db.run('select fold_insights(1000)');
  const merge = () => db.run(`select merge_insights('2026-01-06', 1000)`);
  const sums = () =>
    db.rows(
      `select distinct minutes, ${COUNTS.join()}, times from insight_sums where account_id = $1 order by minutes`,
      [account_id],
    );
  const times = (share: number) => ({
    ...Object.fromEntries(COUNTS.map((name, n) => [name, (n + 1) * share])),
    times: [0, (COUNTS.indexOf('verified') + 1) * share],
  });
  for (const share of [1, 10]) {
    await round(share);
    await fold();
  }
  expect(await sums()).toEqual([{ minutes: 5, ...times(11) }]);
  await merge();
  const buckets = Array.from({ length: TIME_BOUNDS.length + 1 }, (_, n) => n);
  for (const bucket of buckets) await round(100 * (bucket + 1), bucket);
  await fold();
  await merge();
  const all = 100 * buckets.reduce((sum, bucket) => sum + bucket + 1, 0) + 11;
  const verified = COUNTS.indexOf('verified') + 1;
  const filled = buckets.map((bucket) => verified * (100 * (bucket + 1) + (bucket === 1 ? 11 : 0)));
  // The totals over all keys, countries and channels as well.
  expect(await sums()).toEqual([60, 1440].map((minutes) => ({ minutes, ...times(all), times: filled })));
});

/** The same numbers, counted from the rows of an account. */
const recount = ({ account_id }: { account_id: string }) =>
  service.app.db.one<Counts>(
    `select count(*) as sent, count(sent_at) as dispatched, count(delivered_at) as delivered,
       count(*) filter (where status = 'verified') as verified, count(*) filter (where status = 'expired') as expired,
       count(*) filter (where status = 'failed') as failed, count(*) filter (where closed_by = 'canceled') as canceled,
       count(*) filter (where closed_by = 'attempts') as exhausted,
       count(*) filter (where closed_by = 'superseded') as superseded, coalesce(sum(cost_credits), 0) as credits,
       count(*) filter (where status = 'failed' and sent_at is null and closed_by is null) as rejected,
       (select count(*) from request_logs l where l.account_id = $1 and l.reason = 'invalid_code') as wrong_codes,
       (select count(*) from ledger l where l.account_id = $1 and l.kind = 'refund') as refunded
     from verifications where account_id = $1`,
    [account_id],
  );

test('Insights counts equal the rows after sends, verifies, wrong codes, cancels, expiry, resends and refunds', async () => {
  await Promise.all(Array.from({ length: 6 }, () => alice.sent(phone('+1415555'))));
  await verified(phone('+1415555'), 3_500);
  await verified(phone('+1415555'), 11_000);
  await verified('reader@example.com', 70_000);
  await verified('+33612345678');
  const tried = phone('+1415555');
  const otp_id = await alice.sent(tried);
  await service.drain();
  const wrong = wrongCode(await alice.code(tried));
  for (let n = 0; n < 5; n += 1) await alice.verify(otp_id, wrong);
  const undispatched = await alice.sent(phone('+1415555'));
  for (let n = 0; n < 5; n += 1) await alice.verify(undispatched, '000001');
  await alice.cancel(await alice.sent(phone('+1415555')));
  const twice = phone('+1415555');
  await alice.sent(twice);
  await verified(twice);
  // too late for a carrier: failed and refunded
  await alice.sent('late@example.com');
  await service.clock.advance(10 * MINUTE);
  await service.drain();

  const { totals, series, by_channel, by_country, by_api_key, times } = await insights({ range: '24h' });
  const rows = await recount(alice);
  expect(rows).toMatchObject({
    verified: 5,
    exhausted: 2,
    canceled: 1,
    superseded: 1,
    rejected: 1,
    refunded: 3,
    wrong_codes: 10,
  });
  expect(totals).toMatchObject(rows);
  for (const parts of [series, by_channel, by_country, by_api_key])
    for (const name of Object.keys(rows) as (keyof Counts)[])
      expect([name, (parts as Counts[]).reduce((sum, part) => sum + part[name], 0)]).toEqual([
        name,
        rows[name],
      ]);
  expect(totals.conversion).toBeCloseTo(5 / (rows.sent - 2), 10);
  expect(times.reduce((sum, { verified }) => sum + verified, 0)).toBe(5);
  expect(times.at(-1)).toMatchObject({ from_seconds: 60, to_seconds: 80, verified: 1 });
  expect(totals.p95_seconds).toBeGreaterThan(60);
  expect(by_country.map(({ country }) => country).sort()).toEqual(['FR', 'US', null]);
  expect(by_api_key.length).toBeGreaterThan(5);
  expect(by_api_key[0]?.api_key.name).toBe('Test key');
  expect(
    series.filter(({ verified }) => verified > 0).every(({ median_seconds }) => median_seconds !== null),
  ).toBe(true);
});

test('Insights counts refused sends by period, channel, country and key, except sends with test keys', async () => {
  const charlie = await sender(service, 'Charlie', { credits: 1 });
  const send = (recipient: string, channel = 'sms') =>
    service.call(sendOtp, { apiKey: charlie.api_key, body: { channel, recipient } as never });
  expect((await send(phone('+1415555'))).status).toBe(201);
  for (const recipient of [phone('+1415555'), '+33612345679'])
    expect((await send(recipient)).status).toBe(402);
  expect((await send('a@example.com', 'email')).status).toBe(402);
  expect((await send('nobody')).status).toBe(400);
  // A refused verify is not a refused send.
  expect((await charlie.verify(service.app.random.uuid(), '123456')).status).toBe(404);
  await service.app.requestLog.flush();
  const refused = async (query: Partial<Query> = {}) => (await insights(query, charlie)).refused;
  expect(await refused()).toEqual({ sends: 4, without_credits: 3, has_more: false });
  expect(await refused({ channel: 'email' })).toMatchObject({ sends: 1, without_credits: 1 });
  expect(await refused({ country: 'FR' })).toMatchObject({ sends: 1 });
  expect(await refused({ api_key: service.app.random.uuid() })).toMatchObject({ sends: 0 });
  await service.app.db.run("update api_keys set mode = 'test' where account_id = $1", [charlie.account_id]);
  expect(await refused()).toMatchObject({ sends: 0 });
  await service.app.db.run("update api_keys set mode = 'live' where account_id = $1", [charlie.account_id]);
  expect((await insights({}, alice)).refused.without_credits).toBe(0);
  const from = new Date(service.app.clock.now().getTime() - 7_200_000).toISOString();
  const to = new Date(service.app.clock.now().getTime() - 3_600_000).toISOString();
  expect(await refused({ from, to })).toMatchObject({ sends: 0 });
});

test('erasing a recipient changes no Insights count', async () => {
  const { totals, by_country } = await insights({ range: '24h' });
  const { verifications } = await eraseRecipient(service.app, '+33612345678');
  expect(verifications).toBe(1);
  await service.drain();
  const after = await insights({ range: '24h' });
  expect(after.totals).toEqual(totals);
  expect(after.by_country).toEqual(by_country);
});

test('the columns that Insights counts by cannot change', async () => {
  const { db } = service.app;
  for (const change of ["channel = 'voice'", 'country = null', 'created_at = created_at', 'is_test = true'])
    await expect(
      db.run(`update verifications set ${change} where account_id = $1`, [alice.account_id]),
    ).rejects.toThrow('which never change');
});

test('Insights counts are unchanged when five-minute rows are merged into hours', async () => {
  const before = await insights({ range: '24h' });
  await service.clock.advance(5 * 60 * MINUTE);
  await service.drain();
  const { five } = await service.app.db.one<{ five: number }>(
    'select count(*) as five from insight_sums where minutes = 5',
  );
  expect(five).toBe(0);
  const after = await insights({ range: '24h' });
  expect(after.totals).toEqual(before.totals);
  expect(after.times).toEqual(before.times);
});

test('Insights filters by channel, country and key, and shows zeros for a period without traffic', async () => {
  const sms = await insights({ range: '24h', channel: 'sms' });
  expect(sms.by_channel.map(({ channel }) => channel)).toEqual(['sms']);
  const france = await insights({ range: '24h', country: 'FR' });
  expect(france.totals).toMatchObject({ sent: 1, verified: 1, conversion: 1 });
  const key = (await insights({ range: '24h' })).by_api_key[0];
  const ofKey = await insights({ range: '24h', api_key: key?.api_key.id ?? '' });
  expect(ofKey.totals.sent).toBe(key?.sent);
  const hour = await insights({ range: '1h' });
  expect(hour.interval).toBe('five_minutes');
  expect(hour.series).toHaveLength(12);
  expect(hour.totals).toMatchObject({ sent: 0, conversion: null, median_seconds: null });
});

test('a long period counted from whole days equals the same period counted from hours', async () => {
  await service.clock.advance(4 * 24 * 60 * MINUTE);
  await verified(phone('+1415555'), 8_000);
  await service.drain();
  const rows = await recount(alice);
  const month = await insights({ range: '30d', time_zone: 'America/New_York' });
  expect(month.totals).toMatchObject(rows);
  expect(month.series.reduce((sum, { sent }) => sum + sent, 0)).toBe(rows.sent);
  const parts = await Promise.all(
    ['sms', 'email'].map((channel) => insights({ range: '30d', channel: channel as 'sms' })),
  );
  for (const { totals, series, times } of parts) {
    expect(series.reduce((sum, { sent }) => sum + sent, 0)).toBe(totals.sent);
    expect(times.reduce((sum, { verified }) => sum + verified, 0)).toBe(totals.verified);
  }
  expect(parts.reduce((sum, { totals }) => sum + totals.sent, 0)).toBe(rows.sent);
});

test('every combination of Insights filters gives the same counts from rolled-up sums as from rows', async () => {
  const rows = await service.app.db.rows<{
    channel: string;
    country: string | null;
    key: string;
    ok: boolean;
  }>(
    `select channel, country, api_key_id as key, status = 'verified' as ok from verifications where account_id = $1`,
    [alice.account_id],
  );
  const countedBy = (some: typeof rows, of: (row: (typeof rows)[number]) => string | null) =>
    [...Map.groupBy(some, of)].map(([value, its]) => [value, its.length, its.filter(({ ok }) => ok).length]);
  const sorted = (groups: unknown[][]) => groups.map((group) => JSON.stringify(group)).sort();
  const api_keys = [undefined, rows.find(({ country }) => country === 'FR')?.key];
  for (const channel of [undefined, 'sms', 'email'])
    for (const country of [undefined, 'US', 'FR'])
      for (const api_key of api_keys) {
        const its = rows.filter(
          (row) =>
            (channel === undefined || row.channel === channel) &&
            (country === undefined || row.country === country) &&
            (api_key === undefined || row.key === api_key),
        );
        const filter = Object.fromEntries(
          Object.entries({ channel, country, api_key }).filter(([, value]) => value !== undefined),
        );
        const seen = await insights({ range: '30d', time_zone: 'Asia/Tokyo', ...filter });
        expect(seen.totals).toMatchObject({ sent: its.length, verified: its.filter(({ ok }) => ok).length });
        const shown = [
          seen.by_channel.map((one) => [one.channel, one.sent, one.verified]),
          seen.by_country.map((one) => [one.country, one.sent, one.verified]),
          seen.by_api_key.map((one) => [one.api_key.id, one.sent, one.verified]),
        ];
        expect(shown.map(sorted)).toEqual([
          sorted(countedBy(its, (row) => row.channel)),
          sorted(countedBy(its, (row) => row.country)),
          sorted(countedBy(its, (row) => row.key)),
        ]);
        expect((await insights({ range: '30d', ...filter })).totals).toEqual(seen.totals);
      }
});

test('deleting an account deletes its Insights counts', async () => {
  const dora = await sender(service, 'Dora');
  await dora.sent('reader@example.com');
  await service.drain();
  await service.app.db.run('update accounts set deleted_at = clock_now() where id = $1', [dora.account_id]);
  await service.clock.advance(2 * MINUTE);
  while (await eraseLeftBehind(service.app));
  const { n } = await service.app.db.one<{ n: number }>(
    `select (select count(*) from insight_sums where account_id = $1)
       + (select count(*) from insight_deltas where account_id = $1) as n`,
    [dora.account_id],
  );
  expect(n).toBe(0);
});

test('the previous period has the same length, and days begin at midnight in the time zone', async () => {
  await service.clock.advance(7 * 24 * 60 * MINUTE);
  await service.drain();
  const week = await insights({ range: '7d', time_zone: 'Asia/Kolkata' });
  expect(week.interval).toBe('day');
  expect(week.before.sent).toBe((await recount(alice)).sent);
  expect(week.totals.sent).toBe(0);
  for (const { at } of week.series) expect(at.slice(11)).toBe('18:30:00.000Z');
});

test('a day that has not ended is compared with the same hours of the day before', async () => {
  const DAY = 24 * 60 * MINUTE;
  const now = service.app.clock.now().getTime();
  await service.clock.advance(DAY - (now % DAY) + 9 * 60 * MINUTE);
  const day = (n: number) => new Date(service.app.clock.now().getTime() - n * DAY).toISOString().slice(0, 10);
  await alice.sent(phone('+1415555'));
  await service.clock.advance(10 * 60 * MINUTE);
  await alice.sent(phone('+1415555'));
  await service.clock.advance(14 * 60 * MINUTE);
  await service.drain();
  const query = { from: `${day(0)}T00:00:00Z`, to: `${day(-1)}T00:00:00Z` };
  const morning = await insights(query);
  expect([morning.totals.sent, morning.before.sent]).toEqual([0, 1]);
  await service.clock.advance(12 * 60 * MINUTE);
  expect((await insights(query)).before.sent).toBe(2);
});

describe('an invalid query is refused', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an unknown range', { range: '2d' }, 'range'],
    ['only a start', { from: '2026-01-01T00:00:00Z' }, 'to'],
    ['only an end', { to: '2026-01-01T00:00:00Z' }, 'from'],
    ['an end before the start', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
    ['more than 400 days', { from: '2024-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
    ['an unknown time zone', { time_zone: "UTC'; drop table accounts" }, 'time_zone'],
    ['an unknown country', { country: 'usa' }, 'country'],
    ['an unknown key', { api_key: 'x' }, 'api_key'],
  ])('an Insights query with %s is refused', async (_what, query, field) => {
    const bearer = await signedIn(service, alice);
    const { status, body } = await service.call(getInsights, { bearer, query: query as never });
    expect(status).toBe(400);
    expect(Object.keys(body)).toContain(field);
  });
});

test('Insights shows nothing to another account and refuses a call without a session', async () => {
  const bob = await service.customer('Bob');
  expect((await insights({ range: '90d' }, bob)).totals.sent).toBe(0);
  expect((await service.call(getInsights, {})).status).toBe(401);
});

test('Insights counts 200 parallel sends and verifies exactly', async () => {
  const carol = await sender(service, 'Carol', { credits: 500 });
  const recipients = Array.from({ length: 100 }, () => phone('+1415556'));
  const ids = await Promise.all(recipients.map((recipient) => carol.sent(recipient)));
  await Promise.all([service.drain(), service.drain()]);
  await Promise.all(
    recipients.map(async (recipient, n) => carol.verify(ids[n], await carol.code(recipient))),
  );
  await service.drain();
  const { totals } = await insights({ range: '1h' }, carol);
  expect(totals).toMatchObject({ sent: 100, dispatched: 100, verified: 100, conversion: 1 });
  expect(totals).toMatchObject(await recount(carol));
});

test('a quantile of durations is interpolated within its bucket', () => {
  const buckets = [
    { bucket: 0, verified: 50 },
    { bucket: 9, verified: 50 },
  ];
  expect(quantileOf(buckets, 0.25)).toBe(0.5);
  expect(quantileOf(buckets, 0.5)).toBe(1);
  expect(boundsOf(9)).toEqual({ from_seconds: 12, to_seconds: 15 });
  expect(quantileOf(buckets, 0.75)).toBe(13.5);
});

test('there is no quantile without durations, and the open bucket counts as its lower bound', () => {
  expect(quantileOf([], 0.5)).toBeNull();
  expect(quantileOf([{ bucket: TIME_BOUNDS.length, verified: 1 }], 0.95)).toBe(1_800);
});

test('the database puts durations into the buckets of the contract', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.socketUrl, log: createLog('fatal'), max: 1 });
  const seconds = TIME_BOUNDS.flatMap((bound) => [bound - 0.01, bound]);
  const rows = await db.rows<{ bucket: number }>(
    'select seconds_bucket(s) as bucket from unnest($1::double precision[]) with ordinality as t (s, n) order by n',
    [seconds],
  );
  expect(rows.map(({ bucket }) => bucket)).toEqual(TIME_BOUNDS.flatMap((_, n) => [n, n + 1]));
  await db.close();
});
