import { createApiKey, deleteApiKey, updateKeyRules } from '@sixdigit/contract/api-keys.ts';
import { NO_LIMITS, updateAccountLimits } from '@sixdigit/contract/operator/limits.ts';
import { getOverview } from '@sixdigit/contract/operator/overview.ts';
import { TEST_CODE } from '@sixdigit/contract/test-mode.ts';
import { sendTestCode, sendVerificationAgain, verifyTestCode } from '@sixdigit/contract/test-send.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { memberOf } from '../../../test/members.ts';
import { testOperator } from '../../../test/operator.ts';
import { anotherSession, person } from '../../../test/person.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

const keys: Record<string, string> = {};
const service = fixture(testService);
const alice = fixture(() => person(service, 'Alice'));
beforeAll(async () => {
  const bodies = {
    live: { name: 'Live' },
    test: { name: 'Test', mode: 'test' },
    reading: { name: 'Reading', mode: 'test', scopes: ['otp:read'] },
  };
  for (const [name, body] of Object.entries(bodies)) {
    const made = await service.call(createApiKey, { bearer: alice.access, body });
    expect(made.status).toBe(201);
    keys[name] = made.body.id;
  }
});

const send = (api_key: string | undefined, recipient: string, bearer = alice.access) =>
  service.call(sendTestCode, { bearer, body: { api_key: api_key ?? '', channel: 'email', recipient } });
const credits = async (): Promise<number> =>
  (await service.app.db.one<{ credits: number }>('select sum(credits) as credits from ledger')).credits;

test('the dashboard sends free test codes with a test key, and the code verifies', async () => {
  const before = await credits();
  const sent = await send(keys.test, 'ann@example.com');
  expect(sent).toMatchObject({ status: 201, body: { status: 'pending', test: true, cost_credits: 0 } });
  expect(await credits()).toBe(before);
  const { otp_id } = sent.body;
  const code = TEST_CODE.slice(0, 6);
  const wrong = await service.call(verifyTestCode, {
    bearer: alice.access,
    body: { api_key: keys.test ?? '', otp_id, code: '000000' },
  });
  expect(wrong).toMatchObject({ status: 400, body: { reason: 'invalid_code' } });
  const right = await service.call(verifyTestCode, {
    bearer: alice.access,
    body: { api_key: keys.test ?? '', otp_id, code },
  });
  expect(right).toMatchObject({ status: 200, body: { status: 'verified', otp_id } });
});

test('the dashboard sends with a live key at the usual price, only after a proof of identity', async () => {
  const before = await credits();
  const sent = await send(keys.live, 'ben@example.com');
  expect(sent).toMatchObject({ status: 201, body: { recipient: 'ben@example.com' } });
  expect(await credits()).toBe(before - 1);
  const later = await anotherSession(service, alice);
  await service.app.db.run('update sessions set proven_at = null');
  expect(await send(keys.live, 'cid@example.com', later.access)).toMatchObject({
    status: 400,
    body: { reason: 'step_up_required' },
  });
  expect((await send(keys.test, 'cid@example.com', later.access)).status).toBe(201);
});

test('a developer sends and verifies nothing with a live key if the account restricts live keys to admins', async () => {
  const [account] = await service.app.db.rows<{ account_id: string }>(
    'select id as account_id from accounts where email = $1',
    [alice.email],
  );
  const { account_id } = account ?? { account_id: '' };
  const [dan, ada] = [
    await memberOf(service, { account_id }, 'Dan', 'developer'),
    await memberOf(service, { account_id }, 'Ada', 'admin'),
  ];
  const sendAs = (who: typeof dan, api_key: string | undefined) =>
    who.call(sendTestCode, {
      body: { api_key: api_key ?? '', channel: 'email', recipient: 'dev@example.com' },
    });
  expect((await sendAs(dan, keys.live)).status).toBe(201);
  const restrict = (live_keys_need_admin: boolean) =>
    ada.call(updateKeyRules, { body: { live_keys_need_admin } });
  expect((await restrict(true)).status).toBe(200);
  const verified = await dan.call(verifyTestCode, {
    body: { api_key: keys.live ?? '', otp_id: service.app.random.uuid(), code: '123456' },
  });
  const tooLow = { body: { reason: 'role_too_low', needs: 'admin' } };
  expect(await sendAs(dan, keys.live)).toMatchObject(tooLow);
  expect(verified).toMatchObject(tooLow);
  expect((await sendAs(dan, keys.test)).status).toBe(201);
  expect((await sendAs(ada, keys.live)).status).toBe(201);
  await restrict(false);
});

test('the dashboard of a suspended account sends nothing with any key', async () => {
  const carla = await person(service, 'Carla');
  const bearer = carla.access;
  const { id } = (await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } })).body;
  await service.app.db.run(`update accounts set suspended_at = clock_now() where email = $1`, [carla.email]);
  expect((await send(id, 'eve@example.com', bearer)).body).toMatchObject({ reason: 'account_suspended' });
});

