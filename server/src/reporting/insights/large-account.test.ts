import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { rowsReadBy } from '../../../test/rows-read.ts';
import { testService } from '../../../test/service.ts';
import { daysOf, hoursOf, type Period, slotsOf } from './periods.ts';
import { type InsightFilter, mergeHours, selectGroups, selectSeries, selectSums } from './queries.ts';

const KEYS = 20;
const COUNTRIES = 40;
const DAYS = 10;
/** cells with traffic in an hour */
const CELLS = 40;

let period: Period;
const keyOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const countryOf = (n: number) => String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26));

/** An account with many keys that sends to many countries, by SMS and voice. */
const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
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
      alice.account_id,
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
    account_id: alice.account_id,
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
