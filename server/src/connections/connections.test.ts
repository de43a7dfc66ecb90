import { listApiKeys, rotateApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { type Connection, listConnections, SYSTEMS } from '@sixdigit/contract/connection-list.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { expect, test } from 'vitest';
import { connectedPeople } from '../../test/connected-person.ts';
import * as queries from './queries.ts';

const { service, phone, person, textsTo } = connectedPeople();

test('a new connection has addresses, a secret that is shown once, and settings to paste', async () => {
  const alice = await person('Alice');
  for (const system of SYSTEMS) {
    const made = await alice.connected(system);
    expect(made.endpoints.length).toBeGreaterThan(0);
    for (const { url } of made.endpoints) expect(url).toContain(`http://sixdigit.test/api/v1/in/${made.id}`);
    const pasted = made.settings.map(({ value }) => value).join(' ');
    // Zitadel makes its keys itself.
    if (system !== 'zitadel') expect(pasted).toContain(made.secret);
    for (const { url } of made.endpoints) expect(pasted).toContain(url);
  }
  const { body } = await service.call(listConnections, { bearer: alice.bearer });
  expect(body.count).toBe(SYSTEMS.length);
  expect(body.results.map(({ system }) => system)).toEqual([...SYSTEMS].toReversed());
  expect(JSON.stringify(body)).not.toContain('whsec_');
  // The key of a connection is not a key that its owner can see, rotate or use.
  expect((await service.call(listApiKeys, { bearer: alice.bearer })).body.count).toBe(1);
  const [first] = body.results as [Connection];
  const rotated = await service.call(rotateApiKey, {
    bearer: alice.bearer,
    params: { id: first.api_key_id },
    body: { valid_days: 1 },
  });
  expect(rotated.status).toBe(404);
});

test('invalid fields of a connection get sentences', async () => {
  const alice = await person('Alice');
  const refused = async (body: object) => (await alice.create(body)).body;
  expect(await refused({ system: 'auth9' })).toMatchObject({
    system: [expect.stringContaining('System must be one of')],
  });
  expect(await refused({ name: '' })).toMatchObject({ name: ['Please enter a name'] });
  expect(await refused({ message: 'no placeholder' })).toMatchObject({
    message: [expect.stringContaining('{code}')],
  });
  expect(await refused({ language: 'xx' })).toMatchObject({
    language: [expect.stringContaining('Language must be one of: en, ')],
  });
  expect(await refused({ code_pattern: 'PIN' })).toMatchObject({
    code_pattern: ['Code pattern must contain {code} once'],
  });
  expect(await refused({ code_expires_in: 5 })).toMatchObject({ code_expires_in: [expect.any(String)] });
  expect(await refused({ expires_at: '2020-01-01T00:00:00Z' })).toMatchObject({
    expires_at: ['The expiry must be in the future.'],
  });
  const made = await alice.connected();
  const changed = await alice.change(made, { secret: 'short' });
  expect(changed.body).toMatchObject({
    secret: [
      'Secret must have 16 to 200 visible characters. Separate two keys, of at least 16 each, with a comma.',
    ],
  });
  const hours = await alice.rotate(made, { valid_hours: 200 });
  expect(hours.body).toMatchObject({ valid_hours: ['Enter a whole number of hours from 0 to 168.'] });
});

test('an account can have 50 connections', async () => {
  const alice = await person('Alice');
  const made = await alice.connected();
  await service.app.db.run(
    `insert into api_keys (id, account_id, name, prefix, hash, kind, created_at)
     select gen_random_uuid(), $1, 'x', '', sha256(n::text::bytea || $2), 'connection', clock_now() from generate_series(1, 49) n`,
    [alice.account_id, Buffer.from(alice.account_id)],
  );
  const another = { bearer: alice.bearer, body: { system: 'logto', name: 'x' } } as const;
  const refused = await service.call(createConnection, another);
  expect(refused).toMatchObject({ status: 400, body: { reason: 'connection_limit_reached' } });
  await alice.remove(made);
  expect((await service.call(createConnection, another)).status).toBe(201);
});

test('secrets are stored sealed, and changes are in the audit log without them', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('webhook');
  const { body: rotated } = await alice.rotate(made);
  expect(rotated.previous_secret_until).not.toBeNull();
  await alice.change(made, { name: 'Other' });
  await alice.remove(made);
  const { body } = await service.call(listAuditEntries, {
    bearer: alice.bearer,
    query: { group: 'connection' },
  });
  expect(body.results.map(({ action }) => action)).toEqual([
    'connection.delete',
    'connection.change',
    'connection.rotate',
    'connection.create',
  ]);
  for (const secret of [made.secret, rotated.secret]) expect(JSON.stringify(body)).not.toContain(secret);
  const again = await alice.connected('webhook');
  const [{ secret }] = (await service.app.db.rows<{ secret: Buffer }>(
    'select secret from connections where id = $1',
    [again.id],
  )) as [{ secret: Buffer }];
  expect(secret.toString('latin1')).not.toContain(again.secret.slice(6));
  expect(service.logLines.join('\n')).not.toContain(again.secret);
});

