import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { listConnections } from '@sixdigit/contract/connection-list.ts';
import { testConnection } from '@sixdigit/contract/connections.ts';
import { getFallback, getInsights } from '@sixdigit/contract/insights.ts';
import { listAnnouncements } from '@sixdigit/contract/operator/announcements.ts';
import { listOperatorActions, listOperatorKeys } from '@sixdigit/contract/operator/operator.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listBlocks } from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import {
  getVerification,
  listVerifications,
  Verification,
  VerificationDetail,
} from '@sixdigit/contract/verifications.ts';
import { listWebhookAttempts, listWebhooks, WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { beforeAll, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../../test/clock.ts';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { findOperator } from '../../../operator/operator.ts';
import { report } from '../../../otp/otp.ts';
import { DEMO_EMAIL, seedCommand } from './seed.ts';

const SENT_BY_TEST = 'someone@example.com';
const DAY_MS = 86_400_000;
const UNDELIVERED = '+14155550198';

let bearer: string;
let account_id: string;
let lines = '';
const printedValue = (label: string) => new RegExp(`^${label}\\s*(.*)$`, 'm').exec(lines)?.[1] ?? '';
async function seed(app: Parameters<typeof seedCommand>[0], ...given: string[]) {
  const printed: string[] = [];
  const exit = await seedCommand(app, given, (line) => printed.push(line));
  return { exit, printed: printed.join('\n') };
}

const expectNewestFirst = (rows: readonly { created_at: string }[]) => {
  const times = rows.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted().reverse());
};
/** The last thirty days. Insights count whole hours and days. */
const lastMonth = () => {
  const to = service.app.clock.now().getTime();
  const from = to - (to % DAY_MS) - 30 * DAY_MS;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
};
const countOf = async (sql: string, values: readonly unknown[] = []): Promise<number> =>
  (await service.app.db.one<{ n: number }>(sql, [...values])).n;

const service = fixture(testService);
beforeAll(async () => {
  const { exit, printed } = await seed(service.app);
  expect(exit).toBe(0);
  lines = printed;
  const account = 'select id as account_id from accounts where email = $1';
  ({ account_id } = await service.app.db.one<{ account_id: string }>(account, [DEMO_EMAIL]));
  bearer = await signedIn(service, { account_id });
});

test('the printed password and key of the seeded account work', async () => {
  const person = { email: DEMO_EMAIL, password: printedValue('Password:') };
  expect((await service.call(signIn, { body: person })).status).toBe(200);
  const body = { channel: 'email', recipient: SENT_BY_TEST };
  expect((await service.call(sendOtp, { apiKey: printedValue('API key:'), body })).status).toBe(201);
});

test('the Protection screen of the seeded account shows no more hits than sends', async () => {
  const { body } = await service.call(listBlocks, { bearer });
  const rules = new Set(body.results.map(({ rule }) => rule));
  const shown = ['client_velocity', 'country_unverified', 'prefix_conversion', 'prefix_velocity'];
  expect([...rules].sort()).toEqual(shown);
  expect(body).toMatchObject({ blocked: 0 });
  const sends = await service.app.db.rows<{ country: string; n: number }>(
    `select country, count(*) as n from verifications where account_id = $1 and country is not null
       and created_at > clock_now() - interval '24 hours' group by country`,
    [account_id],
  );
  for (const country of new Set(body.results.map((block) => block.country))) {
    const hits = body.results.filter((block) => block.country === country);
    const monitored = hits.reduce((sum, hit) => sum + hit.monitored, 0);
    expect(monitored).toBeGreaterThan(0);
    expect(sends.find((one) => one.country === country)?.n).toBeGreaterThanOrEqual(monitored);
  }
});

test('the seeded history has verifications in every state with their status changes', async () => {
  const query = { page_size: 100, own_code: 'false' } as const;
  const { body } = await service.call(listVerifications, { bearer, query });
  expect(body.count).toBeGreaterThan(100);
  const statuses = new Set(body.results.map(({ status }) => status));
  expect([...statuses].sort()).toEqual(['expired', 'failed', 'pending', 'verified']);
  await service.drain();
  const sent = { status: 'sent', own_code: 'false' } as const;
  const later = await service.call(listVerifications, { bearer, query: sent });
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

test('the seeded account is warned below a tenth of its balance after the last purchase', async () => {
  const { purchased, ...warned } = await service.app.db.one<{ purchased: number }>(
    `select b.warn_below, b.warning, (
       select sum(l.credits)::integer from ledger l where l.account_id = b.account_id
         and l.created_at <= (select max(created_at) from ledger where account_id = b.account_id and kind = 'purchase')
     ) as purchased
     from balances b where b.account_id = $1`,
    [account_id],
  );
  expect(purchased).toBeGreaterThan(500);
  expect(warned).toEqual({ warn_below: Math.floor(purchased / 10), warning: 'none' });
});

test('the seeded account has spent today and this month what its sends cost', async () => {
  const { body } = await service.call(getSpend, { bearer });
  const spentSince = (unit: 'day' | 'month') =>
    countOf(
      `select -sum(credits)::integer as n from ledger where account_id = $1 and kind = 'usage'
         and created_at >= date_trunc($2, clock_now() at time zone 'UTC') at time zone 'UTC'`,
      [account_id, unit],
    );
  const [today, month] = [await spentSince('day'), await spentSince('month')];
  expect(month).toBeGreaterThanOrEqual(today);
  expect(body).toMatchObject({ spent_today: today, spent_this_month: month });
});

test('the seeded request log has every status and sorts by time', async () => {
  const { body } = await service.call(listRequestLogs, { bearer, query: { page_size: 100 } });
  expectNewestFirst(body.results);
  for (const status_code of ['200', '201', '400', '402', '404', '429', '500', '503'])
    expect(
      (await service.call(listRequestLogs, { bearer, query: { status_code } })).body.count,
    ).toBeGreaterThan(0);
});

test('every seeded webhook count matches the stored attempts', async () => {
  const { body } = await service.call(listWebhooks, { bearer, query: { ordering: '-total_sent' } });
  const [active, retired] = body.results;
  expect(retired).toMatchObject({ is_active: false, total_sent: 12 });
  const params = { id: active?.id ?? '' };
  const attempts = await service.call(listWebhookAttempts, { bearer, params, query: {} });
  const before = 'select count(*) as n from webhook_attempts where attempted_at < $1';
  expect(active?.total_sent).toBeGreaterThanOrEqual(await countOf(before, [active?.last_sent_at]));
  expect(attempts.body.results[0]).toMatchObject({ succeeded: expect.any(Boolean) });
  const messages = await service.app.db.rows<{ body: unknown }>('select body from webhook_messages');
  for (const message of messages) WebhookMessage.parse(message.body);
});

test('the overview counts the seeded sends of the last hour', async () => {
  const counted = (kind: string) =>
    countOf(
      `select coalesce(sum(entries), 0)::integer as n from activity_minutes
       where kind = $1 and subject = '' and minute > clock_now() - interval '60 minutes'`,
      [kind],
    );
  const logged = (type: string, isOk: boolean) =>
    countOf(
      `select coalesce(sum(r.count), 0)::integer as n from request_logs r
       join api_keys k on k.id = r.api_key_id and k.mode = 'live'
       where r.request_type = $1 and (r.response_status_code < 300) = $2
         and date_trunc('minute', r.created_at) > clock_now() - interval '60 minutes'`,
      [type, isOk],
    );
  await service.app.activity.flush();
  // Otherwise a minute can pass out of the hour between two statements.
  await stopDatabaseClock(service.databaseUrl, service.app.clock.now());
  expect(await counted('send')).toBeGreaterThan(4);
  expect(await counted('send')).toBe(await logged('send_otp', true));
  expect(await counted('verified')).toBe(await logged('verify_otp', true));
  expect(await counted('wrong_code')).toBe(await logged('verify_otp', false));
  await service.clock.advance(0);
});

test('every seeded code is valid for as long as the setting says', async () => {
  const found = await service.app.db.rows(
    `select distinct a.default_expiry_seconds = extract(epoch from v.expires_at - v.created_at)::integer as agrees
     from verifications v join accounts a on a.id = v.account_id
     where v.account_id = $1 and v.recipient <> $2 and v.resend_of is null`,
    [account_id, SENT_BY_TEST],
  );
  expect(found).toEqual([{ agrees: true }]);
  const late = await service.app.db.rows(
    `select v.id from verifications v join status_history s on s.otp_id = v.id and s.new_status = 'expired'
     where v.closed_by is null and s.changed_at < v.expires_at`,
  );
  expect(late).toEqual([]);
});

test('the insights of the seeded account agree with its sends, wrong codes and credits', async () => {
  await service.drain({ keepHouse: true });
  const { body } = await service.call(getInsights, { bearer, query: lastMonth() });
  const sums = await service.app.db.one(
    `select count(*) filter (where not own_code)::integer as sent,
       count(*) filter (where own_code)::integer as own_codes, count(*) filter (where status = 'verified')::integer as verified,
       count(sent_at) filter (where not own_code)::integer as dispatched, count(delivered_at) filter (where not own_code)::integer as delivered,
       count(*) filter (where status = 'expired')::integer as expired, count(*) filter (where status = 'failed' and not own_code)::integer as failed,
       count(*) filter (where status = 'failed' and not own_code and sent_at is null and closed_by is null)::integer as rejected,
       count(*) filter (where closed_by = 'canceled')::integer as canceled, count(*) filter (where closed_by = 'attempts')::integer as exhausted,
       count(*) filter (where closed_by = 'superseded')::integer as superseded,
       sum(cost_credits)::integer as credits,
       count(*) filter (where cost_credits = 0)::integer as refunded,
       (select count(*)::integer from request_logs r join verifications w on w.id = r.otp_id
        where r.reason = 'invalid_code' and not w.is_test and w.created_at >= $2) as wrong_codes
     from verifications where account_id = $1 and not is_test and created_at >= $2`,
    [account_id, body.from],
  );
  expect(body.totals).toMatchObject(sums as object);
});

test('the seeded plans deliver by WhatsApp, or by SMS after it failed or was late', async () => {
  const { body } = await service.call(getFallback, { bearer, query: lastMonth() });
  const [first, second] = body.steps;
  expect(body.steps.map(({ step, channel }) => `${step} ${channel}`)).toEqual(['1 whatsapp', '2 sms']);
  for (const step of body.steps) {
    expect(step.sent).toBeGreaterThan(step.verified);
    expect(step.verified).toBeGreaterThan(1);
    expect(step.credits).toBeGreaterThan(0);
  }
  expect(first?.sent).toBeGreaterThan(second?.sent ?? 99);
  const sent = { channel: 'whatsapp', page_size: 100 } as const;
  const { results } = (await service.call(listVerifications, { bearer, query: sent })).body;
  const statuses = async (id: string) => {
    const { body: one } = await service.call(getVerification, { bearer, params: { id } });
    return VerificationDetail.parse(one).steps?.map(({ status }) => status);
  };
  const shown = await Promise.all(results.map(({ id }) => statuses(id)));
  expect(new Set(shown.map(String))).toEqual(
    new Set(['delivered,canceled', 'failed,delivered', 'sent,delivered', 'sent,sent']),
  );
});

test('a key that was deleted made no later requests, and each key shows its last one', async () => {
  const keys = await service.app.db.rows<{ name: string; agrees: boolean }>(
    `select k.name, k.last_used_at is not distinct from max(r.created_at)
         and (k.deleted_at is null or k.deleted_at > max(r.created_at)) as agrees
     from api_keys k left join request_logs r on r.api_key_id = k.id where k.name <> 'Production' group by k.id`,
  );
  expect(keys.map(({ agrees }) => agrees)).toEqual(Array(6).fill(true));
});

test('one seeded connection has recent sends, and the other its last refused request', async () => {
  const { body } = await service.call(listConnections, { bearer });
  const [failing, healthy] = body.results;
  expect(healthy).toMatchObject({ system: 'supabase', last_error: null, wrong_signatures: 0 });
  expect(failing).toMatchObject({ system: 'keycloak', last_error: 'code_missing' });
  const logOf = async (api_key = '') =>
    (await service.call(listRequestLogs, { bearer, query: { api_key, page_size: 100 } })).body;
  const [works, fails] = [await logOf(healthy?.api_key_id), await logOf(failing?.api_key_id)];
  expect(works.results[0]).toMatchObject({ created_at: healthy?.last_used_at, response_status_code: 201 });
  expect(fails.results[0]).toMatchObject({
    created_at: failing?.last_error_at,
    response_status_code: 400,
    reason: failing?.last_error,
  });
  for (const { endpoint } of works.results) expect(endpoint).toContain(`/api/v1/in/${healthy?.id}/`);
  for (const { endpoint } of fails.results) expect(endpoint).toContain(`/api/v1/in/${failing?.id}/`);
  const play = { kind: 'email', recipient: SENT_BY_TEST } as const;
  const params = { id: healthy?.id ?? '' };
  const tested = await service.call(testConnection, { bearer, params, body: play });
  expect(tested.body).toMatchObject({ reason: null });
});

test('the Activity screen of the seeded account shows its sign-ins, purchases and changes', async () => {
  const { body } = await service.call(listAuditEntries, { bearer, query: { page_size: 100 } });
  const shown = (action: string) => body.results.filter((entry) => entry.action === action).length;
  const { db } = service.app;
  const stored = await db.one<Record<string, number>>(
    `select (select count(*) from orders where status = 'succeeded') as "purchase.complete",
       (select count(*) from api_keys where kind = 'key') as "api_key.create",
       (select count(*) from connections) as "connection.create",
       (select count(*) from webhook_endpoints) as "webhook.create"`,
  );
  for (const [action, n] of Object.entries(stored)) expect([action, shown(action)]).toEqual([action, n]);
  expect(shown('sign_in.succeed')).toBeGreaterThan(5);
  const addresses = body.results.flatMap(({ ip_address }) => ip_address ?? []);
  expect(new Set(addresses).size).toBeGreaterThan(3);
  expectNewestFirst(body.results);
  const settings = body.results.find(({ action }) => action === 'settings.change');
  const account = await db.one('select sender_name, default_expiry_seconds from accounts');
  expect(settings?.after).toEqual(account);
  const adjusted = body.results.find(({ action }) => action === 'credits.adjust');
  const { credits } = await db.one<{ credits: number }>(
    `select sum(credits)::integer as credits from ledger
     where created_at <= (select created_at from ledger where kind = 'adjustment')`,
  );
  expect(adjusted?.after).toEqual({ credits, debt: 0 });
});

test('the console of the seeded operator has announcements, keys and an audit, but no banner', async () => {
  const all = { bearer, query: {} };
  const announcements = await service.call(listAnnouncements, all);
  const keys = await service.call(listOperatorKeys, all);
  const actions = await service.call(listOperatorActions, all);
  expect(announcements.body.results.map(({ is_shown }) => is_shown)).toEqual([false, false]);
  expect(keys.body.count).toBe(2);
  expect(actions.body.results.map(({ action }) => action)).toEqual([
    'announcement.create',
    'account.adjust_credits',
    'verification.reveal',
    'announcement.create',
    'operator_key.create',
    'operator_key.create',
  ]);
  expect(new Set(actions.body.results.map(({ operator }) => operator))).toEqual(new Set([DEMO_EMAIL]));
  for (const { before, after } of actions.body.results)
    expect([before, after].filter((value) => value === undefined)).toEqual([]);
});

test('the test inbox of the seeded account has a message of each channel', async () => {
  const { body } = await service.call(listTestMessages, { bearer, query: {} });
  expect(body.results.map(({ channel, status, code }) => ({ channel, status, code }))).toEqual([
    { channel: 'email', status: 'verified', code: '123456' },
    { channel: 'voice', status: 'expired', code: '123456' },
    { channel: 'sms', status: 'verified', code: '123456' },
  ]);
  const tests = `from verifications v join ledger l on l.id = v.id or l.reference = 'refund:' || v.id where v.is_test`;
  expect(await countOf(`select count(*) as n ${tests}`)).toBe(0);
});

test('a seeded message that was not delivered costs a credit in the log and none in the end', async () => {
  const costs = () =>
    service.app.db.rows<{ is_ours: boolean }>(
      `select distinct v.recipient = $1 as is_ours, v.cost_credits, r.credits_used, l.credits as refunded
       from verifications v join request_logs r on r.otp_id = v.id and r.request_type = 'send_otp'
       join ledger l on l.reference = 'refund:' || v.id where v.status = 'failed' order by 1`,
      [UNDELIVERED],
    );
  const [seeded, ...more] = await costs();
  expect(more).toEqual([]);
  const apiKey = printedValue('API key:');
  const body = { channel: 'sms', recipient: UNDELIVERED } as const;
  const { body: sent } = await service.call(sendOtp, { apiKey, body });
  await service.drain();
  await report(service.app, {
    carrier: 'sandbox',
    account_id,
    otp_id: (sent as { otp_id: string }).otp_id,
    state: 'undelivered',
    provider_message_id: null,
    reason: null,
  });
  expect(await costs()).toEqual([seeded, { ...seeded, is_ours: true }]);
});

test('a second seed run reports the existing account and changes nothing', async () => {
  const { exit, printed } = await seed(service.app, 'another password');
  expect(exit).toBe(0);
  expect(printed).toContain('already exists');
  expect(await countOf('select count(*) as n from accounts')).toBe(1);
});

test('a password passed to the seed command is not printed, and a person from before is the first operator', async () => {
  await using other = await testService();
  const alice = await other.customer('Alice');
  expect((await seed(other.app, 'short')).exit).toBe(2);
  const { exit, printed } = await seed(other.app, 'a password of mine');
  expect(exit).toBe(0);
  expect(printed).not.toContain('a password of mine');
  expect(await findOperator(other.app.db, alice.account_id)).toBeDefined();
  expect(await other.app.db.rows('select person_id from operators')).toHaveLength(1);
});

test('the seed command is refused outside a sandbox', async () => {
  const { app } = service;
  const { exit, printed } = await seed({ ...app, config: { ...app.config, sandbox: false } });
  expect(exit).toBe(2);
  expect(printed).toContain('Only a sandbox');
});
