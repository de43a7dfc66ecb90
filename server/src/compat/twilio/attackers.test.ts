import { expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { fixture } from '../../../test/fixture.ts';
import { refusalOf, twilioClient } from '../../../test/twilio-client.ts';
import { twilioProblem } from '../../../test/twilio-shapes.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';
import { sidOf } from './sids.ts';

const stage = fixture(twilioStage);
const bob = fixture(() => stage.customer('Bob', { keys: 20 }));
const asBob = () => twilioClient(stage.address, { account_id: bob.account_id, api_key: bob.key() }).verify.v2;

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

async function ask(
  path: string,
  options: { method?: 'GET' | 'POST'; headers?: object; payload?: string } = {},
) {
  const { method = 'GET', headers = {}, payload } = options;
  const answer = await stage.service.inject({
    method,
    url: `/compat/twilio${path}`,
    headers: {
      authorization: basic(sidOf('AC', stage.alice.account_id), stage.alice.key()),
      ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const body = answer.body === '' ? undefined : answer.json();
  expect(twilioProblem({ method, path }, { status: answer.statusCode, body })).toBeUndefined();
  expect(answer.headers['cache-control']).toBe('no-store');
  return { status: answer.statusCode, body, headers: answer.headers };
}

test('the user must be the SID of the account or the key, and the password an API key', async () => {
  const account = sidOf('AC', stage.alice.account_id);
  for (const authorization of [
    '',
    'Basic',
    'Basic !',
    `Bearer ${stage.alice.api_key}`,
    basic(account, 'sd_live_x'),
    basic(account, `${bob.api_key.slice(0, -1)}0`),
    Buffer.from(stage.alice.api_key).toString('base64'),
  ])
    expect(await ask('/v2/Services', { headers: { authorization } })).toMatchObject({
      status: 401,
      body: { code: 20003, message: expect.any(String) },
    });
  expect(
    await ask('/v2/Services', { headers: { authorization: basic(account, bob.api_key) } }),
  ).toMatchObject({
    status: 401,
    body: { code: 20003, details: { reason: 'wrong_account_sid', account_sid: sidOf('AC', bob.account_id) } },
  });
});

test('nothing of another account can be read, changed or removed', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const verification = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  const { sid: limit } = await stage.at(sid).rateLimits.create({ uniqueName: 'ip' });
  const { sid: bucket } = await stage.at(sid).rateLimits(limit).buckets.create({ max: 1, interval: 60 });
  await stage.client().verify.v2.safelist.create({ phoneNumber: to });
  const [attempt] = await stage.client().verify.v2.verificationAttempts.list({ verifyServiceSid: sid });
  const { sid: own } = await asBob().services.create({ friendlyName: 'Bob' });
  const { sid: ownLimit } = await asBob().services(own).rateLimits.create({ uniqueName: 'ip' });

  const calls = [
    asBob().services(sid).fetch(),
    asBob().services(sid).update({ friendlyName: 'Mine' }),
    asBob().services(sid).remove(),
    asBob().services(sid).verifications.create({ to, channel: 'sms' }),
    asBob().services(sid).verifications(verification.sid).fetch(),
    asBob().services(own).verifications(verification.sid).fetch(),
    asBob().services(own).verifications(to).update({ status: 'canceled' }),
    asBob().services(own).verificationChecks.create({ verificationSid: verification.sid, code }),
    asBob().services(own).verificationChecks.create({ to, code }),
    asBob().services(sid).rateLimits.list(),
    asBob().services(own).rateLimits(limit).fetch(),
    asBob().services(own).rateLimits(limit).remove(),
    asBob().services(own).rateLimits(ownLimit).buckets(bucket).update({ max: 100 }),
    asBob()
      .verificationAttempts(attempt?.sid ?? '')
      .fetch(),
    asBob().safelist(to).fetch(),
    asBob().safelist(to).remove(),
  ].map(refusalOf);
  for (const refusal of await Promise.all(calls)) expect(refusal).toMatchObject({ status: 404, code: 20404 });
  expect(await asBob().services.list()).toMatchObject([{ sid: own }]);
  expect(await asBob().verificationAttempts.list({ verifyServiceSid: sid })).toEqual([]);
  expect(await asBob().verificationAttemptsSummary().fetch({ verifyServiceSid: sid })).toMatchObject({
    totalAttempts: 0,
  });
  expect(await stage.at(sid).verificationChecks.create({ to, code })).toMatchObject({ status: 'approved' });
});

test('test keys and live keys see their own verifications only', async () => {
  const { id, key } = await stage.service.anotherKey(stage.alice.account_id);
  await stage.service.app.db.run(`update api_keys set mode = 'test' where id = $1`, [id]);
  const { account_id } = stage.alice;
  const test = () => twilioClient(stage.address, { account_id, api_key: key }).verify.v2;
  const sid = await stage.made();
  const to = stage.phone();
  const before = await stage.alice.balance();
  const started = await test().services(sid).verifications.create({ to, channel: 'sms' });
  expect(await refusalOf(stage.at(sid).verifications(started.sid).fetch())).toMatchObject({ code: 20404 });
  expect(await refusalOf(stage.at(sid).verificationChecks.create({ to, code: '123456' }))).toMatchObject({
    code: 20404,
  });
  expect(await test().services(sid).verificationChecks.create({ to, code: '123456' })).toMatchObject({
    status: 'approved',
  });
  expect(await stage.alice.balance()).toBe(before);
});

test('a key does what its scopes allow', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const withScopes = async (scopes: string) => {
    const { id, key } = await stage.service.anotherKey(stage.alice.account_id);
    await stage.service.app.db.run('update api_keys set scopes = $2 where id = $1', [id, scopes]);
    return twilioClient(stage.address, { account_id: stage.alice.account_id, api_key: key }).verify.v2;
  };
  const reader = await withScopes('{otp:read}');
  expect(await reader.services(sid).verifications(to).fetch()).toMatchObject({ status: 'pending' });
  const writer = await withScopes('{otp:send}');
  for (const call of [
    reader.services(sid).verifications.create({ to, channel: 'sms' }),
    reader.services(sid).verificationChecks.create({ to, code: '123456' }),
    reader.services(sid).verifications(to).update({ status: 'canceled' }),
    reader.services.create({ friendlyName: 'Acme' }),
    reader.safelist.create({ phoneNumber: to }),
    writer.services(sid).verifications(to).update({ status: 'approved' }),
    writer.services(sid).fetch(),
  ].map(refusalOf))
    expect(await call).toMatchObject({ status: 403, code: 20003, details: { reason: 'missing_scope' } });
});

test('an account has at most a hundred services, also at once', async () => {
  const dave = await stage.customer('Dave', { keys: 20 });
  const insert = `insert into twilio_services (id, account_id, friendly_name, code_length, settings, created_at, updated_at)
    select gen_random_uuid(), $1, 'Acme', 6, '{}', now(), now() from generate_series(1, 98)`;
  await stage.service.app.db.run(insert, [dave.account_id]);
  const { account_id } = dave;
  const codes = await Promise.all(
    Array.from({ length: 6 }, () =>
      twilioClient(stage.address, { account_id, api_key: dave.key() })
        .verify.v2.services.create({ friendlyName: 'Acme' })
        .then(
          () => 201,
          (error: { code: number }) => error.code,
        ),
    ),
  );
  expect(codes.toSorted()).toEqual([201, 201, 60200, 60200, 60200, 60200]);
});

test('a key over its rate limit gets the code of Twilio with the time to wait', async () => {
  const { account_id, api_key } = await stage.customer('Erin', { keys: 1 });
  const authorization = basic(sidOf('AC', account_id), api_key);
  // So that the burst falls into one second even on a slow machine.
  await stopDatabaseClock(stage.service.databaseUrl, stage.service.app.clock.now());
  const answers = await Promise.all(
    Array.from({ length: 45 }, () => ask('/v2/Services', { headers: { authorization } })),
  );
  await stage.service.clock.advance(0);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(15);
  expect(refused[0]).toMatchObject({ headers: { 'retry-after': '1' }, body: { code: 20429 } });
});

test.each([
  ['GET', '/v2/Services/VA1'],
  ['GET', '/v2/Services/%00'],
  ['GET', '/v2/Nothing'],
  ['POST', `/v2/Services/VA${'0'.repeat(32)}/Entities`],
  ['POST', '/v2/Services/VA%27%20or%201=1/VerificationCheck'],
  ['GET', '/v2/Attempts/VL%2e%2e'],
] as const)('%s %s is not found, in the form of Twilio', async (method, path) => {
  const payload = method === 'POST' ? 'Code=123456&To=%2B14155550100' : undefined;
  const answer = await ask(path, { method, ...(payload === undefined ? {} : { payload }) });
  expect(answer).toMatchObject({ status: 404, body: { code: 20404 } });
});

test.each([
  ['FriendlyName=a&FriendlyName=b', 60200],
  ['FriendlyName=%00', 60200],
  ['FriendlyName=%FF', 60200],
  ['__proto__=x&constructor=y', 60200],
  [`FriendlyName=${'x'.repeat(17_000)}`, 60200],
  ['', 60200],
])('the form %j is refused', async (payload, code) => {
  const { status, body } = await ask('/v2/Services', { method: 'POST', payload });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(body.code).toBe(code);
});

test('an Idempotency-Key sends one message, and counts for its service alone', async () => {
  const [one, other] = [await stage.made(), await stage.made()];
  const to = stage.phone();
  const payload = new URLSearchParams({ To: to, Channel: 'sms' }).toString();
  const headers = { 'idempotency-key': 'start-1' };
  const before = await stage.alice.balance();
  const send = (sid: string) =>
    ask(`/v2/Services/${sid}/Verifications`, { method: 'POST', headers, payload });
  const first = await send(one);
  await stage.service.clock.advance(30_000);
  const second = await send(one);
  expect(second).toMatchObject({ status: 201, body: { sid: first.body.sid } });
  expect(second.body.send_code_attempts).toHaveLength(1);
  expect((await send(other)).body.sid).not.toBe(first.body.sid);
  expect(before - (await stage.alice.balance())).toBe(2);
});

test('a number in a path works with and without its plus sign escaped', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  await stage.at(sid).verifications.create({ to, channel: 'sms' });
  for (const spelling of [to, to.replace('+', '%2B'), to.replace('+', '%20')])
    expect(await ask(`/v2/Services/${sid}/Verifications/${spelling}`)).toMatchObject({
      status: 200,
      body: { to },
    });
});
