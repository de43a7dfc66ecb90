import { getInsights } from '@sixdigit/contract/insights.ts';
import { getOtp, reportOutcome, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { sendVerificationAgain } from '@sixdigit/contract/test-send.ts';
import { getUnverifiedCosts } from '@sixdigit/contract/unverified-costs.ts';
import { getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { minuteOf } from '../protection/counters.ts';
import { inDay } from '../protection/series.ts';

/** Codes that the sender makes and verifies: they are delivered like ours, and never count as verified here. */
const MINUTE = 60_000;
let count = 0;
let people = 0;
const phone = () => `+1415555${5000 + ++count}`;

const service = fixture(() => serviceWithCarriers(['http']));
const other = fixture(() => anotherProcess(service));

/** A customer whose keys have the scope otp:own_code, and others of the same account. */
const owner = (name: string): Promise<Sender> =>
  sender(service, `${name}${++people}`, { keys: 1, scopes: ['otp:own_code'] });

const report = (alice: Pick<Sender, 'api_key'>, otp_id: string, verified: boolean) =>
  service.call(reportOutcome, { apiKey: alice.api_key, params: { otp_id }, body: { verified } });

const messagesTo = (recipient: string) =>
  service.http.messages.filter((message) => message.recipient === recipient);

test('an own code reaches its recipient, costs one credit and ends as sent', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  const { status, body } = await alice.send(recipient, { code: '007421', message: 'Use {code}' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ status: 'pending', own_code: true, cost_credits: 1, segments: 1 });
  await service.drain();
  expect(messagesTo(recipient)).toMatchObject([{ code: '007421', text: 'Use 007421' }]);
  expect(await alice.state(body.otp_id)).toMatchObject({ status: 'sent', own_code: true, outcome: null });
  expect(await alice.balance()).toBe(99);
});

test.each([
  ['ABCD', 201],
  ['A1B2C3D4E5', 201],
  ['0000', 201],
  ['123', 400],
  ['12345678901', 400],
  ['abcdef', 400],
  ['12 34', 400],
  ['', 400],
  [123456, 400],
])('the own code %j gets %i', async (code, expected) => {
  const alice = await owner('Alice');
  const { status, body } = await alice.send(phone(), { code });
  expect(status).toBe(expected);
  if (expected === 400)
    expect(body).toEqual({ code: ['Code must be 4 to 10 digits or upper-case letters.'] });
  expect(await alice.balance()).toBe(expected === 201 ? 99 : 100);
});

test('a key without the scope otp:own_code sends no own code, and reports no outcome', async () => {
  const bob = await sender(service, 'Bob', { keys: 2 });
  const refused = await bob.send(phone(), { code: '123456' });
  expect(refused).toMatchObject({
    status: 401,
    body: { reason: 'missing_scope', scope: 'otp:own_code', error: 'API key lacks the scope otp:own_code' },
  });
  expect(await bob.balance()).toBe(100);
  const otp_id = await bob.sent(phone());
  expect(await report(bob, otp_id, true)).toMatchObject({ status: 401, body: { scope: 'otp:own_code' } });
});

test('of 24 parallel sends of one own code, one message leaves, for one credit', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      (n % 2 === 0 ? service : other).call(sendOtp, {
        apiKey: alice.api_key,
        body: { channel: 'sms', recipient, code: '482913' },
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.otp_id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(23);
  await service.drain();
  expect(messagesTo(recipient)).toHaveLength(1);
  expect(await alice.balance()).toBe(99);
  // The recipient's limits counted one send.
  expect((await alice.send(recipient, { code: '482914' })).status).toBe(201);
});

test('a repeated own code gets the first send with its current status, and is logged without a cost', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  const send = () => alice.send(recipient, { code: '111222', channel: 'voice', locale: 'de' });
  const first = await send();
  expect(first.body).toMatchObject({ channel: 'voice', language: 'de' });
  await service.drain();
  expect((await send()).body).toEqual({ ...first.body, status: 'sent' });
  await service.clock.advance(1_000);
  const logs = await service.app.db.rows(
    `select response_status_code as status, credits_used, otp_id from request_logs
     where account_id = $1 order by credits_used desc`,
    [alice.account_id],
  );
  expect(logs).toEqual([
    { status: 201, credits_used: 1, otp_id: first.body.otp_id },
    { status: 201, credits_used: 0, otp_id: first.body.otp_id },
  ]);
});

test('an own code is a new send from another key, on another channel, after its expiry, and after a failure', async () => {
  const alice = await owner('Alice');
  const second = await service.anotherKey(alice.account_id);
  await service.app.db.run(`update api_keys set scopes = '{otp:send,otp:own_code}' where id = $1`, [
    second.id,
  ]);
  const recipient = phone();
  const code = '909090';
  const ids = [await alice.sent(recipient, { code, expires_in: 60 })];
  const viaSecond = await service.call(sendOtp, {
    apiKey: second.key,
    body: { channel: 'sms', recipient, code },
  });
  ids.push(viaSecond.body.otp_id, await alice.sent(recipient, { code, channel: 'voice' }));
  await service.clock.advance(61_000);
  await service.drain();
  ids.push(await alice.sent(recipient, { code }));
  await alice.cancel(ids.at(-1) ?? '');
  ids.push(await alice.sent(recipient, { code }));
  expect(new Set(ids).size).toBe(5);
});

test('three own codes in turn do not hide each other, and the recipient limits hold', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  const ids = [];
  for (const code of ['1001', '1002', '1003']) ids.push(await alice.sent(recipient, { code }));
  for (const [n, code] of ['1001', '1002', '1003'].entries())
    expect((await alice.send(recipient, { code })).body.otp_id).toBe(ids[n]);
  for (const code of ['1004', '1005']) await alice.sent(recipient, { code });
  expect((await alice.send(recipient, { code: '1006' })).body.reason).toBe('recipient_rate_limited');
  expect((await alice.send(recipient)).body.reason).toBe('recipient_rate_limited');
  // A repetition is not a send.
  expect((await alice.send(recipient, { code: '1001' })).status).toBe(201);
  expect(await alice.balance()).toBe(95);
});

