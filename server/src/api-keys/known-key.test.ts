/**
 * The process caches the settings of a key that has sent before. The database confirms with each request that they are current.
 */

import { deleteApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { beforeEach, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../test/clock.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

let key: { key: string; id: string };
let numbers = 0;
const phone = () => `+1415555${3000 + numbers++}`;
const send = (body: object = {}) =>
  service.call(sendOtp, { apiKey: key.key, body: { channel: 'sms', recipient: phone(), ...body } });
const UNKNOWN = '01941f29-7c00-7aaa-8bbb-0123456789ab';
const verify = () => service.call(verifyOtp, { apiKey: key.key, body: { otp_id: UNKNOWN, code: '123456' } });
const sends = async () =>
  (
    await service.app.db.one<{ n: number }>('select count(*) as n from verifications where api_key_id = $1', [
      key.id,
    ])
  ).n;

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice', { credits: 1_000 }));
beforeEach(async () => {
  await service.clock.advance(0);
  key = await service.anotherKey(alice.account_id);
  expect((await send()).status).toBe(201);
});

test.each([
  ['a send', () => send()],
  ['a verify', () => verify()],
  ['a send without a recipient', () => send({ recipient: undefined })],
])('after its API key is deleted, %s gets 401 invalid_api_key and costs nothing', async (_what, request) => {
  const before = await sends();
  await service.call(deleteApiKey, { bearer: await signedIn(service, alice), params: { id: key.id } });
  expect(await request()).toMatchObject({ status: 401, body: { reason: 'invalid_api_key' } });
  expect(await sends()).toBe(before);
});

test('after its API key is deleted, malformed JSON is refused because of the key', async () => {
  const malformed = () =>
    service.inject({
      method: 'POST',
      url: '/api/v1/otp/send/',
      headers: { 'x-api-key': key.key, 'content-type': 'application/json' },
      payload: '{',
    });
  const before = await malformed();
  expect([before.statusCode, before.headers['ratelimit-limit']]).toEqual([400, '30']);
  await service.app.db.run('update api_keys set deleted_at = clock_now() where id = $1', [key.id]);
  expect((await malformed()).statusCode).toBe(401);
});

test.each([
  [
    'an expiry in the past',
    "update api_keys set expires_at = clock_now() - interval '1 s' where id = $1",
    'api_key_expired',
  ],
  ['no scope for sends', "update api_keys set scopes = '{otp:read}' where id = $1", 'missing_scope'],
  [
    'another network',
    "update api_keys set allowed_networks = '{203.0.113.0/24}' where id = $1",
    'network_not_allowed',
  ],
  [
    'a suspended account',
    'update accounts set suspended_at = clock_now() where id = (select account_id from api_keys where id = $1)',
    'account_suspended',
  ],
])('the next send of a cached API key is refused because of %s', async (_what, change, reason) => {
  const before = await sends();
  await service.app.db.run(change, [key.id]);
  const answer = await send();
  await service.app.db.run('update accounts set suspended_at = null');
  expect(answer.body).toMatchObject({ reason });
  expect(await sends()).toBe(before);
});

test("the next send of a cached API key uses the account's new defaults", async () => {
  await service.app.db.run('update accounts set default_expiry_seconds = 900 where id = $1', [
    alice.account_id,
  ]);
  const { status, body } = await send();
  await service.app.db.run('update accounts set default_expiry_seconds = 300 where id = $1', [
    alice.account_id,
  ]);
  expect(status).toBe(201);
  const { seconds } = await service.app.db.one<{ seconds: number }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds from verifications where id = $1',
    [body.otp_id],
  );
  expect(seconds).toBe(900);
});

test('a default message that was too long is sent as soon as it is shortened', async () => {
  const setDefault = (message: string) =>
    service.app.db.run('update accounts set default_message = $2 where id = $1', [alice.account_id, message]);
  await setDefault(`{code} ${'x'.repeat(400)}`);
  expect(await send()).toMatchObject({
    status: 400,
    body: { message: [expect.stringContaining('segments')] },
  });
  await setDefault('');
  expect((await send()).status).toBe(201);
});

test('parallel sends and verifies beyond the limit of an API key are refused, and the others are decided', async () => {
  await stopDatabaseClock(service.databaseUrl, new Date(service.app.clock.now().getTime() + 1_000));
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => (n % 2 ? send() : verify())));
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect(count(429)).toBe(30);
  expect(count(201) + count(404)).toBe(30);
  expect(await sends()).toBe(1 + count(201));
  for (const { status, headers } of answers) {
    expect(headers['ratelimit-limit']).toBe('30');
    if (status === 429) expect(headers['ratelimit-remaining']).toBe('0');
  }
});