test('the dashboard cannot send with a key that lacks the scope, is deleted or belongs to another account', async () => {
  expect(await send(keys.reading, 'dan@example.com')).toMatchObject({
    status: 401,
    body: { reason: 'missing_scope' },
  });
  const bob = await person(service, 'Bob');
  for (const id of [keys.test, 'none', '', service.app.random.uuid()])
    expect((await send(id, 'dan@example.com', bob.access)).status).toBe(id === '' ? 400 : 404);
});

test("an operator's limit of requests per second also applies to sends from the dashboard", async () => {
  const olivia = await testOperator(service);
  const bob = await service.customer('Bob');
  const limits = { ...NO_LIMITS, requests_per_second: 1, reason: 'Floods us' };
  expect(
    (await olivia.call(updateAccountLimits, { params: { id: bob.account_id }, body: limits })).status,
  ).toBe(200);
  const bearer = await signedIn(service, bob);
  const call = { bearer, body: { api_key: bob.api_key_id, otp_id: bob.api_key_id, code: '000000' } };
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.call(verifyTestCode, call)));
  expect(answers.map(({ status }) => status)).toContain(429);
});

test("the operators' overview counts each send and each verified code once, also those of the dashboard", async () => {
  const olivia = await testOperator(service);
  const frida = await sender(service, 'Frida');
  const bearer = await signedIn(service, frida);
  const lastHour = async () => {
    await service.app.activity.flush();
    return (await olivia.call(getOverview)).body.last_hour;
  };
  const before = await lastHour();
  const ofApi = await frida.sent('finn@example.com');
  const sent = await send(frida.api_key_id, 'gus@example.com', bearer);
  expect(sent).toMatchObject({ status: 201 });
  await service.drain();
  for (let n = 0; n < 2; n++) await frida.verify(ofApi, await frida.code('finn@example.com'));
  for (const code of ['000000', await frida.code('gus@example.com')])
    await service.call(verifyTestCode, {
      bearer,
      body: { api_key: frida.api_key_id, otp_id: sent.body.otp_id, code },
    });
  expect((await frida.send('no number')).status).toBe(400);
  expect(await lastHour()).toEqual({
    ...before,
    sends: before.sends + 2,
    refused_sends: before.refused_sends + 1,
    verified: before.verified + 2,
    wrong_codes: before.wrong_codes + 1,
  });
});

describe('sending a verification again', () => {
  /** Dora has a live key and a test key. */
  const doras: Record<'live' | 'test', string> = { live: '', test: '' };
  const dora = fixture(() => person(service, 'Dora'));
  beforeAll(async () => {
    for (const mode of ['live', 'test'] as const) {
      const made = await service.call(createApiKey, { bearer: dora.access, body: { name: mode, mode } });
      doras[mode] = made.body.id;
    }
  });

  const again = (id: string, bearer = dora.access, idempotencyKey?: string) =>
    service.call(sendVerificationAgain, {
      bearer,
      params: { id },
      ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
    });

  test('the dashboard sends a verification again to the same recipient at the same price, and one code verifies both', async () => {
    const first = await send(doras.live, 'fay@example.com', dora.access);
    const before = await credits();
    const second = await again(first.body.otp_id);
    expect(second).toMatchObject({ status: 201, body: { recipient: 'fay@example.com', channel: 'email' } });
    expect(second.body.otp_id).not.toBe(first.body.otp_id);
    expect(await credits()).toBe(before - 1);
    await service.drain();
    const codes = (await service.inbox('fay@example.com')).map(({ code }) => code);
    expect(codes).toHaveLength(2);
    expect(new Set(codes).size).toBe(1);
  });

  test('sending a verification again twice with one idempotency key sends once', async () => {
    const { otp_id } = (await send(doras.live, 'gil@example.com', dora.access)).body;
    const [one, two] = [await again(otp_id, undefined, 'again'), await again(otp_id, undefined, 'again')];
    expect(two.body).toEqual(one.body);
    await service.drain();
    expect(await service.inbox('gil@example.com')).toHaveLength(2);
  });

  test("another account's verification and one whose key is deleted are not sent again", async () => {
    const made = await service.call(createApiKey, {
      bearer: dora.access,
      body: { name: 'Short-lived', mode: 'test' },
    });
    const { otp_id } = (await send(made.body.id, 'ida@example.com', dora.access)).body;
    const bob = await person(service, 'Bob');
    expect((await again(otp_id, bob.access)).status).toBe(404);
    await service.call(deleteApiKey, { bearer: dora.access, params: { id: made.body.id } });
    expect((await again(otp_id)).body).toMatchObject({ reason: 'api_key_unusable' });
  });

  test('sending a live verification again needs a proof of identity, and a test verification none', async () => {
    const live = (await send(doras.live, 'hal@example.com', dora.access)).body.otp_id;
    const tested = (await send(doras.test, 'hal@example.com', dora.access)).body.otp_id;
    const later = await anotherSession(service, dora);
    await service.app.db.run('update sessions set proven_at = null');
    expect((await again(live, later.access)).body).toMatchObject({ reason: 'step_up_required' });
    expect((await again(tested, later.access)).status).toBe(201);
  });
});