test.each(SYSTEMS)(
  'the test of a %s connection plays its request, and shows our response and the message',
  async (system) => {
    const alice = await person('Alice');
    const made = await alice.connected(system);
    for (const { kind } of made.endpoints) {
      const recipient = kind === 'email' ? `played${phone().slice(1)}@example.com` : phone();
      const { status, body } = await alice.play(made, { kind, recipient });
      expect(status).toBe(200);
      expect([body.response.status, body.response.body]).toEqual([
        system === 'twilio-messages' ? 201 : 200,
        body.response.body,
      ]);
      const headers = body.request.headers.map(({ value }) => value.replace(/^basic +/i, ''));
      const readable = headers.map((value) => Buffer.from(value, 'base64').toString('latin1'));
      expect(JSON.stringify([body.request, readable])).not.toContain(made.secret);
      const [message] = await textsTo(recipient);
      expect(message?.id).toBe(body.otp_id);
      expect(message?.text).toBe(body.message);
    }
  },
);

test('the test of a connection has usual recipients, obeys networks, and says why it failed', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('authentik', { mode: 'test', allowed_networks: ['203.0.113.0/24'] });
  const played = await alice.play(made);
  expect(played.body).toMatchObject({ response: { status: 200 }, message: expect.stringMatching(/\d{6}/) });
  await service.drain();
  const inbox = await service.call(listTestMessages, { bearer: alice.bearer, query: {} });
  expect(inbox.body.results).toMatchObject([{ recipient: '+15005550001', text: played.body.message }]);
  expect(await alice.balance()).toBe(100);

  const live = await alice.connected('authentik');
  const refused = await alice.play(live, { recipient: '12' });
  expect(refused.body).toMatchObject({
    response: { status: 400 },
    otp_id: null,
    message: null,
    reason: 'invalid_fields',
    error: null,
  });
  const limited = await alice.connected('supabase', { daily_credit_limit: 1 });
  const hidden = [];
  for (const recipient of [phone(), phone()]) hidden.push(await alice.play(limited, { recipient }));
  // Supabase Auth accepts refusals only with 200, and the person who signs in learns no reason.
  expect(hidden.map(({ body }) => body)).toMatchObject([
    { reason: null, error: null },
    { response: { status: 200 }, reason: 'spend_limit_reached', error: 'Spend limit reached', message: null },
  ]);
  const kind = await alice.play(live, { kind: 'email' });
  expect(kind.body).toMatchObject({ kind: ['Choose one of the endpoints of the connection.'] });
});

test('without a recent proof of identity, a live connection is neither created, widened, rotated nor tested', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('zitadel', {
    daily_credit_limit: 5,
    allowed_networks: ['203.0.113.0/24'],
  });
  const test = await alice.connected('zitadel', { mode: 'test' });
  await service.app.db.run(
    `update sessions set proven_at = clock_now() - interval '1 hour' where account_id = $1`,
    [alice.account_id],
  );
  const refused = [
    await alice.create({}),
    await alice.change(made, { daily_credit_limit: 6 }),
    await alice.change(made, { allowed_networks: [] }),
    await alice.change(made, { secret: 'a-secret-of-zitadel-0' }),
    await alice.rotate(made),
    await alice.play(made, { recipient: phone() }),
  ];
  expect(refused.map(({ body }) => body.reason)).toEqual(refused.map(() => 'step_up_required'));
  expect((await alice.change(made, { name: 'Renamed' })).status).toBe(200);
  expect(await alice.change(made, { daily_credit_limit: 4 })).toMatchObject({
    body: { reason: 'step_up_required' },
  });
  expect((await alice.play(test)).status).toBe(200);
});

test('a wrong signature and a refusal of a connection each keep their last time', async () => {
  const alice = await person('Alice');
  const { id } = await alice.connected();
  const { db } = service.app;
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  for (const [minute, wrong_signatures, last_error] of [
    [1, 2, 'code_missing'],
    [2, 0, 'invalid_fields'],
    [3, 1, null],
  ] as const)
    await queries.addProblems(db, [{ id, wrong_signatures, last_error }], at(minute));
  expect(await queries.findConnection(db, { account_id: alice.account_id, id })).toMatchObject({
    ...{ wrong_signatures: 3, wrong_signature_at: at(3).toISOString() },
    ...{ last_error: 'invalid_fields', last_error_at: at(2).toISOString() },
  });
  await queries.addProblems(db, [{ id, wrong_signatures: 0, last_error: 'own_code' }], at(4));
  expect(await queries.findConnection(db, { account_id: alice.account_id, id })).toMatchObject({
    ...{ wrong_signature_at: at(3).toISOString(), last_error_at: at(4).toISOString() },
  });
});

test('each statement finds, changes and deletes only the account’s own connection', async () => {
  const [alice, bob] = [await person('Alice'), await person('Bob')];
  const made = await alice.connected();
  const foreign = { account_id: bob.account_id, id: made.id };
  const secret = Buffer.from('x');
  const row = () => service.app.db.rows('select * from connections where id = $1', [made.id]);
  const before = await row();
  await service.app.db.transaction(async (tx) => {
    expect(await queries.findConnection(tx, foreign)).toBeUndefined();
    expect(await queries.updateConnectionTexts(tx, foreign, { message: '{code}' })).toBe(0);
    expect(await queries.replaceConnectionSecret(tx, foreign, { secret, hours: 1 })).toBe(0);
    expect(await queries.deleteConnectionRow(tx, foreign)).toBe(0);
  });
  expect(await row()).toEqual(before);
});
