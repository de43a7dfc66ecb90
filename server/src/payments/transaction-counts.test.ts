import { listTransactions } from '@sixdigit/contract/payments.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { rowsReadBy } from '../../test/rows-read.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { countNextTransactions, countTransactions } from './history.ts';

const ENTRIES = 12_000;
const HOUR = 3_600_000;

/** An account with sends of the last hours, 5 seconds apart. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { credits: 100_000 }));
beforeAll(async () => {
  await service.app.db.run(
    `insert into ledger (account_id, id, created_at, credits, kind, reference, description)
     select $1, uuid_floor(at), at, case when n % 10 = 0 then 1 else -1 end,
       case when n % 10 = 0 then 'refund' else 'usage' end, 'many:' || n,
       case when n % 10 = 0 then 'Refund: verification not delivered' else 'SMS verification' end
     from (select n, clock_now() - make_interval(secs => 5 * n) as at from generate_series(1, $2) n) e`,
    [alice.account_id, ENTRIES],
  );
});

const count = async (search = '') => {
  const bearer = await signedIn(service, alice);
  const { status, body } = await service.call(listTransactions, { bearer, query: { search } as never });
  expect(status).toBe(200);
  return body.count;
};
const counted = () =>
  service.app.db.maybe<{ up_to_id: string; n: number }>(
    `select up_to_id, (select sum(c.n) from jsonb_to_recordset(counts) as c (n bigint)) as n
     from transaction_counts where account_id = $1`,
    [alice.account_id],
  );

test('the payment history of a busy account is counted exactly, also while several screens count it', async () => {
  // with the welcome credits
  expect(await Promise.all([count(), count('sms'), count('refund'), count('verification')])).toEqual([
    ENTRIES + 1,
    ENTRIES * 0.9,
    ENTRIES * 0.1,
    ENTRIES,
  ]);
  // The first screen marks the account; the job counts all but the last two hours.
  expect((await counted())?.n).toBeNull();
  await service.drain({ keepHouse: true });
  expect((await counted())?.n).toBe(ENTRIES - 1_440 + 1);
  expect([await count(), await count('sms'), await count('nothing like it')]).toEqual([
    ENTRIES + 1,
    ENTRIES * 0.9,
    0,
  ]);
});

test('later entries are counted at once, and again when they are old', async () => {
  const before = await counted();
  await alice.sent('reader@example.com');
  expect([await count(), await count('Email')]).toEqual([ENTRIES + 2, 1]);
  expect(await counted()).toEqual(before);
  await service.clock.advance(3 * HOUR);
  expect([await count(), await count('Email')]).toEqual([ENTRIES + 2, 1]);
  const twoWorkers = [1, 2].map(async () => {
    while (await countNextTransactions(service.app.db));
  });
  await Promise.all(twoWorkers);
  expect((await counted())?.n).toBe(ENTRIES + 2);
  expect([await count(), await count('Email')]).toEqual([ENTRIES + 2, 1]);
});

test('a count reads only entries that were not counted before', async () => {
  await service.app.db.pool.query('vacuum analyze ledger');
  for (const text of [null, '%sms%'])
    await service.app.db.transaction(async (tx) => {
      const read = await rowsReadBy(tx, () => countTransactions(tx, alice.account_id, text));
      expect(read.get('ledger') ?? 0).toBeLessThan(100);
    });
});
