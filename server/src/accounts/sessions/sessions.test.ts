import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { endAllSessions, endSession, listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { refreshTokens, signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { beforeAll, expect, test } from 'vitest';
import { stopDatabaseClock } from '../../../test/clock.ts';
import { fixture } from '../../../test/fixture.ts';
import { anotherSession, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { systemClock } from '../../platform/clock.ts';
import { systemRandom } from '../../platform/security/random.ts';
import { createVault } from '../../platform/security/vault.ts';
import { knownHome } from './client.ts';
import { findSession, isSessionOpen, markProven, provenUntil } from './sessions.ts';
import {
  childrenOf,
  firstRefresh,
  isOurRefresh,
  readAccess,
  sessionOfRefresh,
  signAccess,
} from './tokens.ts';

const DAY = 86_400_000;

const service = fixture(testService);

const refresh = (token: string) => service.call(refreshTokens, { body: { refresh: token } });
const statusOf = async (access: string) => (await service.call(getMe, { bearer: access })).status;

test.each(['', 'made.up', 'a', 'Bearer', `${'A'.repeat(51)}.${'A'.repeat(43)}`])(
  'an access token without a valid signature is refused: %j',
  async (access) => {
    const answer = await service.call(getMe, { bearer: access });
    expect(answer).toMatchObject({
      status: 401,
      body: { error: 'Authentication is required', reason: 'unauthenticated' },
    });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  },
);

test('an access token is required', async () => {
  expect((await service.call(getMe)).status).toBe(401);
});

test('an access token expires after ten minutes', async () => {
  const alice = await person(service, 'Ten');
  await service.clock.advance(10 * 60_000 - 5_000);
  expect(await statusOf(alice.access)).toBe(200);
  await service.clock.advance(5_000);
  expect(await statusOf(alice.access)).toBe(401);
  expect((await refresh(alice.refresh)).status).toBe(200);
});

test('an access token is refused if any letter is changed', async () => {
  const alice = await person(service, 'Letters');
  for (const at of [0, 20, 40, 60, 90]) {
    const letter = alice.access[at] === 'A' ? 'B' : 'A';
    expect(await statusOf(alice.access.slice(0, at) + letter + alice.access.slice(at + 1))).toBe(401);
  }
});

test('a refresh returns a new pair of tokens and uses up the refresh token', async () => {
  const alice = await person(service, 'Alice');
  const { status, body } = await refresh(alice.refresh);
  expect(status).toBe(200);
  expect(body.refresh).not.toBe(alice.refresh);
  expect(await statusOf(body.access)).toBe(200);
  expect((await refresh(body.refresh)).status).toBe(200);
});

test('twenty parallel refreshes with one token all return the same new token', async () => {
  const alice = await person(service, 'Tabs');
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(alice.refresh)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.refresh)).size).toBe(1);
  expect((await refresh(answers[0]?.body.refresh ?? '')).status).toBe(200);
  const { results } = (await service.call(listSessions, { bearer: answers[0]?.body.access ?? '' })).body;
  expect(results).toHaveLength(1);
});

test('a refresh with the immediate parent token succeeds for ten seconds and ends the session after that', async () => {
  const alice = await person(service, 'Parent');
  const child = (await refresh(alice.refresh)).body;
  await service.clock.advance(8_000);
  expect((await refresh(alice.refresh)).body.refresh).toBe(child.refresh);
  await service.clock.advance(2_000);
  expect(await refresh(alice.refresh)).toMatchObject({
    status: 401,
    body: { reason: 'invalid_refresh_token' },
  });
  expect((await refresh(child.refresh)).status).toBe(401);
  expect(await statusOf(child.access)).toBe(401);
  expect(service.logLines.some((line) => line.includes('refresh token reused'))).toBe(true);
  const bearer = (await anotherSession(service, alice)).access;
  const { results } = (await service.call(listAuditEntries, { bearer, query: { group: 'sign_in' } })).body;
  expect(results.filter(({ action }) => action === 'session.reuse')).toMatchObject([
    { actor: 'unknown', ip_address: '127.0.0.1' },
  ]);
});

