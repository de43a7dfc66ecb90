import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import { beginOfPart, daysOf, EVER, recipientPatterns, windowOf } from './page.ts';

test.each([
  ['Anna@', ['%anna@%']],
  ['5550100', ['%5550100%']],
  ['+1 (415) 555', ['%+1 (415) 555%', '%1415555%']],
  ['+1415', ['%1415%']],
  ['+1', ['%+1%']],
])('a search for %s uses as few patterns as possible', (search, patterns) => {
  expect(recipientPatterns(search)).toEqual(patterns);
});

test('the length of a time window is the time from its start to its end or now', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const until = windowOf('2026-11-20T00:00:00Z', now).from_id;
  const week = windowOf('7', now);
  // The window includes the whole current five minutes.
  const fiveMinutes = 5 / 1_440;
  expect(daysOf(week, now)).toBeCloseTo(7 - fiveMinutes, 9);
  expect(daysOf({ ...week, until_id: until }, now)).toBeCloseTo(3.5 - fiveMinutes, 9);
  expect(daysOf({ from_id: EVER, from_day: '0001-01-01', until_id: until }, now)).toBe(
    Number.POSITIVE_INFINITY,
  );
});

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const idOf = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

test('a part of a list begins at the oldest row that it may read', async () => {
  const { account_id } = alice;
  const bob = await service.customer('Bob');
  // Bob's rows lie between Alice's.
  for (let n = 1; n <= 18; n += 1)
    await service.app.db.run(
      `insert into request_logs (account_id, id, api_key_id, created_at, response_time_ms, response_status_code, request_type)
       values ($1, $2, $3, clock_now(), 1, 201, 'send_otp')`,
      [n % 2 === 0 ? account_id : bob.account_id, idOf(n), alice.api_key_id],
    );
  const begin = (from: number, below: number, most: number) =>
    beginOfPart(service.app.db, {
      from: 'request_logs',
      owner: 'account_id',
      owner_id: account_id,
      from_id: idOf(from),
      below: idOf(below),
      most,
    });
  expect(await begin(1, 100, 3)).toBe(idOf(14));
  expect(await begin(1, 14, 3)).toBe(idOf(8));
  expect(await begin(2, 8, 3)).toBe(idOf(2));
  expect(await begin(3, 8, 3)).toBeNull();
  expect(await begin(2, 2, 1)).toBeNull();
});
