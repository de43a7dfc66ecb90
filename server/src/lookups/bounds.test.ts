import { getLookup } from '@sixdigit/contract/operator/lookups.ts';
import { createChallenge } from '@sixdigit/contract/proof.ts';
import { importKnownRecipients } from '@sixdigit/contract/protection/known.ts';
import type { LookupFacts } from '@sixdigit/contract/protection/lookups.ts';
import { checkDestination, listDecisions } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { ANSWERS } from '../../test/fakes/lookup.ts';
import { holdLock, untilBlocked } from '../../test/held-lock.ts';
import { lookupStage, RULES } from '../../test/lookup-stage.ts';
import { solved } from '../../test/proof.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { beginLookup, findAnswer, keepAnswer } from './queries.ts';

/** What look-ups cost: kept answers, time limits, slots and budgets. */
const {
  service,
  other,
  olivia,
  company,
  alice,
  bob,
  phone,
  configure,
  protect,
  says,
  hoursAgo,
  asked,
  grant,
} = lookupStage();

/** The hashes of a number under two server keys, and budgets for one look-up. */
const ASKED = {
  ...{ hashes: ['\\x0a', '\\x0b'] as const, version: 1, most_age_seconds: undefined },
  ...{ endpoint: '', idempotency_key: undefined, proof_id: undefined, cost: 0 },
  ...{ most: 9, most_unpaid: 9, most_over_all: 9 },
};

const sentElsewhere = (who: Sender, recipient: string) =>
  other.inject({
    method: 'POST',
    url: '/api/v1/otp/send/',
    headers: { 'x-api-key': who.key() },
    payload: { channel: 'sms', recipient },
  });

test('an answer is kept for its hours, for its account in all processes and for no other account', async () => {
  says('mobile');
  const number = phone();
  await alice.sent(number);
  expect((await sentElsewhere(alice, number)).statusCode).toBe(201);
  expect(asked(number)).toBe(1);
  const check = { apiKey: bob.key(), body: { channel: 'sms', recipient: number } } as const;
  expect((await service.call(checkDestination, check)).body.lookup).toBeNull();
  await bob.sent(number);
  expect(asked(number)).toBe(2);
  // No answer of another setup.
  await configure();
  await alice.sent(number);
  expect(asked(number)).toBe(3);
  await service.clock.advance(24 * 3_600_000 + 1_000);
  await service.drain({ keepHouse: true });
  expect(await service.app.db.rows('select from lookup_answers')).toEqual([]);
  await alice.sent(number);
  expect(asked(number)).toBe(4);
});

test('of the answers about one number under two server keys, the newest counts', async () => {
  const { db } = service.app;
  const asked = { ...ASKED, account_id: alice.account_id };
  const newest = { line_type: 'mobile' };
  for (const [n, facts] of [
    [1, {}],
    [0, {}],
    [1, newest],
  ] as const)
    await keepAnswer(db, { ...asked, hash: asked.hashes[n], facts: facts as LookupFacts, hours: 1 });
  expect(await findAnswer(db, asked)).toEqual(newest);
  expect(await beginLookup(db, asked)).toEqual({ outcome: 'cached', facts: newest });
});

test('a SIM change is seen ten minutes after an earlier look-up, whose line type still counts', async () => {
  says('mobile', hoursAgo(100));
  const number = phone();
  await alice.sent(number, { purpose: 'payment' });
  says('mobile', hoursAgo(0));
  expect((await alice.send(number, { purpose: 'payment' })).status).toBe(201);
  await service.clock.advance(600_000);
  await alice.sent(number, { purpose: 'login' });
  expect(asked(number)).toBe(1);
  expect((await alice.send(number, { purpose: 'payment' })).body).toMatchObject({ blocked_by: ['sim_swap'] });
  expect((await alice.send(number, { purpose: 'payment' })).status).toBe(400);
  expect(asked(number)).toBe(2);
});

test('concurrent sends of an account to one number make one look-up', async () => {
  const gate = Promise.withResolvers<void>();
  company.answer = async () => {
    await gate.promise;
    return { status: 200, body: ANSWERS.twilio('nonFixedVoip', null) };
  };
  const number = phone();
  const sends = [alice, bob, alice, bob].map((who) => who.send(number));
  await expect.poll(() => asked(number)).toBe(2);
  gate.resolve();
  for (const { status } of await Promise.all(sends)) expect(status).toBe(400);
  expect(asked(number)).toBe(2);
});

