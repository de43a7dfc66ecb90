import { cancelOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { exportVerifications, getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { eraseRecipient } from '../deletion/deletion.ts';

/** What a code is for, how long it is and how many attempts it allows. */
const service = fixture(() => testService({ env: { RECIPIENT_SENDS_PER_10_MIN: '30' } }));
const alice = fixture(() => sender(service, 'Alice', { keys: 8, scopes: ['otp:own_code'] }));
const session = fixture(async () => ({ bearer: await signedIn(service, alice) }));

const send = (recipient: string, fields: object) =>
  service.call(sendOtp, { apiKey: alice.key(), body: { channel: 'email', recipient, ...fields } });
const verify = (body: object) =>
  service.call(verifyOtp, { apiKey: alice.key(), body: body as { code: string } });

test('codes of different purposes are never the same and never verify each other', async () => {
  const recipient = 'ann@example.com';
  const purposes = ['login', 'login', 'pay', undefined];
  const sent: { id: string; code: string }[] = [];
  for (const purpose of purposes) {
    const id = await alice.sent(recipient, { purpose });
    await service.drain();
    sent.push({ id, code: await alice.code(recipient) });
  }
  const [first, again, pay, plain] = sent as [Sent, Sent, Sent, Sent];
  expect(again.code).toBe(first.code);
  expect(new Set([first.code, pay.code, plain.code]).size).toBe(3);
  for (const [one, other] of [
    [first, pay],
    [pay, plain],
    [plain, first],
  ] as const)
    expect((await verify({ otp_id: one.id, code: other.code })).body).toMatchObject({
      reason: 'invalid_code',
    });
  expect((await verify({ recipient, code: first.code })).body).toMatchObject({ reason: 'invalid_code' });
  expect((await verify({ recipient, purpose: 'login', code: first.code })).body).toMatchObject({
    otp_id: again.id,
  });
  expect((await verify({ otp_id: first.id, code: first.code })).body).toMatchObject({ reason: 'otp_closed' });
  expect((await verify({ recipient, purpose: 'pay', code: pay.code })).body).toMatchObject({
    otp_id: pay.id,
  });
  expect((await verify({ recipient, purpose: 'other', code: plain.code })).status).toBe(404);
  expect((await verify({ recipient, code: plain.code })).body).toMatchObject({ otp_id: plain.id });
});
type Sent = { id: string; code: string };

test('a fresh code that would repeat the digits of another purpose still verifies only its own', async () => {
  const recipient = 'bea@example.com';
  const login = await alice.sent(recipient, { purpose: 'login', code_length: 7 });
  await service.drain();
  const code = await alice.code(recipient);
  const pay = await alice.sent(recipient, { purpose: 'pay' });
  expect((await verify({ otp_id: pay, code })).body).toHaveProperty('code');
  expect((await verify({ otp_id: login, code })).status).toBe(200);
});

test('the limits of a recipient count the sends and the wrong codes of all purposes', async () => {
  const few = await testService({ env: { RECIPIENT_SENDS_PER_10_MIN: '3' } });
  await using _ = few;
  const bob = await sender(few, 'Bob', { keys: 4 });
  const recipient = 'cat@example.com';
  const ask = (purpose: string) =>
    few.call(sendOtp, { apiKey: bob.key(), body: { channel: 'email', recipient, purpose } });
  const replies = [await ask('a'), await ask('b'), await ask('c'), await ask('d')];
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
  await few.drain();
  await few.app.db.run(
    `update recipients set wrong_tries = (
       select array_agg(floor(extract(epoch from clock_now()) * 1000)::bigint) from generate_series(1, 24))
     where recipient = $1`,
    [recipient],
  );
  const code = wrongCode(await bob.code(recipient));
  const tried = (otp_id: string) => few.call(verifyOtp, { apiKey: bob.key(), body: { otp_id, code } });
  expect((await tried(replies[0]?.body.otp_id ?? '')).body).toMatchObject({ attempts_remaining: 0 });
  expect((await tried(replies[1]?.body.otp_id ?? '')).body).toMatchObject({ reason: 'max_attempts_reached' });
});

test('parallel sends and verifies of several purposes count every attempt once', async () => {
  const recipient = 'dan@example.com';
  const ids = await Promise.all(['a', 'b', 'c'].map((purpose) => alice.sent(recipient, { purpose })));
  await service.drain();
  const code = '0000000';
  expect((await verify({ otp_id: ids[0], code })).body).toHaveProperty('code');
  const tried = await Promise.all(
    ids.flatMap((otp_id) => Array.from({ length: 8 }, () => verify({ otp_id, code: '000000' }))),
  );
  const compared = tried.filter(({ body }) => 'attempts_remaining' in body);
  expect(compared).toHaveLength(15);
});

test('canceling one purpose leaves the codes of the others open', async () => {
  const recipient = 'eve@example.com';
  const [login, pay] = [
    await alice.sent(recipient, { purpose: 'login' }),
    await alice.sent(recipient, { purpose: 'pay' }),
  ];
  await service.drain();
  const code = await alice.code(recipient);
  await service.call(cancelOtp, { apiKey: alice.key(), params: { otp_id: login } });
  expect((await verify({ recipient, purpose: 'login', code })).status).toBe(404);
  expect((await verify({ otp_id: pay, code })).status).toBe(200);
});

test('an own code of one purpose is not the repetition of another', async () => {
  const own = (purpose: string) =>
    service.call(sendOtp, {
      apiKey: alice.keys[0] ?? '',
      body: { channel: 'email', recipient: 'flo@example.com', code: 'ABCD12', purpose },
    });
  const [login, again, pay] = [await own('login'), await own('login'), await own('pay')];
  expect(again.body).toEqual(login.body);
  expect(pay.body.otp_id).not.toBe(login.body.otp_id);
});

test('the purpose of a send is in its status, detail, export, search and webhooks until its erasure', async () => {
  const { bearer } = session;
  await service.call(createWebhook, { bearer, body: { name: 'Hook', url: 'http://127.0.0.1:9/hook' } });
  const recipient = 'gus@example.com';
  const id = await alice.sent(recipient, { purpose: 'sign-up', code_length: 8, max_attempts: 10 });
  await service.drain();
  expect((await alice.state(id)).purpose).toBe('sign-up');
  const detail = () => service.call(getVerification, { bearer, params: { id } });
  expect((await detail()).body).toMatchObject({ purpose: 'sign-up', code_length: 8, max_attempts: 10 });
  const found = await service.call(listVerifications, { bearer, query: { search: 'purpose=sign-up' } });
  expect(found.body.results.map((one) => one.id)).toEqual([id]);
  expect((await service.call(exportVerifications, { bearer })).body.text).toContain(',"sign-up",');
  const published = () =>
    service.app.db.rows(
      `select body::json #> '{data,purpose}' as purpose from webhook_messages where otp_id = $1 and type = 'otp.sent'`,
      [id],
    );
  expect(await published()).toEqual([{ purpose: 'sign-up' }]);
  await eraseRecipient(service.app, recipient);
  expect((await detail()).body.purpose).toBeNull();
  expect(await published()).toEqual([{ purpose: null }]);
  const left = await service.app.db.rows('select from recipients where recipient like $1', [`%${recipient}`]);
  expect(left).toEqual([]);
});

test.each([
  ['code_length', { code_length: 5 }],
  ['code_length', { code_length: 11 }],
  ['code_length', { code_length: '8' }],
  ['code_length', { code: '123456', code_length: 6 }],
  ['max_attempts', { max_attempts: 6 }],
  ['max_attempts', { max_attempts: 0 }],
  ['max_attempts', { max_attempts: 11, code_length: 10 }],
  ['max_attempts', { code: '123456', max_attempts: 3 }],
  ['purpose', { purpose: '' }],
  ['purpose', { purpose: 'Login' }],
  ['purpose', { purpose: 'a:b' }],
  ['purpose', { purpose: 'a'.repeat(33) }],
])('%s is refused in %j', async (field, fields) => {
  const { status, body } = await send('hal@example.com', fields);
  expect([status, Object.keys(body)]).toEqual([400, [field]]);
});

test('a purpose is not for a verify by otp_id', async () => {
  const { body } = await verify({ otp_id: 'x', purpose: 'login', code: '123456' });
  expect(body).toEqual({ purpose: [expect.any(String)] });
});

test.each([
  [{ code_length: 10, max_attempts: 10 }, 10, 10],
  [{ code_length: 7 }, 7, 5],
  [{ max_attempts: 2 }, 6, 2],
])('%j sends a code of %i digits that allows %i attempts', async (fields, digits, attempts) => {
  const recipient = `ida${digits}@example.com`;
  const { body } = await send(recipient, fields);
  await service.drain();
  const code = await alice.code(recipient);
  expect(code).toHaveLength(digits);
  expect(body.code_length).toBe('code_length' in fields ? digits : undefined);
  const wrong = await verify({ otp_id: body.otp_id, code: wrongCode(code) });
  expect(wrong.body).toMatchObject({ attempts_remaining: attempts - 1 });
});

test('a send that shares a shorter code allows no more attempts than that code', async () => {
  const recipient = 'kim@example.com';
  await send(recipient, { expires_in: 60 });
  const long = await send(recipient, { code_length: 10, max_attempts: 10 });
  expect(long.body.code_length).toBe(6);
  await service.drain();
  const code = wrongCode(await alice.code(recipient));
  await service.clock.advance(61_000);
  await service.drain();
  const wrong = await verify({ otp_id: long.body.otp_id, code });
  expect(wrong.body).toMatchObject({ attempts_remaining: 4 });
});

test('open sends share the smallest number of attempts, and the code keeps its length', async () => {
  const recipient = 'joe@example.com';
  const first = await send(recipient, { code_length: 8, max_attempts: 10 });
  const second = await send(recipient, { code_length: 9, max_attempts: 2 });
  expect(second.body.code_length).toBe(8);
  await service.drain();
  const code = wrongCode(await alice.code(recipient));
  const wrong = await verify({ otp_id: first.body.otp_id, code });
  expect(wrong.body).toMatchObject({ attempts_remaining: 1 });
});
