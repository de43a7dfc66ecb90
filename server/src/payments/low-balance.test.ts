import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding, updateBranding, updateLowBalance } from '@sixdigit/contract/accounts/branding.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmSandboxPayment } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sandboxShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';
import { testWorker } from '../../test/worker.ts';
import { claimBalanceWarnings } from '../credits/credits.ts';
import { noticeJobs } from '../messaging/notices/jobs.ts';
import { paymentJobs } from './jobs.ts';

const shop = fixture(sandboxShop);
const db = () => shop.service.app.db;

const LOW = 'Your credits are running low';
const EMPTY = 'Your credits are used up';

const threshold = async (of: Customer, low_balance_threshold: number | null) => {
  const { body } = await shop.as(of, getBranding);
  const changed = await shop.as(of, updateBranding, { body: { ...body, low_balance_threshold } });
  expect(changed.status).toBe(200);
};
const effective = async (of: Customer) => (await shop.as(of, getMe)).body.low_balance_threshold;
let recipients = 0;
const send = (of: Pick<Customer, 'api_key'>) =>
  shop.service.call(sendOtp, {
    body: { channel: 'email', recipient: `reader${++recipients}@example.com` },
    apiKey: of.api_key,
  });
const buy = async (of: Customer, credits: number) =>
  shop.as(of, confirmSandboxPayment, {
    body: {
      client_secret: await shop.intent(of, credits),
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
    },
  });
/** Spends down to a balance, and runs the jobs. */
const leave = async (of: Customer, credits: number) => {
  await shop.spend(of, (await shop.balance(of)).credits - credits);
  await shop.service.drain();
};

test('a balance falling below the threshold sends one notice, and another only after a recovery', async () => {
  const alice = await shop.service.customer('Alice', { credits: 11 });
  await threshold(alice, 10);
  await send(alice);
  expect(await shop.subjects(alice)).toEqual([]);
  await send(alice);
  expect(await shop.subjects(alice)).toEqual([LOW]);
  await send(alice);
  await send(alice);
  expect((await shop.subjects(alice)).length).toBe(1);

  await buy(alice, 25);
  expect((await shop.subjects(alice)).length).toBe(1);
  await threshold(alice, 40);
  expect(await shop.subjects(alice)).toEqual([LOW, LOW]);
  await shop.service.drain();
  expect((await shop.subjects(alice)).length).toBe(2);
});

test('without any setting, an account is warned at a tenth of what it had after its last purchase, and at 0', async () => {
  const bob = await shop.service.customer('Bob', { credits: 0 });
  await buy(bob, 1_000);
  expect(await effective(bob)).toBe(100);
  await leave(bob, 100);
  expect(await shop.subjects(bob)).toEqual([]);
  await leave(bob, 99);
  expect(await shop.subjects(bob)).toEqual([LOW]);
  await leave(bob, 0);
  expect(await shop.subjects(bob)).toEqual([LOW, EMPTY]);
  await buy(bob, 25);
  expect(await effective(bob)).toBe(5);
  await leave(bob, 0);
  expect(await shop.subjects(bob)).toEqual([LOW, EMPTY, EMPTY]);
});

test('credits that arrive before the mail leaves replace its warning', async () => {
  const bella = await shop.service.customer('Bella', { credits: 110 });
  await threshold(bella, 100);
  await shop.spend(bella, 20);
  await buy(bella, 25);
  expect(await shop.subjects(bella)).toEqual([]);
  await leave(bella, 99);
  expect(await shop.subjects(bella)).toEqual([LOW]);
});

test('a new account without credits gets no mail', async () => {
  const carol = await shop.service.customer('Carol', { credits: 0 });
  expect((await send(carol)).status).toBe(402);
  expect(await shop.subjects(carol)).toEqual([]);
});

test('a threshold of 0 turns the mails off, and no threshold restores the default', async () => {
  const dora = await shop.service.customer('Dora', { credits: 50 });
  await threshold(dora, 0);
  expect(await effective(dora)).toBeNull();
  await leave(dora, 0);
  expect(await shop.subjects(dora)).toEqual([]);
  await buy(dora, 100);
  await threshold(dora, null);
  expect(await effective(dora)).toBe(10);
  await leave(dora, 9);
  expect(await shop.subjects(dora)).toEqual([LOW]);
});

test('parallel sends to 0 are claimed for one mail by one of several parallel jobs', async () => {
  const erin = await shop.service.customer('Erin', { credits: 20 });
  const sent = await Promise.all(Array.from({ length: 25 }, () => send(erin)));
  expect(sent.filter(({ status }) => status === 201).length).toBe(20);
  const claims = await Promise.all(
    Array.from({ length: 8 }, () =>
      db().transaction(async (tx) => {
        const claimed = await claimBalanceWarnings(tx, 100);
        return claimed.filter(({ account_id }) => account_id === erin.account_id);
      }),
    ),
  );
  expect(claims.flat()).toEqual([{ account_id: erin.account_id, credits: 0 }]);
  await shop.service.drain();
  expect(await shop.subjects(erin)).toEqual([]);
});

