import { listApiKeys, rotateApiKey, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import {
  type Connection,
  listConnections,
  SYSTEMS,
  type SystemName,
} from '@sixdigit/contract/connection-list.ts';
import {
  createConnection,
  deleteConnection,
  type NewConnection,
  rotateConnection,
  testConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listTestMessages } from '@sixdigit/contract/test-mode.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseAccount } from '../deletion/deletion.ts';
import * as queries from './queries.ts';

let count = 0;
const phone = () => `+1415555${String(7000 + ++count)}`;

const service = fixture(() => serviceWithCarriers(['http']));
const other = fixture(() => anotherProcess(service));

const person = async (name: string): Promise<Sender & { bearer: string }> => {
  const made = await sender(service, `${name}${++count}`, { keys: 1 });
  return { ...made, bearer: await signedIn(service, made) };
};
const connected = async (
  { bearer }: { bearer: string },
  system: SystemName = 'authentik',
  more: object = {},
): Promise<NewConnection> => {
  const made = await service.call(createConnection, { bearer, body: { system, name: 'Sign-in', ...more } });
  expect([made.status, made.body]).toMatchObject([201, { system }]);
  return made.body;
};
const ask = (
  { id, secret }: Pick<NewConnection, 'id' | 'secret'>,
  to: string,
  code = '424242',
  { on = service, from = '198.51.100.9' }: { on?: Pick<typeof service, 'inject'>; from?: string } = {},
) =>
  on.inject({
    method: 'POST',
    url: `/api/v1/in/${id}/sms`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    payload: { From: 'authentik', To: to, Body: code },
    remoteAddress: from,
  });

test('a new connection has addresses, a secret that is shown once, and settings to paste', async () => {
  const alice = await person('Alice');
  for (const system of SYSTEMS) {
    const made = await connected(alice, system);
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
  const refused = async (body: object) =>
    (
      await service.call(createConnection, {
        bearer: alice.bearer,
        body: { system: 'logto', name: 'x', ...body },
      })
    ).body;
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
  const made = await connected(alice);
  const changed = await service.call(updateConnection, {
    bearer: alice.bearer,
    params: { id: made.id },
    body: { secret: 'short' },
  });
  expect(changed.body).toMatchObject({
    secret: [
      'Secret must have 16 to 200 visible characters. Separate two keys, of at least 16 each, with a comma.',
    ],
  });
  const hours = await service.call(rotateConnection, {
    bearer: alice.bearer,
    params: { id: made.id },
    body: { valid_hours: 200 },
  });
  expect(hours.body).toMatchObject({ valid_hours: ['Enter a whole number of hours from 0 to 168.'] });
});

test('an account can have 50 connections', async () => {
  const alice = await person('Alice');
  const made = await connected(alice);
  await service.app.db.run(
    `insert into api_keys (id, account_id, name, prefix, hash, kind, created_at)
     select gen_random_uuid(), $1, 'x', '', sha256(n::text::bytea || $2), 'connection', clock_now() from generate_series(1, 49) n`,
    [alice.account_id, Buffer.from(alice.account_id)],
  );
  const body = { system: 'logto', name: 'x' } as const;
  const refused = await service.call(createConnection, { bearer: alice.bearer, body });
  expect(refused).toMatchObject({ status: 400, body: { reason: 'connection_limit_reached' } });
  await service.call(deleteConnection, { bearer: alice.bearer, params: { id: made.id } });
  expect((await service.call(createConnection, { bearer: alice.bearer, body })).status).toBe(201);
});

test('a code without a text gets the text of its connection: its message, or else one in its language', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'authentik', { language: 'de' });
  expect(made.language).toBe('de');
  const textNow = async (): Promise<string | undefined> => {
    const to = phone();
    expect((await ask(made, to)).statusCode).toBe(200);
    await service.drain();
    return service.http.messages.find(({ recipient }) => recipient === to)?.text;
  };
  const change = (body: object) =>
    service.call(updateConnection, { bearer: alice.bearer, params: { id: made.id }, body });
  expect(await textNow()).toBe('Ihr Bestätigungscode lautet: 424242');
  await change({ message: '{code}, bitte' });
  expect(await textNow()).toBe('424242, bitte');
  const { body } = await change({ message: null, language: null });
  expect(body).toMatchObject({ message: null, language: null });
  expect(await textNow()).toBe('Your verification code is: 424242');
});

