import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createLimit, deleteLimit, listLimits, updateLimit } from '@sixdigit/contract/limits.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import { sendTestCode } from '@sixdigit/contract/test-send.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../test/held-lock.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { countSend, giveBack } from './limits.ts';

/** Limits of an account's own, which its sends name. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice', { keys: 12, scopes: ['limits:write'] }));
const bob = fixture(() => sender(service, 'Bob', { keys: 2, scopes: ['limits:write'] }));
const session = fixture(async () => ({ bearer: await signedIn(service, alice) }));

let turn = 0;
const made = async (max_sends: number, period_seconds = 60, who: Sender = alice) => {
  const body = { name: `limit-${turn++}`, max_sends, period_seconds };
  const { status, body: limit } = await service.call(createLimit, { apiKey: who.key(), body });
  expect(status).toBe(201);
  return limit;
};
let recipients = 0;
const send = (limits: Record<string, string>, more: object = {}, headers = {}, who: Sender = alice) =>
  service.call(sendOtp, {
    apiKey: who.key(),
    headers,
    body: { channel: 'email', recipient: `r${recipients++}@example.com`, limits, ...more },
  });
const counts = () => service.app.db.rows('select used from twilio_bucket_counts');

test('a burst of parallel sends of one value cannot exceed the limit, and refused ones cost nothing', async () => {
  const { name } = await made(3);
  const before = await alice.balance();
  const replies = await Promise.all(Array.from({ length: 12 }, () => send({ [name]: '203.0.113.7' })));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(before - (await alice.balance())).toBe(3);
  const refused = replies.find(({ status }) => status === 429);
  expect(refused?.body).toEqual({
    error: expect.any(String),
    reason: 'limit_reached',
    limit: name,
    retry_after: expect.toSatisfy((seconds) => seconds > 0 && seconds <= 60),
    resets_at: expect.stringMatching(/Z$/),
  });
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  expect((await send({ [name]: '203.0.113.8' })).status).toBe(201);
  await service.clock.advance(61_000);
  expect((await send({ [name]: '203.0.113.7' })).status).toBe(201);
});

test('a send that names two limits counts for both or neither, and waits for the one that is reached longest', async () => {
  const [short, long] = [await made(1), await made(2, 3_600)];
  const both = { [short.name]: 'x', [long.name]: 'y' };
  expect((await send(both)).status).toBe(201);
  expect((await send(both)).body).toMatchObject({ reason: 'limit_reached', limit: short.name });
  expect((await send({ [long.name]: 'y' })).status).toBe(201);
  expect((await send(both)).body).toMatchObject({ reason: 'limit_reached', limit: long.name });
});

test('a count that is given back after its period leaves the next period alone', async () => {
  const { name } = await made(5);
  const owner = { account_id: alice.account_id, service_id: null, is_test: false };
  const count = () => countSend(service.app, owner, { [name]: 'x' });
  const first = await count();
  await service.clock.advance(61_000);
  const [second] = (await count()).counted;
  await giveBack(service.app, first);
  const used = 'select used from twilio_bucket_counts where bucket_id = $1';
  expect(await service.app.db.rows(used, [second?.bucket_id])).toEqual([{ used: 1 }]);
});

test('a test code of the dashboard counts for the limits that it names, and takes a template and an expiry', async () => {
  const { name } = await made(1);
  const { bearer } = session;
  const { id: api_key } = (
    await service.call(createApiKey, { bearer, body: { name: 'Dashboard', mode: 'test' } })
  ).body;
  const target = { api_key, channel: 'email', recipient: 'dashboard@example.com' } as const;
  const test = (more: object) => service.call(sendTestCode, { bearer, body: { ...target, ...more } });
  expect((await test({ limits: { [name]: 'x' } })).status).toBe(201);
  expect((await test({ limits: { [name]: 'x' } })).body).toMatchObject({ reason: 'limit_reached' });
  expect((await test({ expires_in: 59 })).body).toHaveProperty('expires_in');
  const unknown = await test({ template: 'unknown', variables: { order: '4711' } });
  expect(unknown.body).toHaveProperty('template');
});

test('a resend counts for the limits that it names', async () => {
  const { name } = await made(2);
  const { body } = await send({ [name]: 'x' });
  const again = () =>
    service.call(resendOtp, {
      apiKey: alice.key(),
      params: { otp_id: body.otp_id },
      body: { limits: { [name]: 'x' } },
    });
  expect((await again()).status).toBe(200);
  expect((await again()).body).toMatchObject({ reason: 'limit_reached', limit: name });
});

test('a send that another rule refuses counts for no limit', async () => {
  const broke = await sender(service, 'Broke', { credits: 0, keys: 2, scopes: ['limits:write'] });
  const { name } = await made(1, 60, broke);
  const before = await counts();
  for (let n = 0; n < 3; n += 1) expect((await send({ [name]: 'x' }, {}, {}, broke)).status).toBe(402);
  expect((await send({ [name]: 'x' }, { expires_in: 1 }, {}, broke)).status).toBe(400);
  expect(await counts()).toEqual(before);
});

test('a repeated request gets its first response although the limit is reached', async () => {
  const { name } = await made(1);
  const headers = { 'idempotency-key': 'again' };
  const body = { recipient: 'again@example.com' };
  const first = await send({ [name]: 'x' }, body, headers);
  const again = await send({ [name]: 'x' }, body, headers);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  expect((await send({ [name]: 'x' })).status).toBe(429);
});

test('a repeated request gets its first response although the limit was deleted, and a new one is refused', async () => {
  const { id, name } = await made(5);
  const headers = { 'idempotency-key': 'deleted' };
  const body = { recipient: 'deleted@example.com' };
  const first = await send({ [name]: 'x' }, body, headers);
  const before = await alice.balance();
  await service.call(deleteLimit, { apiKey: alice.key(), params: { id } });
  expect((await send({ [name]: 'x' }, body, headers)).body).toEqual(first.body);
  expect(await send({ [name]: 'x' }, {}, { 'idempotency-key': 'new' })).toMatchObject({
    status: 400,
    body: { limits: [`There is no limit with the name ${name}.`] },
  });
  expect(await alice.balance()).toBe(before);
});

test('a name that is not one of the account’s limits is refused, also that of another account', async () => {
  const { name } = await made(5, 60, bob);
  for (const limits of [{ nowhere: 'x' }, { [`${name}-of-bob`]: 'x' }]) {
    const { status, body } = await send(limits);
    expect([status, body]).toEqual([400, { limits: [expect.stringContaining('no limit')] }]);
  }
  expect((await send({ [name]: 'x' }, {}, {}, alice)).status).toBe(400);
  for (const limits of [{ 'a b': 'x' }, { a: '' }, { a: 'x'.repeat(129) }, { a: 'x\0' }, ['x'], 'x'])
    expect((await send(limits as never)).body).toHaveProperty('limits');
});

test('values are stored as keyed hashes only', async () => {
  const { name } = await made(5);
  await send({ [name]: '198.51.100.23' });
  const [row] = await service.app.db.rows<{ text: string }>(
    `select string_agg(to_jsonb(t)::text, '') as text from (
       select to_jsonb(c) from twilio_bucket_counts c union all select to_jsonb(v) from verifications v) t`,
  );
  expect(row?.text).not.toContain('198.51.100.23');
});

test('tests do not use up the limits of live sends', async () => {
  const { name } = await made(1, 7 * 86_400);
  const key = await service.call(createApiKey, {
    bearer: session.bearer,
    body: { name: 'Test', mode: 'test', scopes: ['otp:send', 'limits:write'] },
  });
  const test = (apiKey: string) =>
    service.call(sendOtp, {
      apiKey,
      body: { channel: 'email', recipient: 'delivered@sixdigit.test', limits: { [name]: 'x' } },
    });
  expect((await send({ [name]: 'x' })).status).toBe(201);
  expect((await test(key.body.key)).status).toBe(201);
  // Of a free send, the count lasts a day.
  const days = `select ceil(extract(epoch from ends_at - clock_now()) / 86400)::integer as days from twilio_bucket_counts c
    join twilio_buckets b on b.id = c.bucket_id join twilio_rate_limits r on r.id = b.rate_limit_id
    where r.unique_name = $1 order by ends_at`;
  expect(await service.app.db.rows(days, [name])).toEqual([{ days: 1 }, { days: 7 }]);
});

test('a test key changes no limits, because live sends use them', async () => {
  const { id } = await made(1);
  const { body } = await service.call(createApiKey, {
    bearer: session.bearer,
    body: { name: 'Test', mode: 'test', scopes: ['limits:write'] },
  });
  const params = { id };
  const values = { name: 'other', max_sends: 1, period_seconds: 1 };
  const replies = [
    await service.call(createLimit, { apiKey: body.key, body: values }),
    await service.call(updateLimit, { apiKey: body.key, params, body: { max_sends: 2 } }),
    await service.call(deleteLimit, { apiKey: body.key, params }),
  ];
  for (const reply of replies)
    expect(reply).toMatchObject({ status: 401, body: { reason: 'missing_scope' } });
});

test('another period counts anew, another number of sends goes on', async () => {
  const { id, name } = await made(1, 86_400);
  const change = (body: object) =>
    service.call(updateLimit, { apiKey: alice.key(), params: { id }, body: body as { max_sends: number } });
  await send({ [name]: 'x' });
  expect((await change({ max_sends: 2 })).body).toMatchObject({ max_sends: 2, period_seconds: 86_400 });
  expect((await send({ [name]: 'x' })).status).toBe(201);
  expect((await send({ [name]: 'x' })).status).toBe(429);
  await change({ period_seconds: 60 });
  expect((await send({ [name]: 'x' })).status).toBe(201);
  await service.app.db.run('update twilio_safe_list_changes set changes = 1000 where account_id = $1', [
    alice.account_id,
  ]);
  expect((await change({ max_sends: 3 })).body).toMatchObject({ reason: 'too_many_requests' });
  expect((await service.call(deleteLimit, { ...session, params: { id } })).status).toBe(204);
  await service.app.db.run('delete from twilio_safe_list_changes where account_id = $1', [alice.account_id]);
  expect((await send({ [name]: 'x' })).status).toBe(400);
  const logged = await service.app.db.rows(
    'select action, before, after from audit_entries where account_id = $1 and subject = $2 order by id',
    [alice.account_id, name],
  );
  expect(logged).toEqual([
    { action: 'limit.create', before: null, after: { max_sends: 1, period_seconds: 86_400 } },
    { action: 'limit.change', before: { max_sends: 1 }, after: { max_sends: 2 } },
    { action: 'limit.change', before: { period_seconds: 86_400 }, after: { period_seconds: 60 } },
    { action: 'limit.delete', before: { max_sends: 2, period_seconds: 60 }, after: null },
  ]);
});

test('a send that counts while the period is shortened keeps no row of the old one', async () => {
  const { id, name } = await made(1, 86_400);
  const { db, vault } = service.app;
  const bucket = await db.one<{ id: string }>('select id from twilio_buckets where rate_limit_id = $1', [id]);
  // Stops the send at its count.
  const held = await holdLock(
    service,
    `insert into twilio_bucket_counts (bucket_id, value_hash, used, ends_at) values ($1, $2, 1, now())`,
    [bucket.id, vault.fingerprint('twilio-rate-limit', 'x').subarray(0, 16)],
  );
  const sending = send({ [name]: 'x' });
  await untilBlocked(service, 'into twilio_bucket_counts');
  const change = { apiKey: alice.key(), params: { id }, body: { period_seconds: 60 } };
  const changing = service.call(updateLimit, change);
  await untilBlocked(service, 'from twilio_buckets');
  await held[Symbol.asyncDispose]();
  expect((await sending).status).toBe(201);
  expect((await changing).status).toBe(200);
  const left = await db.rows('select from twilio_bucket_counts where bucket_id = $1', [bucket.id]);
  expect(left).toEqual([]);
});

test('sends that wait for the count of one value leave connections for other calls', async () => {
  const { id, name } = await made(100);
  const { db, vault } = service.app;
  const bucket = await db.one<{ id: string }>('select id from twilio_buckets where rate_limit_id = $1', [id]);
  const held = await holdLock(
    service,
    `insert into twilio_bucket_counts (bucket_id, value_hash, used, ends_at) values ($1, $2, 1, now())`,
    [bucket.id, vault.fingerprint('twilio-rate-limit', 'x').subarray(0, 16)],
  );
  const sending = Promise.all(Array.from({ length: 24 }, () => send({ [name]: 'x' })));
  await untilBlocked(service, 'into twilio_bucket_counts');
  expect((await service.call(listLimits, { apiKey: bob.key() })).status).toBe(200);
  await held[Symbol.asyncDispose]();
  expect(new Set((await sending).map(({ status }) => status))).toEqual(new Set([201]));
});

test('limits are listed, and an account has at most 20, also at once', async () => {
  const carol = await sender(service, 'Carol', { keys: 2, scopes: ['limits:write'] });
  const bearer = await signedIn(service, carol);
  const replies = await Promise.all(
    Array.from({ length: 22 }, (_, n) =>
      service.call(createLimit, { bearer, body: { name: `n${n}`, max_sends: 1, period_seconds: 60 } }),
    ),
  );
  const refused = replies.filter(({ status }) => status !== 201);
  expect(refused.map(({ body }) => (body as { error?: string }).error)).toEqual(
    Array.from({ length: 2 }, () => 'An account can have at most 20 limits.'),
  );
  const listed = await service.call(listLimits, { bearer });
  expect(listed.body).toMatchObject({ count: 20 });
  const ids = listed.body.results.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect((await service.call(listLimits, { apiKey: carol.key() })).body).toEqual(listed.body);
  const again = { name: listed.body.results[0]?.name ?? '', max_sends: 1, period_seconds: 60 };
  expect((await service.call(createLimit, { bearer, body: again })).body).toMatchObject({
    name: ['A limit with this name exists.'],
  });
});

test('a key without the scope neither reads nor changes limits, and a key of another account finds none', async () => {
  const { id } = await made(1);
  const plain = await service.customer('Plain');
  expect((await service.call(listLimits, { apiKey: plain.api_key })).status).toBe(401);
  const params = { id };
  expect((await service.call(deleteLimit, { apiKey: bob.key(), params })).status).toBe(404);
  expect((await service.call(updateLimit, { apiKey: bob.key(), params, body: {} })).status).toBe(404);
});