test('an Idempotency-Key of a repeated own code is kept for a day', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  const first = await alice.send(recipient, { code: '300300', expires_in: 60 });
  await service.drain();
  const keyed = () => alice.send(recipient, { code: '300300', expires_in: 60 }, { 'idempotency-key': 'k-1' });
  expect((await keyed()).body.otp_id).toBe(first.body.otp_id);
  await service.clock.advance(2 * MINUTE);
  await service.drain();
  expect((await keyed()).body.otp_id).toBe(first.body.otp_id);
  expect(await alice.balance()).toBe(99);
});

test('an own code and a code of ours to one recipient stay apart', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  const ours = await alice.sent(recipient);
  await service.drain();
  const code = messagesTo(recipient)[0]?.code ?? '';
  const own = await alice.sent(recipient, { code: code === '654321' ? '654322' : '654321' });
  const second = await alice.sent(recipient);
  await service.drain();
  expect(messagesTo(recipient).map((message) => message.code)).toEqual([code, '654321', code]);
  const by = (otp_id: string, entered: string) =>
    service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id, code: entered } });
  const ownCode = { status: 400, body: { reason: 'own_code' } };
  expect(await by(own, '654321')).toMatchObject(ownCode);
  expect(await by(own, code)).toMatchObject(ownCode);
  expect((await by(ours, '654321')).body).toMatchObject({
    reason: 'invalid_code',
    attempts_remaining: 4,
  });
  expect((await by(second, code)).status).toBe(200);
  // The right code of ours closed our other verification, and left the own code alone.
  expect(await alice.state(own)).toMatchObject({ status: 'sent', verified_at: null });
});

test('the first outcome counts: once, repeated, contradicted, foreign, unknown, and of a code of ours', async () => {
  const alice = await owner('Alice');
  const bob = await owner('Bob');
  const otp_id = await alice.sent(phone(), { code: '5151' });
  await service.drain();
  const first = await report(alice, otp_id, true);
  expect(first).toMatchObject({
    status: 200,
    body: { otp_id, status: 'sent', outcome: 'verified', verified_at: null, own_code: true },
  });
  await service.clock.advance(MINUTE);
  expect((await report(alice, otp_id, true)).body).toEqual(first.body);
  expect(await report(alice, otp_id, false)).toMatchObject({
    status: 400,
    body: { reason: 'outcome_already_reported' },
  });
  expect((await report(bob, otp_id, true)).body.reason).toBe('otp_not_found');
  expect((await report(alice, service.app.random.uuid(), true)).body.reason).toBe('otp_not_found');
  expect((await report(alice, 'nonsense', true)).body.reason).toBe('otp_not_found');
  const ours = await alice.sent(phone());
  expect((await report(alice, ours, true)).body.reason).toBe('not_own_code');
  const bad = await service.call(reportOutcome, {
    apiKey: alice.api_key,
    params: { otp_id },
    body: { verified: 'yes' as never },
  });
  expect(bad).toMatchObject({ status: 400, body: { verified: ['Must be true or false.'] } });
  expect((await alice.state(otp_id)).outcome).toBe('verified');
});

