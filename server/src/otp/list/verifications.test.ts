import { deleteApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { getVerification, listVerifications } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { selectNewestStates } from './queries.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let bearer: string;
/** oldest first: name in these tests → id */
const ids: Record<string, string> = {};

const send = async (name: string, recipient: string, { channel = 'email', apiKey = alice.api_key } = {}) => {
  const answer = await service.call(sendOtp, { apiKey, body: { channel, recipient } });
  expect(answer.status).toBe(201);
  ids[name] = answer.body.otp_id;
};
const codeOf = async (recipient: string) => (await service.inbox(recipient))[0]?.code ?? '';
const enter = (name: string, code: string) =>
  service.call(verifyOtp, { apiKey: alice.api_key, body: { otp_id: ids[name] ?? '', code } });
const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id);
const list = (query: Record<string, unknown> = {}, token = bearer) =>
  service.call(listVerifications, { bearer: token, query: { page_size: 100, ...query } });
const found = async (query: Record<string, unknown>) => {
  const { body } = await list(query);
  const names = body.results.map(({ id }) => nameOf(id));
  expect(body.count).toBe(names.length);
  return names;
};

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const bob = fixture(() => service.customer('Bob'));
const checkout = fixture(() => service.anotherKey(alice.account_id));
beforeAll(async () => {
  await service.app.db.run('update api_keys set name = $2 where id = $1', [checkout.id, 'Checkout 100%']);
  await send('old', 'old@example.com');
  await service.drain();
  await service.clock.advance(20 * DAY);
  await send('expired', 'Expired@Example.com');
  await service.drain();
  await service.clock.advance(3 * DAY);
  await service.drain();
  await send('failed', 'failed_1@example.com');
  await service.drain();
  const code = await codeOf('failed_1@example.com');
  for (let n = 0; n < 5; n++) await enter('failed', code === '000000' ? '111111' : '000000');
  await send('verified', '(415) 555-2671', { channel: 'sms' });
  await service.drain();
  await enter('verified', await codeOf('+14155552671'));
  await send('sent', '+14155552672', { channel: 'voice', apiKey: checkout.key });
  await service.drain();
  await send('bobs', 'bobs@example.com', { apiKey: bob.api_key });
  await send('pending', 'failedX1@example.com');
  bearer = await signedIn(service, alice);
});

test('the list of verifications shows the fields of the screen, newest first, and no codes', async () => {
  const answer = await list();
  expect(answer.status).toBe(200);
  expect(answer.body.results.map(({ id }) => nameOf(id))).toEqual([
    'pending',
    'sent',
    'verified',
    'failed',
    'expired',
    'old',
  ]);
  expect(answer.body.results[1]).toEqual({
    id: ids.sent,
    country: 'US',
    carrier: 'sandbox',
    recipient: '+14155552672',
    channel: 'voice',
    status: 'sent',
    cost_credits: 1,
    segments: null,
    test: false,
    own_code: false,
    resend_of: null,
    language: 'en',
    outcome: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    api_key: { id: checkout.id, name: 'Checkout 100%' },
  });
});

test('the list of verifications shows the number of SMS segments, as a single verification does', async () => {
  const { body } = await list({ status: 'verified' });
  expect(body.results.map(({ segments }) => segments)).toEqual([1]);
  const detail = await service.call(getVerification, { bearer, params: { id: ids.verified ?? '' } });
  expect(detail.body.segments).toBe(1);
});

test.each(['pending', 'sent', 'verified', 'failed'])(
  'the list of verifications filters by the status %s',
  async (status) => {
    expect(await found({ status })).toEqual([status]);
  },
);

test('the list of verifications filters by the status expired, and refuses an unknown status', async () => {
  expect(await found({ status: 'expired' })).toEqual(['expired', 'old']);
  expect((await list({ status: 'delivered' })).body).toHaveProperty('status');
});

test('the list of verifications filters by a number of days or a start date', async () => {
  expect(await found({ created_after: '1' })).toEqual(['pending', 'sent', 'verified', 'failed']);
  expect(await found({ created_after: '15' })).not.toContain('old');
  expect(await found({ created_after: '30' })).toContain('old');
  const at = (ago: number) => new Date(service.app.clock.now().getTime() - ago).toISOString();
  expect(await found({ created_after: at(4 * DAY) })).toContain('expired');
  expect(await found({ created_after: at(2 * DAY) })).not.toContain('expired');
  expect(await found({ created_after: at(2 * DAY).slice(0, 10) })).not.toContain('expired');
  expect(await found({ created_after: at(-DAY) })).toEqual([]);
  expect(await found({ created_after: '9998-12-31T23:59:59Z' })).toEqual([]);
  expect(await found({ created_after: '1971-01-01' })).toContain('old');
});

test.each(['0', '-1', 'yesterday', '2026-13-45', '1; drop table verifications', '99999'])(
  'the list of verifications refuses %s as a time window',
  async (created_after) => {
    const answer = await list({ created_after });
    expect(answer.status).toBe(400);
    expect(answer.body).toHaveProperty('created_after');
  },
);

test('the list of verifications filters by API key, and is empty for an unknown key or another account’s key', async () => {
  expect(await found({ api_key: checkout.id })).toEqual(['sent']);
  for (const api_key of [bob.api_key_id, bob.account_id]) expect(await found({ api_key })).toEqual([]);
});