test('a request that names a language gets a text in it if its connection has a language', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'logto', { language: 'fr' });
  const sent = async (locale: string | undefined, kind = 'sms') => {
    const to = kind === 'sms' ? phone() : `person${++count}@customer.example`;
    const answer = await service.inject({
      method: 'POST',
      url: `/api/v1/in/${made.id}/${kind}`,
      headers: { 'content-type': 'application/json', authorization: made.secret },
      payload: { to, type: 'SignIn', payload: { code: '424242', locale } },
    });
    expect(answer.statusCode).toBe(200);
    const rows = 'select message, subject from verifications where recipient = $1';
    return service.app.db.one<{ message: string | null; subject: string | null }>(rows, [to]);
  };
  expect(await sent('pt-BR')).toEqual({ message: 'O seu código de verificação é: {code}', subject: null });
  // In the language of the connection, if there are no texts in that of the request.
  for (const locale of ['is', undefined])
    expect((await sent(locale)).message).toBe('Votre code de vérification est : {code}');
  expect(await sent('nn', 'email')).toEqual({
    message: 'Bekreftelseskoden din er: {code}',
    subject: 'Bekreftelseskoden din',
  });
  const change = (body: object) =>
    service.call(updateConnection, { bearer: alice.bearer, params: { id: made.id }, body });
  // The owner's message is in the language of the connection, and so is the subject.
  await change({ message: 'Acme : {code}' });
  const subject = 'Votre code de vérification';
  expect(await sent('pt-BR', 'email')).toEqual({ message: 'Acme : {code}', subject });
  await change({ message: null, language: null });
  expect(await sent('pt-BR')).toEqual({ message: null, subject: null });
});

test('lists and logs carry the name of the connection', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'authentik', { name: 'Staff sign-in' });
  const to = phone();
  expect((await ask(made, to)).statusCode).toBe(200);
  expect((await ask(made, '+1415555')).statusCode).toBe(400);
  await service.clock.advance(1_000);
  const bearer = await signedIn(service, alice);
  const { body } = await service.call(listVerifications, { bearer, query: { api_key: made.api_key_id } });
  expect(body.results).toMatchObject([
    { recipient: to, own_code: true, api_key: { id: made.api_key_id, name: 'Staff sign-in' } },
  ]);
  const found = await service.call(listVerifications, { bearer, query: { search: 'staff' } });
  expect(found.body.count).toBe(1);
  const logs = await service.call(listRequestLogs, { bearer, query: { search: 'staff' } });
  expect(logs.body.results.map(({ response_status_code }) => response_status_code).sort()).toEqual([
    201, 400,
  ]);
  for (const { endpoint } of logs.body.results) expect(endpoint).toBe(`/api/v1/in/${made.id}/sms`);
});

test('parallel sends of a connection and of a key each keep their own address and daily limit', async () => {
  const alice = await person('Alice');
  const made = await connected(alice);
  const keys = await service.call(listApiKeys, { bearer: alice.bearer });
  const id = keys.body.results.find((key) => key.id !== made.api_key_id)?.id ?? '';
  const body = { daily_credit_limit: 50 };
  const limited = await service.call(updateApiKey, { bearer: alice.bearer, params: { id }, body });
  expect(limited.status).toBe(200);
  const sends = Array.from({ length: 12 }, (_, n) => ({ to: phone(), connects: n % 3 === 1 }));
  await Promise.all(
    sends.map(({ to, connects }) =>
      connects
        ? ask(made, to)
        : service.call(sendOtp, { apiKey: alice.key(), body: { channel: 'sms', recipient: to } }),
    ),
  );
  const logged = await service.app.db.rows<{ recipient: string; endpoint: string | null }>(
    'select recipient, endpoint from request_logs where account_id = $1',
    [alice.account_id],
  );
  expect(new Map(logged.map(({ recipient, endpoint }) => [recipient, endpoint]))).toEqual(
    new Map(sends.map(({ to, connects }) => [to, connects ? `/api/v1/in/${made.id}/sms` : null])),
  );
  const after = await service.call(listApiKeys, { bearer: alice.bearer });
  expect(after.body.results.find((key) => key.id === id)).toMatchObject({ spent_today: 8 });
});

