import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';

/** The request log has every send and verify of a known key, refusals included. */
let count = 0;
const fresh = () => `reader-${++count}@example.com`;

const service = fixture(() => testService({ env: { TRUSTED_PROXIES: '127.0.0.1' } }));
const alice = fixture(() => sender(service, 'Alice', { credits: 100, keys: 20 }));

async function rowOf(answer: { headers: Record<string, string> }) {
  await service.app.requestLog.flush();
  const rows = await service.app.db.rows<Record<string, unknown>>(
    `select *, coalesce(method, 'POST') as method,
       coalesce(endpoint, case request_type when 'send_otp' then '/api/v1/otp/send/' else '/api/v1/otp/verify/' end) as endpoint
     from request_logs where id = $1 or request_id = $1`,
    [answer.headers['x-request-id']],
  );
  expect(rows).toHaveLength(1);
  return rows[0] as Record<string, unknown>;
}
const common = {
  method: 'POST',
  ip_address: '127.0.0.1',
  response_time_ms: expect.any(Number),
  credits_used: 0,
  count: 1,
};

test('a send is logged in the same transaction', async () => {
  const recipient = fresh();
  const answer = await alice.send(recipient);
  expect(await rowOf(answer)).toMatchObject({
    ...common,
    request_type: 'send_otp',
    endpoint: '/api/v1/otp/send/',
    response_status_code: 201,
    credits_used: 1,
    channel: 'email',
    recipient,
    otp_id: answer.body.otp_id,
    reason: null,
  });
});

test('verifies with right and wrong codes are logged', async () => {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const code = await alice.code(recipient);
  for (const [guess, status, reason] of [
    [wrongCode(code), 400, 'invalid_code'],
    ['12', 400, 'invalid_fields'],
    [code, 200, null],
    [code, 400, 'otp_already_verified'],
  ] as const)
    expect(await rowOf(await alice.verify(otp_id, guess))).toMatchObject({
      ...common,
      request_type: 'verify_otp',
      endpoint: '/api/v1/otp/verify/',
      response_status_code: status,
      channel: 'email',
      recipient,
      otp_id,
      reason,
    });
});

test.each([
  ['not-an-id', 404, 'otp_not_found'],
  ['01941f29-7c00-7aaa-8bbb-0123456789ab', 404, 'otp_not_found'],
  ['', 400, 'invalid_fields'],
])('a verify of an unknown verification is logged: %j', async (id, status, reason) => {
  expect(await rowOf(await alice.verify(id, '123456'))).toMatchObject({
    ...common,
    request_type: 'verify_otp',
    response_status_code: status,
    otp_id: null,
    recipient: null,
    reason,
  });
});

test('every refused send is logged with its channel and recipient', async () => {
  const recipient = fresh();
  for (let n = 0; n < 5; n++) await alice.sent(recipient);
  const poor = await sender(service, 'Poor', { credits: 0, keys: 1 });
  for (const [answer, status, reason, to] of [
    [await alice.send(recipient), 429, 'recipient_rate_limited', recipient],
    // Text that is not a valid recipient is not stored, because an erasure could not find it.
    [await alice.send('nobody@'), 400, 'invalid_fields', null],
    [await poor.send('other@example.com'), 402, 'insufficient_credits', 'other@example.com'],
  ] as const)
    expect(await rowOf(answer)).toMatchObject({
      ...common,
      request_type: 'send_otp',
      response_status_code: status,
      recipient: to,
      channel: 'email',
      otp_id: null,
      reason,
    });
});

test('sends to different malformed recipients in one second are logged in separate rows, without the recipients', async () => {
  const hasty = await sender(service, 'Hasty', { credits: 1, keys: 1 });
  for (const recipient of ['nobody@', 'somebody@', '+1', '+12', 'x'.repeat(400)])
    expect((await hasty.send(recipient)).status).toBe(400);
  await service.app.requestLog.flush();
  const rows = await service.app.db.rows<{ count: number; recipient: string | null }>(
    'select count, recipient from request_logs where account_id = $1 order by id',
    [hasty.account_id],
  );
  expect(rows).toEqual(Array(5).fill({ count: 1, recipient: null }));
});

