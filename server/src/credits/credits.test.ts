import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { report } from '../otp/otp.ts';
import { deposit, takeBack } from './credits.ts';

const service = fixture(testService);

const entryOf = (account_id: string, reference: string, credits: number) => ({
  account_id,
  id: service.app.random.uuid(),
  reference,
  credits,
  description: 'A test',
});
const give = (account_id: string, reference: string, credits: number) =>
  service.app.db.transaction((tx) =>
    deposit(tx, { ...entryOf(account_id, reference, credits), kind: 'purchase' }),
  );
const take = (account_id: string, reference: string, credits: number) =>
  service.app.db.transaction((tx) =>
    takeBack(tx, { ...entryOf(account_id, reference, credits), kind: 'clawback' }),
  );
const balance = (account_id: string) =>
  service.app.db.one<{ credits: number; debt: number }>(
    'select credits, debt from balances where account_id = $1',
    [account_id],
  );

test('the ledger has one entry per reference, even under parallel attempts', async () => {
  const { account_id } = await service.customer('Once', { credits: 0 });
  const given = await Promise.all(Array.from({ length: 20 }, () => give(account_id, 'purchase:pi_1', 100)));
  expect(given.filter(Boolean)).toHaveLength(1);
  const taken = await Promise.all(Array.from({ length: 20 }, () => take(account_id, 'clawback:re_1', 30)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await balance(account_id)).toEqual({ credits: 70, debt: 0 });
});

test('reversing spent credits creates debt, which blocks sends until a deposit pays it', async () => {
  const debtor = await sender(service, 'Debtor', { credits: 5, keys: 2 });
  const { account_id } = debtor;
  await take(account_id, 'clawback:re_2', 8);
  expect(await balance(account_id)).toEqual({ credits: 0, debt: 3 });
  await give(account_id, 'purchase:pi_2', 2);
  expect(await balance(account_id)).toEqual({ credits: 0, debt: 1 });
  const refused = await debtor.send('reader@example.com');
  expect(refused.status).toBe(402);
  await give(account_id, 'purchase:pi_3', 2);
  expect(await balance(account_id)).toEqual({ credits: 1, debt: 0 });
  await debtor.sent('reader@example.com');
});

test('a refund pays off debt first', async () => {
  const debtor = await sender(service, 'Refunded', { credits: 2, keys: 2 });
  const { account_id } = debtor;
  const ids = [await debtor.sent('one@example.com'), await debtor.sent('two@example.com')];
  await take(account_id, 'clawback:re_3', 1);
  expect(await balance(account_id)).toEqual({ credits: 0, debt: 1 });
  for (const id of ids) await debtor.cancel(id);
  expect(await balance(account_id)).toEqual({ credits: 1, debt: 0 });
});

test.each([
  ['changed', 'update ledger set credits = credits + 1'],
  ['removed', 'delete from ledger'],
  ['truncated', 'truncate ledger'],
  ['truncated with others', 'truncate balances, ledger cascade'],
])('the database refuses that ledger entries are %s', async (_how, text) => {
  await expect(service.app.db.run(text)).rejects.toThrow('rows of ledger are never changed or removed');
});

test('the database refuses a second debit of a send, and any other ledger entry without a reference', async () => {
  const charged = await sender(service, 'Charged', { credits: 5 });
  const otp_id = await charged.sent('charged@example.com');
  const enter = (id: string, kind: string) =>
    service.app.db.run(
      `insert into ledger (account_id, id, kind, credits, description, created_at) values ($1, $2, $3, -1, 'A test', clock_now())`,
      [charged.account_id, id, kind],
    );
  await expect(enter(otp_id, 'usage')).rejects.toThrow('ledger_pkey');
  await expect(enter(service.app.random.uuid(), 'refund')).rejects.toThrow('ledger_reference_check');
});

test('the database refuses a balance below zero', async () => {
  const { account_id } = await service.customer('Below');
  await expect(
    service.app.db.run('update balances set credits = -1 where account_id = $1', [account_id]),
  ).rejects.toThrow('balance_not_negative');
});

test('under parallel changes, the entries of an account always sum to its balance', {
  timeout: 60_000,
}, async () => {
  const people: Sender[] = [];
  for (const name of ['Una', 'Duo', 'Tria'])
    people.push(await sender(service, name, { credits: 30, keys: 20 }));
  const { db } = service.app;
  let isOver = false;
  let reads = 0;

  /** One snapshot of balances and entries. */
  async function read(): Promise<void> {
    const rows = await db.rows<{ credits: number; debt: number; entries: number }>(
      `select b.credits, b.debt, coalesce((select sum(l.credits) from ledger l where l.account_id = b.account_id), 0) as entries
       from balances b`,
    );
    reads += 1;
    for (const { credits, debt, entries } of rows) {
      expect(entries).toBe(credits - debt);
      expect(credits).toBeGreaterThanOrEqual(0);
    }
  }
  const readers = Promise.all(
    [1, 2].map(async () => {
      while (!isOver) await read();
    }),
  );

  let seed = 20_260_101;
  const chance = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const sent: { by: Sender; otp_id: string }[] = [];
  async function step(n: number): Promise<void> {
    const by = people[chance(people.length)] as Sender;
    const { account_id } = by;
    const what = chance(9);
    if (what < 5) {
      const { status, body } = await by.send(`reader-${n}@example.com`);
      expect([201, 402]).toContain(status);
      if (status === 201) sent.push({ by, otp_id: body.otp_id });
    } else if (what === 5) await give(account_id, `purchase:${chance(40)}`, 1 + chance(9));
    else if (what === 6) await take(account_id, `clawback:${chance(40)}`, 1 + chance(9));
    else {
      const one = sent[chance(Math.max(1, sent.length))];
      if (one && what === 7) await one.by.cancel(one.otp_id);
      else if (one)
        await report(service.app, {
          carrier: 'sandbox',
          account_id: one.by.account_id,
          otp_id: one.otp_id,
          state: 'undelivered',
          provider_message_id: null,
          reason: null,
        });
    }
  }
  try {
    for (let round = 0; round < 20; round++)
      await Promise.all([
        ...Array.from({ length: 16 }, (_, n) => step(round * 16 + n)),
        ...(round % 4 === 3 ? [service.drain()] : []),
      ]);
  } finally {
    isOver = true;
  }
  await readers;
  await read();
  expect(reads).toBeGreaterThan(20);
  const { refunds, doubled } = await db.one<{ refunds: number; doubled: number }>(
    `select count(*) filter (where kind = 'refund') as refunds,
       count(*) filter (where kind = 'refund') - count(distinct reference) filter (where kind = 'refund') as doubled from ledger`,
  );
  expect(refunds).toBeGreaterThan(5);
  expect(doubled).toBe(0);
});
