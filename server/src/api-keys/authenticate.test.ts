import { deleteApiKey } from '@sixdigit/contract/api-keys.ts';
import { getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { type TestService, testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

let apiKey: string;
let apiKeyId: string;

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const alice = fixture(() => service.customer('Alice'));
beforeEach(async () => {
  ({ key: apiKey, id: apiKeyId } = await service.anotherKey(alice.account_id));
});

const UNKNOWN = '01941f29-7c00-7aaa-8bbb-0123456789ab';
const look = (on: Pick<TestService, 'call'>, key = apiKey) =>
  on.call(getOtp, { apiKey: key, params: { otp_id: UNKNOWN } });

/** The database clock is stopped, so a burst falls into one second even on a slow machine. */
const stopTheClock = (at = service.app.clock.now()) => stopDatabaseClock(service.databaseUrl, at);
afterEach(() => service.clock.advance(0));

test('an API key gets 30 requests per second across two processes, and further requests get 429', async () => {
  await stopTheClock();
  const answers = await Promise.all(Array.from({ length: 90 }, (_, n) => look(n % 3 ? service : other)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(30);
  expect(refused).toHaveLength(60);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ error: 'Too Many Requests', reason: 'rate_limited', retry_after: 1 });
    expect(headers['retry-after']).toBe('1');
  }
});

test('every response states the rate limit and the remaining requests', async () => {
  await stopTheClock();
  const answers = await Promise.all(Array.from({ length: 35 }, () => look(service)));
  const left = answers.map(({ headers }) => Number(headers['ratelimit-remaining']));
  expect(left.sort((a, b) => b - a)).toEqual([
    ...Array.from({ length: 30 }, (_, n) => 29 - n),
    ...[0, 0, 0, 0, 0],
  ]);
  for (const { headers } of answers) {
    expect(headers['ratelimit-limit']).toBe('30');
    expect(headers['ratelimit-reset']).toBe('1');
  }
  const invalid = await service.call(sendOtp, { apiKey, body: {} });
  expect(invalid.headers['ratelimit-limit']).toBe('30');
});

test('the rate limit resets every second and is separate for each API key', async () => {
  await stopTheClock();
  await Promise.all(Array.from({ length: 30 }, () => look(service)));
  expect((await look(service)).status).toBe(429);
  expect((await look(service, alice.api_key)).status).toBe(404);
  await stopTheClock(new Date(service.app.clock.now().getTime() + 1_000));
  await expect.poll(async () => (await look(service)).status).toBe(404);
});

test('a flood with one API key causes few database queries', async () => {
  await stopTheClock();
  // A refusal is cached for milliseconds, and one round on a busy machine can take longer.
  const frozen = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const asked = vi.spyOn(service.app.db, 'rows');
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 40 }, () => look(service)));
  const hashes = asked.mock.calls
    .filter(([text]) => text.includes('admit_requests'))
    .flatMap(([, params]) => params?.[0] as Buffer[]);
  asked.mockRestore();
  frozen.mockRestore();
  expect(hashes.length).toBeLessThan(100);
});

test('sends and verifies beyond the rate limit are logged as one row per second with their count', async () => {
  await stopTheClock();
  const { clock } = service.app;
  const { now } = clock;
  const at = now();
  clock.now = () => at;
  await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      (n % 2 ? service : other).call(sendOtp, { apiKey, body: { channel: 'sms', recipient: 'x' } }),
    ),
  );
  clock.now = now;
  await service.app.requestLog.flush();
  await other.app.requestLog.flush();
  const rows = await service.app.db.rows(
    `select response_status_code as status, reason, sum(count)::integer as count, count(*) as rows from request_logs
     where api_key_id = $1 group by 1, 2 order by 1`,
    [apiKeyId],
  );
  expect(rows).toEqual([
    // One row in each process. Rate limits share one row over all processes.
    { status: 400, reason: 'invalid_fields', count: 30, rows: 2 },
    { status: 429, reason: 'rate_limited', count: 20, rows: 1 },
  ]);
});

test('a deleted API key stops immediately on both processes', async () => {
  expect((await look(other)).status).toBe(404);
  await service.call(deleteApiKey, { bearer: await signedIn(service, alice), params: { id: apiKeyId } });
  for (const process of [service, other]) {
    const answer = await look(process);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error: 'Invalid API key', reason: 'invalid_api_key' });
  }
});

test.each([
  ['none', undefined, 'API key is required', 'missing_api_key'],
  ['an empty one', '', 'API key is required', 'missing_api_key'],
  ['a made-up one', 'sd_live_nothing', 'Invalid API key', 'invalid_api_key'],
  ['SQL', "' or 1=1 --", 'Invalid API key', 'invalid_api_key'],
])('a request with %s returns 401 before its body is validated', async (_what, key, error, reason) => {
  for (const route of [sendOtp, verifyOtp]) {
    const answer = await service.call(route, {
      body: {},
      headers: key === undefined ? {} : { 'x-api-key': key },
    });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ error, reason });
  }
});

test('an API key in the query or as a bearer token is refused', async () => {
  const answer = await service.inject({
    method: 'POST',
    url: `/api/v1/otp/send/?api_key=${apiKey}&x-api-key=${apiKey}`,
    headers: { authorization: `Bearer ${apiKey}` },
    payload: {},
  });
  expect(answer.json().reason).toBe('missing_api_key');
});

test('API keys of an erased account are refused', async () => {
  const bob = await service.customer('Bob');
  expect((await look(service, bob.api_key)).status).toBe(404);
  await service.app.db.run('update accounts set deleted_at = clock_now() where id = $1', [bob.account_id]);
  expect((await look(service, bob.api_key)).status).toBe(401);
});

test('authentication returns 503 with Retry-After while the database is unavailable', async () => {
  const { db } = service.app;
  const away = vi
    .spyOn(db.reserve, 'rows')
    .mockRejectedValue(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  const answer = await look(service);
  away.mockRestore();
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('2');
  expect((await look(service)).status).toBe(404);
});
