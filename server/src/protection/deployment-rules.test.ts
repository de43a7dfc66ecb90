import { sendOtp } from '@sixdigit/contract/otp.ts';
import {
  checkDestination,
  type DeploymentRulesBody,
  isLookupRule,
  type ListEntry,
  type ListKind,
  LOOKUP_RULES,
  RULES,
  type Rule,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { fixture } from '../../test/fixture.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { readSchemaFiles } from '../platform/db/schema-files.ts';
import { openDb } from '../platform/db/sql.ts';
import type { Destination } from './destination.ts';
import { destinationList, kindOfCover, normaliseEntry } from './lists.ts';
import { rulesWith } from './policy.ts';
import { readDeploymentRules, writeDeploymentRules } from './protection.ts';
import { DEPLOYMENT, findSettings } from './queries.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

const write = async (body: DeploymentRulesBody) => {
  const changed = await service.app.db.transaction((tx) => writeDeploymentRules(tx, service.app, body));
  await service.app.protection.exchange();
  return changed;
};
const read = () => readDeploymentRules(service.app.db, service.app);

test('the default thresholds of the operator’s rules are higher than those of accounts', async () => {
  const { rules, bounds, allow, deny, updated_at, blocked } = await read();
  expect(rules.prefix_velocity).toEqual({ mode: 'monitor', limit: 100 });
  expect(bounds.prefix_velocity).toEqual({ limit: { min: 5, max: 10_000 } });
  expect({ allow, deny, updated_at, blocked }).toEqual({ allow: [], deny: [], updated_at: null, blocked: 0 });
});

test('a rule that the operator changes blocks in every account and counts its blocks', async () => {
  const { before, after } = await write({
    rules: { prefix_velocity: { mode: 'enforce', limit: 2 } },
    deny: [{ kind: 'prefix', value: '+1415777' }],
  });
  expect(before.rules.prefix_velocity).toEqual({ mode: 'monitor', limit: 100 });
  expect(after.rules.prefix_velocity).toEqual({ mode: 'enforce', limit: 2 });
  expect(after.deny).toMatchObject([{ kind: 'prefix', value: '+1415777' }]);
  const send = (recipient: string) =>
    service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'sms', recipient } });
  expect((await send('+14155550121')).status).toBe(201);
  expect((await send('+14155550122')).status).toBe(201);
  expect(await send('+14155550123')).toMatchObject({
    status: 400,
    body: { blocked_by: ['prefix_velocity'] },
  });
  expect(await send('+14157772671')).toMatchObject({ status: 400, body: { blocked_by: ['deny_list'] } });
  await service.app.protection.exchange();
  const { blocked, blocks } = await read();
  expect(blocked).toBe(2);
  expect(blocks).toContainEqual(
    expect.objectContaining({
      rule: 'prefix_velocity',
      scope: 'deployment',
      country: 'US',
      accounts: 1,
      prefixes: 1,
      blocked: 1,
    }),
  );
});

test('the operator’s rules can be switched off', async () => {
  await write({ rules: { prefix_velocity: { mode: 'off' } }, deny: [] });
  const { body } = await service.call(checkDestination, {
    apiKey: alice.api_key,
    body: { recipient: '+14155550124' },
  });
  expect(body.decision).toBe('allowed');
  expect(
    body.rules.filter(({ scope, rule }) => scope === 'deployment' && rule === 'prefix_velocity'),
  ).toEqual([]);
});

test('accounts choose thresholds inside the operator’s bounds', async () => {
  await write({ bounds: { prefix_velocity: { limit: { min: 10, max: 40 } } } });
  const { bounds } = await write({ bounds: { prefix_conversion: { hours: { min: 2, max: 24 } } } }).then(
    ({ after }) => after,
  );
  expect(bounds).toMatchObject({
    prefix_velocity: { limit: { min: 10, max: 40 } },
    prefix_conversion: { limit: { min: 5, max: 1_000 }, hours: { min: 2, max: 24 } },
  });
  const bearer = await signedIn(service, alice);
  expect(
    await service.call(updateProtection, { bearer, body: { rules: { prefix_velocity: { limit: 41 } } } }),
  ).toMatchObject({
    status: 400,
    body: { rules: ['prefix_velocity: limit must be between 10 and 40.'] },
  });
});

test('invalid bounds and thresholds are refused and change nothing', async () => {
  const before = await read();
  await expect(
    write({ bounds: { prefix_conversion: { hours: { min: 0, max: 24 } } } }),
  ).rejects.toMatchObject({
    fields: { bounds: ['prefix_conversion: hours must be between 1 and 168.'] },
  });
  await expect(write({ rules: { prefix_velocity: { limit: 0 } } })).rejects.toMatchObject({
    fields: { rules: ['prefix_velocity: limit must be between 1 and 1000000.'] },
  });
  expect(await read()).toEqual(before);
});