test('of parallel contradicting outcomes, one counts', async () => {
  const alice = await owner('Alice');
  const otp_id = await alice.sent(phone(), { code: '5252' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? service : other).call(reportOutcome, {
        apiKey: alice.api_key,
        params: { otp_id },
        body: { verified: n % 4 < 2 },
      }),
    ),
  );
  const { outcome } = await alice.state(otp_id);
  for (const [n, { status, body }] of answers.entries())
    if ((n % 4 < 2 ? 'verified' : 'unverified') === outcome) expect(body.outcome).toBe(outcome);
    else expect(status).toBe(400);
});

test('nothing stored can reveal or repeat an own code after its expiry', async () => {
  const alice = await owner('Alice');
  const recipient = phone();
  await alice.sent(recipient, { code: 'Z9Z8Z7Z6' });
  await service.drain();
  await service.clock.advance(6 * MINUTE);
  await service.drain();
  const kept = await service.app.db.rows(
    `select code_hmac::text as bytes from verifications where account_id = $1 and code_hmac is not null
     union all select code_sealed::text from recipients where account_id = $1 and code_sealed is not null
     union all select code_hmac::text from recipients where account_id = $1 and code_hmac is not null
     union all select sealed::text from deliveries where account_id = $1`,
    [alice.account_id],
  );
  expect(kept).toEqual([]);
});

test('own codes stay out of the conversion, and are counted apart', async () => {
  const alice = await owner('Alice');
  const bearer = await signedIn(service, alice);
  for (const code of ['7001', '7002', '7003']) await alice.sent(phone(), { code });
  await service.drain();
  const ours = phone();
  const otp_id = await alice.sent(ours);
  await service.drain();
  await alice.verify(otp_id, messagesTo(ours)[0]?.code);
  await service.clock.advance(6 * MINUTE);
  await service.drain();
  const { body } = await service.call(getInsights, { bearer, query: { range: '24h' } });
  expect(body.totals).toMatchObject({
    sent: 1,
    verified: 1,
    expired: 0,
    conversion: 1,
    credits: 4,
    own_codes: 3,
    own_failed: 0,
  });
  expect(body.by_api_key).toMatchObject([{ sent: 1, own_codes: 3 }]);
  const costs = await service.call(getUnverifiedCosts, { bearer, query: { days: '7' } });
  expect(costs.body).toMatchObject({ unverified: 0, credits: 0 });
});

test('lists and details tell own codes apart', async () => {
  const alice = await owner('Alice');
  const bearer = await signedIn(service, alice);
  const own = await alice.sent(phone(), { code: '8001' });
  const ours = await alice.sent(phone());
  await report(alice, own, false);
  const listed = async (own_code?: 'true' | 'false') =>
    (await service.call(listVerifications, { bearer, query: own_code ? { own_code } : {} })).body.results.map(
      ({ id, own_code: is, outcome }) => [id, is, outcome],
    );
  expect(await listed()).toEqual([
    [ours, false, null],
    [own, true, 'unverified'],
  ]);
  expect(await listed('true')).toEqual([[own, true, 'unverified']]);
  expect(await listed('false')).toEqual([[ours, false, null]]);
  const detail = await service.call(getVerification, { bearer, params: { id: own } });
  expect(detail.body).toMatchObject({
    own_code: true,
    outcome: 'unverified',
    outcome_at: expect.any(String),
  });
  const again = await service.call(sendVerificationAgain, { bearer, params: { id: own } });
  expect(again).toMatchObject({ status: 400, body: { reason: 'own_code' } });
  const { body } = await service.call(getOtp, { apiKey: alice.api_key, params: { otp_id: ours } });
  expect(body).not.toHaveProperty('own_code');
});

