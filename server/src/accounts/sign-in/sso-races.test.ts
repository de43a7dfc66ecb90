import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { checkSso, finishSso, linkSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ProviderUser } from '../../../test/fakes/identity-provider.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import { callbackOf, signInBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';

/** Sign-ins with SSO and links that wait while something else changes. `members/authority.test.ts` has the settings. */

const stage = ssoStage();
const { service, names, provider, user, membersOf, personOfDomain } = stage;

let alice: Person;
let ours: string;
let domain: string;

beforeEach(async () => {
  provider.describe = undefined;
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
  ours = (await service.call(getMe, { bearer: alice.access })).body.account_id;
  await withSso(stage, alice.access, { domain, default_role: 'admin' });
});

const linkTokenOf = async (who: ProviderUser): Promise<string> =>
  (await signInBySso(stage, who)).body.link_token ?? 'no link';
const link = ({ access }: Pick<Person, 'access'>, link_token: string) =>
  service.call(linkSso, { bearer: access, body: { link_token } });

const holdAccount = () => holdLock(service, 'select from accounts where id = $1 for no key update', [ours]);

test('an owner who is demoted during the look-up of the record proves no domain', async () => {
  const other = `new-${domain}`;
  const { issuer, client_id, client_secret } = provider;
  const body = { issuer, client_id, client_secret, domain: other, default_role: 'viewer' as const };
  const { settings } = (await service.call(updateSso, { bearer: alice.access, body })).body;
  names.records.set(settings?.record_name ?? '', [settings?.record_value ?? '']);
  await service.clock.advance(6_000);
  provider.describe = async (document) => {
    await service.app.db.run(`update memberships set role = 'admin' where account_id = $1`, [ours]);
    return document;
  };
  expect(await service.call(checkSso, { bearer: alice.access })).toMatchObject({
    status: 400,
    body: { reason: 'role_too_low' },
  });
  expect(
    await service.app.db.one('select verified_at from account_sso where account_id = $1', [ours]),
  ).toEqual({ verified_at: null });
});

test('if two people link one identity at the same moment, one gets it and the other does not join', async () => {
  const [bob, carol] = [await personOfDomain('Bob'), await personOfDomain('Carol')];
  // The provider has changed the address of its user.
  const tokens = [
    await linkTokenOf(user('x', { email: bob.email })),
    await linkTokenOf(user('x', { email: carol.email })),
  ] as const;
  await using held = await holdAccount();
  const answers = [link(bob, tokens[0]), link(carol, tokens[1])];
  await untilWaiting(service, 2);
  await held.commit();
  const replies = await Promise.all(answers);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(replies.find(({ status }) => status === 400)?.body).toMatchObject({
    reason: 'invalid_sso_link',
    error:
      'This confirmation has expired, was already used or belongs to another user. Please sign in with SSO again.',
  });
  expect(await membersOf(alice)).toHaveLength(1);
  const owners = await service.app.db.rows('select from identities where account_id = $1', [ours]);
  expect(owners).toHaveLength(1);
});

test('a link that is used twice at the same moment works once', async () => {
  const bob = await personOfDomain('Bob');
  const token = await linkTokenOf(user('bob'));
  const second = await anotherSession(service, bob);
  await using held = await holdAccount();
  const answers = [link(bob, token), link(second, token)];
  await untilWaiting(service, 2);
  await held.commit();
  const replies = await Promise.all(answers);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(replies.find(({ status }) => status === 400)?.body).toMatchObject({ reason: 'invalid_sso_link' });
});

test('a session that ends while its link waits links nothing', async () => {
  const bob = await personOfDomain('Bob');
  const token = await linkTokenOf(user('bob'));
  await using held = await holdLock(service, 'select from people where email = $1 for no key update', [
    bob.email,
  ]);
  const answer = link(bob, token);
  await untilWaiting(service, 1);
  // As a change of the password does.
  await held.run(
    'update sessions s set ended_at = clock_now() from people p where p.id = s.person_id and p.email = $1',
    [bob.email],
  );
  await held.commit();
  expect(await answer).toMatchObject({ status: 401, body: { reason: 'unauthenticated' } });
  expect(await membersOf(alice)).toEqual([]);
  expect(await service.app.db.rows('select from identities where account_id = $1', [ours])).toEqual([]);
});

test('a link is refused after the person’s address has moved to another domain', async () => {
  const bob = await personOfDomain('Bob');
  const token = await linkTokenOf(user('bob'));
  await service.app.db.run('update people set email = $2 where email = $1', [
    bob.email,
    `bob@elsewhere-${domain}`,
  ]);
  expect(await link(bob, token)).toMatchObject({ status: 400, body: { reason: 'invalid_sso_link' } });
  expect(await membersOf(alice)).toEqual([]);
});

test('a first sign-in that waits while the default role is lowered and sessions are shortened gives both', async () => {
  const body = await callbackOf(stage, user('bob'));
  await using held = await holdAccount();
  const answer = service.call(finishSso, { body });
  await untilWaiting(service, 1);
  await held.run(`update account_sso set default_role = 'viewer', session_hours = 2 where account_id = $1`, [
    ours,
  ]);
  await held.commit();
  expect((await answer).status).toBe(200);
  const session = await service.app.db.one(
    `select extract(epoch from ends_at - created_at)::integer / 3600 as hours from sessions where sso_account_id = $1`,
    [ours],
  );
  expect(session).toEqual({ hours: 2 });
  expect(await membersOf(alice)).toEqual([{ email: `bob@${domain}`, role: 'viewer' }]);
});

test.each([
  ['the domain changes', `domain = 'another.example.com'`],
  ['the proof of the domain ends', 'lapses_at = clock_now()'],
])('a first sign-in that waits while %s is refused', async (_, change) => {
  const body = await callbackOf(stage, user('bob'));
  await using held = await holdAccount();
  const answer = service.call(finishSso, { body });
  await untilWaiting(service, 1);
  await held.run(`update account_sso set ${change} where account_id = $1`, [ours]);
  await held.commit();
  expect(await answer).toMatchObject({ status: 400, body: { reason: 'invalid_sso_login' } });
  expect(await membersOf(alice)).toEqual([]);
});

test('a sign-in of a new member waits for a deletion of the account that has begun, without a deadlock', async () => {
  // The deletion has locked the members that it found before.
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
  const body = await callbackOf(stage, user('bob'));
  await using deletion = await holdLock(service, 'select from accounts where id = $1 for update', [ours]);
  const answer = service.call(finishSso, { body });
  await untilWaiting(service, 1);
  await deletion.run('delete from memberships where account_id = $1', [ours]);
  await deletion.run('update accounts set deleted_at = clock_now() where id = $1', [ours]);
  await deletion.commit();
  expect(await answer).toMatchObject({ status: 400, body: { reason: 'invalid_sso_login' } });
});