test('the list of verifications finds part of a recipient in any letter case', async () => {
  expect(await found({ search: 'EXPIRED@' })).toEqual(['expired']);
  expect(await found({ search: '5552672' })).toEqual(['sent']);
  expect(await found({ search: '(415) 555-267' })).toEqual(['sent', 'verified']);
});

test('the list of verifications finds a verification by its id', async () => {
  expect(await found({ search: ids.sent })).toEqual(['sent']);
  expect(await found({ search: ids.bobs })).toEqual([]);
});

test('the list of verifications finds part of an API key name, including deleted keys', async () => {
  expect(await found({ search: 'checkout' })).toEqual(['sent']);
  const key = await service.anotherKey(alice.account_id);
  await service.app.db.run('update api_keys set name = $2 where id = $1', [key.id, 'Gone']);
  await send('gone', 'gone-key@example.com', { apiKey: key.key });
  await service.call(deleteApiKey, { bearer, params: { id: key.id } });
  const { body } = await list({ search: 'gone' });
  expect(body.results).toMatchObject([{ id: ids.gone, api_key: { name: 'Gone' } }]);
  await service.app.db.run('delete from verifications where id = $1', [ids.gone]);
});

test('the list of verifications treats wildcards and quotes literally', async () => {
  expect(await found({ search: 'failed_1' })).toEqual(['failed']);
  expect(await found({ search: '100%' })).toEqual(['sent']);
  for (const search of ['%a%', "' or '1'='1", '\\', "'; drop table verifications; --"])
    expect(await found({ search })).toEqual([]);
  expect((await list({ search: 'a\0b' })).status).toBe(400);
});

test('the list of verifications combines all filters', async () => {
  const query = { status: 'sent', api_key: checkout.id, search: '415', created_after: '1' };
  expect(await found(query)).toEqual(['sent']);
  expect(await found({ ...query, status: 'failed' })).toEqual([]);
});

test('the list of verifications sorts by time or status in both directions, with ties newest first', async () => {
  const ordered = async (ordering: string) =>
    (await list({ ordering })).body.results.map(({ id }) => nameOf(id));
  expect(await ordered('created_at')).toEqual(['old', 'expired', 'failed', 'verified', 'sent', 'pending']);
  expect(await ordered('status')).toEqual(['expired', 'old', 'failed', 'pending', 'sent', 'verified']);
  expect(await ordered('-status')).toEqual(['verified', 'sent', 'pending', 'failed', 'expired', 'old']);
});

const get = (id: string, token = bearer) => service.call(getVerification, { bearer: token, params: { id } });

test('a single verification shows its history from its first status', async () => {
  const { body } = await get(ids.verified ?? '');
  expect(body).toMatchObject({
    status: 'verified',
    channel: 'sms',
    recipient: '+14155552671',
    failure: null,
  });
  expect(body.status_logs.map(({ previous_status, new_status }) => [previous_status, new_status])).toEqual([
    [null, 'pending'],
    ['pending', 'sent'],
    ['sent', 'verified'],
  ]);
  expect(body.status_logs[0]).toMatchObject({ ip_address: '127.0.0.1', notes: null });
  expect(body.status_logs[2]).toMatchObject({
    changed_at: body.verified_at,
    ip_address: '127.0.0.1',
    notes: null,
  });
  for (const time of [body.sent_at, body.verified_at, body.expires_at]) expect(time).toMatch(/Z$/);
  expect(JSON.stringify(body)).not.toContain('hmac');
});

test('a single verification explains its failure', async () => {
  expect((await get(ids.failed ?? '')).body).toMatchObject({
    status: 'failed',
    failure: 'Too many wrong codes',
  });
});

test('a verification is listed as expired even before the expiry job has run', async () => {
  await using other = await testService();
  const owner = await other.customer('Alice');
  const token = await signedIn(other, owner);
  const { body } = await other.call(sendOtp, {
    apiKey: owner.api_key,
    body: { channel: 'email', recipient: 'late@example.com', expires_in: 60 },
  });
  await other.drain();
  await other.clock.advance(61_000);
  const { rows } = { rows: await other.app.db.rows<{ status: string }>('select status from verifications') };
  expect(rows).toEqual([{ status: 'sent' }]);
  const query = { status: 'expired' };
  expect((await other.call(listVerifications, { bearer: token, query })).body.count).toBe(1);
  const one = await other.call(getVerification, { bearer: token, params: { id: body.otp_id } });
  expect(one.body.status).toBe('expired');
});

test('a change of the newest verification is detected, however many are older', async () => {
  await using service = await testService();
  const alice = await service.customer('Alice');
  const { db } = service.app;
  const { id } = await db.one<{ id: string }>(
    `with made as (
       insert into verifications (account_id, id, api_key_id, channel, recipient, status, cost_credits, code_length,
         created_at, expires_at)
       select $1, uuid_floor(at), $2, 'email', 'a@example.com', 'sent', 1, 6, at, at + interval '1 hour'
       from (select clock_now() - make_interval(secs => 80 - n) as at from generate_series(1, 75) n) r
       returning id)
     select max(id::text) as id from made`,
    [alice.account_id, alice.api_key_id],
  );
  const state = async () => (await selectNewestStates(db, [alice.account_id]))[0]?.state;
  const before = await state();
  expect(await state()).toBe(before);
  await db.run(`update verifications set status = 'verified' where account_id = $1 and id = $2`, [
    alice.account_id,
    id,
  ]);
  expect(await state()).not.toBe(before);
});