test('an idempotent response is logged without a cost', async () => {
  const recipient = fresh();
  const headers = { 'idempotency-key': 'again' };
  await alice.send(recipient, {}, headers);
  expect(await rowOf(await alice.send(recipient, {}, headers))).toMatchObject({
    ...common,
    response_status_code: 201,
    recipient,
  });
});

test('requests with unreadable bodies are logged', async () => {
  for (const [payload, type, status] of [
    ['{', 'application/json', 400],
    ['a=b', 'application/x-www-form-urlencoded', 415],
    [`{"x":"${'x'.repeat(20_000)}"}`, 'application/json', 413],
  ] as const) {
    const answer = await service.inject({
      method: 'POST',
      url: '/api/v1/otp/send/',
      headers: { 'x-api-key': alice.key(), 'content-type': type },
      payload,
    });
    expect(answer.statusCode).toBe(status);
    expect(await rowOf({ headers: answer.headers as Record<string, string> })).toMatchObject({
      response_status_code: status,
      recipient: null,
    });
  }
});

test('requests with an unknown API key are not logged', async () => {
  const { n } = await service.app.db.one<{ n: number }>('select count(*) as n from request_logs');
  await service.inject({
    method: 'POST',
    url: '/api/v1/otp/send/',
    headers: { 'x-api-key': 'sd_live_x' },
    payload: {},
  });
  await service.app.requestLog.flush();
  expect(await service.app.db.one('select count(*) as n from request_logs')).toEqual({ n });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['203.0.113.7:54321', '203.0.113.7'],
  ['unknown', '127.0.0.1'],
  ["'; drop table accounts --", '127.0.0.1'],
])('the client address is logged behind a proxy that forwards %j', async (written, ip_address) => {
  const headers = { 'x-forwarded-for': written };
  const recipient = fresh();
  const sent = await alice.send(recipient, {}, headers);
  expect(sent.status).toBe(201);
  expect((await rowOf(sent)).ip_address).toBe(ip_address);
  await service.drain();
  const guess = wrongCode(await alice.code(recipient));
  const wrong = await alice.verify(sent.body.otp_id, guess, headers);
  expect(wrong.body.reason).toBe('invalid_code');
  expect((await rowOf(wrong)).ip_address).toBe(ip_address);
});

test('no row of the request log contains a code', async () => {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const code = await alice.code(recipient);
  await alice.verify(otp_id, `${code.slice(0, 3)}-${code.slice(3)}`);
  await service.app.requestLog.flush();
  const rows = await service.app.db.rows<{ t: string }>('select to_jsonb(l)::text as t from request_logs l');
  const text = rows.map(({ t }) => t).join('\n');
  expect(text).not.toMatch(new RegExp(`"${code}"|${code.slice(0, 3)}-${code.slice(3)}"`));
});

test('a query string, which may hold a secret, is stored nowhere', async () => {
  for (const path of ['send', 'verify']) {
    const { statusCode, headers } = await service.inject({
      method: 'POST',
      url: `/api/v1/otp/${path}/?api_key=plainvalue&code=123456`,
      headers: { 'x-api-key': alice.key() },
      payload: {},
    });
    expect(statusCode).toBe(400);
    const row = await rowOf({ headers: headers as Record<string, string> });
    expect(row.endpoint).toBe(`/api/v1/otp/${path}/`);
    expect(JSON.stringify(row)).not.toContain('plainvalue');
  }
  expect(service.logLines.join('')).not.toContain('plainvalue');
});

test('verifies that compare no code are logged as one row per key and second with a count', async () => {
  const { id, key } = await service.anotherKey(alice.account_id);
  const headers = { 'x-api-key': key };
  const payload = { otp_id: service.app.random.uuid(), code: '123456' };
  const url = '/api/v1/otp/verify/';
  const all = await Promise.all(
    Array.from({ length: 20 }, () => service.inject({ method: 'POST', url, headers, payload })),
  );
  expect(all.every(({ statusCode }) => statusCode === 404)).toBe(true);
  await service.app.requestLog.flush();
  const rows = await service.app.db.rows<{ count: number }>(
    `select count from request_logs where reason = 'otp_not_found' and api_key_id = $1`,
    [id],
  );
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(20);
  // The requests may span the end of a second.
  expect(rows.length).toBeLessThanOrEqual(2);
});
