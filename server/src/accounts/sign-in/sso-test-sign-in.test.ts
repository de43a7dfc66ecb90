import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { removeMember } from '@sixdigit/contract/accounts/members.ts';
import { refreshTokens } from '@sixdigit/contract/accounts/sign-in.ts';
import {
  finishSso,
  finishSsoTest,
  SSO_LOGIN_SECONDS,
  startSso,
  startSsoTest,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ProviderUser } from '../../../test/fakes/identity-provider.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { bearerBySso, callbackOf, ssoStage, withSso } from '../../../test/single-sign-on.ts';
import { dumpTables } from '../../../test/table-dump.ts';

const stage = ssoStage();
const { service, provider, user } = stage;

let alice: Person;
let account_id: string;
let domain: string;

beforeEach(async () => {
  provider.faults.clear();
  provider.forge = undefined;
  provider.changes.clear();
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
  account_id = (await service.call(getMe, { bearer: alice.access })).body.account_id;
});

const settings = (more: object = {}) => ({
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: provider.client_secret,
  domain,
  default_role: 'support' as const,
  ...more,
});
const begin = (more: object = {}, bearer = alice.access) =>
  service.call(startSsoTest, { bearer, body: settings(more) });

/** As a browser, begins a test and returns from the provider. */
async function callback(who: ProviderUser, more: object = {}) {
  const { status, body } = await begin(more);
  expect({ status, body }).toMatchObject({ status: 200 });
  return (await provider.signIn(body.url, who)) as { account_id: string; state: string; code: string };
}
const finish = (body: Awaited<ReturnType<typeof callback>>, bearer = alice.access) =>
  service.call(finishSsoTest, { bearer, body });
const tested = async (who: ProviderUser, more: object = {}) => (await finish(await callback(who, more))).body;

const refused = { status: 400, body: { reason: 'invalid_sso_login' } };

/** The counters of rate limits are the only rows that a test may change. */
const rows = async () => {
  await Promise.all([service.app.activity.flush(), service.app.failedSignIns.flush()]);
  const all = await dumpTables(service.app.db);
  return all.filter(({ table }) => !['throttles', 'account_rates'].includes(table));
};

test('a test before the settings are saved shows the user and the role, and changes no row', async () => {
  const before = await rows();
  const result = await tested(user('bob', { given_name: 'Bob', family_name: 'Brown' }));
  expect(result).toEqual({
    problem: null,
    user: { subject: expect.any(String), email: `bob@${domain}`, name: 'Bob Brown' },
    domain,
    is_domain_verified: false,
    role: 'support',
    membership: 'new',
  });
  expect(await rows()).toEqual(before);
});

test('a test with stored settings uses their secret, and never sends it to another issuer or client', async () => {
  await withSso(stage, alice.access, { domain });
  const result = await tested(user('bob'), { client_secret: undefined });
  expect(result).toMatchObject({ problem: null, is_domain_verified: true, membership: 'new' });
  for (const other of [{ issuer: `${provider.issuer}/other` }, { client_id: 'another' }])
    expect(await begin({ client_secret: undefined, ...other })).toMatchObject({
      status: 400,
      body: { client_secret: ['Enter the secret of this client.'] },
    });
});

test('a failed test leaves no trace in the settings, and a failed sign-in does', async () => {
  await withSso(stage, alice.access, { domain });
  const before = await rows();
  provider.forge = ({ email_verified: _, ...claims }) => claims;
  provider.changes.set('/me', ({ email_verified: _, ...claims }) => claims);
  expect(await tested(user('bob'))).toMatchObject({
    problem: 'The ID token has no email_verified (Microsoft Entra ID: xms_edov).',
    user: { email: `bob@${domain}` },
    role: null,
  });
  expect(await rows()).toEqual(before);
  await service.call(finishSso, { body: await callbackOf(stage, user('bob')) });
  expect(await rows()).not.toEqual(before);
});

test.each([
  ['another domain', { email: 'bob@elsewhere.example.com' }, /^The email address in the ID token is not in /],
  ['no address', { email: undefined }, /^The ID token has no email address\.$/],
  ['an unverified address', { email_verified: false }, /^email_verified in the ID token is not true\.$/],
] as const)('a test with %s says so', async (_, more, problem) => {
  expect(await tested(user('bob', more as Partial<ProviderUser>))).toMatchObject({
    problem: expect.stringMatching(problem),
    role: null,
  });
});

test('a problem of the provider is shown exactly, at the field or on the page of the result', async () => {
  expect(await begin({ issuer: `${provider.issuer}/wrong` })).toMatchObject({
    status: 400,
    body: { issuer: [expect.stringContaining('status 404')] },
  });
  provider.forge = (claims) => ({ ...claims, nonce: 'of another sign-in' });
  expect(await tested(user('bob'))).toMatchObject({
    problem: 'The claim nonce of the ID token is missing or wrong.',
    user: null,
  });
  const { account_id: at, state } = await callback(user('bob'));
  const body = { account_id: at, state, provider_error: 'access_denied' };
  expect(await service.call(finishSsoTest, { bearer: alice.access, body })).toMatchObject({
    status: 200,
    body: { problem: 'The provider refused: access_denied.', user: null },
  });
});

