import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import {
  allowDestination,
  checkDestination,
  checkOwnDestination,
  DEFAULTS,
  denyDestination,
  getProtection,
  LOOKUP_RULES,
  listBlocks,
  RULES,
  removeListEntry,
  unblockDestination,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { readUnblockToken, unblockToken } from './mails.ts';

let bearer: string;

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
beforeAll(async () => {
  bearer = await signedIn(service, alice);
});

const put = (body: object) => service.call(updateProtection, { bearer, body });
const state = async () => (await service.call(getProtection, { bearer })).body;
const check = async (recipient: string, more: object = {}) =>
  (await service.call(checkDestination, { apiKey: alice.api_key, body: { recipient, ...more } })).body;

test('the rules of an account have the defaults, and only monitor in a sandbox', async () => {
  const { rules, allow, deny, updated_at, learning, allowed_countries } = await state();
  expect(rules.prefix_velocity).toEqual({ mode: 'monitor', ...DEFAULTS.prefix_velocity });
  expect(rules.prefix_conversion).toEqual({ mode: 'monitor', limit: 20, percent: 5, hours: 12 });
  expect(rules.country).toEqual({ mode: 'enforce', countries: null });
  expect({ allow, deny, updated_at }).toEqual({ allow: [], deny: [], updated_at: null });
  expect(learning).toEqual({
    is_learning: true,
    finished: 0,
    verified: 0,
    finished_needed: 100,
    verified_percent_needed: 20,
  });
  expect(allowed_countries).toEqual(['US', 'CA']);
});

test('the rules of an account enforce from the start in production, and those that need a look-up are off', async () => {
  await using production = await testService({ env: { SANDBOX: '0' } });
  const bob = await production.customer('Bob');
  const { body } = await production.call(getProtection, { bearer: await signedIn(production, bob) });
  expect(RULES.filter((rule) => body.rules[rule].mode !== 'enforce')).toEqual(LOOKUP_RULES);
  expect(LOOKUP_RULES.map((rule) => body.rules[rule].mode)).toEqual(['off', 'off']);
});

test('changing one rule of an account keeps the rules that the request omits', async () => {
  expect((await put({ rules: { prefix_velocity: { limit: 50 } } })).status).toBe(200);
  const { body } = await put({
    rules: { prefix_velocity: { mode: 'enforce' }, client_countries: { mode: 'off' } },
  });
  expect(body.rules.prefix_velocity).toEqual({ mode: 'enforce', limit: 50 });
  expect(body.rules.client_countries).toEqual({ mode: 'off', limit: 3 });
  expect(body.updated_at).not.toBeNull();
});

test.each([
  [{ prefix_velocity: { limit: 4 } }, 'prefix_velocity: limit must be between 5 and 10000.'],
  [{ prefix_conversion: { hours: 0 } }, 'prefix_conversion: hours must be between 1 and 168.'],
  [{ client_velocity: { limit: 2.5 } }, 'Must be a whole number.'],
  [{ client_velocity: { mode: 'loud' } }, 'Mode must be one of: enforce, monitor, off.'],
  [{ country: { countries: ['DE'] } }, 'country: DE is not allowed on this service.'],
  [{ prefix_velocitiy: { limit: 10 } }, 'There is no prefix_velocitiy here.'],
  [{ prefix_velocity: { limits: 10 } }, 'There is no limits here.'],
  [{ country: { countries: ['deu'] } }, 'Enter a two-letter country code, such as US.'],
])('the protection settings refuse %j', async (rules, sentence) => {
  const before = await state();
  const answer = await put({ rules });
  expect(answer).toMatchObject({ status: 400, body: { rules: [sentence] } });
  expect(await state()).toEqual(before);
});

test('the lists of an account store numbers, prefixes, addresses and countries in a normal form', async () => {
  const { body } = await put({
    allow: [
      { kind: 'number', value: '+1 (415) 555-2671', note: 'Our test phone' },
      { kind: 'prefix', value: '+1 415 556' },
      { kind: 'address', value: '2001:DB8::1/64' },
      { kind: 'country', value: 'ca', expires_at: '2030-01-31T12:00:00+01:00' },
    ],
    deny: [{ kind: 'address', value: '203.0.113.9' }],
  });
  expect(body.allow.map(({ value, note, expires_at }) => [value, note, expires_at])).toEqual([
    ['+14155552671', 'Our test phone', null],
    ['+1415556', null, null],
    ['2001:db8::/64', null, null],
    ['CA', null, '2030-01-31T11:00:00.000Z'],
  ]);
  expect(body.deny).toMatchObject([{ kind: 'address', value: '203.0.113.9' }]);
});

test.each([
  ['number', '4155552671', 'Enter a phone number with its country code, such as +14155552671.'],
  ['prefix', '+', 'Enter the first digits of phone numbers with the country code, such as +1415555.'],
  ['address', '203.0.113.0/33', 'Enter an IP address or a network, such as 203.0.113.7 or 203.0.113.0/24.'],
  ['country', 'USA', 'Enter a two-letter country code, such as US.'],
])('the protection lists refuse the %s %s', async (kind, value, sentence) => {
  const answer = await put({ deny: [{ kind, value }] });
  expect(answer).toMatchObject({ status: 400, body: { deny: [`${value}: ${sentence}`] } });
});

test('a list entry has no effect after its expiry', async () => {
  const at = (ms: number) => new Date(service.app.clock.now().getTime() + ms).toISOString();
  await put({ deny: [{ kind: 'prefix', value: '+1415557', expires_at: at(60_000) }] });
  expect((await check('+14155572671')).blocked_by).toEqual(['deny_list']);
  await service.clock.advance(61_000);
  expect((await check('+14155572671')).decision).toBe('allowed');
});

const newestEntry = async () => (await service.call(listAuditEntries, { bearer, query: {} })).body.results[0];
const entry = { kind: 'number' as const, value: '+14155550142' };
const deny = (body: object) => service.call(denyDestination, { bearer, body: body as typeof entry });
const remove = (body: object) =>
  service.call(removeListEntry, { bearer, body: body as typeof entry & { list: 'deny' } });

test('adding or removing one list entry keeps the others', async () => {
  await put({ allow: [entry], deny: [{ kind: 'country', value: 'CA' }] });
  const added = await deny({ ...entry, value: '(415) 555-0142'.replace('(', '+1 (') });
  expect(added.body.deny.map(({ value }) => value)).toEqual(['CA', '+14155550142']);
  expect((await check('+14155550142')).blocked_by).toEqual(['deny_list']);
  const { body } = await remove({ list: 'deny', kind: 'number', value: '+1 415 555 0142' });
  expect(body).toMatchObject({ allow: [entry], deny: [{ value: 'CA' }] });
  expect((await remove({ list: 'deny', ...entry })).body).toEqual({
    ...body,
    updated_at: expect.any(String),
  });
  expect((await check('+14155550142')).listed).toBe('allow');
});

test('list entries are all stored when many are added at once', async () => {
  await put({ deny: [] });
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => deny({ kind: 'prefix', value: `+14155${100 + n}` })),
  );
  expect((await state()).deny).toHaveLength(12);
});

