import { expect, test } from 'vitest';
import { openDb } from '../src/platform/db/sql.ts';
import { testDatabase } from './database.ts';
import { PEOPLE, PREVIOUS_VERSION, previousCalls, statementOf } from './previous-calls.ts';

test(`the database functions serve every call of version ${PREVIOUS_VERSION}`, async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => {} }, max: 1 });
  try {
    await db.pool.query(PEOPLE);
    for (const previous of previousCalls) {
      const [text, values] = statementOf(previous);
      const { fields } = await db.pool.query(text, values);
      const columns = fields.map(({ name }) => name);
      expect(columns, previous.call).toEqual(expect.arrayContaining([...previous.columns]));
    }
    expect(
      await db.rows('select status, verified_at is not null as has_time, carrier from verifications'),
    ).toEqual([{ status: 'verified', has_time: true, carrier: 'twilio' }]);
    expect(await db.rows('select credits from balances')).toEqual([{ credits: 9 }]);
    expect(await db.rows('select id from deliveries')).toEqual([]);
    expect(await db.rows('select key from idempotency_keys')).toHaveLength(2);
    expect(await db.rows('select id from request_logs')).toHaveLength(2);
  } finally {
    await db.close();
  }
});
