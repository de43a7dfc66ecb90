import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { testService } from '../../test/service.ts';
import { minuteOf } from './counters.ts';
import { createExchange } from './exchange.ts';
import { readHistory } from './exchange-queries.ts';
import { createGuard } from './guard.ts';
import { inDay } from './series.ts';

const PROCESS = '0199e0a0-0000-7000-8000-00000000000a';
const PREFIX = '+1202555';

test('a process that starts reads the whole history once, in parts', async () => {
  await using service = await testService();
  const { account_id } = await service.customer('Alice');
  const minute = minuteOf(service.app.clock.now().getTime());
  await service.app.db.run(
    `insert into protection_counts (account_id, kind, key, unit, bucket, sent, tried, over, verified)
     select $1, 'prefix', '+33' || n, 'hour', $2, 1, 1, 0, 0 from generate_series(1, 4500) as n`,
    [account_id, Math.floor(minute / 60)],
  );
  const delta = [account_id, PREFIX, 'US', null, minute, 1, 1, 0, 0, ['someone']];
  await service.app.db.run(
    `insert into protection_deltas (process_id, seq, at, deltas)
     select $1, n, clock_now() + n * interval '1 millisecond', $2 from generate_series(1, 21) as n`,
    [PROCESS, JSON.stringify([delta])],
  );

  const guard = createGuard({ sandbox: true });
  const exchange = createExchange({ ...service.app, guard });
  // As after a first attempt that failed halfway.
  for (let n = 0; n < 2; n++) {
    await exchange.load();
    expect(inDay(guard.counters.find(account_id, 'prefix', PREFIX), 'sent', minute)).toBe(21);
  }

  await using other = await anotherProcess(service);
  const { counters } = other.app.protection.guard;
  const sentTo = (prefix: string) => inDay(counters.find(account_id, 'prefix', prefix), 'sent', minute);
  expect(sentTo(PREFIX)).toBe(21);
  expect([sentTo('+331'), sentTo('+332250'), sentTo('+334500')]).toEqual([1, 1, 1]);
  await other.app.protection.exchange();
  expect(sentTo(PREFIX)).toBe(21);
});

test('the history is read by hours, then by days, the newest last, and of too many only the newest', async () => {
  await using service = await testService();
  const { db } = service.app;
  const { account_id } = await service.customer('Alice');
  for (const [unit, seconds, ago] of [
    ['hour', 3_600, 1],
    ['day', 86_400, 2],
    ['hour', 3_600, 3],
    ['day', 86_400, 1],
    ['hour', 3_600, 2],
  ])
    await db.run(
      `insert into protection_counts (account_id, kind, key, unit, bucket, sent, tried, over, verified)
       values ($1, 'account', '', $2, floor(extract(epoch from clock_now()) / $3::integer)::integer - $4::integer, 1, 1, 1, 1)`,
      [account_id, unit, seconds, ago],
    );
  const read = async (most: number) => {
    const rows: { unit: string; bucket: number }[] = [];
    const counts = (part: unknown) => void rows.push(...([part].flat() as typeof rows));
    await db.transaction((tx) => readHistory(tx, most, { counts, deltas: () => {} }));
    const newest = (of: string) =>
      Math.max(...rows.filter(({ unit }) => unit === of).map((row) => row.bucket));
    return rows.map(({ unit, bucket }) => `${unit} -${newest(unit) - bucket}`);
  };
  expect(await read(10)).toEqual(['hour -2', 'hour -1', 'hour -0', 'day -1', 'day -0']);
  expect(await read(4)).toEqual(['hour -1', 'hour -0', 'day -1', 'day -0']);
});
