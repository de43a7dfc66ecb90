import { refreshTokens, signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import {
  finishSso,
  getSso,
  linkSso,
  SSO_LOGIN_SECONDS,
  startSso,
  startSsoByIssuer,
  startSsoStepUp,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { beforeEach, expect, test } from 'vitest';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { bearerBySso, callbackOf, signInBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';

const stage = ssoStage();
const { service, provider, user } = stage;

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
const accountOf = async ({ email }: { email: string }): Promise<string> =>
  (await service.app.db.one<{ id: string }>('select id from accounts where email = $1', [email])).id;
const membersOf = async (owner: { email: string }) =>
  service.app.db.rows<{ email: string; role: string }>(
    `select p.email, m.role from memberships m join people p on p.id = m.person_id
     where m.account_id = $1 and p.email <> $2 order by p.email`,
    [await accountOf(owner), owner.email],
  );
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
  const replies = await Promise.all(callbacks.map((body) => service.call(finishSso, { body })));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(replies.every(({ body }) => body.access)).toBe(true);
  expect(await membersOf(alice)).toHaveLength(1);
});

test('an address whose domain nobody has proven is refused like any other', async () => {
  const bob = await person(service, 'Bob');
  for (const email of [bob.email, 'nobody@other.example.com', `x@sub.${domain}`]) {
    expect(await service.call(startSso, { body: { email } })).toMatchObject({
      status: 400,
      body: { reason: 'no_sso' },
    });
  }
  const known = await service.call(startSso, { body: { email: `nobody@${domain}` } });
  expect(known).toMatchObject({ status: 200, body: { url: expect.stringContaining(provider.issuer) } });
});

test('a callback works once, for ten minutes, and only in the browser that began', async () => {
  const callback = await callbackOf(stage, user('bob'));
  const other = await callbackOf(stage, user('mallory'));
  const foreign = { ...callback, login_token: other.login_token ?? '' };
  const invalid = { status: 400, body: { reason: 'invalid_sso_login' } };
  expect(await service.call(finishSso, { body: foreign })).toMatchObject(invalid);
  expect(await service.call(finishSso, { body: { ...callback, state: 'of another' } })).toMatchObject(
    invalid,
  );
  expect((await service.call(finishSso, { body: callback })).status).toBe(200);
  expect(await service.call(finishSso, { body: callback })).toMatchObject({
    status: 400,
    body: { reason: 'sso_login_used' },
  });

  const late = await callbackOf(stage, user('bob'));
  await service.clock.advance(SSO_LOGIN_SECONDS * 1_000);
  expect(await service.call(finishSso, { body: late })).toMatchObject(invalid);
});

test('twenty callbacks with one state at once give one sign-in', async () => {
  const body = await callbackOf(stage, user('bob'));
  const replies = await Promise.all(Array.from({ length: 20 }, () => service.call(finishSso, { body })));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a code of another sign-in is refused', async () => {
  const [one, two] = [await callbackOf(stage, user('bob')), await callbackOf(stage, user('eve'))];
  expect(await service.call(finishSso, { body: { ...one, code: two.code ?? '' } })).toMatchObject({
    status: 400,
    body: { reason: 'sso_invalid_response' },
  });
});

test.each([
  ['issuer', { iss: 'https://other.example.com' }],
  ['audience', { aud: 'another-client' }],
  ['nonce', { nonce: 'of another sign-in' }],
] as const)('an ID token with a wrong %s is refused, and the owner sees why', async (_, wrong) => {
  provider.forge = (claims) => ({ ...claims, ...wrong });
  expect(await signInBySso(stage, user('bob'))).toMatchObject({
    status: 400,
    body: { reason: 'sso_invalid_response' },
  });
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
    expect(await service.call(finishSso, { body })).toMatchObject({
      status: 400,
      body: { reason: 'sso_email_not_verified' },
    });
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
  expect(await service.call(finishSso, { body: callback })).toMatchObject({ status: 400, body: { reason } });
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
  for (const wrong of [0, -1, 1.5, 2_161, '24' as never]) expect((await change(wrong)).status).toBe(400);
});

test.each(['eve@other.example.com', 'eve@sub.DOMAIN', 'eve@DOMAIN.evil.com'])(
  'the address "%s" of another domain is refused',
  async (pattern) => {
    const email = pattern.replace('DOMAIN', domain);
    expect(await signInBySso(stage, { ...user('eve'), email }, `eve@${domain}`)).toMatchObject({
      status: 400,
      body: { reason: 'sso_other_domain' },
    });
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

/** A person with an own account and password, whose address belongs to the domain. */
async function personOfDomain(name: string): Promise<Person> {
  const somebody = await person(service, name);
  const email = `${name.toLowerCase()}@${domain}`;
  for (const table of ['accounts', 'people'])
    await service.app.db.run(`update ${table} set email = $2 where email = $1`, [somebody.email, email]);
  return { ...somebody, email };
}

test('a person who exists is linked only after a sign-in of their own, and then gets a mail', async () => {
  const bob = await personOfDomain('Bob');
  const { status, body } = await signInBySso(stage, user('bob'));
  expect({ status, body }).toEqual({
    status: 200,
    body: { account_id: await accountOf(alice), link_token: expect.any(String), email: bob.email },
  });
  expect(await membersOf(alice)).toEqual([]);
  const link_token = body.link_token ?? '';
  const invalid = { status: 400, body: { reason: 'invalid_sso_link' } };
  const mallory = await person(service, 'Mallory');
  expect(await service.call(linkSso, { bearer: mallory.access, body: { link_token } })).toMatchObject(
    invalid,
  );
  // Not by a session of another account's provider, either.
  const session = await anotherSession(service, bob);
  const linked = await service.call(linkSso, { bearer: session.access, body: { link_token } });
  expect(linked).toMatchObject({ status: 200, body: { account_id: await accountOf(alice) } });
  expect(await membersOf(alice)).toEqual([{ email: bob.email, role: 'viewer' }]);
  expect(await service.call(linkSso, { bearer: session.access, body: { link_token } })).toMatchObject(
    invalid,
  );
  await service.deliver();
  expect((await service.inbox(bob.email))[0]).toMatchObject({
    subject: 'Single sign-on was linked to your profile',
  });
  expect((await signInBySso(stage, user('bob'))).body.access).toEqual(expect.any(String));
});

test('a link expires after ten minutes', async () => {
  const bob = await personOfDomain('Bob');
  const { body } = await signInBySso(stage, user('bob'));
  await service.clock.advance(SSO_LOGIN_SECONDS * 1_000);
  const { access } = await anotherSession(service, bob);
  expect(
    await service.call(linkSso, { bearer: access, body: { link_token: body.link_token ?? '' } }),
  ).toMatchObject({ body: { reason: 'invalid_sso_link' } });
});

test('an SSO session opens only its account', async () => {
  const bob = await personOfDomain('Bob');
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  const { access } = await anotherSession(service, bob);
  const linked = await service.call(linkSso, { bearer: access, body: { link_token } });
  const [ours, his] = [await accountOf(alice), await accountOf(bob)];
  const bearer = linked.body.access;
  expect((await keysOf(bearer)).status).toBe(200);
  expect((await keysOf(bearer, ours)).status).toBe(200);
  expect(await keysOf(bearer, his)).toMatchObject({ status: 404, body: { reason: 'not_found' } });
  expect(await keysOf(bearer, service.app.random.uuid())).toMatchObject({ status: 404 });
  expect((await keysOf(access, his)).status).toBe(200);
  // His proofs of identity stay his own.
  for (const route of routes.filter(({ ownProof }) => ownProof))
    expect(
      await service.call(route, {
        bearer,
        params: { id: service.app.random.uuid() },
        ...(route.body ? { body: {} } : {}),
      }),
    ).toMatchObject({ status: 400, body: { reason: 'sso_session' } });
  expect((await service.call(signIn, { body: bob })).status).toBe(200);
});

test('a provider of another account that names the same subject and address opens nothing of this account', async () => {
  await bearerBySso(stage, user('bob'));
  const mallory = await person(service, 'Mallory');
  await withSso(stage, mallory.access, { domain: `evil-${domain}` });
  const callback = await callbackOf(stage, user('bob'), `x@evil-${domain}`);
  expect(await service.call(finishSso, { body: callback })).toMatchObject({
    status: 400,
    body: { reason: 'sso_other_domain' },
  });
  // The same subject is another identity at another account.
  const same = { ...user('bob'), email: `bob@evil-${domain}` };
  const { body } = await signInBySso(stage, same);
  expect(body.account_id).toBe(await accountOf(mallory));
  expect(await keysOf(body.access ?? '', await accountOf(alice))).toMatchObject({ status: 404 });
  expect(await membersOf(mallory)).toEqual([{ email: `bob@evil-${domain}`, role: 'viewer' }]);
});

test('a removed member cannot sign in with SSO until they join again', async () => {
  await bearerBySso(stage, user('bob'));
  const account_id = await accountOf(alice);
  const bob = await service.app.db.one<{ id: string }>('select id from people where email = $1', [
    `bob@${domain}`,
  ]);
  const open = await bearerBySso(stage, user('bob'));
  await service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [
    account_id,
    bob.id,
  ]);
  // Their SSO session has ended, also for the time after a new membership.
  expect((await keysOf(open)).status).toBe(401);
  // The identity is gone, so the person must prove themselves, and even then does not come back.
  const { body } = await signInBySso(stage, user('bob'));
  expect(body).toMatchObject({ link_token: expect.any(String) });
  await service.app.db.run(
    `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'support', clock_now())`,
    [account_id, bob.id],
  );
  const former = await service.app.db.rows('select 1 from former_members where account_id = $1', [
    account_id,
  ]);
  expect(former).toEqual([]);
  expect((await keysOf(open)).status).toBe(401);
});

test('a person who left cannot link an identity until they join again', async () => {
  const bob = await personOfDomain('Bob');
  const account_id = await accountOf(alice);
  const link = async () => {
    const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
    const { access } = await anotherSession(service, bob);
    return service.call(linkSso, { bearer: access, body: { link_token } });
  };
  expect((await link()).status).toBe(200);
  await service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [
    account_id,
    await accountOf(bob),
  ]);
  expect(await link()).toMatchObject({ status: 400, body: { reason: 'sso_not_a_member' } });
  await service.app.db.run(
    `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'support', clock_now())`,
    [account_id, await accountOf(bob)],
  );
  expect((await link()).status).toBe(200);
  expect(await membersOf(alice)).toEqual([{ email: bob.email, role: 'support' }]);
});

test('an account with 500 members gets no more members with SSO', async () => {
  const account_id = await accountOf(alice);
  await service.app.db.run(
    `with more as (insert into people (id, email, created_at)
       select gen_random_uuid(), 'm' || n || $2, clock_now() from generate_series(2, 500) n returning id)
     insert into memberships (account_id, person_id, role, joined_at) select $1, id, 'viewer', clock_now() from more`,
    [account_id, `@full-${domain}`],
  );
  const full = { status: 400, body: { reason: 'member_limit_reached' } };
  expect(await service.call(finishSso, { body: await callbackOf(stage, user('bob')) })).toMatchObject(full);
  const carol = await personOfDomain('Carol');
  const { link_token = '' } = (await signInBySso(stage, user('carol'))).body;
  const { access } = await anotherSession(service, carol);
  expect(await service.call(linkSso, { bearer: access, body: { link_token } })).toMatchObject(full);
});

test('a sign-in fails with sso_provider_unavailable if the provider does not respond', async () => {
  const body = await callbackOf(stage, user('bob'));
  provider.faults.set('*', 'closes');
  expect(await service.call(finishSso, { body })).toMatchObject({
    status: 503,
    body: { reason: 'sso_provider_unavailable' },
  });
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
  const unavailable = { status: 503, body: { reason: 'sso_provider_unavailable' } };
  await service.app.db.run('update account_sso set issuer = $2 where domain = $1', [domain, body.issuer]);
  expect(await service.call(startSso, { body: { email: `bob@${domain}` } })).toMatchObject(unavailable);
  expect(await service.call(startSsoStepUp, { bearer })).toMatchObject(unavailable);
  expect(await service.call(startSsoByIssuer, { body: { iss: body.issuer } })).toMatchObject(unavailable);
  expect((await lastFailure())?.text).toContain("The provider's response cannot be used");
});

test('an identity without a membership opens nothing', async () => {
  await bearerBySso(stage, user('bob'));
  await service.app.db.run(
    `update identities set person_id = (select id from people where email = $1) where subject = $2`,
    [(await person(service, 'Eve')).email, user('bob').subject],
  );
  expect(await service.call(finishSso, { body: await callbackOf(stage, user('bob')) })).toMatchObject({
    status: 400,
    body: { reason: 'sso_not_a_member' },
  });
});

test('the provider of an account can create 600 persons a day', async () => {
  await service.app.db.run('delete from throttles');
  await bearerBySso(stage, user('bob'));
  await service.app.db.run('update throttles set used = 600 where used = 1');
  expect(await signInBySso(stage, user('carol'))).toMatchObject({
    status: 429,
    body: { reason: 'too_many_requests' },
  });
  // Those who exist still come in.
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
  await service.app.db.run('delete from throttles');
});

test('one network address can fail 100 callbacks in 15 minutes', async () => {
  await service.app.db.run('delete from throttles');
  const body = { login_token: 'x', state: 'y', code: 'z' };
  const replies = await Promise.all(Array.from({ length: 110 }, () => service.call(finishSso, { body })));
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
  expect(replies.find(({ status }) => status === 429)?.body).toMatchObject({ reason: 'too_many_requests' });
  await service.app.db.run('delete from throttles');
});

test('a sign-in that the user cancels at the provider is refused and cannot be resumed', async () => {
  const { code: _, ...callback } = await callbackOf(stage, user('bob'));
  const canceled = { ...callback, provider_error: 'access_denied' };
  expect(await service.call(finishSso, { body: canceled })).toMatchObject({
    status: 400,
    body: { reason: 'sso_denied' },
  });
  expect(await service.call(finishSso, { body: canceled })).toMatchObject({
    body: { reason: 'sso_login_used' },
  });
});

/** Requires single sign-on, with Alice as the exempt owner. */
async function requireIt(more: Record<string, unknown> = {}) {
  const { issuer, client_id } = provider;
  const body = { issuer, client_id, domain, default_role: 'viewer', required: true, ...more };
  return service.call(updateSso, { bearer: alice.access, body });
}

test('if single sign-on is required, members of the domain cannot open the account with a password, except for one owner', async () => {
  const bob = await personOfDomain('Bob');
  const eve = await person(service, 'Eve');
  const [ours, his] = [await accountOf(alice), await accountOf(bob)];
  for (const who of [bob, eve])
    await service.app.db.run(
      `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'owner', clock_now())`,
      [ours, await accountOf(who)],
    );
  await service.app.db.run(`update accounts set email = $2 where id = $1`, [ours, `alice@${domain}`]);
  await bearerBySso(stage, user('carol'));
  expect((await keysOf(bob.access, ours)).status).toBe(200);
  expect((await requireIt()).status).toBe(200);

  const required = { status: 400, body: { reason: 'sso_required' } };
  expect(await keysOf(bob.access, ours)).toMatchObject(required);
  const { access } = await anotherSession(service, bob);
  expect(await keysOf(access, ours)).toMatchObject(required);
  expect((await keysOf(access, his)).status).toBe(200);
  // Alice is exempt; Eve's address is of another domain.
  expect((await keysOf(alice.access, ours)).status).toBe(200);
  expect((await keysOf(eve.access, ours)).status).toBe(200);
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  const linked = await service.call(linkSso, { bearer: access, body: { link_token } });
  expect((await keysOf(linked.body.access, ours)).status).toBe(200);

  // When the proof of the domain ends, nobody could sign in by it, so it is not required.
  const begun = await callbackOf(stage, user('bob'));
  await service.app.db.run('update account_sso set verified_at = null where account_id = $1', [ours]);
  expect((await keysOf(access, ours)).status).toBe(200);
  const none = { body: { reason: 'no_sso' } };
  expect(await service.call(startSso, { body: { email: bob.email } })).toMatchObject(none);
  expect(await service.call(finishSso, { body: begun })).toMatchObject(none);
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
  const refused = { status: 429, body: { reason: 'too_many_requests' } };
  expect(replies.find(({ status }) => status === 429)).toMatchObject(refused);
  expect(await service.call(startSsoByIssuer, { body: { iss: provider.issuer } })).toMatchObject(refused);
});