test('refunds around the threshold send no further mails', async () => {
  const frank = await shop.service.customer('Frank', { credits: 100 });
  let refunds = 0;
  const refund = (credits: number) =>
    db().transaction(async (tx) => {
      await tx.run(
        `insert into ledger (account_id, id, kind, reference, credits, description, created_at)
         values ($1, $2, 'refund', $4, $3, 'Refund: verification not delivered', clock_now())`,
        [frank.account_id, shop.service.app.random.uuid(), credits, `refund:${++refunds}`],
      );
      await tx.run('update balances set credits = credits + $2 where account_id = $1', [
        frank.account_id,
        credits,
      ]);
    });
  await leave(frank, 9);
  for (let n = 0; n < 3; n++) {
    await refund(2);
    await leave(frank, 9);
  }
  await leave(frank, 0);
  for (let n = 0; n < 3; n++) {
    await refund(1);
    await leave(frank, 0);
  }
  expect(await shop.subjects(frank)).toEqual([LOW, EMPTY]);
  await refund(60);
  await leave(frank, 0);
  expect(await shop.subjects(frank)).toEqual([LOW, EMPTY, EMPTY]);
});

test('the low-balance threshold is changed on its own, audited, and changes no other setting', async () => {
  const grace = await shop.service.customer('Grace', { credits: 50 });
  const heidi = await shop.service.customer('Heidi', { credits: 50 });
  const others = { sender_name: 'Grace’s shop', default_otp_length: 8, auto_purchase_threshold: 70 };
  const before = (await shop.as(grace, getBranding)).body;
  await shop.as(grace, updateBranding, { body: { ...before, ...others } });
  const change = (low_balance_threshold: unknown) =>
    shop.as(grace, updateLowBalance, { body: { low_balance_threshold } as never });

  expect(await change(20)).toMatchObject({ status: 200, body: { low_balance_threshold: 20 } });
  expect((await shop.as(grace, getBranding)).body).toEqual({
    ...before,
    ...others,
    low_balance_threshold: 20,
  });
  expect(await effective(grace)).toBe(20);
  expect((await shop.as(heidi, getBranding)).body.low_balance_threshold).toBeNull();
  const { results } = (await shop.as(grace, listAuditEntries)).body;
  expect(results.find(({ action }) => action === 'settings.change')).toMatchObject({
    before: { low_balance_threshold: null },
    after: { low_balance_threshold: 20 },
  });

  expect(await change(-1)).toMatchObject({
    status: 400,
    body: { low_balance_threshold: ['Low-balance threshold must be at least 0 credits'] },
  });
  expect(await change(1_000_001)).toMatchObject({
    status: 400,
    body: { low_balance_threshold: ['Low-balance threshold must be at most 1,000,000 credits'] },
  });
  expect((await change('many')).status).toBe(400);
  const signedOut = await shop.service.call(updateLowBalance, { body: { low_balance_threshold: 20 } });
  expect(signedOut.status).toBe(401);
  expect(await effective(grace)).toBe(20);

  await change(0);
  expect(await effective(grace)).toBeNull();
  await change(null);
  expect(await effective(grace)).toBe(5);
});

test('one crossing sends one mail, even if four workers run the jobs in parallel while credits are spent', async () => {
  const { app } = shop.service;
  const rounds = 5;
  const customers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => shop.service.customer(`Racer ${n}`, { credits: 12 })),
  );
  const workers = Array.from({ length: 4 }, () => ({
    worker: testWorker(app.random.uuid()),
    jobs: [...paymentJobs(app).filter(({ name }) => name === 'low-balance'), ...noticeJobs(app)],
  }));
  const runAll = (): Promise<unknown> =>
    Promise.all(
      workers.flatMap(({ worker, jobs }) =>
        jobs.flatMap((job) => Array.from({ length: 2 }, () => job.run(worker))),
      ),
    );
  for (let round = 1; round <= rounds; round += 1) {
    // A new key for each round stays below the rate limit of a key, however fast the rounds are.
    const keys = await Promise.all(customers.map(({ account_id }) => shop.service.anotherKey(account_id)));
    const sends = keys.flatMap(({ key }) => Array.from({ length: 12 }, () => send({ api_key: key })));
    const [sent] = await Promise.all([Promise.all(sends), ...Array.from({ length: 4 }, runAll)]);
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 201));
    await runAll();
    for (const { jobs } of workers) for (const job of jobs) await job.idle?.();
    for (const customer of customers) {
      const empty = (await shop.subjects(customer)).filter((subject) => subject === EMPTY);
      expect(empty).toHaveLength(round);
      await buy(customer, 25);
      await shop.spend(customer, 13);
    }
  }
});
