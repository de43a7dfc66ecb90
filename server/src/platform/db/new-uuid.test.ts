import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { createLog } from '../log.ts';
import { openDb } from './sql.ts';

test('statements make UUIDs of version 7, which begin with the time and differ', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.socketUrl, log: createLog('fatal'), max: 1 });
  const rows = await db.rows<{ id: string; ms: number }>(
    `select new_uuid() as id, (extract(epoch from clock_now()) * 1000)::bigint as ms from generate_series(1, 1000)`,
  );
  for (const { id, ms } of rows) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(Number(ms));
  }
  expect(new Set(rows.map(({ id }) => id.slice(14))).size).toBe(1000);
  await db.close();
});
