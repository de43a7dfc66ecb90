import { beforeAll, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { findSession, isSessionOpen, markProven, provenUntil } from './sessions.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const later = (minutes: number, microseconds = 0) =>
  `timestamptz '${NOW.toISOString()}' + interval '${minutes} minutes' + interval '${microseconds} microseconds'`;

const service = fixture(testService);
let account_id: string;
beforeAll(async () => {
  ({ account_id } = await service.customer('Alice'));
  await stopDatabaseClock(service.databaseUrl, NOW);
});

async function session(proven_at: string, expires_at = later(60)): Promise<string> {
  const id = service.app.random.uuid();
  await service.app.db.run(
    `insert into sessions (id, account_id, refresh_hash, created_at, last_used_at, expires_at, proven_at)
     values ($1, $2, $3, clock_now(), clock_now(), ${expires_at}, ${proven_at})`,
    [id, account_id, Buffer.from(id)],
  );
  return id;
}
const found = (session_id: string, expires_at = new Date(NOW.getTime() + 1)) =>
  findSession(service.app.db, { session_id, account_id, expires_at });

test('a proof of identity counts for less than fifteen minutes', async () => {
  const fresh = await session(later(-15, 1));
  expect(await found(fresh)).toEqual({ is_proven: true });
  expect(await provenUntil(service.app.db, fresh)).not.toBeNull();
  const lapsed = await session(later(-15));
  expect(await found(lapsed)).toEqual({ is_proven: false });
  expect(await provenUntil(service.app.db, lapsed)).toBeNull();
  const never = await session('null');
  expect(await found(never)).toEqual({ is_proven: false });
});

test('an access token and its session end at their very times', async () => {
  const { db } = service.app;
  const open = await session('null', later(0, 1));
  expect(await found(open)).toBeDefined();
  expect(await isSessionOpen(db, { session_id: open, account_id })).toBe(true);
  expect(await found(open, NOW)).toBeUndefined();
  const over = await session('null', later(0));
  expect(await found(over)).toBeUndefined();
  expect(await isSessionOpen(db, { session_id: over, account_id })).toBe(false);
  expect(await db.transaction((tx) => markProven(tx, over))).toBeUndefined();
});