test('networks, expiry, daily limit, rate limit and suspension hold as for keys', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'authentik', {
    allowed_networks: ['203.0.113.0/24'],
    daily_credit_limit: 2,
  });
  const ok = { from: '203.0.113.5' };
  expect((await ask(made, phone())).statusCode).toBe(401);
  expect((await ask(made, phone(), '111111', ok)).statusCode).toBe(200);
  expect((await ask(made, phone(), '111111', ok)).statusCode).toBe(200);
  expect((await ask(made, phone(), '111111', ok)).statusCode).toBe(402);
  const change = (body: object) =>
    service.call(updateConnection, { bearer: alice.bearer, params: { id: made.id }, body });
  const changed = await change({ daily_credit_limit: null, allowed_networks: [], name: 'Renamed' });
  expect(changed.body).toMatchObject({ name: 'Renamed', daily_credit_limit: null, allowed_networks: [] });
  const flood = await Promise.all(Array.from({ length: 60 }, () => ask(made, phone())));
  expect(flood.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThan(0);
  await service.app.db.run('update accounts set suspended_at = clock_now() where id = $1', [
    alice.account_id,
  ]);
  await service.clock.advance(2_000);
  expect((await ask(made, phone())).statusCode).toBe(400);
  await service.app.db.run('update accounts set suspended_at = null where id = $1', [alice.account_id]);
  await service.app.db.run('update api_keys set expires_at = clock_now() where id = $1', [made.api_key_id]);
  await service.clock.advance(2_000);
  expect((await ask(made, phone())).statusCode).toBe(401);
});

test('of parallel retries on two processes, one message leaves, for one credit', async () => {
  const alice = await person('Alice');
  const made = await connected(alice);
  const to = phone();
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => ask(made, to, '515151', { on: n % 2 === 0 ? service : other })),
  );
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  await service.drain();
  expect(service.http.messages.filter(({ recipient }) => recipient === to)).toHaveLength(1);
  expect(await alice.balance()).toBe(99);
});

test('a deleted connection stops at once, also with its account, and its name stays in the history', async () => {
  const alice = await person('Alice');
  const made = await connected(alice);
  const to = phone();
  await ask(made, to);
  expect(
    (await service.call(deleteConnection, { bearer: alice.bearer, params: { id: made.id } })).status,
  ).toBe(204);
  expect((await ask(made, phone())).statusCode).toBe(404);
  const { body } = await service.call(listVerifications, { bearer: alice.bearer, query: {} });
  expect(body.results[0]?.api_key.name).toBe('Sign-in');

  const bob = await person('Bob');
  const his = await connected(bob);
  await service.app.db.transaction((tx) =>
    eraseAccount(tx, service.app, { account_id: bob.account_id, actor: 'operator' }),
  );
  expect((await ask(his, phone())).statusCode).toBe(404);
  expect(
    await service.app.db.rows('select id from connections where account_id = $1', [bob.account_id]),
  ).toEqual([]);
});

test('secrets are stored sealed, and changes are in the audit log without them', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'webhook');
  const { bearer } = alice;
  const params = { id: made.id };
  const { body: rotated } = await service.call(rotateConnection, { bearer, params, body: {} });
  expect(rotated.previous_secret_until).not.toBeNull();
  await service.call(updateConnection, { bearer, params, body: { name: 'Other' } });
  await service.call(deleteConnection, { bearer, params });
  const { body } = await service.call(listAuditEntries, { bearer, query: { group: 'connection' } });
  expect(body.results.map(({ action }) => action)).toEqual([
    'connection.delete',
    'connection.change',
    'connection.rotate',
    'connection.create',
  ]);
  for (const secret of [made.secret, rotated.secret]) expect(JSON.stringify(body)).not.toContain(secret);
  const again = await connected(alice, 'webhook');
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
    const made = await connected(alice, system);
    for (const { kind } of made.endpoints) {
      const recipient = kind === 'email' ? `played${++count}@example.com` : phone();
      const { status, body } = await service.call(testConnection, {
        bearer: alice.bearer,
        params: { id: made.id },
        body: { kind, recipient },
      });
      expect(status).toBe(200);
      expect([body.response.status, body.response.body]).toEqual([
        system === 'twilio-messages' ? 201 : 200,
        body.response.body,
      ]);
      const headers = body.request.headers.map(({ value }) => value.replace(/^basic +/i, ''));
      const readable = headers.map((value) => Buffer.from(value, 'base64').toString('latin1'));
      expect(JSON.stringify([body.request, readable])).not.toContain(made.secret);
      await service.drain();
      const [message] = service.http.messages.filter((one) => one.recipient === recipient);
      expect(message?.id).toBe(body.otp_id);
      expect(message?.text).toBe(body.message);
    }
  },
);

