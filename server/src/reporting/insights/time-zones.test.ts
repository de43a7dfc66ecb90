import { updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { dayAfter, daysBetween, isTimeZone, startOfDay } from '@sixdigit/contract/local-time.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { insightsOf } from './insights.ts';

/** Zones that both sides of a change of names know, and one that PostgreSQL lacks. */
const OLDER_NAMES = ['Asia/Kolkata', 'Europe/Kyiv', 'US/Eastern', 'Etc/GMT+5', 'US/Pacific-New'];
const DAY_MS = 86_400_000;
const ZONES = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...OLDER_NAMES])];

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const ida = fixture(() => person(service, 'Ida'));

const lengthMs = (day: string, days: number, zone: string): number =>
  startOfDay(dayAfter(day, days), zone).getTime() - startOfDay(day, zone).getTime();

/** Days with fewer or more than 24 hours, the days after them, and one ordinary day. */
function remarkableDays(zone: string): string[] {
  const days = ['2023-05-17'];
  for (let week = '2017-12-30'; week < '2023-12-30'; week = dayAfter(week, 7)) {
    if (lengthMs(week, 7, zone) === 7 * DAY_MS) continue;
    for (let day = week; day < dayAfter(week, 7); day = dayAfter(day))
      if (lengthMs(day, 1, zone) !== DAY_MS) days.push(day, dayAfter(day));
  }
  return days;
}

test('in every time zone, days begin where the clocks of PostgreSQL show another day', async () => {
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
}, 60_000);

test('a chart has the days of the lists in every time zone, whether PostgreSQL knows it or not', async () => {
  const [from, to] = ['2026-08-30T00:00:00Z', '2026-11-10T00:00:00Z'];
  const query = { range: '7d', from, to } as const;
  const now = service.app.clock.now();
  for (const time_zone of ZONES) {
    const { series } = await insightsOf(service.app.db, alice.account_id, { ...query, time_zone }, now);
    expect(
      series.map(({ at }) => at),
      time_zone,
    ).toEqual(daysBetween(new Date(from), new Date(to), time_zone).map((start) => start.toISOString()));
  }
});

test('an hour belongs to the day in which it begins, also where the clocks change at midnight', async () => {
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
])('the abbreviation, offset or unknown zone %s is refused with a sentence', async (time_zone) => {
  const refused = { status: 400, body: { time_zone: ['Use an IANA time zone, such as America/New_York.'] } };
  expect(isTimeZone(time_zone)).toBe(false);
  expect(await service.call(getInsights, { bearer: ida.access, query: { time_zone } })).toMatchObject(
    refused,
  );
  expect(await service.call(updateProfile, { bearer: ida.access, body: { time_zone } })).toMatchObject(
    refused,
  );
});
