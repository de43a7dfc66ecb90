import { refreshTokens } from '@sixdigit/contract/accounts/sign-in.ts';
import {
  finishSso,
  getSso,
  SSO_LOGIN_SECONDS,
  startSso,
  startSsoByIssuer,
  startSsoStepUp,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { beforeEach, expect, test } from 'vitest';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { bearerBySso, callbackOf, signInBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';

const stage = ssoStage();
const { service, provider, user, accountOf, membersOf } = stage;

let alice: Person;
let domain: string;

beforeEach(async () => {
  provider.faults.clear();
  provider.forge = undefined;
  provider.describe = undefined;
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
  await withSso(stage, alice.access, { domain });
});

const keysOf = (bearer: string, account?: string) =>
  service.call(listApiKeys, { bearer, headers: account ? { 'x-account': account } : {} });
const refusal = (reason: string, status = 400) => ({ status, body: { reason } });
const finish = (body: Record<string, string>) => service.call(finishSso, { body });
const lastFailure = async () =>
  (await service.call(getSso, { bearer: alice.access })).body.settings?.last_failure;

test('the first sign-in makes a member with the default role, later ones find the same person', async () => {
  const { status, body } = await signInBySso(stage, user('bob', { given_name: 'Bob', family_name: 'B.' }));
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { account_id: await accountOf(alice), access: expect.any(String), refresh: expect.any(String) },
  });
  expect(await membersOf(alice)).toEqual([{ email: `bob@${domain}`, role: 'viewer' }]);
  expect((await keysOf(body.access ?? '')).status).toBe(200);
  await bearerBySso(stage, user('bob'));
  expect(await membersOf(alice)).toHaveLength(1);
  const settings = (await service.call(getSso, { bearer: alice.access })).body.settings;
  expect(settings).toMatchObject({ signed_in_at: expect.any(String), last_failure: null });
  const entries = (await service.call(listAuditEntries, { bearer: alice.access })).body.results;
  expect(entries.map(({ action }) => action).filter((action) => /^(sso|member)\./.test(action))).toEqual([
    'member.join',
    'sso.verify_domain',
    'sso.change',
  ]);
});

