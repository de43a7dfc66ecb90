import { updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { dayAfter, daysBetween, isTimeZone, localTime, startOfDay } from '@sixdigit/contract/local-time.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { person } from '../../test/person.ts';
import { rowsReadBy } from '../../test/rows-read.ts';
import { testService } from '../../test/service.ts';
import { insightsOf } from './insights.ts';
import { daysOf, hoursOf, type Period, slotsOf } from './periods.ts';
import { type InsightFilter, mergeHours, selectGroups, selectSeries, selectSums } from './queries.ts';

/** Zones that both sides of a change of names know, and one that PostgreSQL lacks. */
const OLDER_NAMES = ['Asia/Kolkata', 'Europe/Kyiv', 'US/Eastern', 'Etc/GMT+5', 'US/Pacific-New'];
const DAY_MS = 86_400_000;
const ZONES = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...OLDER_NAMES])];

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const ida = fixture(() => person(service, 'Ida'));

const lengthMs = (day: string, days: number, zone: string): number =>
  startOfDay(dayAfter(day, days), zone).getTime() - startOfDay(day, zone).getTime();

const offsetMs = (day: string, zone: string): number => {
  const noon = new Date(`${day}T12:00:00Z`);
  return Date.parse(`${localTime(noon, zone)}Z`) - noon.getTime();
};

/** Days with fewer or more than 24 hours, the days after them, and one ordinary day. */
function remarkableDays(zone: string): string[] {
  const days = ['2023-05-17'];
  let before = offsetMs('2017-12-30', zone);
  for (let week = '2017-12-30'; week < '2023-12-30'; week = dayAfter(week, 7)) {
    const after = offsetMs(dayAfter(week, 7), zone);
    for (let day = dayAfter(week, -1); after !== before && day < dayAfter(week, 8); day = dayAfter(day))
      if (lengthMs(day, 1, zone) !== DAY_MS) days.push(day, dayAfter(day));
    before = after;
  }
  return days;
}

test('in every time zone, days begin where PostgreSQL’s local date changes', async () => {
  const known = new Set(
    (await service.app.db.rows<{ name: string }>('select name from pg_timezone_names')).map(
      ({ name }) => name,
    ),
  );
  const shared = ZONES.filter((zone) => known.has(zone));
  expect(shared.length).toBeGreaterThan(400);
  const days = shared.flatMap((zone) =>
    remarkableDays(zone).map((day) => ({ zone, day, start: startOfDay(day, zone).toISOString() })),
  );
  expect(days.length).toBeGreaterThan(2_000);
  const wrong = await service.app.db.rows(
    `select d.zone, d.day, d.start from json_to_recordset($1) as d (zone text, day date, start timestamptz)
     where (d.start at time zone d.zone)::date <> d.day or ((d.start - interval '1 millisecond') at time zone d.zone)::date >= d.day`,
    [JSON.stringify(days)],
  );
  expect(wrong).toEqual([]);
});

test('charts and lists have the same days in every time zone, even one that PostgreSQL lacks', async () => {
  const [from, to] = ['2026-08-30T00:00:00Z', '2026-11-10T00:00:00Z'];
  const query = { range: '7d', from, to } as const;
  const now = service.app.clock.now();
  const startsIn = (zone: string) =>
    daysBetween(new Date(from), new Date(to), zone).map((start) => start.toISOString());
  // Of zones with the same days, one.
  const zoneOf = new Map(ZONES.map((zone) => [startsIn(zone).join(), zone]));
  expect(zoneOf.size).toBeGreaterThan(40);
  for (const time_zone of new Set([...zoneOf.values(), ...OLDER_NAMES])) {
    const { series } = await insightsOf(service.app.db, alice.account_id, { ...query, time_zone }, now);
    expect(
      series.map(({ at }) => at),
      time_zone,
    ).toEqual(startsIn(time_zone));
  }
});

test('an hour belongs to the day in which it begins, even where the clocks change at midnight', async () => {
  const hours = [
    '2026-09-06T03:00:00Z',
    '2026-09-06T04:00:00Z',
    '2026-09-07T02:00:00Z',
    '2026-09-07T03:00:00Z',
  ];
  await service.app.db.run(
    `insert into insight_sums (account_id, minutes, country, api_key_id, channel, at, sent, dispatched, delivered, verified,
       expired, failed, canceled, exhausted, superseded, credits, refunded, rejected, wrong_codes, times)
     select $1, 60, '*', '00000000-0000-0000-0000-000000000000', '*', at, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, '{}'
     from unnest($2::timestamptz[]) at`,
    [alice.account_id, hours],
  );
  const query = { range: '7d', from: '2026-09-05T04:00:00Z', to: '2026-09-09T03:00:00Z' } as const;
  const { series, totals } = await insightsOf(
    service.app.db,
    alice.account_id,
    { ...query, time_zone: 'America/Santiago' },
    service.app.clock.now(),
  );
  expect(series.map(({ at, sent }) => [at, sent])).toEqual([
    ['2026-09-05T04:00:00.000Z', 1],
    ['2026-09-06T04:00:00.000Z', 2],
    ['2026-09-07T03:00:00.000Z', 1],
    ['2026-09-08T03:00:00.000Z', 0],
  ]);
  expect(totals.sent).toBe(4);
});