test('a list entry is refused if the list is full or the value is invalid', async () => {
  await put({
    deny: Array.from({ length: 1_000 }, (_, n) => ({ kind: 'prefix', value: `+1415${1_000 + n}` })),
  });
  expect(await deny(entry)).toMatchObject({
    status: 400,
    body: { value: ['A list has at most 1000 entries.'] },
  });
  expect((await deny({ kind: 'prefix', value: '+14151000', note: 'Again' })).status).toBe(200);
  expect(await remove({ list: 'both', ...entry })).toMatchObject({
    status: 400,
    body: { list: ['List must be one of: allow, deny.'] },
  });
  expect((await service.call(denyDestination, { body: entry })).status).toBe(401);
  expect((await service.call(removeListEntry, { body: { list: 'deny', ...entry } })).status).toBe(401);
  await put({ allow: [], deny: [] });
});

test('extending the expiry of a list entry is in the audit log', async () => {
  const prefix = { kind: 'prefix' as const, value: '+1415556' };
  await put({ allow: [{ ...prefix, expires_at: '2090-01-31T12:00:00Z' }] });
  await put({ allow: [prefix] });
  expect(await newestEntry()).toMatchObject({
    action: 'protection.change',
    before: { allow: ['prefix +1415556 until 2090-01-31T12:00:00.000Z'] },
    after: { allow: ['prefix +1415556'] },
  });
  await put({ allow: [] });
});

test('the audit log has the protection settings that a change changed, and no others', async () => {
  const rules = { client_countries: { limit: 7 }, client_velocity: { limit: 7 } };
  await put({ rules, known_days: 90, require_proof: 'always' });
  const first = await newestEntry();
  expect([first?.before, first?.after]).toEqual([
    { client_countries: { mode: 'off' }, client_velocity: null, known_days: 180, require_proof: 'never' },
    {
      client_countries: { mode: 'off', limit: 7 },
      client_velocity: { limit: 7 },
      known_days: 90,
      require_proof: 'always',
    },
  ]);
  await put({ rules, known_days: 90, require_proof: 'never' });
  const second = await newestEntry();
  expect([second?.before, second?.after]).toEqual([{ require_proof: 'always' }, { require_proof: 'never' }]);
});

test('a destination check shows the list, the rules and their counts, with an API key and in the dashboard', async () => {
  await put({
    rules: { country: { countries: ['CA'] } },
    allow: [],
    deny: [{ kind: 'number', value: '+16135550123' }],
  });
  const checked = await check('(415) 555-2671', { client_ip: '203.0.113.7' });
  expect(checked).toMatchObject({
    recipient: '+14155552671',
    country: 'US',
    prefix: '+1415555',
    client: '203.0.113.7',
    decision: 'blocked',
    blocked_by: ['country'],
    blocked_until: null,
    listed: null,
  });
  expect(checked.rules.find(({ rule }) => rule === 'country')).toMatchObject({
    scope: 'account',
    is_exceeded: true,
    is_enforced: true,
    explanation: 'The country is not on the list of allowed countries.',
  });
  expect(checked.rules.find(({ rule }) => rule === 'prefix_velocity')).toMatchObject({
    measured: [{ name: 'sends to the prefix in 10 minutes', value: 0, limit: 50 }],
    explanation: 'Within its limits: 0 of 50 sends to the prefix in 10 minutes.',
  });
  const { body } = await service.call(checkOwnDestination, {
    bearer,
    body: { recipient: '+14155552671', client_ip: '203.0.113.7' },
  });
  expect(body).toEqual(checked);
  expect(await check('+16135550123')).toMatchObject({
    blocked_by: ['deny_list'],
    listed: 'deny',
    rules: [],
  });
});

