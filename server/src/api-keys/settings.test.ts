import { createApiKey, listApiKeys, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { cancelOtp, getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { beforeAll, expect, test } from 'vitest';
import type { CallInput } from '../../test/call.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

let bearer: string;

const service = fixture(() => testService({ env: { TRUSTED_PROXIES: '127.0.0.1' } }));
const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  bearer = await signedIn(service, alice);
});

type Settings = NonNullable<CallInput<typeof createApiKey>['body']>;
const create = async (settings: Partial<Settings> = {}) => {
  const answer = await service.call(createApiKey, { bearer, body: { name: 'Key', ...settings } });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
};
const change = (id: string, body: NonNullable<CallInput<typeof updateApiKey>['body']>, by = bearer) =>
  service.call(updateApiKey, { bearer: by, params: { id }, body });
const listed = async (id: string) =>
  (await service.call(listApiKeys, { bearer, query: { page_size: 100 } })).body.results.find(
    (key) => key.id === id,
  );
const send = (apiKey: string, headers: Record<string, string> = {}) =>
  service.call(sendOtp, {
    apiKey,
    headers,
    body: { channel: 'email', recipient: `${service.app.random.uuid()}@example.com` },
  });
const UNKNOWN_ID = '01941f29-7c00-7aaa-8bbb-0123456789ab';

test('an API key without settings is live, has every scope, never expires and works from every network', async () => {
  const key = await create();
  expect(key).toMatchObject({
    mode: 'live',
    scopes: ['otp:send', 'otp:verify', 'otp:read'],
    expires_at: null,
    allowed_networks: [],
    daily_credit_limit: null,
    spent_today: null,
    note: '',
    retired: null,
  });
});

test('API key settings are listed, and a change keeps the fields that it omits', async () => {
  const settings = {
    scopes: ['otp:verify', 'otp:send', 'otp:send'] as ('otp:verify' | 'otp:send')[],
    expires_at: '2099-01-31T01:00:00+01:00',
    allowed_networks: ['203.0.113.7', '10.1.2.3/8', '2001:db8::1'],
    daily_credit_limit: 5,
    note: 'Checkout\nof the shop',
  };
  const { key, ...created } = await create(settings);
  const shown = {
    scopes: ['otp:send', 'otp:verify'],
    expires_at: '2099-01-31T00:00:00.000Z',
    allowed_networks: expect.arrayContaining(['203.0.113.7/32', '10.0.0.0/8', '2001:db8::1/128']),
    daily_credit_limit: 5,
    spent_today: 0,
    note: 'Checkout\nof the shop',
  };
  expect(created).toMatchObject(shown);
  expect(key).toMatch(/^sd_live_/);
  expect(await listed(created.id)).toEqual(created);
  await service.app.db.run(
    'update key_spending set spent_today = 3, spend_day = clock_now()::date - 1 where api_key_id = $1',
    [created.id],
  );
  expect(await listed(created.id)).toEqual(created);
  const renamed = await change(created.id, { name: 'Renamed' });
  expect(renamed).toMatchObject({ status: 200, body: { ...shown, name: 'Renamed' } });
  const widened = await change(created.id, {
    expires_at: null,
    allowed_networks: [],
    daily_credit_limit: null,
  });
  expect(widened.body).toMatchObject({
    expires_at: null,
    allowed_networks: [],
    daily_credit_limit: null,
    spent_today: null,
    scopes: ['otp:send', 'otp:verify'],
  });
});

test('a network that an API key lists twice, in any spelling, is stored once', async () => {
  const twice = ['10.1.2.3/8', '203.0.113.7', '10.0.0.0/8', '203.0.113.7/32'];
  const once = ['10.0.0.0/8', '203.0.113.7/32'];
  const { id, allowed_networks } = await create({ allowed_networks: twice });
  expect(allowed_networks.toSorted()).toEqual(once);
  const { body } = await change(id, { allowed_networks: twice });
  expect(body.allowed_networks.toSorted()).toEqual(once);
});

