import { createApiKey, listApiKeys, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { getSpend, updateSpend } from '@sixdigit/contract/spend.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { spendJobs } from './jobs.ts';

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));

const DAY = 86_400_000;
const someone = () => `${service.app.random.uuid()}@example.com`;
const limits = async (who: Sender, daily: number | null, monthly: number | null = null) => {
  const answer = await service.call(updateSpend, {
    bearer: await signedIn(service, who),
    body: { daily_credit_limit: daily, monthly_credit_limit: monthly },
  });
  expect(answer.status).toBe(200);
  return answer.body;
};
const spend = async (who: Sender) =>
  (await service.call(getSpend, { bearer: await signedIn(service, who) })).body;
/** Moves the clock to noon (UTC) on a day in the next month, far from the ends of the day and the month. */
const toMiddleOfMonth = async () => {
  const now = service.app.clock.now();
  const then = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 14, 12);
  await service.clock.advance(then - now.getTime());
};

test('an account has no spend limits by default and sees what it spent', async () => {
  const alice = await sender(service, 'Alice');
  const { headers } = await alice.send(someone());
  expect(headers['x-spend-limit-remaining']).toBeUndefined();
  expect(await spend(alice)).toMatchObject({
    daily_credit_limit: null,
    monthly_credit_limit: null,
    spent_today: 1,
    spent_this_month: 1,
  });
});

test('sends beyond the daily spend limit are refused until the next UTC day, and cost nothing', async () => {
  await toMiddleOfMonth();
  const alice = await sender(service, 'Daily');
  const { day_resets_at, month_resets_at } = await limits(alice, 2);
  expect(Date.parse(day_resets_at) - service.app.clock.now().getTime()).toBeLessThanOrEqual(DAY / 2);
  expect(month_resets_at.slice(8)).toBe('01T00:00:00.000Z');
  const left = async () => (await alice.send(someone())).headers['x-spend-limit-remaining'];
  expect([await left(), await left()]).toEqual(['1', '0']);
  const refused = await alice.send(someone());
  expect(refused).toMatchObject({
    status: 402,
    body: { error: 'Spend limit reached', reason: 'spend_limit_reached', resets_at: day_resets_at },
  });
  expect(refused.headers['x-spend-limit-remaining']).toBe('0');
  expect(await alice.balance()).toBe(98);
  await service.clock.advance(Date.parse(day_resets_at) - service.app.clock.now().getTime() + 1_000);
  expect((await alice.send(someone())).status).toBe(201);
  expect(await spend(alice)).toMatchObject({ spent_today: 1, spent_this_month: 3 });
});

test('the monthly spend limit outlasts the day, and of two reached limits the error names the later one', async () => {
  await toMiddleOfMonth();
  const bob = await sender(service, 'Monthly');
  const { month_resets_at } = await limits(bob, 1, 2);
  await bob.sent(someone());
  await service.clock.advance(DAY);
  await bob.sent(someone());
  expect((await bob.send(someone())).body).toMatchObject({ resets_at: month_resets_at });
  await service.clock.advance(DAY);
  expect((await bob.send(someone())).body).toMatchObject({ resets_at: month_resets_at });
  await service.clock.advance(Date.parse(month_resets_at) - service.app.clock.now().getTime() + 1_000);
  await bob.sent(someone());
});

test('a raised spend limit takes effect immediately, and a refund does not add to it', async () => {
  await toMiddleOfMonth();
  const carol = await sender(service, 'Carol');
  await limits(carol, 1);
  const otp_id = await carol.sent(someone());
  expect((await carol.cancel(otp_id)).status).toBe(200);
  expect(await carol.balance()).toBe(100);
  expect((await carol.send(someone())).status).toBe(402);
  await limits(carol, 2);
  await carol.sent(someone());
  expect((await carol.send(someone())).status).toBe(402);
  await limits(carol, null);
  await carol.sent(someone());
});

test('each API key has a separate daily spend limit', async () => {
  await toMiddleOfMonth();
  const dora = await sender(service, 'Dora', { keys: 1 });
  const bearer = await signedIn(service, dora);
  const limited = (
    await service.call(createApiKey, { bearer, body: { name: 'Limited', daily_credit_limit: 1 } })
  ).body;
  const send = (apiKey: string) =>
    service.call(sendOtp, { apiKey, body: { channel: 'email', recipient: someone() } });
  expect((await send(limited.key)).headers['x-spend-limit-remaining']).toBe('0');
  expect(await send(limited.key)).toMatchObject({ status: 402, body: { reason: 'spend_limit_reached' } });
  expect((await send(dora.api_key)).status).toBe(201);
  const { results } = (await service.call(listApiKeys, { bearer, query: {} })).body;
  expect(results.find(({ id }) => id === limited.id)).toMatchObject({ spent_today: 1 });
  await service.call(updateApiKey, { bearer, params: { id: limited.id }, body: { daily_credit_limit: 2 } });
  expect((await send(limited.key)).status).toBe(201);
  expect((await send(limited.key)).status).toBe(402);
  await service.clock.advance(DAY);
  expect((await send(limited.key)).status).toBe(201);
});