test('ten first sign-ins of one user at once make one member', async () => {
  const callbacks = [];
  for (let n = 0; n < 10; n += 1) callbacks.push(await callbackOf(stage, user('bob')));
  const replies = await Promise.all(callbacks.map((body) => finish(body)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(replies.every(({ body }) => body.access)).toBe(true);
  expect(await membersOf(alice)).toHaveLength(1);
});

test('an address whose domain nobody has proven is refused like any other', async () => {
  const bob = await person(service, 'Bob');
  for (const email of [bob.email, 'nobody@other.example.com', `x@sub.${domain}`]) {
    expect(await service.call(startSso, { body: { email } })).toMatchObject(refusal('no_sso'));
  }
  const known = await service.call(startSso, { body: { email: `nobody@${domain}` } });
  expect(new URL(known.body.url).searchParams.get('login_hint')).toBe(`nobody@${domain}`);
  expect(known).toMatchObject({ status: 200, body: { url: expect.stringContaining(provider.issuer) } });
});

test('a callback works once, for ten minutes, and only in the browser that began', async () => {
  const callback = await callbackOf(stage, user('bob'));
  const other = await callbackOf(stage, user('mallory'));
  const foreign = { ...callback, login_token: other.login_token ?? '' };
  const invalid = refusal('invalid_sso_login');
  expect(await finish(foreign)).toMatchObject(invalid);
  expect(await finish({ ...callback, state: 'of another' })).toMatchObject(invalid);
  expect((await finish(callback)).status).toBe(200);
  expect(await finish(callback)).toMatchObject(refusal('sso_login_used'));

  const late = await callbackOf(stage, user('bob'));
  await service.clock.advance(SSO_LOGIN_SECONDS * 1_000);
  expect(await finish(late)).toMatchObject(invalid);
});

test('twenty callbacks with one state at once give one sign-in', async () => {
  const body = await callbackOf(stage, user('bob'));
  const replies = await Promise.all(Array.from({ length: 20 }, () => finish(body)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a code of another sign-in is refused', async () => {
  const [one, two] = [await callbackOf(stage, user('bob')), await callbackOf(stage, user('eve'))];
  expect(await finish({ ...one, code: two.code ?? '' })).toMatchObject(refusal('sso_invalid_response'));
});

test.each([
  ['issuer', { iss: 'https://other.example.com' }],
  ['audience', { aud: 'another-client' }],
  ['nonce', { nonce: 'of another sign-in' }],
] as const)('an ID token with a wrong %s is refused, and the owner sees why', async (_, wrong) => {
  provider.forge = (claims) => ({ ...claims, ...wrong });
  expect(await signInBySso(stage, user('bob'))).toMatchObject(refusal('sso_invalid_response'));
  expect(await membersOf(alice)).toEqual([]);
  expect(await lastFailure()).toMatchObject({
    text: expect.stringContaining('of the ID token is missing or wrong'),
  });
  await service.app.failedSignIns.flush();
  const { results } = (await service.call(listAuditEntries, { bearer: alice.access })).body;
  expect(results[0]).toMatchObject({
    action: 'sign_in.fail',
    subject: expect.stringContaining('Single sign-on'),
  });
});

test('an address that the provider has not verified is refused', async () => {
  for (const claim of [{ email_verified: false }, { email_verified: '' }, {}]) {
    const body = await callbackOf(stage, { subject: 'bob', email: `bob@${domain}`, ...claim });
    expect(await finish(body)).toMatchObject(refusal('sso_email_not_verified'));
  }
  expect(await membersOf(alice)).toEqual([]);
});

test.each<[string, string | undefined, string, RegExp]>([
  ['no address', undefined, 'sso_no_email', /has no email address/],
  ['an empty address', '', 'sso_no_email', /has no email address/],
  ['a text that is no address', 'eve', 'sso_no_email', /is not an email address/],
])('an ID token with %s is refused for that reason', async (_, email, reason, text) => {
  const { email: __, ...eve } = user('eve');
  const given = { ...eve, ...(email === undefined ? {} : { email }) };
  const callback = await callbackOf(stage, given, `eve@${domain}`);
  expect(await finish(callback)).toMatchObject(refusal(reason));
  expect(await lastFailure()).toMatchObject({ text: expect.stringMatching(text) });
});

test('an SSO session ends after 24 hours or when its account says, and not later', async () => {
  const settings = (session_hours?: number) => ({
    ...{ issuer: provider.issuer, client_id: provider.client_id, domain, default_role: 'viewer' as const },
    ...(session_hours === undefined ? {} : { session_hours }),
  });
  const change = async (hours?: number) => {
    const { access } = await anotherSession(service, alice);
    return service.call(updateSso, { bearer: access, body: settings(hours) });
  };
  const open = async () =>
    (
      await service.app.db.rows(
        'select 1 from sessions where sso_account_id = $1 and ends_at > clock_now()',
        [await accountOf(alice)],
      )
    ).length;
  const hours = (n: number) => service.clock.advance(n * 3_600_000);
  const { body } = await signInBySso(stage, user('bob'));
  await hours(23);
  const fresh = await service.call(refreshTokens, { body: { refresh: body.refresh ?? '' } });
  expect((await keysOf(fresh.body.access)).status).toBe(200);
  await hours(1);
  expect((await keysOf(fresh.body.access)).status).toBe(401);
  expect((await service.call(refreshTokens, { body: fresh.body })).status).toBe(401);

  expect((await change(2)).body.settings).toMatchObject({ session_hours: 2 });
  await bearerBySso(stage, user('bob'));
  await hours(1);
  // A shorter time applies to open sessions, a longer one does not.
  expect((await change(100)).body.settings).toMatchObject({ session_hours: 100 });
  expect((await change()).body.settings).toMatchObject({ session_hours: 100 });
  await hours(1);
  expect(await open()).toBe(0);
  await bearerBySso(stage, user('bob'));
  await hours(3);
  expect(await open()).toBe(1);
  await change(3);
  expect(await open()).toBe(0);
  const shortened = 'select from sessions where sso_account_id is null and ends_at is not null';
  expect(await service.app.db.rows(shortened)).toEqual([]);
  for (const wrong of [0, -1, 1.5, 2_161, '24' as never]) expect((await change(wrong)).status).toBe(400);
});

test.each(['eve@other.example.com', 'eve@sub.DOMAIN', 'eve@DOMAIN.evil.com'])(
  'the address "%s" of another domain is refused',
  async (pattern) => {
    const email = pattern.replace('DOMAIN', domain);
    expect(await signInBySso(stage, { ...user('eve'), email }, `eve@${domain}`)).toMatchObject(
      refusal('sso_other_domain'),
    );
    expect(await membersOf(alice)).toEqual([]);
  },
);

test('a subject whose address has changed stays the same person, also if another person has that address', async () => {
  await bearerBySso(stage, user('bob'));
  await bearerBySso(stage, user('carol'));
  const moved = await signInBySso(stage, { ...user('bob'), email: `carol@${domain}` });
  expect(moved.status).toBe(200);
  const newest = await service.app.db.one<{ email: string }>(
    `select email from sessions s join people p on p.id = s.person_id
     where s.sso_account_id = $1 order by s.id desc limit 1`,
    [await accountOf(alice)],
  );
  expect(newest.email).toBe(`bob@${domain}`);
  expect(await membersOf(alice)).toHaveLength(2);
  // Another domain ends it.
  expect(
    await signInBySso(stage, { ...user('bob'), email: 'bob@other.example.com' }, `bob@${domain}`),
  ).toMatchObject({
    body: { reason: 'sso_other_domain' },
  });
});

test('a sign-in fails with sso_provider_unavailable if the provider does not respond', async () => {
  const body = await callbackOf(stage, user('bob'));
  provider.faults.set('*', 'closes');
  expect(await finish(body)).toMatchObject(refusal('sso_provider_unavailable', 503));
  expect(await lastFailure()).toMatchObject({
    text: 'The server closed the connection before its response was complete.',
  });
  // The user starts again.
  provider.faults.clear();
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
});

test('a sign-in cannot begin while the discovery document cannot be read', async () => {
  const bearer = await bearerBySso(stage, user('bob'));
  const { client_id, client_secret } = provider;
  const body = {
    issuer: `${provider.issuer}/gone`,
    client_id,
    client_secret,
    domain,
    default_role: 'viewer',
  };
  const unavailable = refusal('sso_provider_unavailable', 503);
  await service.app.db.run('update account_sso set issuer = $2 where domain = $1', [domain, body.issuer]);
  expect(await service.call(startSso, { body: { email: `bob@${domain}` } })).toMatchObject(unavailable);
  expect(await service.call(startSsoStepUp, { bearer })).toMatchObject(unavailable);
  expect(await service.call(startSsoByIssuer, { body: { iss: body.issuer } })).toMatchObject(unavailable);
  expect((await lastFailure())?.text).toContain("The provider's response cannot be used");
});

test('the provider of an account can create 600 persons a day', async () => {
  await service.app.db.run('delete from throttles');
  await bearerBySso(stage, user('bob'));
  await service.app.db.run('update throttles set used = 600 where used = 1');
  expect(await signInBySso(stage, user('carol'))).toMatchObject(refusal('too_many_requests', 429));
  // Those who exist still come in.
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
  await service.app.db.run('delete from throttles');
});

test('one network address can fail 100 callbacks in 15 minutes', async () => {
  await service.app.db.run('delete from throttles');
  const body = { login_token: 'x', state: 'y', code: 'z' };
  const replies = await Promise.all(Array.from({ length: 110 }, () => finish(body)));
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
  expect(replies.find(({ status }) => status === 429)?.body).toMatchObject({ reason: 'too_many_requests' });
  await service.app.db.run('delete from throttles');
});

test('a sign-in that the user cancels at the provider is refused and cannot be resumed', async () => {
  const { code: _, ...callback } = await callbackOf(stage, user('bob'));
  const canceled = { ...callback, provider_error: 'access_denied' };
  expect(await finish(canceled)).toMatchObject(refusal('sso_denied'));
  expect(await finish(canceled)).toMatchObject({
    body: { reason: 'sso_login_used' },
  });
});

test('one network address can begin 300 sign-ins in 15 minutes, and completed ones do not count', async () => {
  await bearerBySso(stage, user('bob'));
  await service.app.db.run('delete from throttles');
  for (let n = 0; n < 2; n += 1) await bearerBySso(stage, user('bob'));
  expect(await service.app.db.rows('select 1 from throttles where used > 0')).toEqual([]);
  const replies = await Promise.all(
    Array.from({ length: 320 }, () => service.call(startSso, { body: { email: 'x@unknown.example.com' } })),
  );
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(20);
  const refused = refusal('too_many_requests', 429);
  expect(replies.find(({ status }) => status === 429)).toMatchObject(refused);
  expect(await service.call(startSsoByIssuer, { body: { iss: provider.issuer } })).toMatchObject(refused);
});
