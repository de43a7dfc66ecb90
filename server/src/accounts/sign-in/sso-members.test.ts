/** Which person an identity opens, and who is a member with it. */

import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import {
  finishSso,
  linkSso,
  SSO_LOGIN_SECONDS,
  startSso,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { beforeEach, expect, test } from 'vitest';
import { crowd } from '../../../test/members.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { bearerBySso, callbackOf, signInBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';

const stage = ssoStage();
const { service, provider, user, accountOf, membersOf, personOfDomain } = stage;

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
const link = ({ access }: Pick<Person, 'access'>, link_token: string) =>
  service.call(linkSso, { bearer: access, body: { link_token } });
const linkTokenOf = async (name: string): Promise<string> =>
  (await signInBySso(stage, user(name))).body.link_token ?? 'no link';
const join = (account_id: string, person_id: string, role: string) =>
  service.app.db.run(
    'insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, $3, clock_now())',
    [account_id, person_id, role],
  );
const leave = (account_id: string, person_id: string) =>
  service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [
    account_id,
    person_id,
  ]);

test('a person who exists is linked only after a sign-in of their own, and then gets a mail', async () => {
  const bob = await personOfDomain('Bob');
  const { status, body } = await signInBySso(stage, user('bob'));
  expect({ status, body }).toEqual({
    status: 200,
    body: { account_id: await accountOf(alice), link_token: expect.any(String), email: bob.email },
  });
  expect(await membersOf(alice)).toEqual([]);
  const link_token = body.link_token ?? '';
  const invalid = refusal('invalid_sso_link');
  const mallory = await person(service, 'Mallory');
  expect(await link(mallory, link_token)).toMatchObject(invalid);
  // Not by a session of another account's provider, either.
  const session = await anotherSession(service, bob);
  const linked = await link(session, link_token);
  expect(linked).toMatchObject({ status: 200, body: { account_id: await accountOf(alice) } });
  expect(await membersOf(alice)).toEqual([{ email: bob.email, role: 'viewer' }]);
  expect(await link(session, link_token)).toMatchObject(invalid);
  await service.deliver();
  expect((await service.inbox(bob.email))[0]).toMatchObject({
    subject: 'Single sign-on was linked to your profile',
  });
  expect((await signInBySso(stage, user('bob'))).body.access).toEqual(expect.any(String));
});

test('a link expires after ten minutes', async () => {
  const bob = await personOfDomain('Bob');
  const link_token = await linkTokenOf('bob');
  await service.clock.advance(SSO_LOGIN_SECONDS * 1_000);
  expect(await link(await anotherSession(service, bob), link_token)).toMatchObject({
    body: { reason: 'invalid_sso_link' },
  });
});

test('an SSO session opens only its account', async () => {
  const bob = await personOfDomain('Bob');
  const { access } = await anotherSession(service, bob);
  const linked = await link({ access }, await linkTokenOf('bob'));
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
    ).toMatchObject(refusal('sso_session'));
  expect((await service.call(signIn, { body: bob })).status).toBe(200);
});

test('a provider of another account that names the same subject and address opens nothing of this account', async () => {
  await bearerBySso(stage, user('bob'));
  const mallory = await person(service, 'Mallory');
  await withSso(stage, mallory.access, { domain: `evil-${domain}` });
  const callback = await callbackOf(stage, user('bob'), `x@evil-${domain}`);
  expect(await finish(callback)).toMatchObject(refusal('sso_other_domain'));
  // The same subject is another identity at another account.
  const same = { ...user('bob'), email: `bob@evil-${domain}` };
  const { body } = await signInBySso(stage, same);
  expect(body.account_id).toBe(await accountOf(mallory));
  expect(await keysOf(body.access ?? '', await accountOf(alice))).toMatchObject({ status: 404 });
  expect(await membersOf(mallory)).toEqual([{ email: `bob@evil-${domain}`, role: 'viewer' }]);
});