test('spend limits are exact under 1,000 parallel sends to two processes', async () => {
  await toMiddleOfMonth();
  const erin = await sender(service, 'Erin', { credits: 2_000, keys: 60 });
  await limits(erin, 700);
  const bearer = await signedIn(service, erin);
  const keys = await Promise.all(
    Array.from(
      { length: 2 },
      async () =>
        (await service.call(createApiKey, { bearer, body: { name: 'Limited', daily_credit_limit: 9 } })).body,
    ),
  );
  const apiKeys = [...keys.map(({ key }) => key), ...erin.keys];
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) =>
      (n % 2 ? service : other).call(sendOtp, {
        apiKey: apiKeys[n % apiKeys.length] ?? '',
        body: { channel: 'email', recipient: someone() },
      }),
    ),
  );
  const accepted = answers.filter(({ status }) => status === 201).length;
  expect(accepted).toBe(700);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 402]));
  expect(await erin.balance()).toBe(2_000 - 700);
  expect(await spend(erin)).toMatchObject({ spent_today: 700 });
  await limits(erin, null);
  // Both keys have just made some of their 30 requests a second.
  await service.clock.advance(1_000);
  const more = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? service : other).call(sendOtp, {
        apiKey: keys[n % 4 < 2 ? 0 : 1]?.key ?? '',
        body: { channel: 'email', recipient: someone() },
      }),
    ),
  );
  expect(more.every(({ status }) => status === 201 || status === 402)).toBe(true);
  const { results } = (await service.call(listApiKeys, { bearer, query: { search: 'Limited' } })).body;
  expect(results.map(({ spent_today }) => spent_today)).toEqual([9, 9]);
});

test('a mail reports 50, 80 and 100 % of a spend limit, once each per period', async () => {
  await toMiddleOfMonth();
  const finn = await sender(service, 'Finn');
  await limits(finn, 10, 100);
  const subjects = async () => {
    await service.drain();
    return (await service.inbox(finn.email)).map(({ subject }) => subject).reverse();
  };
  const sends = async (n: number) => {
    for (let i = 0; i < n; i += 1) await finn.sent(someone());
    return subjects();
  };
  expect(await sends(4)).toEqual([]);
  expect(await sends(1)).toEqual(['50 % of a daily spend limit is spent']);
  expect(await sends(2)).toHaveLength(1);
  expect((await sends(1)).at(-1)).toBe('80 % of a daily spend limit is spent');
  expect((await sends(2)).at(-1)).toBe('A daily spend limit is reached');
  await finn.send(someone());
  expect(await subjects()).toHaveLength(3);
  await service.clock.advance(DAY);
  // The inbox keeps messages for a day.
  expect(await sends(5)).toEqual(['50 % of a daily spend limit is spent']);
});

test('more spend notices than one batch are announced in one round, each once', async () => {
  const { db, clock } = service.app;
  const name = service.app.random.uuid();
  await db.run(
    `with a as (insert into accounts (id, name, created_at) select new_uuid(), $1, clock_now() from generate_series(1, 201) returning id)
     insert into balances (account_id, daily_credit_limit, spent_today, spend_day) select id, 2, 2, $2::timestamptz from a`,
    [name, clock.now().toISOString()],
  );
  const job = spendJobs(service.app).find(({ name }) => name === 'spend-notices');
  while (await job?.run(service.worker));
  const announced = await db.rows(
    `select count(*) as n, max(percent) as percent from spend_notices where account_id in (select id from accounts where name = $1)`,
    [name],
  );
  expect(announced).toEqual([{ n: 201, percent: 100 }]);
});

test('the mail about a spend limit of an API key contains the key name', async () => {
  const gina = await sender(service, 'Gina');
  const bearer = await signedIn(service, gina);
  const { key } = (
    await service.call(createApiKey, { bearer, body: { name: 'Checkout', daily_credit_limit: 1 } })
  ).body;
  await service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient: someone() } });
  await service.drain();
  const [mail] = await service.inbox(gina.email);
  expect(mail?.text).toContain(
    'Your API key “Checkout” has spent 1 of the 1 credits of its daily spend limit.',
  );
});

test('invalid spend limits are field errors, and the limits require a sign-in', async () => {
  const hugo = await sender(service, 'Hugo');
  const bearer = await signedIn(service, hugo);
  for (const limit of [0, -1, 1.5, '10', 10_000_001])
    expect(
      await service.call(updateSpend, {
        bearer,
        body: { daily_credit_limit: limit as number, monthly_credit_limit: null },
      }),
    ).toMatchObject({ status: 400 });
  const body = { daily_credit_limit: 1, monthly_credit_limit: null };
  expect((await service.call(updateSpend, { body })).status).toBe(401);
  expect((await service.call(getSpend)).status).toBe(401);
});
