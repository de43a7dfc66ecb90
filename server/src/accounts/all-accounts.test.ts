import { expect, test } from 'vitest';
import { rowsReadBy } from '../../test/rows-read.ts';
import { testService } from '../../test/service.ts';
import { type AccountFilter, accountTotals, selectAccounts } from './all-accounts.ts';

const ACCOUNTS = 3_000;
const ALL: AccountFilter = { text: null, phone: null, ids: [], state: null };
const PAGE = { ordering: '-created_at', limit: 10, offset: 0 };

test('accounts are counted exactly, and a later count reads only accounts created in the last day', async () => {
  await using service = await testService();
  const { db } = service.app;
  await service.customer('Alice');
  await db.run(
    `insert into accounts (id, email, username, deleted_at)
     select uuid_floor(clock_now() - interval '2 days' - n * interval '1 minute'), case when n > 100 then n || '@many.test' end,
       case when n > 100 then 'many' || n end, case when n <= 100 then clock_now() end
     from generate_series(1, $1) n`,
    [ACCOUNTS],
  );
  await db.pool.query('analyze accounts');
  const count = async (filter = ALL) => (await selectAccounts(db, filter, PAGE)).count;
  expect(await Promise.all([count(), count({ ...ALL, state: 'active' })])).toEqual([
    ACCOUNTS + 1,
    ACCOUNTS - 100 + 1,
  ]);
  await db.transaction(async (tx) => {
    const read = await rowsReadBy(tx, () => selectAccounts(tx, ALL, PAGE));
    expect(read.get('accounts') ?? 0).toBeLessThan(100);
  });
  await service.customer('Bob');
  expect(await count()).toBe(ACCOUNTS + 2);
  await service.clock.advance(2 * 86_400_000);
  await service.customer('Carol');
  expect([await count(), (await accountTotals(db)).all]).toEqual([ACCOUNTS + 3, ACCOUNTS - 100 + 3]);
  await db.transaction(async (tx) => {
    // With these joins, rows arrive in the order of the table.
    await tx.run('set local enable_nestloop = off');
    await tx.run('set local enable_mergejoin = off');
    for (const text of [null, '%@many.test%']) {
      const page = { ordering: '-email', limit: 100, offset: 50 };
      const { accounts } = await selectAccounts(tx, { ...ALL, text, state: 'active' }, page);
      const emails = accounts.map(({ email }) => email);
      expect(emails).toEqual(emails.toSorted().toReversed());
    }
  });
  // A search counts its own matches: few by sorting them, many in the order of an index.
  for (const [text, found] of [
    ['%77@many.test%', 29],
    ['%@many.test%', ACCOUNTS - 100],
  ] as const)
    expect(await count({ ...ALL, text })).toBe(found);
});