test('a removed member cannot sign in with SSO until they join again', async () => {
  const account_id = await accountOf(alice);
  const member = async (name: string) => {
    await bearerBySso(stage, user(name));
    const found = 'select id from people where email = $1';
    return service.app.db.one<{ id: string }>(found, [`${name}@${domain}`]);
  };
  const bob = await member('bob');
  const carol = await member('carol');
  const open = await bearerBySso(stage, user('bob'));
  await leave(account_id, bob.id);
  await bearerBySso(stage, user('carol'));
  await leave(account_id, carol.id);
  // Their SSO session has ended, also for the time after a new membership.
  expect((await keysOf(open)).status).toBe(401);
  // The identity is gone, so the person must prove themselves, and even then does not come back.
  const { body } = await signInBySso(stage, user('bob'));
  expect(body).toMatchObject({ link_token: expect.any(String) });
  await join(account_id, bob.id, 'support');
  const former = await service.app.db.rows('select person_id from former_members where account_id = $1', [
    account_id,
  ]);
  expect(former).toEqual([{ person_id: carol.id }]);
  expect((await keysOf(open)).status).toBe(401);
});

test('a person who left cannot link an identity until they join again', async () => {
  const bob = await personOfDomain('Bob');
  const account_id = await accountOf(alice);
  const linked = async () => link(await anotherSession(service, bob), await linkTokenOf('bob'));
  expect((await linked()).status).toBe(200);
  await leave(account_id, await accountOf(bob));
  expect(await linked()).toMatchObject(refusal('sso_not_a_member'));
  await join(account_id, await accountOf(bob), 'support');
  expect((await linked()).status).toBe(200);
  expect(await membersOf(alice)).toEqual([{ email: bob.email, role: 'support' }]);
});

test('an account with 500 members gets no more members with SSO', async () => {
  await crowd(service, { account_id: await accountOf(alice) }, 499);
  const full = refusal('member_limit_reached');
  expect(await finish(await callbackOf(stage, user('bob')))).toMatchObject(full);
  const carol = await personOfDomain('Carol');
  const link_token = await linkTokenOf('carol');
  expect(await link(await anotherSession(service, carol), link_token)).toMatchObject(full);
});

test('an identity without a membership opens nothing', async () => {
  await bearerBySso(stage, user('bob'));
  await service.app.db.run(
    `update identities set person_id = (select id from people where email = $1) where subject = $2`,
    [(await person(service, 'Eve')).email, user('bob').subject],
  );
  expect(await finish(await callbackOf(stage, user('bob')))).toMatchObject(refusal('sso_not_a_member'));
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
  for (const who of [bob, eve]) await join(ours, await accountOf(who), 'owner');
  await service.app.db.run(`update accounts set email = $2 where id = $1`, [ours, `alice@${domain}`]);
  await bearerBySso(stage, user('carol'));
  expect((await keysOf(bob.access, ours)).status).toBe(200);
  expect((await requireIt()).status).toBe(200);

  const required = refusal('sso_required');
  expect(await keysOf(bob.access, ours)).toMatchObject(required);
  const { access } = await anotherSession(service, bob);
  expect(await keysOf(access, ours)).toMatchObject(required);
  expect((await keysOf(access, his)).status).toBe(200);
  // Alice is exempt; Eve's address is of another domain.
  expect((await keysOf(alice.access, ours)).status).toBe(200);
  expect((await keysOf(eve.access, ours)).status).toBe(200);
  const linked = await link({ access }, await linkTokenOf('bob'));
  expect((await keysOf(linked.body.access, ours)).status).toBe(200);

  // When the proof of the domain ends, nobody could sign in by it, so it is not required.
  const begun = await callbackOf(stage, user('bob'));
  await service.app.db.run('update account_sso set verified_at = null where account_id = $1', [ours]);
  expect((await keysOf(access, ours)).status).toBe(200);
  const none = { body: { reason: 'no_sso' } };
  expect(await service.call(startSso, { body: { email: bob.email } })).toMatchObject(none);
  expect(await finish(begun)).toMatchObject(none);
});