test('a refresh with an older token ends the session immediately', async () => {
  const alice = await person(service, 'Older');
  const child = (await refresh(alice.refresh)).body;
  const grandchild = (await refresh(child.refresh)).body;
  expect((await refresh(alice.refresh)).status).toBe(401);
  expect((await refresh(grandchild.refresh)).status).toBe(401);
  expect(await statusOf(grandchild.access)).toBe(401);
});

test('a refresh with a forged token ends nothing', async () => {
  const alice = await person(service, 'Forged');
  const bytes = Buffer.from(alice.refresh, 'base64url');
  bytes.fill(7, 16);
  expect((await refresh(bytes.toString('base64url'))).status).toBe(401);
  expect((await refresh('nonsense')).status).toBe(401);
  expect((await refresh(alice.refresh)).status).toBe(200);
});

test('a refresh is possible for thirty days after the last refresh', async () => {
  const alice = await person(service, 'Month');
  await service.clock.advance(29 * 86_400_000);
  const child = (await refresh(alice.refresh)).body;
  await service.clock.advance(29 * 86_400_000);
  const grandchild = (await refresh(child.refresh)).body;
  await service.clock.advance(30 * 86_400_000);
  expect((await refresh(grandchild.refresh)).status).toBe(401);
});

test('a refresh ends 90 days after the sign-in, however often the session was refreshed', async () => {
  const alice = await person(service, 'Faithful');
  let tokens = { access: alice.access, refresh: alice.refresh };
  for (let n = 0; n < 4; n += 1) {
    await service.clock.advance(22 * DAY);
    const { status, body } = await refresh(tokens.refresh);
    expect(status).toBe(200);
    tokens = body;
  }
  expect(await statusOf(tokens.access)).toBe(200);
  await service.clock.advance(2 * DAY - 5 * 60_000);
  const last = await refresh(tokens.refresh);
  expect(await statusOf(last.body.access)).toBe(200);
  await service.clock.advance(5 * 60_000);
  // The access token would be valid for five more minutes.
  expect(await statusOf(last.body.access)).toBe(401);
  expect((await refresh(last.body.refresh)).status).toBe(401);
  // The refreshes have kept the network of the sign-in known.
  const { id } = await service.app.db.one<{ id: string }>('select id from people where email = $1', [
    alice.email,
  ]);
  const home = '127.0.0.0/24';
  expect(await knownHome(service.app.db, id, { home })).toBe(home);
});

test('refresh tokens are stored only as hashes', async () => {
  const alice = await person(service, 'Stored');
  const rows = await service.app.db.rows<{ row: string }>(
    'select row_to_json(s)::text as row from sessions s',
  );
  const secret = Buffer.from(alice.refresh, 'base64url').subarray(16).toString('hex');
  for (const { row } of rows) {
    expect(row).not.toContain(alice.refresh);
    expect(row).not.toContain(secret);
    expect(row).not.toContain(alice.access);
  }
});

test('a refresh requires a refresh token', async () => {
  expect(await service.call(refreshTokens, { body: {} })).toMatchObject({
    status: 400,
    body: { refresh: ['This field is required.'] },
  });
});

test('signing out ends the session and its access tokens, and accepts any body', async () => {
  const alice = await person(service, 'Leaving');
  const other = await anotherSession(service, alice);
  const { status } = await service.call(signOut, { body: { refresh: alice.refresh } });
  expect(status).toBe(204);
  expect(await statusOf(alice.access)).toBe(401);
  expect((await refresh(alice.refresh)).status).toBe(401);
  expect(await statusOf(other.access)).toBe(200);
  for (const token of [alice.refresh, 'nonsense'])
    expect((await service.call(signOut, { body: { refresh: token } })).status).toBe(204);
  const { results } = (await service.call(listAuditEntries, { bearer: other.access })).body;
  expect(results.filter(({ action }) => action === 'session.end')).toHaveLength(1);
});

