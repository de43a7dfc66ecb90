import { deleteMe, getMe, getProfile, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { createAccount, listAccounts, transferCredits } from '@sixdigit/contract/accounts/own-accounts.ts';
import { endAllSessions, endSession, listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { refreshTokens, signOut } from '@sixdigit/contract/accounts/sign-in.ts';
import { finishSso, linkSso, removeSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { createApiKey, listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { listOperatorAccounts } from '@sixdigit/contract/operator/accounts.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { beforeEach, expect, test } from 'vitest';
import { holdLock, untilBlocked } from '../../../test/held-lock.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { callbackOf, signInBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';
import { isMemberSessionOpen, selectOpenMemberSessions } from './memberships.ts';
import { selectSessions } from './sessions.ts';

const stage = ssoStage();
const { service, provider, user } = stage;

/** Alice owns an account with single sign-on. Bob has two accounts of his own, and is linked to it. */
let alice: Person;
let bob: Person;
let domain: string;
/** Alice's account, Bob's first and his second */
let ours: string;
let his: string;
let shop: string;
/** Bob's SSO session */
let bearer: string;
let refresh: string;

const within = (token: string, account_id: string) => ({
  bearer: token,
  headers: { 'x-account': account_id },
});
const meOf = async (token: string) => (await service.call(getMe, { bearer: token })).body;
const entriesOf = (account_id: string) =>
  service.app.db.rows<{ action: string; person_id: string | null }>(
    'select action, person_id from audit_entries where account_id = $1 order by id',
    [account_id],
  );
const require = () => {
  const { issuer, client_id } = provider;
  const body = { issuer, client_id, domain, default_role: 'developer' as const, required: true };
  return service.call(updateSso, { bearer: alice.access, body });
};

beforeEach(async () => {
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
  bob = await person(service, 'Bob');
  ours = (await meOf(alice.access)).account_id;
  his = (await meOf(bob.access)).account_id;
  shop = (await service.call(createAccount, { bearer: bob.access, body: { name: 'Shop' } })).body.id;
  await withSso(stage, alice.access, { domain, default_role: 'developer' });
  await service.app.db.run('update people set email = $2 where id = $1', [his, `bob@${domain}`]);
  bob = { ...bob, email: `bob@${domain}` };
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  const linked = await service.call(linkSso, { bearer: bob.access, body: { link_token } });
  expect(linked.status).toBe(200);
  ({ access: bearer, refresh } = linked.body);
});

test('the identity provider of one account opens none of a person’s other accounts, by any call', async () => {
  expect(await meOf(bearer)).toMatchObject({ id: his, account_id: ours, role: 'developer' });
  const members = routes.filter(({ auth, stream }) => auth === 'bearer' && stream !== 'text/event-stream');
  expect(members.length).toBeGreaterThan(80);
  for (const account_id of [his, shop, service.app.random.uuid()])
    for (const route of members) {
      await service.clock.advance(1_000);
      const { status, body } = await service.call(route, {
        ...within(bearer, account_id),
        params: { id: his, message_id: his, attempt_id: his },
        ...(route.body ? { body: {} } : {}),
      });
      expect({ status, body }, route.name).toMatchObject({ status: 404, body: { reason: 'not_found' } });
    }
  // Bob's own session still opens all three.
  const own = await anotherSession(service, bob);
  for (const account_id of [ours, his, shop])
    expect((await service.call(listApiKeys, within(own.access, account_id))).status).toBe(200);
});

test('a person in an SSO session sees one account, and cannot create one or move credits to another', async () => {
  const seen = async (token: string) =>
    (await service.call(listAccounts, { bearer: token })).body.results.map(({ id }) => id);
  expect(await seen(bearer)).toEqual([ours]);
  expect(new Set(await seen((await anotherSession(service, bob)).access))).toEqual(
    new Set([ours, his, shop]),
  );
  await service.app.db.run(`update memberships set role = 'owner' where account_id = $1`, [ours]);
  const refused = { status: 400, body: { reason: 'sso_session' } };
  expect(await service.call(createAccount, { bearer, body: { name: 'New' } })).toMatchObject(refused);
  expect(
    await service.call(transferCredits, { bearer, body: { to_account_id: his, credits: 1 } }),
  ).toMatchObject(refused);
  expect(await service.call(deleteMe, { bearer, body: { password: bob.password } })).toMatchObject(refused);
  // A new phone number receives codes, and its password could be guessed here.
  const phone = { phone_number: '4155559999', current_password: bob.password };
  expect(await service.call(updateProfile, { bearer, body: phone })).toMatchObject(refused);
  expect((await service.call(updateProfile, { bearer, body: { first_name: 'Bob' } })).status).toBe(200);
  expect((await service.call(getProfile, { bearer })).body.phone_number).toBe(bob.phone);
});

test('a session that is not an SSO session cannot move credits into an account that requires single sign-on', async () => {
  await service.app.db.run(`update memberships set role = 'owner' where account_id = $1`, [ours]);
  const own = await anotherSession(service, bob);
  const move = () =>
    service.call(transferCredits, { ...within(own.access, his), body: { to_account_id: ours, credits: 1 } });
  expect((await move()).status).toBe(200);
  expect((await require()).status).toBe(200);
  expect(await move()).toMatchObject({ status: 400, body: { to_account_id: expect.anything() } });
});

test('an operator who signs in with SSO does not open the console', async () => {
  await service.app.db.run(
    `insert into operators (person_id, role, created_at) values ($1, 'admin', clock_now())`,
    [his],
  );
  const own = (await anotherSession(service, bob)).access;
  expect((await service.call(listOperatorAccounts, { bearer: own })).status).toBe(200);
  expect((await meOf(own)).operator_role).toBe('admin');
  expect((await service.call(listOperatorAccounts, { bearer })).status).toBe(404);
  expect(await meOf(bearer)).not.toHaveProperty('operator_role');
});

test('an SSO session lists and ends only the SSO sessions of its account', async () => {
  const own = await anotherSession(service, bob);
  const second = (await signInBySso(stage, user('bob'))).body.access ?? '';
  const seen = async (token: string) =>
    (await service.call(listSessions, { bearer: token })).body.results.map(({ id }) => id);
  const [all, ssoOnes] = [await seen(own.access), await seen(bearer)];
  expect(all).toHaveLength(4);
  expect(ssoOnes).toHaveLength(2);
  for (const id of all.filter((one) => !ssoOnes.includes(one)))
    expect((await service.call(endSession, { bearer, params: { id } })).status).toBe(404);
  expect((await service.call(endAllSessions, { bearer, body: { keep_current: true } })).status).toBe(204);
  expect((await service.call(listApiKeys, { bearer: second })).status).toBe(401);
  expect(await seen(bearer)).toHaveLength(1);
  expect((await service.call(endAllSessions, { bearer, body: {} })).status).toBe(204);
  expect((await service.call(listApiKeys, { bearer })).status).toBe(401);
  for (const token of [own.access, bob.access])
    expect((await service.call(listApiKeys, { bearer: token })).status).toBe(200);
});

test('a sign-in with SSO is recorded in its account only, with the person', async () => {
  const before = await entriesOf(his);
  const again = (await signInBySso(stage, user('bob'))).body;
  await service.call(signOut, { body: { refresh: again.refresh ?? '' } });
  expect(await entriesOf(his)).toEqual(before);
  expect((await entriesOf(ours)).slice(-2)).toEqual([
    { action: 'sign_in.succeed', person_id: his },
    { action: 'session.end', person_id: his },
  ]);
  const { results } = (await service.call(listAuditEntries, { bearer: alice.access })).body;
  expect(results.find(({ action }) => action === 'sso.link')).toMatchObject({
    person: { id: his, email: bob.email },
  });
});

test('a stolen refresh token of an SSO session ends it, with an entry in its account only', async () => {
  const before = await entriesOf(his);
  const renew = (token: string) => service.call(refreshTokens, { body: { refresh: token } });
  const child = (await renew(refresh)).body.refresh;
  await renew(child);
  await service.clock.advance(11_000);
  expect((await renew(refresh)).status).toBe(401);
  expect((await service.call(listApiKeys, { bearer })).status).toBe(401);
  expect((await entriesOf(ours)).at(-1)).toMatchObject({ action: 'session.reuse', person_id: his });
  expect(await entriesOf(his)).toEqual(before);
});

test('a sign-in with SSO makes neither its network nor its device known', async () => {
  const known = () =>
    service.app.db.one(
      `select (select count(*) from account_networks where person_id = $1) as networks,
         (select count(*) from account_devices where person_id = $1) as devices`,
      [his],
    );
  await service.app.db.run('delete from account_networks where person_id = $1', [his]);
  await service.app.db.run('delete from account_devices where person_id = $1', [his]);
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
  expect(await known()).toEqual({ networks: 0, devices: 0 });
});

test('a process of the release before finds no SSO session', async () => {
  const rows = await service.app.db.rows<{ account_id: string }>(
    'select account_id from sessions where sso_account_id is not null',
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const table of ['accounts', 'people'])
    expect(
      await service.app.db.rows(`select from ${table} where id = any ($1::uuid[])`, [
        rows.map(({ account_id }) => account_id),
      ]),
    ).toEqual([]);
});

test('open streams and exports end when single sign-on becomes required and when a member is removed', async () => {
  const { db } = service.app;
  const sessionsOf = async (person_id: string) => {
    const own = await db.one<{ id: string }>(
      'select id from sessions where person_id = $1 and sso_account_id is null order by id desc limit 1',
      [person_id],
    );
    const sso = await db.one<{ id: string }>(
      'select id from sessions where person_id = $1 and sso_account_id is not null order by id desc limit 1',
      [person_id],
    );
    return { own: own.id, sso: sso.id };
  };
  const { own, sso } = await sessionsOf(his);
  const asked = [own, sso].flatMap((session_id) =>
    [ours, his, shop].map((account_id) => ({ session_id, account_id })),
  );
  const roleIn = async (account_id: string): Promise<Role> =>
    (
      await db.maybe<{ role: Role }>(
        'select role from memberships where account_id = $1 and person_id = $2',
        [account_id, his],
      )
    )?.role ?? 'viewer';
  const open = async () => {
    const found = await selectOpenMemberSessions(db, asked);
    for (const { session_id, account_id } of asked)
      expect(
        await isMemberSessionOpen(db, {
          session_id,
          account_id,
          person_id: his,
          role: await roleIn(account_id),
        }),
      ).toBe(found.some((one) => one.session_id === session_id && one.account_id === account_id));
    return new Set(
      found.map(({ session_id, account_id }) => `${session_id === sso ? 'sso' : 'own'} ${account_id}`),
    );
  };
  expect(await open()).toEqual(new Set([`own ${ours}`, `own ${his}`, `own ${shop}`, `sso ${ours}`]));
  const others = { session_id: own, account_id: ours, person_id: ours, role: 'owner' } as const;
  expect(await isMemberSessionOpen(db, others)).toBe(false);
  expect((await require()).status).toBe(200);
  expect(await open()).toEqual(new Set([`own ${his}`, `own ${shop}`, `sso ${ours}`]));
  await db.run('delete from memberships where account_id = $1 and person_id = $2', [ours, his]);
  expect(await open()).toEqual(new Set([`own ${his}`, `own ${shop}`]));
});

test('a sign-in that waits while the provider is changed is refused', async () => {
  const body = await callbackOf(stage, user('bob'));
  await using change = await holdLock(
    service,
    `update account_sso set client_id = 'another' where account_id = $1`,
    [ours],
  );
  const signedIn = service.call(finishSso, { body });
  await untilBlocked(service, 'update account_sso set signed_in_at');
  await change.commit();
  expect(await signedIn).toMatchObject({ status: 400, body: { reason: 'invalid_sso_login' } });
});

test('a removal that runs while its member signs in leaves no session', async () => {
  // The sign-in has found the membership, and waits for the settings.
  const body = await callbackOf(stage, user('bob'));
  await using change = await holdLock(service, 'select from account_sso where account_id = $1 for update', [
    ours,
  ]);
  const signedIn = service.call(finishSso, { body });
  await untilBlocked(service, 'update account_sso set signed_in_at');
  const removed = service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [
    ours,
    his,
  ]);
  await Promise.race([untilBlocked(service, 'delete from memberships'), removed]);
  await change.commit();
  expect((await signedIn).status).toBe(200);
  await removed;
  expect(
    await service.app.db.rows('select from sessions where sso_account_id = $1 and ended_at is null', [ours]),
  ).toEqual([]);
});

test('removals and sign-ins of a member at once leave no session', async () => {
  const callback = await callbackOf(stage, user('bob'));
  const open = () =>
    service.app.db.rows('select from sessions where sso_account_id = $1 and ended_at is null', [ours]);
  for (let n = 0; n < 5; n += 1) {
    const [signedIn] = await Promise.all([
      service.call(finishSso, { body: n === 0 ? callback : await callbackOf(stage, user('bob')) }),
      service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [ours, his]),
    ]);
    expect([200, 400]).toContain(signedIn.status);
    expect(await open()).toEqual([]);
    await service.app.db.run(
      `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'viewer', clock_now())`,
      [ours, his],
    );
    const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
    expect((await service.call(linkSso, { bearer: bob.access, body: { link_token } })).status).toBe(200);
  }
});

test('a sign-in that runs while single sign-on is turned off leaves no session', async () => {
  const callbacks = await Promise.all([1, 2, 3].map(() => callbackOf(stage, user('bob'))));
  const [off, ...signIns] = await Promise.all([
    service.call(removeSso, { bearer: alice.access }),
    ...callbacks.map((body) => service.call(finishSso, { body })),
  ]);
  expect(off.status).toBe(204);
  for (const { status } of signIns) expect([200, 400]).toContain(status);
  expect(
    await service.app.db.rows('select from sessions where sso_account_id = $1 and ended_at is null', [ours]),
  ).toEqual([]);
});

test('a sign-in that runs while its account is deleted is complete or refused', async () => {
  const callbacks = await Promise.all(
    ['bob', 'bob', 'carol', 'dave'].map((name) => callbackOf(stage, user(name))),
  );
  const [deleted, ...signIns] = await Promise.all([
    service.call(deleteMe, { bearer: alice.access, body: { password: alice.password } }),
    ...callbacks.map((body) => service.call(finishSso, { body })),
  ]);
  expect(deleted.status).toBe(204);
  for (const { status } of signIns) expect([200, 400]).toContain(status);
  expect(await service.app.db.rows('select from memberships where account_id = $1', [ours])).toEqual([]);
});

test('nobody joins a suspended account with SSO, but its members can sign in', async () => {
  await service.app.db.run('update accounts set suspended_at = now() where id = $1', [ours]);
  const suspended = { status: 400, body: { reason: 'account_suspended' } };
  const body = await callbackOf(stage, user('carol'));
  expect(await service.call(finishSso, { body })).toMatchObject(suspended);
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
  await service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [ours, his]);
  await service.app.db.run('delete from former_members where person_id = $1', [his]);
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  expect(await service.call(linkSso, { bearer: bob.access, body: { link_token } })).toMatchObject(suspended);
});

test('a person with 50 accounts cannot join another one with SSO', async () => {
  await service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [ours, his]);
  await service.app.db.run('delete from former_members where person_id = $1', [his]);
  await service.app.db.run(
    `with made as (insert into accounts (id, created_at) select new_uuid(), now() from generate_series(1, 48) returning id)
     insert into memberships (account_id, person_id, role, joined_at) select id, $1, 'viewer', now() from made`,
    [his],
  );
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  expect(await service.call(linkSso, { bearer: bob.access, body: { link_token } })).toMatchObject({
    status: 400,
    body: { reason: 'account_limit_reached' },
  });
});

