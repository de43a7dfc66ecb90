import { TIME_BOUNDS } from '@sixdigit/contract/insights.ts';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { openDb } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { boundsOf, quantileOf } from './report.ts';

test('a quantile is interpolated within its bucket', () => {
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
