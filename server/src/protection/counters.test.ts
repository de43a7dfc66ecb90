import { sendOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { createCounters, minuteOf } from './counters.ts';
import { createExchange } from './exchange.ts';
import { readHistory } from './exchange-queries.ts';
import { createGuard } from './guard.ts';
import {
  countOthers,
  type LatestRecipients,
  lastSendTo,
  minutesOf,
  withRecipient,
} from './latest-recipients.ts';
import { DEPLOYMENT } from './queries.ts';
import { inDay } from './series.ts';

const ACCOUNT = '0199e0a0-0000-7000-8000-000000000001';
const MINUTE = 29_000_000;
const CLIENT = '203.0.113.7';

test('an evicted counter starts at zero, even if it was the last one read', () => {
  const counters = createCounters({ most: 8 });
  const send = (prefix: string, client: string | null) =>
    counters.record({ account_id: ACCOUNT, prefix, country: 'US', client }, 'sent', MINUTE * 60_000);
  const sentBy = () => inDay(counters.find(ACCOUNT, 'client', CLIENT), 'sent', MINUTE);
  send('+1202555', CLIENT);
  expect(sentBy()).toBe(1);
  for (let n = 0; n < 20; n++) send(`+12025${n}`, null);
  expect(sentBy()).toBe(0);
  send('+1202555', CLIENT);
  send('+1202555', CLIENT);
  expect(sentBy()).toBe(2);
});

test('counters take bounded memory by forgetting the least recently used', () => {
  const counters = createCounters({ most: 1_000 });
  const send = (prefix: string) =>
    counters.record({ account_id: ACCOUNT, prefix, country: 'FR', client: null }, 'sent', MINUTE * 60_000);
  for (let n = 0; n < 20_000; n++) {
    send(`+33${n}`);
    send('+33 in use');
  }
  expect(counters.size).toBeLessThanOrEqual(1_010);
  expect(counters.find(ACCOUNT, 'prefix', '+33 in use')?.minutes[1]).toBe(20_000);
});

test('reloading the counters keeps unsaved local counts and counts them once', () => {
  const counters = createCounters();
  const send = () =>
    counters.record(
      { account_id: ACCOUNT, prefix: '+1202555', country: 'US', client: CLIENT },
      'sent',
      MINUTE * 60_000,
    );
  const sentTo = (prefix: string) => inDay(counters.find(ACCOUNT, 'prefix', prefix), 'sent', MINUTE);
  send();
  counters.takeDeltas();
  send();
  send();
  expect(sentTo('+1202555')).toBe(3);
  counters.restart(MINUTE);
  expect(sentTo('+1202555')).toBe(2);
  counters.restart(MINUTE);
  expect(sentTo('+1202555')).toBe(2);
});

test('every kind of count reaches the other processes, and one that was taken back does not', () => {
  const [counters, other] = [createCounters(), createCounters()];
  const traffic = { account_id: ACCOUNT, prefix: '+1202555', country: 'US', client: CLIENT };
  for (const event of ['sent', 'verified', 'unverified', 'verified_late', 'void'] as const) {
    counters.record(traffic, event, MINUTE * 60_000);
    for (const delta of counters.takeDeltas()) other.apply(delta, MINUTE);
    const minutes = (one: typeof counters) => one.find(ACCOUNT, 'prefix', '+1202555')?.minutes;
    expect([event, minutes(other)]).toEqual([event, minutes(counters)]);
  }
  for (const times of [1, -1] as const) counters.record(traffic, 'sent', MINUTE * 60_000, times);
  expect(counters.takeDeltas()).toEqual([]);
});

test('a prefix counter keeps at most 16 recipients', () => {
  const counters = createCounters();
  for (let n = 0; n < 1_000; n++)
    counters.record(
      { account_id: ACCOUNT, prefix: '+1202555', country: 'US', client: null, recipient: `number ${n}` },
      'sent',
      MINUTE * 60_000,
    );
  expect(counters.find(ACCOUNT, 'prefix', '+1202555')?.recipients).toHaveLength(16);
});

test("a country's usual conversion is the median of the past days that had enough ended sends", () => {
  const counters = createCounters();
  const traffic = { account_id: ACCOUNT, prefix: '+1202555', country: 'US', client: null };
  const days: readonly (readonly [over: number, verified: number])[] = [
    [40, 0], // today
    [20, 14],
    [20, 2],
    [20, 18],
    [19, 19],
    [200, 120],
    [20, 16],
  ];
  for (const [ago, [over, verified]] of days.entries())
    for (let n = 0; n < over; n++)
      counters.record(traffic, n < verified ? 'verified' : 'unverified', (MINUTE - ago * 1_440) * 60_000);
  expect(counters.usual(ACCOUNT, 'US', MINUTE)).toMatchObject({ conversion: 0.7, best_day: 120 });
});

const noted = (sends: readonly (readonly [string, number])[], most = 16): LatestRecipients | undefined =>
  sends.reduce<LatestRecipients | undefined>(
    (list, [recipient, minute]) => withRecipient(list, recipient, { minute, most }),
    undefined,
  );

test('a recipient is listed once, with the minute of its last send', () => {
  const list = noted([
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ]);
  expect(lastSendTo(list, 'a')).toBe(3);
  expect(lastSendTo(list, 'b')).toBe(2);
  expect(lastSendTo(list, 'c')).toBeUndefined();
  expect(lastSendTo(undefined, 'a')).toBeUndefined();
  expect(minutesOf(list)).toEqual([2, 3]);
});

test('a recipient list counts other recipients since a given minute, up to a limit', () => {
  const list = noted([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  expect(countOthers(list, 'a', { since: 1 })).toBe(2);
  expect(countOthers(list, 'a', { since: 3 })).toBe(1);
  expect(countOthers(list, 'd', { since: 0, least: 2 })).toBe(2);
  expect(countOthers(undefined, 'a', { since: 0 })).toBe(0);
});

test('a recipient list keeps the latest recipients, however many numbers an attacker tries', () => {
  const sends = Array.from({ length: 10_000 }, (_, n) => [`number ${n}`, n] as const);
  const list = noted(sends, 3);
  expect(minutesOf(list)).toEqual([9_997, 9_998, 9_999]);
  expect(list).toHaveLength(3);
});

test('256 recipients with similar numbers are counted as 256', () => {
  const list = noted(
    Array.from({ length: 256 }, (_, n) => [`${n}`.padStart(12, '0'), n] as const),
    256,
  );
  expect(minutesOf(list)).toHaveLength(256);
});

test('a recipient list stores minutes exactly beyond the year 2095', () => {
  const last = Date.UTC(2096, 0) / 60_000;
  for (let n = 0; n < 1_000; n++) {
    const list = noted([[`number ${n}`, last + n]]);
    expect(lastSendTo(list, `number ${n}`)).toBe(last + n);
  }
});

test('two processes that exchange counts exceed a limit by at most ten percent', async () => {
  await using service = await testService();
  await using other = await anotherProcess(service);
  const alice = await service.customer('Alice', { credits: 1_000 });
  const { status } = await service.call(updateProtection, {
    bearer: await signedIn(service, alice),
    body: { rules: { prefix_velocity: { mode: 'enforce', limit: 40 } } },
  });
  expect(status).toBe(200);
  await other.app.protection.exchange();
  const keys = [alice.api_key];
  while (keys.length < 4) keys.push((await service.anotherKey(alice.account_id)).key);
  let accepted = 0;
  // Each round is a second of traffic: two sends on each process, then the exchange.
  for (let n = 0; n < 16; n++) {
    for (const [process, line] of [
      [service, 0],
      [other, 1],
      [service, 2],
      [other, 3],
    ] as const) {
      const recipient = `+1415555${1_000 + n * 4 + line}`;
      const answer = await process.call(sendOtp, {
        apiKey: keys[line] as string,
        body: { channel: 'sms', recipient },
      });
      if (answer.status === 201) accepted += 1;
    }
    for (const one of [service, other, service]) await one.app.protection.exchange();
  }
  expect(accepted).toBeGreaterThanOrEqual(40);
  expect(accepted).toBeLessThanOrEqual(44);
});

const PROCESS = '0199e0a0-0000-7000-8000-00000000000a';
const PREFIX = '+1202555';

test('a starting process reads the whole count history once, in parts', async () => {
  await using service = await testService();
  const { account_id } = await service.customer('Alice');
  const minute = minuteOf(service.app.clock.now().getTime());
  await service.app.db.run(
    `insert into protection_counts (account_id, kind, key, unit, bucket, sent, tried, over, verified)
     select $1, 'prefix', '+33' || n, 'hour', $2, 1, 1, 0, 0 from generate_series(1, 4500) as n`,
    [account_id, Math.floor(minute / 60)],
  );
  const delta = [account_id, PREFIX, 'US', CLIENT, minute, 1, 1, 0, 0, ['someone']];
  await service.app.db.run(
    `insert into protection_deltas (process_id, seq, at, deltas)
     select $1, n, clock_now() + n * interval '1 millisecond', $2 from generate_series(1, 21) as n`,
    [PROCESS, JSON.stringify([delta])],
  );
  const summed = [account_id, PREFIX, 'US', CLIENT, minute, 1, 0, 0, 0, ['another', 'third']];
  await service.app.db.run(
    `insert into protection_deltas (process_id, seq, at, deltas, is_summed) values ($1, 22, clock_now(), $2, true)`,
    [PROCESS, JSON.stringify([summed])],
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
  for (const scope of [account_id, DEPLOYMENT])
    for (const [kind, key] of [
      ['prefix', PREFIX],
      ['client', CLIENT],
    ] as const) {
      const { recipients } = counters.find(scope, kind, key) ?? {};
      expect(countOthers(recipients, 'new', { since: minute - 10 }), `${scope} ${kind}`).toBe(3);
    }
  expect([sentTo('+331'), sentTo('+332250'), sentTo('+334500')]).toEqual([1, 1, 1]);
  await other.app.protection.exchange();
  expect(sentTo(PREFIX)).toBe(21);
});

test('an exchange that fails for another reason than an unavailable database is in the log', async () => {
  await using service = await testService();
  await service.app.db.run('alter table protection_deltas rename to deltas_away');
  await service.app.protection.start();
  expect(service.logLines.join('')).toContain('counts of sends were not exchanged');
});

test('a starting process reads hourly counts, then daily ones, and skips the oldest rows if there are too many', async () => {
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