test('a test tells members, linked members and former members apart, but not strangers who are registered', async () => {
  await withSso(stage, alice.access, { domain });
  await bearerBySso(stage, user('bob'));
  expect(await tested(user('bob'))).toMatchObject({ membership: 'linked', role: 'viewer' });
  await service.app.db.run('update people set email = $1 where email = $2', [`alice@${domain}`, alice.email]);
  expect(await tested(user('alice'))).toMatchObject({ membership: 'member', role: 'owner' });
  const { person_id } = await service.app.db.one<{ person_id: string }>(
    `select id as person_id from people where email = $1`,
    [`bob@${domain}`],
  );
  await service.call(removeMember, { bearer: alice.access, params: { person_id } });
  expect(await tested(user('bob'))).toMatchObject({
    problem: 'This person left the account or was removed. They need an invitation.',
    role: null,
  });
  const { email } = await person(service, 'Carol');
  await service.app.db.run('update people set email = $1 where email = $2', [`carol@${domain}`, email]);
  const one = { ...(await tested(user('carol'))), user: null };
  const other = { ...(await tested(user('nobody'))), user: null };
  expect(one).toEqual(other);
  expect(one).toMatchObject({ problem: null, membership: 'new' });
});

/** What opens an account, or leads to it. */
const doors = async () =>
  (await rows()).filter(({ table }) => /session|people|membership|identit|sso_links/.test(table));

test('the callback of a test never signs anybody in, even in a browser that has its token', async () => {
  await withSso(stage, alice.access, { domain });
  const before = await doors();
  const given = await callback(user('bob'));
  const { body } = await service.call(startSso, { body: { email: `bob@${domain}` } });
  const complete = { ...given, login_token: body.login_token };
  expect(await service.call(finishSso, { body: complete })).toMatchObject(refused);
  await service.app.db.run(
    'update sso_logins t set browser_hash = l.browser_hash from sso_logins l where t.test is not null and l.test is null',
  );
  expect(await service.call(finishSso, { body: complete })).toMatchObject(refused);
  expect(await doors()).toEqual(before);
  expect((await finish(given)).status).toBe(200);
});

test('the callback of a sign-in or step-up is never shown as a test, and stays usable', async () => {
  await withSso(stage, alice.access, { domain });
  const { login_token, ...given } = await callbackOf(stage, user('bob'));
  expect(given.state).not.toContain('.');
  expect(await finish(given as never)).toMatchObject(refused);
  // As for a step-up, which has a session.
  await begin();
  await service.app.db.run(
    'update sso_logins l set session_id = t.session_id from sso_logins t where l.test is null and t.test is not null',
  );
  expect(await finish(given as never)).toMatchObject(refused);
  await service.app.db.run('update sso_logins set session_id = null where test is null');
  const { body } = await service.call(finishSso, { body: { login_token, ...given } as never });
  expect(body.access).toBeDefined();
});

test('a test works once, for ten minutes, and only for the owner and session that began it', async () => {
  const given = await callback(user('bob'));
  const mallory = await person(service, 'Mallory');
  for (const { access } of [mallory, await anotherSession(service, alice)])
    expect(await finish(given, access)).toMatchObject(refused);
  expect(await finish({ ...given, account_id: crypto.randomUUID() })).toMatchObject(refused);
  expect((await finish(given)).status).toBe(200);
  expect(await finish(given)).toMatchObject(refused);

  const late = await callback(user('bob'));
  await service.clock.advance(SSO_LOGIN_SECONDS * 1_000);
  const { body } = await service.call(refreshTokens, { body: { refresh: alice.refresh } });
  expect(await finish(late, body.access)).toMatchObject(refused);
});

test('only an owner with a recent proof begins a test, and a person who is no longer one does not complete it', async () => {
  const given = await callback(user('bob'));
  const { person_id } = await service.app.db.one<{ person_id: string }>(
    'select person_id from memberships where account_id = $1',
    [account_id],
  );
  const setRole = (role: string) =>
    service.app.db.run('update memberships set role = $3 where account_id = $1 and person_id = $2', [
      account_id,
      person_id,
      role,
    ]);
  await setRole('admin');
  expect(await begin()).toMatchObject({ status: 400, body: { reason: 'role_too_low' } });
  expect(await finish(given)).toMatchObject(refused);
  await setRole('owner');
  await service.app.db.run('update sessions set proven_at = null where person_id = $1', [person_id]);
  expect(await begin()).toMatchObject({ body: { reason: 'step_up_required' } });
});

test('an account begins at most 60 tests an hour', async () => {
  const replies = await Promise.all(
    Array.from({ length: 65 }, () => service.call(startSsoTest, { bearer: alice.access, body: settings() })),
  );
  const late = replies.filter(({ status }) => status === 429);
  expect(late.map(({ body }) => body)).toEqual(
    Array.from({ length: 5 }, () => expect.objectContaining({ reason: 'too_many_requests' })),
  );
});

test('while sign-ins use the shared redirect URL, a test uses that of the account', async () => {
  await withSso(stage, alice.access, { domain });
  await service.app.db.run('update account_sso set shared_redirect = true');
  const { body } = await begin({ client_secret: undefined });
  expect(new URL(body.url).searchParams.get('redirect_uri')).toMatch(
    new RegExp(`/sso/callback/${account_id}$`),
  );
  await service.call(updateSso, { bearer: alice.access, body: settings() });
});