test('signing out works with a refresh token that was just replaced', async () => {
  const alice = await person(service, 'Replaced');
  const child = (await refresh(alice.refresh)).body;
  await service.call(signOut, { body: { refresh: alice.refresh } });
  expect((await refresh(child.refresh)).status).toBe(401);
});

/** It contains a real session id, which access tokens reveal too, but the service never issued it. */
const madeUp = (real: string) =>
  Buffer.concat([Buffer.from(real, 'base64url').subarray(0, 16), Buffer.alloc(48, 7)]).toString('base64url');

test('a forged refresh token does not end the session, neither by signing out nor by a refresh', async () => {
  const alice = await person(service, 'Named');
  expect((await service.call(signOut, { body: { refresh: madeUp(alice.refresh) } })).status).toBe(204);
  expect(await statusOf(alice.access)).toBe(200);
  expect((await refresh(madeUp(alice.refresh))).status).toBe(401);
  expect(await statusOf(alice.access)).toBe(200);
  expect((await refresh(alice.refresh)).status).toBe(200);
});

test('the list of sessions shows where the account is signed in and marks the current session', async () => {
  const alice = await person(service, 'List');
  await anotherSession(service, alice);
  const { status, body } = await service.call(listSessions, { bearer: alice.access });
  expect(status).toBe(200);
  expect(body.count).toBe(2);
  expect(body.results.map(({ is_current }) => is_current)).toEqual([false, true]);
  expect(body.results[0]).toMatchObject({ ip_address: '127.0.0.1', user_agent: 'lightMyRequest' });
});

test('a session ended in the list of sessions stops working immediately', async () => {
  const alice = await person(service, 'End');
  const other = await anotherSession(service, alice);
  const { results } = (await service.call(listSessions, { bearer: alice.access })).body;
  const id = results.find(({ is_current }) => !is_current)?.id ?? '';
  expect((await service.call(endSession, { bearer: alice.access, params: { id } })).status).toBe(204);
  expect(await statusOf(other.access)).toBe(401);
  expect((await refresh(other.refresh)).status).toBe(401);
  expect(await statusOf(alice.access)).toBe(200);
  expect((await service.call(endSession, { bearer: alice.access, params: { id } })).status).toBe(404);
});

test('an owner ends all sessions everywhere, or all but the current one', async () => {
  const alice = await person(service, 'Everywhere');
  const [phone, bob] = [await anotherSession(service, alice), await person(service, 'Stays')];
  const endAll = (keep_current?: boolean) =>
    service.call(endAllSessions, {
      bearer: alice.access,
      body: keep_current === undefined ? {} : { keep_current },
    });
  expect((await endAll(true)).status).toBe(204);
  expect([await statusOf(alice.access), await statusOf(phone.access)]).toEqual([200, 401]);
  const laptop = await anotherSession(service, alice);
  expect((await endAll()).status).toBe(204);
  expect([await statusOf(alice.access), await statusOf(laptop.access)]).toEqual([401, 401]);
  for (const { refresh: token } of [alice, phone, laptop]) expect((await refresh(token)).status).toBe(401);
  expect(await statusOf(bob.access)).toBe(200);
});

test('a session that ends in one process ends in all processes', async () => {
  const alice = await person(service, 'Processes');
  expect(await statusOf(alice.access)).toBe(200);
  await service.app.db.run('update sessions set ended_at = clock_now()');
  expect(await statusOf(alice.access)).toBe(401);
});

const NOW = new Date('2026-03-01T12:00:00.000Z');
const later = (minutes: number, microseconds = 0) =>
  `timestamptz '${NOW.toISOString()}' + interval '${minutes} minutes' + interval '${microseconds} microseconds'`;

const stopped = fixture(testService);
let person_id: string;
beforeAll(async () => {
  ({ account_id: person_id } = await stopped.customer('Alice'));
  await stopDatabaseClock(stopped.databaseUrl, NOW);
});

