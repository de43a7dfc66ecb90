import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { cancelOtp, getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { checkDestination } from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { getSpend } from '@sixdigit/contract/spend.ts';
import { listTestMessages, TEST_DOMAIN, TEST_RECIPIENTS } from '@sixdigit/contract/test-mode.ts';
import { getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import type { WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { read } from '../../../test/source.ts';

test('docs/api-keys.md lists every test recipient with its result', () => {
  const rows = [...read('docs/api-keys.md').matchAll(/^\| `(\+1500555\d{4})` \| `([^`]+)` \| (.+) \|$/gm)];
  expect(rows.map(([, phone, email, result]) => [phone, email, result?.replaceAll('`', '')])).toEqual(
    TEST_RECIPIENTS.map(({ phone, local, result }) => [phone, `${local}@${TEST_DOMAIN}`, result]),
  );
});

let bearer: string;
let apiKey: string;

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const alice = fixture(() => sender(service, 'Alice'));
beforeAll(async () => {
  bearer = await signedIn(service, alice);
  apiKey = await testKey();
});
// Each test starts in a new second, so that it has the key's full limit of 30 requests a second.
beforeEach(() => service.clock.advance(1_000));

const testKey = async (by = bearer) => {
  const { body } = await service.call(createApiKey, { bearer: by, body: { name: 'Test', mode: 'test' } });
  expect(body.mode).toBe('test');
  expect(body.key).toMatch(/^sd_test_[0-9A-Za-z]{38}$/);
  return body.key;
};
const send = (recipient: string, key = apiKey, headers: Record<string, string> = {}) =>
  service.call(sendOtp, {
    apiKey: key,
    headers,
    body: { channel: recipient.includes('@') ? 'email' : 'sms', recipient },
  });
const sent = async (recipient: string, key = apiKey) => {
  const { status, body } = await send(recipient, key);
  expect({ status, body }).toMatchObject({ status: 201, body: { test: true } });
  return body.otp_id;
};
const state = async (otp_id: string, key = apiKey) =>
  (await service.call(getOtp, { apiKey: key, params: { otp_id } })).body;
const verify = (otp_id: string, code: string, key = apiKey) =>
  service.call(verifyOtp, { apiKey: key, body: { otp_id, code } });
const seconds = async (n: number) => {
  await service.clock.advance(n * 1_000);
  await service.drain();
};

test('a test send costs nothing, reaches no carrier, and its known code verifies', async () => {
  const entries = await alice.entries();
  const otp_id = await sent('+14155552671');
  await service.drain();
  expect(await state(otp_id)).toMatchObject({ status: 'sent', cost_credits: 0, test: true });
  await seconds(2);
  expect((await state(otp_id)).delivered_at).not.toBeNull();
  expect(await verify(otp_id, '654321')).toMatchObject({ status: 400, body: { attempts_remaining: 4 } });
  expect(await verify(otp_id, '123456')).toMatchObject({ status: 200, body: { test: true } });
  expect(await service.inbox('+14155552671')).toEqual([]);
  expect(await alice.entries()).toEqual(entries);
  expect(await alice.balance()).toBe(100);
  const { counted } = await service.app.db.one<{ counted: number }>(
    `select (select count(*) from insight_sums c where c.account_id = $1)
       + (select count(*) from insight_deltas d where d.account_id = $1)
       + (select count(*) from protection_counts p where p.account_id = $1) as counted`,
    [alice.account_id],
  );
  expect(counted).toBe(0);
  expect((await service.call(getSpend, { bearer })).body).toMatchObject({ spent_today: 0 });
});

test('the code of a test send is cut to the code length of the account', async () => {
  const bob = await sender(service, 'Bob');
  await service.app.db.run('update accounts set default_otp_length = 8 where id = $1', [bob.account_id]);
  const key = await testKey(await signedIn(service, bob));
  const otp_id = await sent('someone@example.com', key);
  expect((await verify(otp_id, '12345678', key)).status).toBe(200);
});

test('a destination check with a test key returns the result that its send would get', async () => {
  for (const [recipient, decision] of [
    ['+15005550007', 'blocked'],
    ['+15005550001', 'allowed'],
    ['+14155552671', 'allowed'],
  ] as const) {
    const checked = await service.call(checkDestination, { apiKey, body: { recipient } });
    expect(checked).toMatchObject({ status: 200, body: { recipient, decision, rules: [] } });
    const { status } = await send(recipient);
    expect(status).toBe(decision === 'blocked' ? 400 : 201);
  }
});

test('a test key cannot access live verifications, nor a live key test verifications', async () => {
  const live = await alice.sent('+14155552672');
  const own = await sent('+14155552672');
  const missing = { status: 404, body: { reason: 'otp_not_found' } };
  expect(await verify(own, '123456', alice.key())).toMatchObject(missing);
  expect(await verify(live, '123456')).toMatchObject(missing);
  for (const [otp_id, key] of [
    [live, apiKey],
    [own, alice.key()],
  ] as const) {
    expect(await service.call(getOtp, { apiKey: key, params: { otp_id } })).toMatchObject(missing);
    expect(await service.call(cancelOtp, { apiKey: key, params: { otp_id } })).toMatchObject(missing);
  }
  await service.drain();
  const code = await alice.code('+14155552672');
  expect((await verify(own, '123456')).status).toBe(200);
  expect((await alice.verify(live, code)).status).toBe(200);
});

test('a live send shares neither the code nor the limits of test sends to the same recipient', async () => {
  const recipient = '+14155552673';
  for (let n = 0; n < 30; n += 1) await sent(recipient, n % 2 ? apiKey : await testKey());
  const live = await alice.sent(recipient);
  expect((await alice.verify(live, '123456')).status).toBe(400);
});

test('the same Idempotency-Key may be used for a test and for a live request', async () => {
  const headers = { 'idempotency-key': 'checkout-1' };
  const first = await send('someone@example.com', apiKey, headers);
  const again = await send('someone@example.com', apiKey, headers);
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const live = await send('someone@example.com', alice.key(), headers);
  expect(live.body.otp_id).not.toBe(first.body.otp_id);
  expect(live.body.test).toBeUndefined();
});

const REFUSED: Record<string, object> = {
  recipient_opted_out: { status: 400, body: { reason: 'recipient_opted_out' } },
  destination_blocked: { status: 400, body: { reason: 'destination_blocked', blocked_by: ['deny_list'] } },
  recipient_rate_limited: { status: 429, body: { reason: 'recipient_rate_limited', retry_after: 600 } },
  insufficient_credits: { status: 402, body: { reason: 'insufficient_credits' } },
  spend_limit_reached: { status: 402, body: { reason: 'spend_limit_reached' } },
};
const refusing = TEST_RECIPIENTS.filter(({ outcome }) => outcome in REFUSED);

test.each(
  refusing.flatMap(({ outcome, phone, local }) => [
    [outcome, phone],
    [outcome, `${local}@${TEST_DOMAIN}`],
  ]),
)('a test send is refused with %s if its recipient is %s', async (outcome, recipient) => {
  expect(await send(recipient)).toMatchObject(REFUSED[outcome] ?? {});
});

test('test recipients that the carrier accepts end as documented, by phone and by email', async () => {
  const of = async (outcome: string) => {
    const { phone, local } = TEST_RECIPIENTS.find((one) => one.outcome === outcome) ?? {
      phone: '',
      local: '',
    };
    return [await sent(phone), await sent(`${local}@${TEST_DOMAIN}`)];
  };
  const ids = {
    delivered: await of('delivered'),
    undelivered: await of('undelivered'),
    refused: await of('refused'),
    pending: await of('pending'),
    slow: await of('slow'),
  };
  const seen = async (outcome: keyof typeof ids) =>
    (await Promise.all(ids[outcome].map((id) => state(id)))).map(
      ({ status, delivered_at }) => `${status}${delivered_at ? ', delivered' : ''}`,
    );
  const both = (status: string) => [status, status];
  await service.drain();
  expect(await seen('refused')).toEqual(both('failed'));
  expect(await seen('slow')).toEqual(both('sent'));
  await seconds(2);
  expect(await seen('delivered')).toEqual(both('sent, delivered'));
  expect(await seen('undelivered')).toEqual(both('failed'));
  // Far from the thirty seconds of the slow ones, because the clock also runs while the steps above take their time.
  await seconds(10);
  expect(await seen('slow')).toEqual(both('sent'));
  expect(await seen('pending')).toEqual(both('pending'));
  await seconds(25);
  expect(await seen('slow')).toEqual(both('sent, delivered'));
  await seconds(300);
  expect(await seen('pending')).toEqual(both('failed'));
  expect(await alice.balance()).toBeLessThanOrEqual(100);
});

test('a live key cannot send to the test numbers and addresses', async () => {
  const balance = await alice.balance();
  for (const recipient of ['+15005550001', `delivered@${TEST_DOMAIN}`, `ANY@${TEST_DOMAIN.toUpperCase()}`])
    expect(await send(recipient, alice.key())).toMatchObject({ status: 400 });
  expect(await alice.balance()).toBe(balance);
  expect((await send('+1 (500) 555-0001')).body.recipient).toBe('+15005550001');
  expect(await send('+15005559999')).toMatchObject({ status: 400 });
});

test('lists show live rows by default and marked test rows with mode=test', async () => {
  const carol = await sender(service, 'Carol');
  const by = await signedIn(service, carol);
  const key = await testKey(by);
  const live = await carol.sent('someone@example.com');
  const own = await sent('someone@example.com', key);
  await service.app.requestLog.flush();
  const modes = [undefined, 'live', 'test', 'all'] as const;
  const found = async (mode: (typeof modes)[number]) => {
    const query = mode ? { mode } : {};
    const { results, count } = (await service.call(listVerifications, { bearer: by, query })).body;
    const logs = (await service.call(listRequestLogs, { bearer: by, query })).body;
    expect(logs.results.map(({ otp, test }) => [otp?.id, test])).toEqual(
      results.map(({ id, test }) => [id, test]),
    );
    expect([count, logs.count]).toEqual([results.length, results.length]);
    return results.map(({ id, test }) => [id, test]);
  };
  expect(await found(undefined)).toEqual([[live, false]]);
  expect(await found('live')).toEqual([[live, false]]);
  expect(await found('test')).toEqual([[own, true]]);
  expect(await found('all')).toEqual([
    [own, true],
    [live, false],
  ]);
  const api_key = (await service.call(getVerification, { bearer: by, params: { id: own } })).body.api_key.id;
  const ofKey = (await service.call(listVerifications, { bearer: by, query: { api_key } })).body;
  expect(ofKey.results.map(({ id }) => id)).toEqual([own]);
  expect(await service.call(listVerifications, { bearer: by, query: { mode: 'x' as 'all' } })).toMatchObject({
    status: 400,
  });
});

test('webhook messages are marked as tests for test verifications only', async () => {
  await service.app.db.run(
    `insert into webhook_endpoints (id, account_id, name, url, secret, created_at)
     values ($1, $2, 'Hook', 'https://example.com/', $3, clock_now())`,
    [service.app.random.uuid(), alice.account_id, Buffer.from('secret')],
  );
  const own = await sent('someone@example.com');
  const live = await alice.sent('someone-else@example.com');
  await service.drain();
  const rows = await service.app.db.rows<{ otp_id: string; body: z.infer<typeof WebhookMessage> }>(
    'select otp_id, body from webhook_messages where otp_id = any ($1)',
    [[own, live]],
  );
  expect(new Map(rows.map(({ otp_id, body }) => [otp_id, body.data.test]))).toEqual(
    new Map([
      [own, true],
      [live, undefined],
    ]),
  );
});

test('the test inbox shows the account’s test messages, newest first, as recipients would get them', async () => {
  const dora = await sender(service, 'Dora');
  const by = await signedIn(service, dora);
  const key = await testKey(by);
  await dora.sent('live@example.com');
  await sent('mail@example.com', key);
  await sent('+14155552674', key);
  await service.drain();
  const inbox = async (as: string, search = '') =>
    (await service.call(listTestMessages, { bearer: as, query: { search } })).body;
  const { results, count } = await inbox(by);
  expect(count).toBe(2);
  expect(results).toMatchObject([
    { channel: 'sms', recipient: '+14155552674', code: '123456', subject: null, html: null, status: 'sent' },
    { channel: 'email', recipient: 'mail@example.com', code: '123456', subject: 'Your Verification Code' },
  ]);
  for (const { text } of results) expect(text).toContain('123456');
  expect(results[1]?.html).toContain('123456');
  expect((await inbox(by, '4155552674')).count).toBe(1);
  const eve = await sender(service, 'Eve');
  expect((await inbox(await signedIn(service, eve))).count).toBe(0);
  expect((await service.call(listTestMessages)).status).toBe(401);
  await service.clock.advance(8 * 86_400_000);
  await service.drain();
  expect((await inbox(await signedIn(service, dora))).count).toBe(0);
  bearer = await signedIn(service, alice);
});

test('an account has exactly 10,000 test sends a day over two processes, and neither they nor live sends limit the other', async () => {
  const finn = await sender(service, 'Finn');
  const keys = await Promise.all(
    Array.from({ length: 4 }, async () => testKey(await signedIn(service, finn))),
  );
  await sent('someone@example.com', keys[0]);
  await service.app.db.run('update balances set tests_today = 9990 where account_id = $1', [finn.account_id]);
  await finn.sent('no-test@example.com');
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? service : other).call(sendOtp, {
        apiKey: keys[n % keys.length] ?? '',
        body: { channel: 'email', recipient: `someone-${n}@example.com` },
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(answers.find(({ status }) => status !== 201)).toMatchObject({
    status: 429,
    body: { error: 'Too many test sends today', reason: 'test_limit_reached' },
  });
  await finn.sent('someone@example.com');
});