test('a deleted person leaves neither identities nor links', async () => {
  await stage.personOfDomain('Eve');
  expect((await signInBySso(stage, user('eve'))).body).toHaveProperty('link_token');
  const carol = (await signInBySso(stage, user('carol'))).body.access ?? '';
  const { id } = await meOf(carol);
  await service.app.db.run(`update memberships set role = 'owner' where account_id = $1`, [ours]);
  await service.call(createApiKey, { bearer: alice.access, body: { name: 'Key' } });
  const deleted = await service.call(deleteMe, { bearer: alice.access, body: { password: alice.password } });
  expect(deleted.status).toBe(204);
  expect(
    await service.app.db.one(`select email, deleted_at is null as is_alive from people where id = $1`, [id]),
  ).toEqual({ email: null, is_alive: false });
  // Bob has other accounts.
  expect((await service.call(getProfile, { bearer: bob.access })).status).toBe(200);
  for (const table of [
    'account_sso',
    'identities',
    'sso_links',
    'sso_logins',
    'former_members',
    'former_member_hashes',
  ])
    expect(await service.app.db.rows(`select from ${table} where account_id = $1`, [ours]), table).toEqual(
      [],
    );
  expect((await service.call(getProfile, { bearer })).status).toBe(401);
});

test('an operator sees the SSO sessions too', async () => {
  const { db, placeOf } = service.app;
  expect(await selectSessions({ db, placeOf }, his, null)).toHaveLength(2);
});
