import { verify } from '@node-rs/argon2';
import {
  getVerification,
  listVerifications,
  sendOtp,
  Verification,
  VerificationDetail,
} from '@sixdigit/contract/otp.ts';
import { listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import { listWebhookAttempts, listWebhooks, WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { DEMO_EMAIL, seedCommand } from './seed.ts';

let bearer: string;
let account_id: string;
const lines: string[] = [];
const printedValue = (label: string) =>
  lines
    .find((line) => line.startsWith(label))
    ?.slice(label.length)
    .trim() ?? '';

const service = fixture(testService);
beforeAll(async () => {
  expect(await seedCommand(service.app, [], (line) => lines.push(line))).toBe(0);
  const account = await service.app.db.one<{ id: string }>('select id from accounts where email = $1', [
    DEMO_EMAIL,
  ]);
  account_id = account.id;
  bearer = await signedIn(service, { account_id });
});

test('the printed password and key of the seeded account work', async () => {
  const { password_hash } = await service.app.db.one<{ password_hash: string }>(
    'select password_hash from accounts where id = $1',
    [account_id],
  );
  expect(await verify(password_hash, printedValue('Password:'))).toBe(true);
  const body = { channel: 'email', recipient: 'someone@example.com' };
  expect((await service.call(sendOtp, { apiKey: printedValue('API key:'), body })).status).toBe(201);
});

test('the Protection screen of the seeded account shows blocks', async () => {
  const { body } = await service.call(listBlocks, { bearer });
  expect(body).toMatchObject({ blocked: 0, monitored: 268 });
  expect(body.results[0]).toMatchObject({
    rule: 'prefix_velocity',
    monitored: 251,
    allow: { kind: 'prefix', value: '+1604555' },
  });
});

test('the seeded history has verifications in every state with their status changes', async () => {
  const query = { page_size: 100 };
  const { body } = await service.call(listVerifications, { bearer, query });
  expect(body.count).toBeGreaterThan(100);
  const statuses = new Set(body.results.map(({ status }) => status));
  expect([...statuses].sort()).toEqual(
    ['expired', 'failed', 'pending', 'sent', 'verified'].filter((s) => s !== 'sent'),
  );
  await service.drain();
  const later = await service.call(listVerifications, { bearer, query: { status: 'sent' } });
  expect(later.body.count).toBeGreaterThan(0);
  for (const one of body.results.slice(0, 30)) {
    Verification.parse(one);
    const detail = await service.call(getVerification, { bearer, params: { id: one.id } });
    const { status, status_logs } = VerificationDetail.parse(detail.body);
    expect(status_logs[0]).toMatchObject({ previous_status: null, new_status: 'pending' });
    expect(status_logs.at(-1)?.new_status).toBe(status);
    for (const [n, log] of status_logs.slice(1).entries())
      expect(log.previous_status).toBe(status_logs[n]?.new_status);
  }
});

test('the seeded ledger entries sum to the balance', async () => {
  const { db } = service.app;
  const { credits, sum } = await db.one<{ credits: number; sum: number }>(
    `select b.credits, (select sum(l.credits) from ledger l where l.account_id = b.account_id) as sum
     from balances b where b.account_id = $1`,
    [account_id],
  );
  expect(credits).toBe(sum);
  expect(
    await db.rows(
      `select v.id from verifications v left join ledger l on l.account_id = v.account_id
         and (l.id = v.id or l.reference = 'refund:' || v.id)
       where v.account_id = $1 group by v.id, v.cost_credits having coalesce(-sum(l.credits), 0) <> v.cost_credits`,
      [account_id],
    ),
  ).toEqual([]);
});

test('the seeded account has spent today and this month what its sends cost', async () => {
  const { body } = await service.call(getSpend, { bearer });
  const spentSince = async (unit: 'day' | 'month') =>
    await service.app.db.one<{ n: number }>(
      `select -sum(credits)::integer as n from ledger where account_id = $1 and kind = 'usage'
         and created_at >= date_trunc($2, clock_now() at time zone 'UTC') at time zone 'UTC'`,
      [account_id, unit],
    );
  const [today, month] = [await spentSince('day'), await spentSince('month')];
  expect(month.n).toBeGreaterThanOrEqual(today.n);
  expect(body).toMatchObject({ spent_today: today.n, spent_this_month: month.n });
});

test('the seeded request log has every status and sorts by time', async () => {
  const { body } = await service.call(listRequestLogs, { bearer, query: { page_size: 100 } });
  const times = body.results.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
  for (const status_code of ['200', '201', '400', '402', '404', '429', '500', '503'])
    expect(
      (await service.call(listRequestLogs, { bearer, query: { status_code } })).body.count,
    ).toBeGreaterThan(0);
});

test('every seeded webhook count matches the stored attempts', async () => {
  const { body } = await service.call(listWebhooks, { bearer, query: { ordering: '-total_sent' } });
  const [active, retired] = body.results;
  expect(retired).toMatchObject({ is_active: false, total_sent: 12 });
  const attempts = await service.call(listWebhookAttempts, {
    bearer,
    params: { id: active?.id ?? '' },
    query: {},
  });
  const before = await service.app.db.one(
    'select count(*) as n from webhook_attempts where attempted_at < $1',
    [active?.last_sent_at],
  );
  expect(active?.total_sent).toBeGreaterThanOrEqual((before as { n: number }).n);
  expect(attempts.body.results[0]).toMatchObject({ succeeded: expect.any(Boolean) });
  const messages = await service.app.db.rows<{ body: unknown }>('select body from webhook_messages');
  for (const message of messages) WebhookMessage.parse(message.body);
});

test('a second seed run reports the existing account and changes nothing', async () => {
  const again: string[] = [];
  expect(await seedCommand(service.app, ['another password'], (line) => again.push(line))).toBe(0);
  expect(again.join()).toContain('already exists');
  const { n } = await service.app.db.one<{ n: number }>('select count(*) as n from accounts');
  expect(n).toBe(1);
});

test('a password passed to the seed command is used and not printed', async () => {
  await using other = await testService();
  const printed: string[] = [];
  expect(await seedCommand(other.app, ['short'], (line) => printed.push(line))).toBe(2);
  expect(await seedCommand(other.app, ['a password of mine'], (line) => printed.push(line))).toBe(0);
  expect(printed.join()).not.toContain('a password of mine');
});

test('the seed command is refused outside a sandbox', async () => {
  const { app } = service;
  const refused: string[] = [];
  const real = { ...app, config: { ...app.config, sandbox: false } };
  expect(await seedCommand(real, [], (line) => refused.push(line))).toBe(2);
  expect(refused.join()).toContain('Only a sandbox');
});