test('the test of a connection has usual recipients, obeys networks, and says why it failed', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'authentik', { mode: 'test', allowed_networks: ['203.0.113.0/24'] });
  const params = { id: made.id };
  const played = await service.call(testConnection, { bearer: alice.bearer, params, body: {} });
  expect(played.body).toMatchObject({ response: { status: 200 }, message: expect.stringMatching(/\d{6}/) });
  await service.drain();
  const inbox = await service.call(listTestMessages, { bearer: alice.bearer, query: {} });
  expect(inbox.body.results).toMatchObject([{ recipient: '+15005550001', text: played.body.message }]);
  expect(await alice.balance()).toBe(100);

  const live = await connected(alice, 'authentik');
  const refused = await service.call(testConnection, {
    bearer: alice.bearer,
    params: { id: live.id },
    body: { recipient: '12' },
  });
  expect(refused.body).toMatchObject({
    response: { status: 400 },
    otp_id: null,
    message: null,
    reason: 'invalid_fields',
    error: null,
  });
  const limited = await connected(alice, 'supabase', { daily_credit_limit: 1 });
  const hidden = [];
  for (const recipient of [phone(), phone()])
    hidden.push(
      await service.call(testConnection, {
        bearer: alice.bearer,
        params: { id: limited.id },
        body: { recipient },
      }),
    );
  // Supabase Auth accepts refusals only with 200, and the person who signs in learns no reason.
  expect(hidden.map(({ body }) => body)).toMatchObject([
    { reason: null, error: null },
    { response: { status: 200 }, reason: 'spend_limit_reached', error: 'Spend limit reached', message: null },
  ]);
  const kind = await service.call(testConnection, {
    bearer: alice.bearer,
    params: { id: live.id },
    body: { kind: 'email' },
  });
  expect(kind.body).toMatchObject({ kind: ['Choose one of the endpoints of the connection.'] });
});

test('the text and the validity of a connection apply to its messages', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'logto', { message: 'Acme: {code}', code_expires_in: 600 });
  const to = phone();
  const answer = await service.inject({
    method: 'POST',
    url: `/api/v1/in/${made.id}/sms`,
    headers: { authorization: made.secret },
    payload: { to, type: 'SignIn', payload: { code: '777888' } },
  });
  expect(answer.statusCode).toBe(200);
  await service.drain();
  expect(service.http.messages.filter(({ recipient }) => recipient === to)).toMatchObject([
    { text: 'Acme: 777888' },
  ]);
  const [row] = await service.app.db.rows<{ seconds: number }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds from verifications where recipient = $1',
    [to],
  );
  expect(row?.seconds).toBe(600);
});

test('without a recent proof of identity, a live connection is neither created, widened, rotated nor tested', async () => {
  const alice = await person('Alice');
  const made = await connected(alice, 'zitadel', {
    daily_credit_limit: 5,
    allowed_networks: ['203.0.113.0/24'],
  });
  const test = await connected(alice, 'zitadel', { mode: 'test' });
  await service.app.db.run(
    `update sessions set proven_at = clock_now() - interval '1 hour' where account_id = $1`,
    [alice.account_id],
  );
  const { bearer } = alice;
  const params = { id: made.id };
  const change = (body: object) => service.call(updateConnection, { bearer, params, body });
  const refused = [
    await service.call(createConnection, { bearer, body: { system: 'logto', name: 'x' } }),
    await change({ daily_credit_limit: 6 }),
    await change({ allowed_networks: [] }),
    await change({ secret: 'a-secret-of-zitadel-0' }),
    await service.call(rotateConnection, { bearer, params, body: {} }),
    await service.call(testConnection, { bearer, params, body: { recipient: phone() } }),
  ];
  expect(refused.map(({ body }) => body.reason)).toEqual(refused.map(() => 'step_up_required'));
  expect((await change({ name: 'Renamed' })).status).toBe(200);
  expect(await change({ daily_credit_limit: 4 })).toMatchObject({ body: { reason: 'step_up_required' } });
  expect((await service.call(testConnection, { bearer, params: { id: test.id }, body: {} })).status).toBe(
    200,
  );
});

test('each statement finds, changes and deletes only the account’s own connection', async () => {
  const [alice, bob] = [await person('Alice'), await person('Bob')];
  const made = await connected(alice);
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