test('an account whose look-ups hang makes no other account wait', async () => {
  await configure({ timeout_ms: 5_000 });
  const gate = Promise.withResolvers<void>();
  const free = phone();
  const before = company.requests.length;
  company.answer = async ({ path }) => {
    if (!path.includes(encodeURIComponent(free))) await gate.promise;
    return { status: 200, body: ANSWERS.twilio('mobile', null) };
  };
  const hanging = Array.from({ length: 20 }, () => alice.send(phone()));
  await expect.poll(() => company.requests.length - before).toBe(8);
  await bob.sent(free);
  expect(company.requests.length - before).toBe(9);
  gate.resolve();
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(201);
  expect(company.requests.length - before).toBe(21);
  await configure();
});

test('a repeated request looks nothing up again, even if the first look-up failed', async () => {
  company.answer = () => ({ status: 500, body: {} });
  const number = phone();
  const headers = { 'idempotency-key': 'one-send-of-alice' };
  expect((await alice.send(number, {}, headers)).status).toBe(201);
  expect((await alice.send(number, {}, headers)).status).toBe(201);
  expect(asked(number)).toBe(1);
  // A key of another account, and one that has expired.
  expect((await bob.send(number, {}, headers)).status).toBe(201);
  expect(asked(number)).toBe(2);
  await service.clock.advance(24 * 3_600_000);
  expect((await alice.send(number, {}, headers)).status).toBe(201);
  expect(asked(number)).toBe(3);
});

test.each([
  ['hangs', 'hang'],
  ['closes the connection', 'reset'],
  ['responds with HTTP 500', { status: 500, body: {} }],
  ['redirects', { status: 302, body: {}, headers: { location: 'http://127.0.0.1:1/' } }],
  ['lies', { status: 200, body: { line_type_intelligence: { type: 5 } } }],
  [
    'sends 10 MB',
    { status: 200, body: { line_type_intelligence: { type: 'mobile' }, x: 'x'.repeat(10_000_000) } },
  ],
] as const)('if the company %s, a send passes unless its purpose needs an answer', async (_what, reply) => {
  await configure({ timeout_ms: 200 });
  company.answer = () => reply as never;
  expect((await alice.send(phone())).status).toBe(201);
  expect((await alice.send(phone(), { purpose: 'payment' })).body).toMatchObject({
    reason: 'destination_blocked',
    blocked_by: ['line_type', 'sim_swap'],
    error: 'Sending to this number is blocked, because it could not be looked up',
  });
  await service.app.protection.exchange();
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(listDecisions, { bearer, query: { outcome: 'passed' } });
  expect(body.results[0]).toMatchObject({ exemption: 'no_lookup', rule: 'line_type' });
  await configure();
});

test('the look-ups of a day are bounded for an account and for all accounts, even in parallel and over processes', async () => {
  says('mobile');
  await service.clock.advance(24 * 3_600_000);
  await configure({ account_daily_limit: 3, daily_limit: 5 });
  const before = company.requests.length;
  const numbers = Array.from({ length: 10 }, phone);
  const sends = await Promise.all(
    numbers.map((number, n) => (n % 2 === 0 ? alice.send(number) : sentElsewhere(alice, number))),
  );
  for (const sent of sends) expect('status' in sent ? sent.status : sent.statusCode).toBe(201);
  expect(company.requests.length - before).toBe(3);
  expect((await alice.send(phone(), { purpose: 'payment' })).body).toMatchObject({
    blocked_by: ['line_type', 'sim_swap'],
  });
  for (let n = 0; n < 4; n++) await bob.sent(phone());
  expect(company.requests.length - before).toBe(5);
  await configure();
});

test('a look-up waits for another that is being counted, and sees that it spent the budget', async () => {
  await service.clock.advance(24 * 3_600_000);
  const everyone = '00000000-0000-0000-0000-000000000000';
  await service.app.db.run(
    `insert into lookup_counts (account_id, day, lookups) values ($1, (clock_now() at time zone 'UTC')::date, 0)`,
    [everyone],
  );
  const locked = 'select from lookup_counts where account_id = $1 for update';
  await using counting = await holdLock(service, locked, [everyone]);
  const asked = { ...ASKED, account_id: alice.account_id, most_over_all: 1 };
  const begun = beginLookup(service.app.db, asked);
  await untilBlocked(service, 'begin_lookup');
  await counting.run('update lookup_counts set lookups = 1 where account_id = $1', [everyone]);
  await counting.commit();
  expect(await begun).toEqual({ outcome: 'budget_spent' });
});

test('an account that has only its welcome credits has 20 look-ups a day', async () => {
  says('mobile');
  const erin = await sender(service, 'Erin', { credits: 1_000 });
  await protect(erin, RULES as never);
  const before = company.requests.length;
  await Promise.all(Array.from({ length: 22 }, () => erin.sent(phone())));
  expect(company.requests.length - before).toBe(20);
  expect((await grant(erin)).status).toBe(200);
  await erin.sent(phone());
  expect(company.requests.length - before).toBe(21);
});