async function session(proven_at: string, expires_at = later(60)): Promise<string> {
  const id = stopped.app.random.uuid();
  await stopped.app.db.run(
    `insert into sessions (id, person_id, refresh_hash, created_at, last_used_at, expires_at, proven_at)
     values ($1, $2, $3, clock_now(), clock_now(), ${expires_at}, ${proven_at})`,
    [id, person_id, Buffer.from(id)],
  );
  return id;
}
const found = (session_id: string, expires_at = new Date(NOW.getTime() + 1)) =>
  findSession(stopped.app.db, { session_id, person_id, expires_at });

test('a proof of identity expires after exactly fifteen minutes', async () => {
  const fresh = await session(later(-15, 1));
  expect(await found(fresh)).toEqual({ is_proven: true, sso_account_id: null });
  expect(await provenUntil(stopped.app.db, fresh)).not.toBeNull();
  const lapsed = await session(later(-15));
  expect(await found(lapsed)).toEqual({ is_proven: false, sso_account_id: null });
  expect(await provenUntil(stopped.app.db, lapsed)).toBeNull();
  const never = await session('null');
  expect(await found(never)).toEqual({ is_proven: false, sso_account_id: null });
});

test('an access token and its session expire exactly at their stated times', async () => {
  const { db } = stopped.app;
  const open = await session('null', later(0, 1));
  expect(await found(open)).toBeDefined();
  expect(await isSessionOpen(db, { session_id: open, person_id })).toBe(true);
  expect(await found(open, NOW)).toBeUndefined();
  const over = await session('null', later(0));
  expect(await found(over)).toBeUndefined();
  expect(await isSessionOpen(db, { session_id: over, person_id })).toBe(false);
  expect(await db.transaction((tx) => markProven(tx, over))).toBeUndefined();
});

const random = systemRandom(systemClock);
const vaultOf = (key: string, ...previous: string[]) => ({
  random,
  vault: createVault(key, previous, random, { N: 2, r: 1 }),
});
const [old, fresh] = [vaultOf('the first server key'), vaultOf('the second server key')];
const rotated = vaultOf('the second server key', 'the first server key');

const access = {
  session_id: random.uuid(),
  person_id: random.uuid(),
  expires_at: new Date(1_790_000_000_123),
};

test('the claims of a signed access token read back unchanged', () => {
  expect(readAccess(old, signAccess(old, access))).toEqual(access);
});

test('an access token survives a rotation of the server key and is refused by any other key', () => {
  const token = signAccess(old, access);
  expect(readAccess(rotated, token)).toEqual(access);
  expect(readAccess(fresh, token)).toBeUndefined();
});

test('an access token has only one valid encoding', () => {
  const token = signAccess(old, access);
  for (const other of [
    `${token}.`,
    `${token} `,
    token.replace('.', '..'),
    `.${token}`,
    token.split('.')[0] ?? '',
  ])
    expect(readAccess(old, other)).toBeUndefined();
});

test('a refresh token contains its session and is recognized as issued by this service', () => {
  const session = random.uuid();
  const token = firstRefresh(old, session);
  expect(sessionOfRefresh(token)).toBe(session);
  expect(isOurRefresh(old, token)).toBe(true);
  expect(isOurRefresh(fresh, token)).toBe(false);
  expect(isOurRefresh(rotated, token)).toBe(true);
  expect(sessionOfRefresh(`${token}A`)).toBeUndefined();
  expect(sessionOfRefresh(`${token}=`)).toBeUndefined();
});

test('the successor of a refresh token is always the same, stays in its session and depends on the server key', () => {
  const token = firstRefresh(old, random.uuid());
  const [child = ''] = childrenOf(old, token);
  expect(childrenOf(old, token)[0]).toBe(child);
  expect(childrenOf(fresh, token)[0]).not.toBe(child);
  expect(sessionOfRefresh(child)).toBe(sessionOfRefresh(token));
  expect(isOurRefresh(old, child)).toBe(true);
  expect(childrenOf(old, child)[0]).not.toBe(token);
});

test('after a rotation of the server key, a refresh token returns the same successor as before', () => {
  const token = firstRefresh(old, random.uuid());
  const [child = ''] = childrenOf(old, token);
  expect(childrenOf(rotated, token)).toContain(child);
  expect(childrenOf(rotated, token)[0]).not.toBe(child);
});
