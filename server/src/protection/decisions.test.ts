import {
  DECISIONS_PER_HOUR,
  exportDecisions,
  getDecisionFigures,
  importKnownRecipients,
  listDecisions,
  RULES,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { retentionJobs } from '../operations/retention/retention.ts';
import { createGuard } from './guard.ts';
import { policyOf } from './policy.ts';

const service = fixture(testService);
const MINUTE = 60_000;
let count = 0;
const phone = (prefix = '+1415555') => `${prefix}${3000 + ++count}`;

/** An account that refuses the sixth send to a prefix, or only counts it. */
const owner = async (
  mode: 'enforce' | 'monitor' = 'enforce',
  keys = 12,
): Promise<Sender & { bearer: string }> => {
  const made = await sender(service, `Decided${++count}`, { keys });
  const bearer = await signedIn(service, made);
  const rules = { prefix_velocity: { mode, limit: 5 } };
  expect((await service.call(updateProtection, { bearer, body: { rules } })).status).toBe(200);
  return { ...made, bearer };
};
const sends = async (alice: Sender, times: number, prefix?: string) => {
  for (let n = 0; n < times; n++) await alice.send(phone(prefix));
  await service.app.protection.exchange();
};
const decisions = async (alice: { bearer: string }, query: object = {}) =>
  (await service.call(listDecisions, { bearer: alice.bearer, query })).body;

test('a refused send keeps its rule with the figures, the key, and what other thresholds would have said', async () => {
  const alice = await owner();
  await sends(alice, 6);
  const { results, count: rows } = await decisions(alice);
  expect(rows).toBe(1);
  expect(results[0]).toMatchObject({
    outcome: 'blocked',
    rule: 'prefix_velocity',
    sends: 1,
    exemption: null,
    strictest: true,
    loosest: false,
    prefix: '+1415555',
    country: 'US',
    client: null,
  });
  expect(results[0]?.findings[0]).toMatchObject({
    rule: 'prefix_velocity',
    scope: 'account',
    mode: 'enforce',
    is_enforced: true,
    measured: [{ name: 'sends to the prefix in 10 minutes', value: 5, limit: 5 }],
  });
  const keys = await service.app.db.rows<{ id: string }>('select id from api_keys where account_id = $1', [
    alice.account_id,
  ]);
  expect(keys.map(({ id }) => id)).toContain(results[0]?.api_key_id);
});

test('monitored sends and those that pass as known are decisions too, by account', async () => {
  const [alice, bob] = [await owner('monitor'), await owner()];
  const known = phone();
  const body = { recipients: [{ recipient: known }] };
  expect((await service.call(importKnownRecipients, { bearer: bob.bearer, body })).body.imported).toBe(1);
  await sends(alice, 6);
  await sends(bob, 5);
  expect((await bob.send(known)).status).toBe(201);
  await service.app.protection.exchange();
  expect((await decisions(alice)).results).toMatchObject([{ outcome: 'monitored', exemption: null }]);
  expect((await decisions(bob)).results).toMatchObject([
    { outcome: 'passed', exemption: 'known', strictest: false },
  ]);
  // On the allow list, a send that no rule would refuse is not a decision.
  for (const [carol, outcome] of [
    [alice, undefined],
    [bob, 'passed'],
  ] as const) {
    const allowed = phone();
    const allow = [{ kind: 'number' as const, value: allowed }];
    await service.call(updateProtection, { bearer: carol.bearer, body: { allow } });
    expect((await carol.send(allowed)).status).toBe(201);
    await service.app.protection.exchange();
    const { results } = await decisions(carol);
    expect(results.find(({ exemption }) => exemption === 'allow_list')?.outcome).toBe(outcome);
  }
  const [day] = (await service.call(getDecisionFigures, { bearer: bob.bearer })).body.days;
  expect(day).toMatchObject({ blocked: 0, monitored: 0, passed: 2 });
});

test('decisions are filtered by rule, outcome, country, prefix and key, and exported', async () => {
  const alice = await owner();
  const deny = [{ kind: 'prefix', value: '+1415666' }] as const;
  await service.call(updateProtection, { bearer: alice.bearer, body: { deny: [...deny] } });
  await sends(alice, 6);
  await sends(alice, 1, '+1415666');
  const rulesOf = async (query: object) => (await decisions(alice, query)).results.map(({ rule }) => rule);
  const api_key = (await decisions(alice, { rule: 'deny_list' })).results[0]?.api_key_id ?? '';
  for (const [query, rules] of [
    [{}, ['deny_list', 'prefix_velocity']],
    [{ rule: 'prefix_velocity' }, ['prefix_velocity']],
    [{ outcome: 'monitored' }, []],
    [{ country: 'US' }, ['deny_list', 'prefix_velocity']],
    [{ country: 'CA' }, []],
    [{ prefix: '+1415666' }, ['deny_list']],
    [{ prefix: '14156660001' }, ['deny_list']],
    [{ prefix: '+1415' }, ['deny_list', 'prefix_velocity']],
    [{ client: '192.0.2.1' }, []],
    [{ api_key, rule: 'deny_list' }, ['deny_list']],
    [{ created_after: '2020-01-01', search: '1415666' }, ['deny_list']],
  ] as const)
    expect([query, await rulesOf(query)]).toEqual([query, rules]);
  // One client at two prefixes: the second rule speaks too.
  const rules = { client_velocity: { mode: 'enforce' as const, limit: 5, recipients: 200 } };
  const changed = await service.call(updateProtection, { bearer: alice.bearer, body: { rules } });
  expect(changed.status).toBe(200);
  const from = { client_ip: '198.51.100.7' };
  for (const prefix of [...Array(6).fill('+1212555'), '+1312555']) await alice.send(phone(prefix), from);
  await service.app.protection.exchange();
  for (const [query, prefixes] of [
    [{ rule: 'client_velocity' }, ['+1312555', '+1212555']],
    [{ client: '198.51.100.7' }, ['+1312555']],
    [{ search: '198.51.100.7' }, ['+1312555']],
    [{ client: '198.51.100.8' }, []],
  ] as const)
    expect([query, (await decisions(alice, query)).results.map(({ prefix }) => prefix)]).toEqual([
      query,
      prefixes,
    ]);
  const { body } = await service.call(exportDecisions, {
    bearer: alice.bearer,
    query: { rule: 'prefix_velocity' },
  });
  expect(body.text).toContain('prefix_velocity: Exceeded: 5 of 5 sends to the prefix in 10 minutes.');
});

test('like sends of a minute are one row, however often it is written, and the sums equal the refused requests', async () => {
  const alice = await owner('enforce', 1);
  await service.clock.advance(MINUTE - (service.app.clock.now().getTime() % MINUTE));
  await sends(alice, 7);
  await service.clock.advance(2_000);
  await sends(alice, 2);
  const { results } = await decisions(alice);
  const sum = results.reduce((all, row) => all + row.sends, 0);
  expect([results.length, sum]).toEqual([1, 4]);
  const [{ created_at, last_at } = { created_at: '', last_at: '' }] = results;
  expect(Date.parse(last_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(2_000);
  await service.app.requestLog.flush();
  const logged = await service.call(listRequestLogs, {
    bearer: alice.bearer,
    query: { status_code: '400' } as never,
  });
  expect(logged.body.results.reduce((all, { count: times }) => all + times, 0)).toBe(sum);
});

test('an attack on thousands of prefixes makes a bounded number of rows, whose sums are those of its sends', () => {
  let ids = 0;
  const guard = createGuard({ sandbox: false, newId: () => `${++ids}` });
  const deny = [{ kind: 'country', value: 'FR', note: null, created_at: '', expires_at: null } as const];
  for (const account_id of ['alice', 'bob'])
    guard.setPolicy(account_id, policyOf({ rules: {}, allow: [], deny }, { sandbox: false }));
  const SENDS = 5_000;
  const rows = new Map<string, { account_id: string; sends: number }>();
  const start = Date.UTC(2026, 0, 20, 12);
  for (let n = 0; n < SENDS; n++)
    for (const account_id of ['alice', 'bob']) {
      const prefix = `+33${6_000_000 + n}`;
      const to = { number: `${prefix}0000`, prefix, country: 'FR', address: null, client: null };
      const asked = { account_id, api_key_id: 'k', to, recipient: '', now_ms: start + (n % 50) * MINUTE };
      const decision = guard.decide(asked);
      guard.note(asked, decision, guard.reasonsOf(asked, decision));
      if (n % 100 < 99) continue;
      for (const row of guard.takeReasons('all')) {
        const known = rows.get(row.id);
        rows.set(row.id, { account_id: row.account_id, sends: (known?.sends ?? 0) + row.sends });
      }
    }
  for (const account_id of ['alice', 'bob']) {
    const own = [...rows.values()].filter((row) => row.account_id === account_id);
    expect(own.length).toBeLessThanOrEqual(DECISIONS_PER_HOUR + 1);
    expect(own.reduce((sum, row) => sum + row.sends, 0)).toBe(SENDS);
  }
});

/** Past sends to the prefix and elsewhere. In each case, the other rules would send even with their strictest thresholds. */
test.each([
  ['prefix_conversion', { limit: 5, percent: 50 }, { verified: [3, 0], unverified: [4, 0] }],
  ['client_unverified', { limit: 10, percent: 25 }, { verified: [0, 40], unverified: [0, 12] }],
  ['country_unverified', { limit: 10, percent: 25 }, { verified: [0, 40], unverified: [3, 9] }],
])(
  'a decision about %s tells that its strictest percentage would refuse the send, and its loosest would not',
  (rule, thresholds, past) => {
    const guard = createGuard({ sandbox: false });
    const now_ms = Date.UTC(2026, 0, 20, 12);
    const off = Object.fromEntries(RULES.map((one) => [one, { mode: 'off' as const }]));
    const rules = { ...off, [rule]: { ...thresholds, mode: 'enforce' as const } };
    guard.setPolicy('alice', policyOf({ rules, allow: [], deny: [] }, { sandbox: false }));
    const client = rule.startsWith('client_') ? '192.0.2.7' : null;
    const to = { account_id: 'alice', country: 'FR', prefix: '+3361234', client };
    for (const how of ['verified', 'unverified'] as const)
      for (const [place, count] of past[how].entries())
        for (let n = 0; n < count; n++) {
          const traffic = { ...to, recipient: `${how} ${n}`, ...(place && { prefix: `+336${n}0000` }) };
          for (const event of ['sent', how] as const) guard.record(traffic, event, now_ms - 30 * MINUTE);
        }
    const asked = {
      ...{ account_id: 'alice', recipient: 'new', now_ms },
      to: { ...to, number: '+33612340000', address: client },
    };
    const { row } = guard.reasonsOf(asked, guard.decide(asked)) ?? {};
    expect(row).toMatchObject({ rule, strictest: true, loosest: false });
  },
);

test('decisions are removed after 30 days', async () => {
  const alice = await owner();
  await sends(alice, 6);
  const age = (days: number) =>
    service.app.db.run(
      `update protection_decisions set at = at - make_interval(days => $2) where account_id = $1`,
      [alice.account_id, days],
    );
  const clean = async () => {
    const [retention] = retentionJobs(service.app);
    await retention?.run({ signal: new AbortController().signal } as never);
    return (await decisions(alice)).count;
  };
  await age(29);
  expect(await clean()).toBe(1);
  await age(2);
  expect(await clean()).toBe(0);
});