test.each([
  ['mode', { mode: 'sandbox' }],
  ['scopes', { scopes: [] }],
  ['scopes', { scopes: ['otp:everything'] }],
  ['expires_at', { expires_at: 'tomorrow' }],
  ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
  ['expires_at', { expires_at: '9999-12-31T23:59:59-12:00' }],
  ['allowed_networks', { allowed_networks: ['example.com'] }],
  ['allowed_networks', { allowed_networks: ['203.0.113.0/33'] }],
  ['allowed_networks', { allowed_networks: Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`) }],
  ['daily_credit_limit', { daily_credit_limit: 0 }],
  ['daily_credit_limit', { daily_credit_limit: 1.5 }],
  ['note', { note: 'x'.repeat(501) }],
  ['note', { note: 'a\0b' }],
  ['note', { note: 'a\ud800' }],
])('an invalid %s of an API key is a field error: %j', async (field, settings) => {
  const answer = await service.call(createApiKey, {
    bearer,
    body: { name: 'Key', ...settings },
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toHaveProperty(field);
  if (field === 'mode') return;
  const { id } = await create();
  const changed = await change(id, settings);
  expect(changed.status).toBe(400);
  expect(changed.body).toHaveProperty(field);
});

test('an API key is refused on calls outside its scopes, and a change of scopes takes effect immediately', async () => {
  const { id, key } = await create({ scopes: ['otp:read'] });
  const lacks = (scope: string) => ({
    status: 401,
    body: { error: `API key lacks the scope ${scope}`, reason: 'missing_scope', scope },
  });
  const params = { otp_id: UNKNOWN_ID };
  expect(await send(key)).toMatchObject(lacks('otp:send'));
  expect(await service.call(cancelOtp, { apiKey: key, params })).toMatchObject(lacks('otp:send'));
  const verify = () => service.call(verifyOtp, { apiKey: key, body: { otp_id: UNKNOWN_ID, code: '123456' } });
  expect(await verify()).toMatchObject(lacks('otp:verify'));
  expect((await service.call(getOtp, { apiKey: key, params })).status).toBe(404);
  await change(id, { scopes: ['otp:send'] });
  expect((await send(key)).status).toBe(201);
  expect(await service.call(getOtp, { apiKey: key, params })).toMatchObject(lacks('otp:read'));
});

test('an API key stops at its expiry and works again after the expiry is extended', async () => {
  const at = new Date(service.app.clock.now().getTime() + 3_600_000).toISOString();
  const { id, key } = await create({ expires_at: at });
  expect((await send(key)).status).toBe(201);
  await service.clock.advance(3_600_001);
  bearer = await signedIn(service, alice);
  expect(await send(key)).toMatchObject({
    status: 401,
    body: { error: 'API key has expired', reason: 'api_key_expired' },
  });
  expect((await change(id, { name: 'Renamed', expires_at: at })).status).toBe(200);
  await change(id, { expires_at: null });
  expect((await send(key)).status).toBe(201);
});

test('an API key works from its networks only, and the request log shows refused requests', async () => {
  const { id, key } = await create({ allowed_networks: ['203.0.113.0/24', '2001:db8::/32'] });
  const from = (address: string) => send(key, { 'x-forwarded-for': address });
  for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::1'])
    expect((await from(address)).status).toBe(201);
  for (const address of ['203.0.114.9', '2001:db9::1', 'unknown'])
    expect(await from(address)).toMatchObject({ status: 401, body: { reason: 'network_not_allowed' } });
  await service.app.requestLog.flush();
  const rows = await service.app.db.rows<{ reason: string }>(
    `select distinct reason from request_logs where api_key_id = $1 and reason is not null`,
    [id],
  );
  expect(rows).toEqual([{ reason: 'network_not_allowed' }]);
});
