import type { LookupKind } from '@sixdigit/contract/operator/lookup-kinds.ts';
import { checkLookup, testLookup } from '@sixdigit/contract/operator/lookups.ts';
import { getOperatorProtection, updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import { checkDestination, listDecisions } from '@sixdigit/contract/protection/protection.ts';
import { getVerification } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { ANSWERS } from '../../test/fakes/lookup.ts';
import { lookupStage, RULES } from '../../test/lookup-stage.ts';
import { sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseAccount } from '../deletion/delete-account.ts';
import { eraseRecipient, formsOf, stepsOf } from '../deletion/deletion.ts';
import { lookupFindings } from '../operations/commands/doctor/look-up.ts';
import type { RecipientForms } from '../platform/db/erasure.ts';
import { recipientHash } from '../protection/protection.ts';
import { loadLookup } from './lookups.ts';

/** What the rules decide by a look-up. */
const { service, olivia, company, alice, bob, phone, configure, protect, says, hoursAgo, asked } =
  lookupStage();

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

test.each([
  ['right credentials', 200, { level: 'ok', says: /accepts the credentials/ }],
  ['wrong credentials', 401, { level: 'problem', says: /refuses the credentials/ }],
  ['a failing company', 503, { level: 'warning', says: /HTTP 503/ }],
] as const)(
  'the doctor and the console check the look-up without looking a number up: %s',
  async (_what, status, { level, says: words }) => {
    company.answer = () => ({ status, body: {} });
    const before = company.requests.length;
    const checked = await olivia.call(checkLookup, { body: {} });
    const found = await lookupFindings(service.app.db, service.app);
    for (const one of [checked.body, ...found])
      expect(one).toMatchObject({ level, says: expect.stringMatching(words) });
    expect(company.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(2).fill('GET /v2/PhoneNumbers/%2B14155552671'),
    );
  },
);

test('the doctor reports a paused look-up, and of a company without a free request whether it responds', async () => {
  await configure({ kind: 'prelude', api_key: 'a key of the company' });
  company.answer = () => ({ status: 503, body: {} });
  for (let n = 0; n < 5; n += 1) await alice.sent(phone());
  await service.app.activity.flush();
  company.answer = () => ({ status: 405, body: {} });
  expect(await lookupFindings(service.app.db, service.app)).toMatchObject([
    {
      level: 'warning',
      says: expect.stringContaining(
        'paused, because it failed repeatedly. The company responded with HTTP 503.',
      ),
    },
    { level: 'ok', says: expect.stringContaining('Test it with a number to check the credentials.') },
  ]);
  await configure({ is_enabled: false });
  expect(await lookupFindings(service.app.db, service.app)).toEqual([]);
  await configure();
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