test.each([
  'EST',
  'IST',
  'CET',
  'PST8PDT',
  'GMT',
  'SystemV/AST4',
  'posix/Europe/Berlin',
  '+05:30',
  'Etc/Unknown',
])('the time zone %s is refused with an error message', async (time_zone) => {
  const refused = { status: 400, body: { time_zone: ['Use an IANA time zone, such as America/New_York.'] } };
  expect(isTimeZone(time_zone)).toBe(false);
  expect(await service.call(getInsights, { bearer: ida.access, query: { time_zone } })).toMatchObject(
    refused,
  );
  expect(await service.call(updateProfile, { bearer: ida.access, body: { time_zone } })).toMatchObject(
    refused,
  );
});

const KEYS = 20;
const COUNTRIES = 40;
const DAYS = 10;
/** cells with traffic in an hour */
const CELLS = 40;

let period: Period;
const keyOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const countryOf = (n: number) => String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26));

/** An account with many keys that sends to many countries, by SMS and voice. */
const largeAccount = fixture(() => service.customer('Large'));
beforeAll(async () => {
  const now = service.app.clock.now().getTime();
  const to = new Date(now - (now % 86_400_000) - 86_400_000);
  period = { from: new Date(to.getTime() - DAYS * 86_400_000), to };
  await service.app.db.run(
    `insert into insight_sums (account_id, minutes, country, api_key_id, channel, at, sent, dispatched, delivered, verified,
       expired, failed, canceled, exhausted, superseded, credits, refunded, rejected, wrong_codes, times)
     select $1, 5, ($4::text[])[1 + cell % ${COUNTRIES}], ($5::uuid[])[1 + cell % ${KEYS}], case when cell % 7 = 0 then 'voice' else 'sms' end,
       at, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, array[0, 0, cell % 3]
     from generate_series($2::timestamptz, $3::timestamptz - interval '1 hour', '1 hour') with ordinality h (at, hour)
     cross join lateral (select (hour * 7 + n * 11)::integer % 1000 as cell from generate_series(1, ${CELLS}) n) c`,
    [
      largeAccount.account_id,
      period.from,
      period.to,
      Array.from({ length: COUNTRIES }, (_, n) => countryOf(n)),
      Array.from({ length: KEYS }, (_, n) => keyOf(n)),
    ],
  );
  await service.app.db.transaction((tx) => mergeHours(tx, 100_000));
  await service.app.db.pool.query('vacuum analyze insight_sums');
});

test.each<[string, Partial<InsightFilter>]>([
  ['no filter', {}],
  ['a channel', { channel: 'sms' }],
  ['a country', { country: countryOf(3) }],
  ['a key', { api_key_id: keyOf(3) }],
  ['a channel and a country', { channel: 'sms', country: countryOf(3) }],
  ['a channel and a key', { channel: 'sms', api_key_id: keyOf(3) }],
  ['a country and a key', { country: countryOf(3), api_key_id: keyOf(3) }],
])('the insights of an account with many keys and countries read few rows with %s', async (_, some) => {
  const { n } = await service.app.db.one<{ n: number }>('select count(*) as n from insight_sums');
  expect(n).toBeGreaterThan(25_000);
  const filter: InsightFilter = {
    account_id: largeAccount.account_id,
    channel: null,
    country: null,
    api_key_id: null,
    ...some,
  };
  const slots = slotsOf(period, 'day', 'America/New_York');
  await service.app.db.transaction(async (tx) => {
    const ofSeries = await rowsReadBy(tx, () =>
      selectSeries(tx, { filter, windows: hoursOf(period) }, slots),
    );
    // a row for each hour and channel
    expect(ofSeries.get('insight_sums')).toBeLessThanOrEqual(DAYS * 24 * 2);
    const windows = daysOf(period);
    const ofSums = await rowsReadBy(tx, () => selectSums(tx, { filter, windows }));
    expect(ofSums.get('insight_sums')).toBeLessThanOrEqual(DAYS * 2);
    const ofGroups = await rowsReadBy(tx, () => selectGroups(tx, { filter, windows }));
    // a row for each day, channel, and country or key
    expect(ofGroups.get('insight_sums')).toBeLessThanOrEqual(DAYS * 2 * (1 + KEYS + COUNTRIES + 3));
  });
});