test('a destination check counts a number that the client has already requested once', async () => {
  await put({
    rules: { country: { countries: null }, client_velocity: { mode: 'enforce', recipients: 1 } },
    deny: [],
  });
  const client_ip = '198.51.100.7';
  const body = { channel: 'sms' as const, recipient: '+14155550155', client_ip };
  expect((await service.call(sendOtp, { apiKey: alice.api_key, body })).status).toBe(201);
  expect((await check('+14155550155', { client_ip })).decision).toBe('allowed');
  expect((await check('+14155550156', { client_ip })).blocked_by).toEqual(['client_velocity']);
  await put({ rules: { client_velocity: { mode: 'monitor', recipients: 3 } } });
});

test('a destination check counts IPv6 clients by network and ignores invalid addresses', async () => {
  expect((await check('+14155552671', { client_ip: '2001:db8:1:2:3::4' })).client).toBe('2001:db8:1:2::/64');
  expect((await check('+14155552671', { client_ip: '10.1.2.3' })).client).toBeNull();
  expect((await check('+14155552671', { client_ip: '::ffff:203.0.113.7' })).client).toBe('203.0.113.7');
  const wrong = await service.call(checkDestination, {
    apiKey: alice.api_key,
    body: { recipient: '+14155552671', client_ip: '203.0.113' },
  });
  expect(wrong).toMatchObject({ status: 400, body: { client_ip: ['Enter a valid IP address.'] } });
});

test('a destination check for e-mail has no rules', async () => {
  const { body } = await service.call(checkDestination, {
    apiKey: alice.api_key,
    body: { channel: 'email', recipient: 'Pat@Example.com' },
  });
  expect(body).toMatchObject({ decision: 'allowed', recipient: 'pat@example.com', rules: [] });
});

test('allowing a destination adds one entry to the list', async () => {
  await put({ rules: { country: { countries: null } }, allow: [], deny: [] });
  const body = { kind: 'prefix' as const, value: '+1415555', note: 'Ours' };
  expect((await service.call(allowDestination, { bearer, body })).body.allow).toHaveLength(1);
  expect((await service.call(allowDestination, { bearer, body })).body.allow).toMatchObject([body]);
  expect((await check('+14155552671')).listed).toBe('allow');
  const wrong = await service.call(allowDestination, { bearer, body: { kind: 'number', value: 'nine' } });
  expect(wrong).toMatchObject({ status: 400 });
  expect(wrong.body).toHaveProperty('value');
});

test('the link in a mail allows only its destination, without signing in', async () => {
  await put({ allow: [] });
  const link = { account_id: alice.account_id, kind: 'prefix', value: '+1415558' } as const;
  const token = unblockToken(service.app, link, service.app.clock.now());
  const { status, body } = await service.call(unblockDestination, { body: { token } });
  expect({ status, body }).toEqual({
    status: 200,
    body: { kind: 'prefix', value: '+1415558', expires_at: null },
  });
  expect((await state()).allow).toMatchObject([
    { kind: 'prefix', value: '+1415558', note: 'Unblocked by mail' },
  ]);
});

test('allowing a destination refuses a link that was changed or is older than a week', async () => {
  await put({ allow: [] });
  const link = { account_id: alice.account_id, kind: 'prefix', value: '+1415558' } as const;
  const token = unblockToken(service.app, link, service.app.clock.now());
  const [text = '', signature = ''] = token.split('.');
  const other = Buffer.from(
    Buffer.from(text, 'base64url').toString().replace('+1415558', '+1415559'),
  ).toString('base64url');
  const tryToken = async (given: string) =>
    (await service.call(unblockDestination, { body: { token: given } })).body;
  const refusal = { reason: 'invalid_unblock_link' };
  expect(await tryToken(`${other}.${signature}`)).toMatchObject(refusal);
  expect(await tryToken(text)).toMatchObject(refusal);
  const old = unblockToken(service.app, link, new Date(0));
  expect(readUnblockToken(service.app, old, new Date(7 * 86_400_000))).toEqual(link);
  await service.clock.advance(7 * 86_400_000 + 1_000);
  expect(await tryToken(token)).toMatchObject(refusal);
  bearer = await signedIn(service, alice);
  expect((await state()).allow).toEqual([]);
});

test('an account without traffic has no blocks', async () => {
  const { body } = await service.call(listBlocks, { bearer });
  expect(body).toEqual({ results: [], blocked: 0, monitored: 0 });
});