/** The rules of the first version, which no deployment was upgraded to. */
const BASELINE: readonly Rule[] = [
  'country',
  'prefix_velocity',
  'client_velocity',
  'client_unverified',
  'client_countries',
  'prefix_conversion',
  'country_unverified',
];

test('a new deployment enforces every rule that needs no look-up', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => {} } });
  const row = await findSettings(db, DEPLOYMENT);
  const rules = rulesWith(row?.rules ?? {}, { sandbox: false, scope: 'deployment' });
  expect(RULES.filter((rule) => rules[rule].mode !== 'enforce')).toEqual(LOOKUP_RULES);
  await db.close();
});

test('every rule added after the first release starts as off, or has a migration that sets it to monitor in existing accounts', () => {
  const texts = readSchemaFiles()
    .migrations.map(({ text }) => text)
    .join('\n');
  const missing = RULES.filter(
    (rule) =>
      !BASELINE.includes(rule) && !isLookupRule(rule) && !texts.includes(`"${rule}":{"mode":"monitor"}`),
  );
  expect(missing).toEqual([]);
});

const NOW = Date.parse('2026-03-01T12:00:00Z');
const entry = (kind: ListKind, value: string, expires_at: string | null = null): ListEntry => ({
  kind,
  value,
  note: null,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at,
});
const cover = (entries: readonly ListEntry[], to: Partial<Destination>) =>
  kindOfCover(
    destinationList(entries),
    { number: '+14155550101', country: 'US', prefix: '+1415555', address: null, client: null, ...to },
    NOW,
  );

test('the most specific entry of a list covers a destination', () => {
  const all = [
    entry('country', 'US'),
    entry('address', '203.0.113.7'),
    entry('prefix', '+1415'),
    entry('number', '+14155550101'),
  ];
  const from = { address: '203.0.113.7' };
  expect(cover(all, from)).toBe('number');
  expect(cover(all.slice(0, 3), from)).toBe('prefix');
  expect(cover(all.slice(0, 2), from)).toBe('address');
  expect(cover(all.slice(0, 1), from)).toBe('country');
  expect(cover(all, { number: '+442079460000', country: 'GB' })).toBeUndefined();
  expect(cover([], from)).toBeUndefined();
});

test('a network entry covers only its addresses of the same IP version', () => {
  const networks = [entry('address', '203.0.113.0/24'), entry('address', '2001:db8::/32')];
  const isCovered = (address: string) => cover(networks, { address }) === 'address';
  expect(isCovered('203.0.113.255')).toBe(true);
  expect(isCovered('203.0.114.0')).toBe(false);
  expect(isCovered('2001:db8:ffff::1')).toBe(true);
  expect(isCovered('2001:db9::1')).toBe(false);
  expect(isCovered('::ffff:203.0.113.9')).toBe(true);
});

test('a list entry applies until the moment at which it expires', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  for (const [kind, value] of [
    ['number', '+14155550101'],
    ['prefix', '+1415'],
    ['address', '203.0.113.7'],
    ['address', '203.0.113.0/24'],
    ['country', 'US'],
  ] as const) {
    const from = { address: '203.0.113.7' };
    expect(cover([entry(kind, value, at(1))], from), value).toBe(kind);
    expect(cover([entry(kind, value, at(0))], from), value).toBeUndefined();
    expect(cover([entry(kind, value, at(-1))], from), value).toBeUndefined();
  }
});

test.each([
  ['number', '(+1) 415-555-0101', '+14155550101'],
  ['prefix', '+1 (415) 555', '+1415555'],
  ['address', '203.0.113.7', '203.0.113.7'],
  ['address', '::ffff:203.0.113.7', '203.0.113.7'],
  ['address', '203.0.113.7/24', '203.0.113.0/24'],
  ['address', '2001:db8::1/32', '2001:db8::/32'],
  ['country', 'us', 'US'],
] as const)('a list entry of the kind %s is normalized from %s to %s', (kind, text, value) => {
  expect(normaliseEntry(kind, text)).toEqual({ value });
});

test.each([
  ['number', '4155550101'],
  ['prefix', '1415'],
  ['prefix', '+0415'],
  ['address', '203'],
  ['address', '203.0.113.7/33'],
  ['country', 'ZZ'],
] as const)('a list entry of the kind %s refuses %s', (kind, text) => {
  expect(normaliseEntry(kind, text)).toHaveProperty('problem');
});
