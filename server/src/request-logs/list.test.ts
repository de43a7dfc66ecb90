import { cancelOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { beforeAll, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

const DAY = 86_400_000;

let bearer: string;
let otpId: string;
let requestIdOfWrong: string;

const send = (body: Record<string, unknown>, apiKey = alice.api_key) =>
  service.call(sendOtp, { apiKey, body });
const list = (query: Record<string, unknown> = {}, token = bearer) =>
  service.call(listRequestLogs, { bearer: token, query: { page_size: 100, ...query } });
/** `type status` of each row. */
const found = async (query: Record<string, unknown>) => {
  const { body } = await list(query);
  expect(body.count).toBe(body.results.length);
  return body.results.map((row) => `${row.request_type} ${row.response_status_code}`);
};

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob', { credits: 0 }));
const checkout = fixture(() => service.anotherKey(alice.account_id));
beforeAll(async () => {
  await service.app.db.run('update api_keys set name = $2 where id = $1', [checkout.id, 'Checkout 100%']);
  otpId = (await send({ channel: 'email', recipient: 'First@Example.com' })).body.otp_id;
  await service.drain();
  await service.clock.advance(20 * DAY);
  const { body } = await send({ channel: 'sms', recipient: '(415) 555-2671' }, checkout.key);
  const code = (await service.inbox('+14155552671'))[0]?.code ?? '';
  await service.drain();
  const right = (await service.inbox('+14155552671'))[0]?.code ?? code;
  const wrong = await service.call(verifyOtp, {
    apiKey: checkout.key,
    body: { otp_id: body.otp_id, code: right === '000000' ? '111111' : '000000' },
  });
  requestIdOfWrong = wrong.headers['x-request-id'] ?? '';
  await service.call(verifyOtp, { apiKey: checkout.key, body: { otp_id: body.otp_id, code: right } });
  await service.call(verifyOtp, {
    apiKey: alice.api_key,
    body: { otp_id: alice.account_id, code: '123456' },
  });
  await send({ channel: 'pigeon', recipient: '100%_sure' });
  await send({ channel: 'email', recipient: 'bobs@example.com' }, bob.api_key);
  await service.call(sendOtp, { body: { channel: 'email', recipient: 'nobody@example.com' } });
  await service.app.requestLog.flush();
  bearer = await signedIn(service, alice);
});

const ALL = [
  'send_otp 400',
  'verify_otp 404',
  'verify_otp 200',
  'verify_otp 400',
  'send_otp 201',
  'send_otp 201',
];

test('the request log lists every response to a known key, refusals included, newest first', async () => {
  expect(await found({})).toEqual(ALL);
});

test('the request log shows the request, its outcome, duration and cost', async () => {
  const { body } = await list();
  expect(body.results[3]).toEqual({
    id: expect.any(String),
    created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    request_type: 'verify_otp',
    otp: { id: expect.any(String), channel: 'sms', recipient: '+14155552671', status: 'verified' },
    api_key: { id: checkout.id, name: 'Checkout 100%' },
    test: false,
    response_status_code: 400,
    response_time_ms: expect.any(Number),
    credits_used: 0,
    refunded: false,
    endpoint: '/api/v1/otp/verify/',
    method: 'POST',
    ip_address: '127.0.0.1',
    request_id: requestIdOfWrong,
    reason: 'invalid_code',
    refused_fields: null,
    blocked_by: null,
    count: 1,
  });
  expect(body.results[4]).toMatchObject({ credits_used: 1, reason: null });
  expect(body.results[0]).toMatchObject({
    otp: null,
    credits_used: 0,
  });
  expect(body.results[1]?.otp).toBeNull();
});

test('the request log marks a send whose credits were returned', async () => {
  await using service = await testService();
  const carol = await service.customer('Carol');
  const sent = await service.call(sendOtp, {
    apiKey: carol.api_key,
    body: { channel: 'sms', recipient: '+14155552671' },
  });
  const states = async () => {
    await service.app.requestLog.flush();
    const { body } = await service.call(listRequestLogs, {
      bearer: await signedIn(service, carol),
      query: { search: 'send_otp' },
    });
    return body.results.map(({ credits_used, refunded }) => ({ credits_used, refunded }));
  };
  expect(await states()).toEqual([{ credits_used: 1, refunded: false }]);
  await service.call(cancelOtp, { apiKey: carol.api_key, params: { otp_id: sent.body.otp_id } });
  expect(await states()).toEqual([{ credits_used: 1, refunded: true }]);
});

test.each([
  ['all', ALL],
  ['success', ['verify_otp 200', 'send_otp 201', 'send_otp 201']],
  ['client_error', ['send_otp 400', 'verify_otp 404', 'verify_otp 400']],
  ['refused_send', ['send_otp 400']],
  ['server_error', []],
  ['201', ['send_otp 201', 'send_otp 201']],
  ['404', ['verify_otp 404']],
  ['429', []],
])('the request log filters by the status code %s', async (status_code, rows) => {
  expect(await found({ status_code })).toEqual(rows);
});

test.each(['2xx', '0', '201 or 1=1', '302'])(
  'the request log refuses %s as a status code',
  async (status_code) => {
    const answer = await list({ status_code });
    expect(answer.status).toBe(400);
    expect(answer.body).toHaveProperty('status_code');
  },
);

test('the request log filters by an ISO date or a number of days', async () => {
  const at = (ago: number) => new Date(service.app.clock.now().getTime() - ago).toISOString();
  expect(await found({ created_after: at(DAY) })).toEqual(ALL.slice(0, 5));
  expect(await found({ created_after: at(DAY).slice(0, 10) })).toEqual(ALL.slice(0, 5));
  expect(await found({ created_after: at(30 * DAY) })).toEqual(ALL);
  expect(await found({ created_after: '15' })).toEqual(ALL.slice(0, 5));
  expect((await list({ created_after: 'last week' })).body).toHaveProperty('created_after');
});

test('the request log filters by API key and is empty for another account’s key', async () => {
  expect(await found({ api_key: checkout.id })).toEqual(['verify_otp 200', 'verify_otp 400', 'send_otp 201']);
  expect(await found({ api_key: bob.api_key_id })).toEqual([]);
});

test.each([
  ['OTP/Verify', ['verify_otp 404', 'verify_otp 200', 'verify_otp 400']],
  ['first@', ['send_otp 201']],
  ['(415) 555', ['verify_otp 200', 'verify_otp 400', 'send_otp 201']],
  ['post', ALL],
  ['send_otp', ['send_otp 400', 'send_otp 201', 'send_otp 201']],
  ['Send OTP', ['send_otp 400', 'send_otp 201', 'send_otp 201']],
  ['CHECKOUT', ['verify_otp 200', 'verify_otp 400', 'send_otp 201']],
  ['127.0.0', ALL],
  ['invalid_code', ['verify_otp 400']],
  ['Not found', ['verify_otp 404']],
  ['100%_', []],
  ["' or '1'='1", []],
  ['\\', []],
])(
  'the request log finds %s in endpoint, recipient, method, type, reason, key name or address',
  async (search, rows) => {
    expect(await found({ search })).toEqual(rows);
  },
);

test('the request log finds a request by the id in its response', async () => {
  expect(await found({ search: requestIdOfWrong })).toEqual(['verify_otp 400']);
  expect(await found({ search: requestIdOfWrong.toUpperCase() })).toEqual(['verify_otp 400']);
  expect(await found({ search: requestIdOfWrong.replace(/.$/, (end) => (end === '0' ? '1' : '0')) })).toEqual(
    [],
  );
});

test('the request log finds all requests about a verification by its id', async () => {
  expect(await found({ search: otpId })).toEqual(['send_otp 201']);
});

test.each([
  [{ channel: 'sms' }, ['verify_otp 200', 'verify_otp 400', 'send_otp 201']],
  [{ channel: 'email' }, ['send_otp 201']],
  [{ channel: 'voice' }, []],
  [{ country: 'us' }, ['verify_otp 200', 'verify_otp 400', 'send_otp 201']],
  [{ country: 'CA' }, []],
  [{ country: 'AQ' }, []],
  [{ carrier: 'sandbox' }, ['verify_otp 200', 'verify_otp 400', 'send_otp 201', 'send_otp 201']],
  [{ carrier: 'twilio' }, []],
  [{ channel: 'sms', country: 'US', carrier: 'sandbox', status_code: '201' }, ['send_otp 201']],
])('the request log filters by channel, country of the number and carrier: %j', async (query, rows) => {
  expect(await found(query)).toEqual(rows);
  expect((await list({ ...query, count: 'only' })).body.count).toBe(rows.length);
});

test('the request log combines all filters', async () => {
  const query = { status_code: 'client_error', api_key: checkout.id, search: 'verify', created_after: '1' };
  expect(await found(query)).toEqual(['verify_otp 400']);
  expect(await found({ ...query, status_code: 'server_error' })).toEqual([]);
});

test('the request log is ordered by each column in both directions, ties newest first', async () => {
  expect(await found({ ordering: 'created_at' })).toEqual([...ALL].reverse());
  expect(await found({ ordering: 'response_status_code' })).toEqual([
    'verify_otp 200',
    'send_otp 201',
    'send_otp 201',
    'send_otp 400',
    'verify_otp 400',
    'verify_otp 404',
  ]);
  expect((await found({ ordering: '-request_type' })).slice(0, 3)).toEqual([
    'verify_otp 404',
    'verify_otp 200',
    'verify_otp 400',
  ]);
  expect((await found({ ordering: '-credits_used' })).slice(0, 2)).toEqual(['send_otp 201', 'send_otp 201']);
  const times = (await list({ ordering: '-response_time_ms' })).body.results.map(
    (row) => row.response_time_ms,
  );
  expect(times).toEqual([...times].sort((a, b) => b - a));
});

test('the request log is ordered by verification status, requests without one last', async () => {
  const statuses = async (ordering: string) =>
    (await list({ ordering })).body.results.map(({ otp }) => otp?.status ?? null);
  expect(await statuses('otp__status')).toEqual(['expired', 'verified', 'verified', 'verified', null, null]);
  expect(await statuses('-otp__status')).toEqual(['verified', 'verified', 'verified', 'expired', null, null]);
  expect((await list({ search: 'first@' })).body.results[0]?.otp).toMatchObject({
    id: otpId,
    status: 'expired',
  });
});

test('the request log contains only the account’s requests', async () => {
  const bobs = await list({}, await signedIn(service, bob));
  expect(bobs.body).toMatchObject({
    count: 1,
    results: [
      { response_status_code: 402, reason: 'insufficient_credits', otp: { recipient: 'bobs@example.com' } },
    ],
  });
  expect((await list({ search: 'bobs' })).body.count).toBe(0);
  expect((await service.call(listRequestLogs)).status).toBe(401);
});

test('the request log finds refused sends by the country of their number', async () => {
  await send({ channel: 'sms', recipient: '+44 20 7946 0958' }, bob.api_key);
  await service.app.requestLog.flush();
  const token = await signedIn(service, bob);
  expect((await list({ country: 'GB' }, token)).body).toMatchObject({
    count: 1,
    results: [{ response_status_code: 400, otp: { id: null, recipient: '+442079460958' } }],
  });
  expect((await list({ country: 'GG' }, token)).body.count).toBe(0);
});

test('the request log stores a flood beyond the rate limit as one row per key and second, with a count', async () => {
  await using other = await testService();
  const owner = await other.customer('Alice');
  // So that the flood falls into one second even on a slow machine.
  const at = other.app.clock.now();
  other.app.clock.now = () => at;
  await stopDatabaseClock(other.databaseUrl, at);
  const body = { channel: 'email', recipient: 'not an address' };
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => other.call(sendOtp, { apiKey: owner.api_key, body })),
  );
  const limited = answers.filter(({ status }) => status === 429).length;
  expect(limited).toBe(170);
  await other.app.requestLog.flush();
  const token = await signedIn(other, owner);
  const { body: rows } = await other.call(listRequestLogs, { bearer: token, query: { status_code: '429' } });
  expect(rows.count).toBe(1);
  expect(rows.results.reduce((sum, { count }) => sum + count, 0)).toBe(limited);
  expect(rows.results[0]).toMatchObject({ reason: 'rate_limited', credits_used: 0 });
});