test('a send that another rule refuses is not looked up, unless its account knows the recipient', async () => {
  const frank = await sender(service, 'Frank', { credits: 1_000 });
  says('mobile');
  await protect(frank, { rules: { prefix_velocity: { mode: 'enforce', limit: 5 } } });
  const prefix = '+1212555';
  for (let n = 0; n < 5; n++) await frank.sent(phone(prefix));
  await protect(frank, { rules: { line_type: RULES.rules.line_type } } as never);
  says('nonFixedVoip');
  const number = phone(prefix);
  expect((await frank.send(number)).body).toMatchObject({ blocked_by: ['prefix_velocity'] });
  await protect(frank, { require_proof: 'under_pressure' });
  expect((await frank.send(number)).body).toMatchObject({ reason: 'proof_required' });
  await protect(frank, { require_proof: 'never' });
  expect(asked(number)).toBe(0);
  const bearer = await signedIn(service, frank);
  const known = { bearer, body: { recipients: [{ recipient: number }] } };
  expect((await service.call(importKnownRecipients, known)).status).toBe(200);
  expect((await frank.send(number)).body).toMatchObject({ blocked_by: ['line_type'] });
  expect(asked(number)).toBe(1);
});

test('a send with a used proof looks nothing up', async () => {
  company.answer = () => ({ status: 500, body: {} });
  const number = phone();
  const { body } = await service.call(createChallenge, { apiKey: alice.key(), body: { recipient: number } });
  const proof = solved(body);
  expect((await alice.send(number, { proof })).status).toBe(201);
  expect((await alice.send(number, { proof })).body).toMatchObject({ problem: 'used' });
  expect(asked(number)).toBe(1);
});

test('a company that hangs is paused after five look-ups, for all accounts, until it answers one, and kept answers still count', async () => {
  await configure({ timeout_ms: 500 });
  says('nonFixedVoip');
  const known = phone();
  const refused = { blocked_by: ['line_type'] };
  expect((await alice.send(known)).body).toMatchObject(refused);
  company.answer = () => 'hang' as never;
  const before = company.requests.length;
  for (let n = 0; n < 5; n += 1) await (n % 2 ? alice : bob).sent(phone());
  // A send waits for the limit, and its look-up ends a moment later.
  await expect.poll(() => service.app.lookups.paused()).toBeDefined();
  for (const who of [alice, bob]) await who.sent(phone());
  expect(company.requests.length - before).toBe(5);
  expect((await alice.send(phone(), { purpose: 'payment' })).body).toMatchObject({
    blocked_by: ['line_type', 'sim_swap'],
    error: 'Sending to this number is blocked, because it could not be looked up',
  });
  says('nonFixedVoip');
  expect((await alice.send(known)).body).toMatchObject(refused);
  await service.app.activity.flush();
  const shown = async () => (await olivia.call(getLookup)).body.lookup?.paused;
  expect(await shown()).toBe('The company did not respond in time.');
  await service.clock.advance(10_000);
  // A kept answer asks nobody, so the next send is the probe.
  expect((await alice.send(known)).body).toMatchObject(refused);
  for (const who of [bob, alice]) expect((await who.send(phone())).body).toMatchObject(refused);
  await service.app.activity.flush();
  expect(await shown()).toBeNull();
  await configure();
});

test.each([
  ['does not know the numbers', { status: 404, body: {} }],
  ['says nothing about the numbers', { status: 200, body: {} }],
])('a company that %s is not paused', async (_what, reply) => {
  company.answer = () => reply;
  const before = company.requests.length;
  for (let n = 0; n < 7; n += 1) await alice.sent(phone());
  expect(company.requests.length - before).toBe(7);
});

test('a company that refuses the credentials is paused', async () => {
  company.answer = () => ({ status: 401, body: {} });
  const before = company.requests.length;
  for (let n = 0; n < 7; n += 1) await alice.sent(phone());
  expect(company.requests.length - before).toBe(5);
  await configure();
});

test('an account that cannot pay for the send looks nothing up', async () => {
  const poor = await sender(service, 'Charlie', { credits: 0 });
  await protect(poor, RULES as never);
  for (const balance of ['credits = 0', 'credits = 100, debt = 1']) {
    await service.app.db.run(`update balances set ${balance} where account_id = $1`, [poor.account_id]);
    const number = phone();
    expect((await poor.send(number, { purpose: 'payment' })).body).toMatchObject({
      reason: 'insufficient_credits',
    });
    expect(asked(number)).toBe(0);
  }
});