test("a daily count keeps the filter by kind and the operators' figures right", async () => {
  const alice = await owner('Alice');
  await alice.sent(phone(), { code: '8101' });
  await alice.sent(phone());
  await service.drain();
  await service.clock.advance(3 * 24 * 60 * MINUTE);
  await service.drain({ keepHouse: true });
  const bearer = await signedIn(service, alice);
  for (const [own_code, expected] of [
    ['true', 1],
    ['false', 1],
  ] as const) {
    const { body } = await service.call(listVerifications, { bearer, query: { own_code } });
    expect([own_code, body.count, body.results.length]).toEqual([own_code, expected, expected]);
  }
  const { usageOf } = await import('./otp.ts');
  expect((await usageOf(service.app.db, [alice.account_id], [])).get(alice.account_id)).toEqual({
    sends: 1,
    verified: 0,
  });
});

test('own codes count for velocity, and for no rule that learns from verified codes', async () => {
  const alice = await owner('Alice');
  const client_ip = '198.51.100.77';
  for (const code of ['6001', '6002', '6003', '6004']) await alice.sent(phone(), { code, client_ip });
  await service.drain();
  const { counters } = service.app.protection.guard;
  const now = () => minuteOf(service.app.clock.now().getTime());
  const counted = () =>
    (['sent', 'tried', 'over', 'verified'] as const).map((name) =>
      inDay(counters.find(alice.account_id, 'account', ''), name, now()),
    );
  expect(counted()).toEqual([4, 0, 0, 0]);
  expect([...(counters.find(alice.account_id, 'client', client_ip)?.countries ?? [])]).toEqual([]);
  await service.clock.advance(6 * MINUTE);
  await service.drain();
  expect(counted()).toEqual([4, 0, 0, 0]);
  await service.app.protection.exchange();
  await service.app.db.one('select sum_protection_deltas(1000)');
  const sums = await service.app.db.rows(
    `select kind, sum(sent)::integer as sent, sum(tried + over + verified)::integer as learned from protection_counts
     where account_id = $1 and unit = 'hour' group by kind order by kind`,
    [alice.account_id],
  );
  const kinds = ['account', 'client', 'country', 'prefix'];
  expect(sums).toEqual(kinds.map((kind) => ({ kind, sent: 4, learned: 0 })));
});

test('webhooks about own codes say so', async () => {
  const alice = await owner('Alice');
  const bearer = await signedIn(service, alice);
  const body = { name: 'Hook', url: 'https://example.com/hook' };
  expect((await service.call(createWebhook, { bearer, body })).status).toBe(201);
  await alice.sent(phone(), { code: '2020' });
  await alice.sent(phone());
  await service.drain();
  const kinds = await service.app.db.rows(
    `select (body::json -> 'data' ->> 'own_code') as own from webhook_messages where account_id = $1 and type = 'otp.sent'
     order by own`,
    [alice.account_id],
  );
  expect(kinds).toEqual([{ own: 'true' }, { own: null }]);
});

test('an own code of a test key is in the test inbox until it expires', async () => {
  const alice = await owner('Alice');
  await service.app.db.run(`update api_keys set mode = 'test' where account_id = $1`, [alice.account_id]);
  const recipient = phone();
  const first = await alice.send(recipient, { code: 'QWERTY' });
  expect(first.body).toMatchObject({ test: true, own_code: true, cost_credits: 0 });
  expect((await alice.send(recipient, { code: 'QWERTY' })).body.otp_id).toBe(first.body.otp_id);
  await service.drain();
  const shown = async () => {
    const bearer = await signedIn(service, alice);
    return (await service.call(listTestMessages, { bearer, query: {} })).body.results.map(({ code }) => code);
  };
  expect(await shown()).toEqual(['QWERTY']);
  await service.clock.advance(6 * MINUTE);
  expect(await shown()).toEqual(['••••••']);
  await service.clock.advance(60 * MINUTE);
  await service.drain();
  const sealed = await service.app.db.rows(
    'select id from test_messages where account_id = $1 and code_sealed is not null',
    [alice.account_id],
  );
  expect(sealed).toEqual([]);
});
