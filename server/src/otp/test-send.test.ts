import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { NO_LIMITS, updateAccountLimits } from '#contract/operator-limits.ts';
import { TEST_CODE } from '#contract/test-mode.ts';
import { sendTestCode, verifyTestCode } from '#contract/test-send.ts';
import { testOperator } from '../../test/operator.ts';
import { anotherSession, type Person, person } from '../../test/person.ts';
import { type TestService, testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

let service: TestService;
let alice: Person;
const keys: Record<string, string> = {};
beforeAll(async () => {
  service = await testService();
  alice = await person(service, 'Alice');
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
afterAll(() => service[Symbol.asyncDispose]());

const send = (api_key: string | undefined, recipient: string, bearer = alice.access) =>
  service.call(sendTestCode, { bearer, body: { api_key: api_key ?? '', channel: 'email', recipient } });
const credits = async (): Promise<number> =>
  (await service.app.db.one<{ credits: number }>('select sum(credits) as credits from ledger')).credits;

test('a test key sends for nothing, and its code verifies', async () => {
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

test('a live key sends at its price, after a proof of identity only', async () => {
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

test('a suspended account sends nothing, with no key', async () => {
  const carla = await person(service, 'Carla');
  const bearer = carla.access;
  const { id } = (await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } })).body;
  await service.app.db.run(`update accounts set suspended_at = clock_now() where email = $1`, [carla.email]);
  expect((await send(id, 'eve@example.com', bearer)).body).toMatchObject({ reason: 'account_suspended' });
});

test('a key without the scope, a deleted key and another account’s key send nothing', async () => {
  expect(await send(keys.reading, 'dan@example.com')).toMatchObject({
    status: 401,
    body: { reason: 'missing_scope' },
  });
  const bob = await person(service, 'Bob');
  for (const id of [keys.test, 'none', '', service.app.random.uuid()])
    expect((await send(id, 'dan@example.com', bob.access)).status).toBe(id === '' ? 400 : 404);
});

test("an operator's limit of requests per second holds for the keys of an account here too", async () => {
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
