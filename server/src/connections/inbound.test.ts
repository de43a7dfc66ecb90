/** The messages that connections send, and the limits on them. */

import { listApiKeys, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { stopDatabaseClock } from '../../test/clock.ts';
import { connectedPeople } from '../../test/connected-person.ts';
import { fixture } from '../../test/fixture.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseAccount } from '../deletion/deletion.ts';

const { service, phone, person, ask, logto, textsTo } = connectedPeople();
const other = fixture(() => anotherProcess(service));

test('a code without a text gets the text of its connection: its message, or else one in its language', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('authentik', { language: 'de' });
  expect(made.language).toBe('de');
  const textNow = async (): Promise<string | undefined> => {
    const to = phone();
    expect((await ask(made, to)).statusCode).toBe(200);
    return (await textsTo(to))[0]?.text;
  };
  expect(await textNow()).toBe('Ihr Bestätigungscode lautet: 424242');
  await alice.change(made, { message: '{code}, bitte' });
  expect(await textNow()).toBe('424242, bitte');
  const { body } = await alice.change(made, { message: null, language: null });
  expect(body).toMatchObject({ message: null, language: null });
  expect(await textNow()).toBe('Your verification code is: 424242');
});

test('a request that names a language gets a text in it if its connection has a language', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('logto', { language: 'fr' });
  // The account's own texts, in the same language, are for its other sends.
  await service.app.db.run(
    `update accounts set default_language = 'fr', default_message = 'Acme {code}', default_subject = 'Acme' where id = $1`,
    [alice.account_id],
  );
  const sent = async (locale: string | undefined, kind = 'sms') => {
    const to = kind === 'sms' ? phone() : `person${phone().slice(1)}@customer.example`;
    expect((await logto(made, to, { code: '424242', locale }, kind)).statusCode).toBe(200);
    const rows = 'select message, subject from verifications where recipient = $1';
    return service.app.db.one<{ message: string | null; subject: string | null }>(rows, [to]);
  };
  expect(await sent('pt-BR')).toEqual({ message: 'Seu código de verificação é: {code}', subject: null });
  // In the language of the connection, if there are no texts in that of the request.
  for (const locale of ['is', undefined])
    expect((await sent(locale)).message).toBe('Votre code de vérification est : {code}');
  expect(await sent('nn', 'email')).toEqual({
    message: 'Bekreftelseskoden din er: {code}',
    subject: 'Bekreftelseskoden din',
  });
  // The owner's message is in the language of the connection, and so is the subject.
  await alice.change(made, { message: 'Acme : {code}' });
  const subject = 'Votre code de vérification';
  expect(await sent('pt-BR', 'email')).toEqual({ message: 'Acme : {code}', subject });
  await alice.change(made, { message: null, language: null });
  expect(await sent('pt-BR')).toEqual({ message: null, subject: null });
});

test('lists and logs carry the name of the connection', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('authentik', { name: 'Staff sign-in' });
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
  const made = await alice.connected();
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
  const made = await alice.connected('authentik', {
    allowed_networks: ['203.0.113.0/24'],
    daily_credit_limit: 2,
  });
  const ok = { from: '203.0.113.5' };
  expect((await ask(made, phone())).statusCode).toBe(401);
  expect((await ask(made, phone(), '111111', ok)).statusCode).toBe(200);
  expect((await ask(made, phone(), '111111', ok)).statusCode).toBe(200);
  expect((await ask(made, phone(), '111111', ok)).statusCode).toBe(402);
  const changed = await alice.change(made, {
    daily_credit_limit: null,
    allowed_networks: [],
    name: 'Renamed',
  });
  expect(changed.body).toMatchObject({ name: 'Renamed', daily_credit_limit: null, allowed_networks: [] });
  // So that the burst falls into one second of its own, even on a slow machine.
  await stopDatabaseClock(service.databaseUrl, new Date(service.app.clock.now().getTime() + 1_000));
  const flood = await Promise.all(Array.from({ length: 60 }, () => ask(made, phone())));
  expect(flood.filter(({ statusCode }) => statusCode === 429)).toHaveLength(30);
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
  const made = await alice.connected();
  const to = phone();
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => ask(made, to, '515151', { on: n % 2 === 0 ? service : other })),
  );
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(await textsTo(to)).toHaveLength(1);
  expect(await alice.balance()).toBe(99);
});

test('a deleted connection stops at once, also with its account, and its name stays in the history', async () => {
  const alice = await person('Alice');
  const made = await alice.connected();
  const to = phone();
  await ask(made, to);
  expect((await alice.remove(made)).status).toBe(204);
  expect((await ask(made, phone())).statusCode).toBe(404);
  const { body } = await service.call(listVerifications, { bearer: alice.bearer, query: {} });
  expect(body.results[0]?.api_key.name).toBe('Sign-in');

  const bob = await person('Bob');
  const his = await bob.connected();
  await service.app.db.transaction((tx) =>
    eraseAccount(tx, service.app, { account_id: bob.account_id, actor: 'operator' }),
  );
  expect((await ask(his, phone())).statusCode).toBe(404);
  expect(
    await service.app.db.rows('select id from connections where account_id = $1', [bob.account_id]),
  ).toEqual([]);
});

test('the text and the validity of a connection apply to its messages', async () => {
  const alice = await person('Alice');
  const made = await alice.connected('logto', { message: 'Acme: {code}', code_expires_in: 600 });
  const to = phone();
  expect((await logto(made, to, { code: '777888' })).statusCode).toBe(200);
  expect(await textsTo(to)).toMatchObject([{ text: 'Acme: 777888' }]);
  const [row] = await service.app.db.rows<{ seconds: number }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds from verifications where recipient = $1',
    [to],
  );
  expect(row?.seconds).toBe(600);
  const texts = { message: 'Acme: {code}', code_expires_in: 600, language: null, code_pattern: null };
  const changes = { language: 'fr', code_pattern: 'PIN {code}', code_expires_in: 900, message: null };
  for (const [name, value] of Object.entries(changes)) {
    Object.assign(texts, { [name]: value });
    expect((await alice.change(made, { [name]: value })).body).toMatchObject(texts);
  }
});
