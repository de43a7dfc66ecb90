import { adjustCredits } from '@sixdigit/contract/operator/accounts.ts';
import type { LookupKind } from '@sixdigit/contract/operator/lookup-kinds.ts';
import { setLookup, testLookup } from '@sixdigit/contract/operator/lookups.ts';
import { getOperatorProtection, updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import { importKnownRecipients } from '@sixdigit/contract/protection/known.ts';
import {
  checkDestination,
  listDecisions,
  updateProtection,
} from '@sixdigit/contract/protection/protection.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { ANSWERS, startLookup } from '../../test/fakes/lookup.ts';
import { fixture } from '../../test/fixture.ts';
import { testOperator } from '../../test/operator.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseAccount } from '../deletion/delete-account.ts';
import { eraseRecipient, formsOf, stepsOf } from '../deletion/deletion.ts';
import type { RecipientForms } from '../platform/db/erasure.ts';
import { recipientHash } from '../protection/protection.ts';
import { loadLookup } from './lookups.ts';

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const company = fixture(async () => {
  const fake = await startLookup();
  return Object.assign(fake, { [Symbol.asyncDispose]: () => fake.close() });
});
let alice: Sender;
let bob: Sender;
let count = 0;
const phone = (prefix = '+1415555') => `${prefix}${4000 + ++count}`;

type Setup = Given<typeof setLookup, 'body'>;
let version = 0;

async function configure(more: Partial<Setup> = {}): Promise<void> {
  const body: Setup = {
    kind: 'twilio',
    is_enabled: true,
    cache_hours: 24,
    timeout_ms: 1_000,
    daily_limit: 1_000,
    account_daily_limit: 1_000,
    account_sid: 'AC123',
    auth_token: 'a secret of the company',
    api_url: company.url,
    version,
    reason: 'Set up',
    ...more,
  };
  const { status, body: reply } = await olivia.call(setLookup, { body });
  expect({ status, reply }).toMatchObject({ status: 200 });
  version = reply.lookup?.version ?? 0;
  await other.app.live.refresh();
}

async function protect(who: Sender, body: Given<typeof updateProtection, 'body'>): Promise<void> {
  const bearer = await signedIn(service, who);
  const { status, body: reply } = await service.call(updateProtection, { bearer, body });
  expect({ status, reply }).toMatchObject({ status: 200 });
  await other.app.protection.exchange();
}

const RULES = {
  rules: {
    line_type: { mode: 'enforce', refused: ['non_fixed_voip'] },
    sim_swap: { mode: 'enforce', hours: 24, purposes: ['payment'] },
  },
  lookups: { from_credits: 1, purposes: [], closed_purposes: ['payment'], messengers: false },
} as const satisfies Given<typeof updateProtection, 'body'>;

const says = (line: string, sim: string | null = null) => {
  company.answer = () => ({ status: 200, body: ANSWERS.twilio(line, sim) });
};
const hoursAgo = (hours: number): string =>
  new Date(service.app.clock.now().getTime() - hours * 3_600_000).toISOString();
const asked = (number: string): number =>
  company.requests.filter(({ path }) => path.includes(encodeURIComponent(number))).length;

const grant = (who: Sender) =>
  olivia.call(adjustCredits, {
    params: { id: who.account_id },
    body: { credits: 100, reason: 'A new customer' },
  });

beforeAll(async () => {
  alice = await sender(service, 'Alice', { credits: 1_000 });
  bob = await sender(service, 'Bob', { credits: 1_000 });
  for (const who of [alice, bob]) expect((await grant(who)).status).toBe(200);
  await configure();
  await protect(alice, RULES as never);
  await protect(bob, RULES as never);
});
afterEach(() => {
  company.answer = undefined;
});

test('a refused line type gets no message, and the decision and the verification show what was found', async () => {
  says('nonFixedVoip');
  const number = phone();
  const refused = await alice.send(number);
  expect(refused).toMatchObject({
    status: 400,
    body: {
      reason: 'destination_blocked',
      blocked_by: ['line_type'],
      error: 'Sending to this type of line is blocked',
    },
  });
  says('mobile');
  const fine = phone();
  const id = await alice.sent(fine);
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(getVerification, { bearer, params: { id } });
  expect(body.lookup).toEqual({ line_type: 'mobile', carrier: 'T-Mobile USA' });
  await service.app.protection.exchange();
  const { body: decisions } = await service.call(listDecisions, { bearer, query: { rule: 'line_type' } });
  expect(decisions.results[0]).toMatchObject({
    outcome: 'blocked',
    findings: [{ rule: 'line_type', explanation: 'Refused line type: non-fixed VoIP.' }],
  });
});

test('a recent SIM change refuses SMS for the purpose of the rule, and no email, WhatsApp or other purpose', async () => {
  says('mobile', hoursAgo(5));
  const number = phone();
  expect((await alice.send(number, { purpose: 'payment' })).body).toMatchObject({
    blocked_by: ['sim_swap'],
    error: 'Sending to this number is blocked, because its SIM card changed recently',
  });
  const whatsapp = await alice.send(number, { channel: 'whatsapp', purpose: 'payment' });
  expect(whatsapp.status).toBe(201);
  expect((await alice.send(number, { purpose: 'login' })).status).toBe(201);
  expect((await alice.send('alice@example.com', { purpose: 'payment' })).status).toBe(201);
  await protect(alice, { lookups: { messengers: true } });
  expect((await alice.send(number, { channel: 'whatsapp', purpose: 'payment' })).body).toMatchObject({
    blocked_by: ['sim_swap'],
  });
  await protect(alice, { lookups: { messengers: false } });
  says('mobile', hoursAgo(25));
  expect((await alice.send(phone(), { purpose: 'payment' })).status).toBe(201);
});

test('only sends that cost enough or name a purpose look a number up', async () => {
  says('mobile');
  await protect(alice, { lookups: { from_credits: 50, purposes: ['login'] } });
  const cheap = phone();
  expect((await alice.send(cheap)).status).toBe(201);
  expect(asked(cheap)).toBe(0);
  expect((await alice.send(cheap, { purpose: 'login' })).status).toBe(201);
  expect(asked(cheap)).toBe(1);
  says('mobile', hoursAgo(100));
  const closed = phone();
  expect((await alice.send(closed, { purpose: 'payment' })).status).toBe(201);
  expect(asked(closed)).toBe(1);
  await protect(alice, { lookups: { from_credits: 1, purposes: [] } });
});

test('a company that looks back fewer hours than the rule gives no answer unless it finds a change', async () => {
  const pays = () => alice.send(phone(), { purpose: 'payment' });
  await protect(alice, { rules: { line_type: { mode: 'off' } } });
  const check = { kind: 'camara_check', api_key: 'a key of the company' } as const;
  company.answer = () => ({ status: 200, body: { swapped: false } });
  await configure({ ...check, max_age: '23' });
  expect((await pays()).body).toMatchObject({
    blocked_by: ['sim_swap'],
    error: 'Sending to this number is blocked, because it could not be looked up',
  });
  await configure({ ...check, max_age: '24' });
  expect((await pays()).status).toBe(201);
  await protect(alice, { rules: { line_type: { mode: 'enforce' } } });
  await configure();
});

test('a look-up that cannot be opened refuses the sends that need an answer', async () => {
  await service.app.db.run(`update lookup_setups set sealed = '\\x00'`);
  service.app.lookups.use(await loadLookup(service.app));
  expect((await alice.send(phone())).status).toBe(201);
  expect((await alice.send(phone(), { purpose: 'payment' })).body).toMatchObject({
    error: 'Sending to this number is blocked, because it could not be looked up',
  });
  await configure();
});

test('a look-up that runs out of time ends only for the send that began it', async () => {
  says('nonFixedVoip');
  const { answer } = company;
  company.answer = (request) => (company.requests.length > before ? answer?.(request) : 'hang') as never;
  await configure({ timeout_ms: 500 });
  const number = phone();
  const before = company.requests.length + 1;
  const first = alice.send(number);
  await expect.poll(() => asked(number)).toBe(1);
  await configure({ timeout_ms: 5_000 });
  const second = alice.send(number);
  expect([(await first).status, (await second).status]).toEqual([201, 400]);
  expect(asked(number)).toBe(2);
  await configure();
});

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
  await service.clock.advance(24 * 3_600_000 + 1_000);
  await service.drain({ keepHouse: true });
  expect(await service.app.db.rows('select from lookup_answers')).toEqual([]);
  await alice.sent(number);
  expect(asked(number)).toBe(3);
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

test('an account that cannot pay for the send looks nothing up', async () => {
  const poor = await sender(service, 'Charlie', { credits: 0 });
  await protect(poor, RULES as never);
  const number = phone();
  expect((await poor.send(number, { purpose: 'payment' })).body).toMatchObject({
    reason: 'insufficient_credits',
  });
  expect(asked(number)).toBe(0);
});

test('the rules over all accounts refuse a line type, whatever the account has set', async () => {
  says('premium');
  const { body: read } = await olivia.call(getOperatorProtection);
  const set = (mode: 'enforce' | 'off') =>
    olivia.call(updateOperatorProtection, {
      body: { rules: { line_type: { mode, refused: ['premium'] } }, reason: 'Fraud' },
    });
  expect(read.rules.line_type.mode).toBe('off');
  expect((await set('enforce')).status).toBe(200);
  const carol = await sender(service, 'Carol', { credits: 100 });
  const number = phone();
  await protect(carol, { allow: [{ kind: 'number', value: number }] });
  expect((await carol.send(number)).body).toMatchObject({ blocked_by: ['line_type'] });
  expect((await set('off')).status).toBe(200);
});

test('erasing a recipient erases what was found for all accounts, and deleting an account its answers and counts', async () => {
  says('mobile');
  const dave = await sender(service, 'Dave', { credits: 100 });
  await protect(dave, RULES as never);
  const number = phone();
  const id = await dave.sent(number);
  const stored = (to = number) =>
    service.app.db.rows('select from lookup_answers where hash = $1', [recipientHash(service.app, to)]);
  const found = () =>
    service.app.db.one<{ lookup: unknown }>('select lookup from verifications where id = $1', [id]);
  const counted = () =>
    service.app.db.rows('select from lookup_counts where account_id = $1', [dave.account_id]);
  expect([(await stored()).length, (await found()).lookup, (await counted()).length]).toEqual([
    1,
    { line_type: 'mobile', carrier: 'T-Mobile USA' },
    1,
  ]);
  await bob.sent(number);
  await eraseRecipient(service.app, number);
  expect([(await stored()).length, (await found()).lookup]).toEqual([0, null]);
  const another = phone();
  const steps = stepsOf(service.app.clock.now(), 30);
  const forms = formsOf(service.app, another) as RecipientForms;
  await steps[0]?.(service.app.db, forms);
  await dave.sent(another);
  await steps.at(-1)?.(service.app.db, forms);
  expect(await stored(another)).toEqual([]);
  await dave.sent(another);
  const answers = () =>
    service.app.db.rows('select from lookup_answers where account_id = $1', [dave.account_id]);
  expect(await answers()).toHaveLength(1);
  await service.app.db.transaction((tx) =>
    eraseAccount(tx, service.app, { account_id: dave.account_id, actor: 'operator' }),
  );
  expect([await counted(), await answers()]).toEqual([[], []]);
});

test('a check of a destination shows the kept answer and looks nothing up', async () => {
  const number = phone();
  const check = async () =>
    (
      await service.call(checkDestination, {
        apiKey: alice.key(),
        body: { channel: 'sms', recipient: number, purpose: 'payment' },
      })
    ).body;
  expect(await check()).toMatchObject({ decision: 'allowed', lookup: null });
  expect(asked(number)).toBe(0);
  const sim = hoursAgo(2);
  says('mobile', sim);
  await alice.send(number, { purpose: 'payment' });
  expect(await check()).toMatchObject({
    decision: 'blocked',
    blocked_by: ['sim_swap'],
    lookup: { line_type: 'mobile', sim: { changed_at: sim } },
    refusal: { error: 'Sending to this number is blocked, because its SIM card changed recently' },
  });
});

test('a rule in mode monitor refuses nothing, and neither does any rule after the look-up was turned off', async () => {
  await configure();
  says('nonFixedVoip');
  await protect(alice, { rules: { line_type: { mode: 'monitor' } } });
  expect((await alice.send(phone())).status).toBe(201);
  await protect(alice, { rules: { line_type: { mode: 'enforce' } } });
  await configure({ is_enabled: false });
  const number = phone();
  expect((await alice.send(number, { purpose: 'payment' })).status).toBe(201);
  expect(asked(number)).toBe(0);
  await configure();
});

test.each([
  ['twilio', 'mobile', {}],
  ['prelude', 'mobile', { api_key: 'a key of the company' }],
  ['camara', null, { api_key: 'a key of the company' }],
  ['camara_check', null, { api_key: 'a key of the company', max_age: '48' }],
  [
    'custom',
    'mobile',
    {
      api_key: 'a key of the company',
      record: JSON.stringify({
        send: {
          url: '{api_url}/numbers',
          method: 'POST',
          auth: { type: 'bearer', token: '{api_key}' },
          body: { number: '{to}' },
        },
        found: { line_type: 'kind', line_types: { cell: 'mobile' } },
      }),
    },
  ],
] as const)(
  'an operator tests the look-up of the kind %s with a number',
  async (kind: LookupKind, line_type, fields) => {
    await configure({ kind, ...fields });
    const body = kind === 'custom' ? { kind: 'cell' } : ANSWERS[kind]('mobile', hoursAgo(1));
    company.answer = () => ({ status: 200, body });
    const reply = await olivia.call(testLookup, { body: { recipient: '+14155550100' } });
    expect(reply.body).toMatchObject({ outcome: 'answered', facts: { line_type } });
    const { path, text, headers } = company.requests.at(-1) as (typeof company.requests)[number];
    expect(`${path} ${text}`).toMatch(/%2B14155550100|\+14155550100/);
    expect(headers.authorization).toMatch(/^(Basic|Bearer) /);
    if (kind === 'camara_check')
      expect(JSON.parse(text)).toEqual({ phoneNumber: '+14155550100', maxAge: 48 });
    await service.clock.advance(3_600_000);
    await configure();
  },
);
