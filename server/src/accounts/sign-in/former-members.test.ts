import { deleteProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { acceptInvitation, createInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { leaveAccount, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { linkSso, removeSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { confirmEmailChange, requestEmailChange } from '@sixdigit/contract/operator/email-change.ts';
import { beforeEach, expect, test } from 'vitest';
import { invitationTokenFor } from '../../../test/members.ts';
import { testOperator } from '../../../test/operator.ts';
import { codeFor, type Person, person } from '../../../test/person.ts';
import { bearerBySso, proveDomain, signInBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';

/** The default role of Alice's account is admin. */
const stage = ssoStage();
const { service, provider, user, accountOf, personOfDomain } = stage;

let alice: Person;
let domain: string;

beforeEach(async () => {
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
  await withSso(stage, alice.access, { domain, default_role: 'admin' });
});

const idOf = async (email: string): Promise<string> =>
  (await service.app.db.one<{ id: string }>('select id from people where email = $1', [email])).id;
const refused = { status: 400, body: { reason: 'sso_not_a_member' } };

/** Gives a person without a password one, as a reset does, and deletes their profile. */
async function deletesProfile(email: string): Promise<void> {
  const { hash } = await service.app.db.one<{ hash: string }>(
    'select password_hash as hash from people where email = $1',
    [alice.email],
  );
  await service.app.db.run('update people set password_hash = $2 where email = $1', [email, hash]);
  const { body } = await service.call(signIn, { body: { email, password: alice.password } });
  const gone = await service.call(deleteProfile, {
    bearer: body.access ?? '',
    body: { password: alice.password },
  });
  expect(gone.status).toBe(204);
}

test.each([
  ['left', async (bearer: string) => service.call(leaveAccount, { bearer })],
  [
    'was removed',
    async () =>
      service.call(removeMember, {
        bearer: alice.access,
        params: { person_id: await idOf(`bob@${domain}`) },
      }),
  ],
])('a member who %s and deletes the profile does not come back by SSO', async (_, ends) => {
  const email = `bob@${domain}`;
  const bearer = await bearerBySso(stage, user('bob'));
  expect((await ends(bearer)).status).toBe(204);
  await deletesProfile(email);
  // By the identity, by the address, and by both.
  for (const again of [
    user('bob'),
    user('bob', { email: `robert@${domain}` }),
    user('bob', { subject: `new subject at ${domain}` }),
  ])
    expect(await signInBySso(stage, again)).toMatchObject(refused);
  expect(await service.app.db.rows('select 1 from people where email like $1', [`%@${domain}`])).toEqual([]);

  // Nor by a new profile whose identity is linked.
  const bob = await person(service, 'Bob');
  await service.app.db.run('update people set email = $2 where email = $1', [bob.email, email]);
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  expect(await service.call(linkSso, { bearer: bob.access, body: { link_token } })).toMatchObject(refused);

  // An invitation from after that brings them back, with its role.
  await service.call(createInvitation, { bearer: alice.access, body: { email, role: 'viewer' } });
  const token = await invitationTokenFor(service, email);
  const joined = await service.call(acceptInvitation, { bearer: bob.access, body: { token } });
  expect(joined).toMatchObject({ status: 200, body: { role: 'viewer' } });
});

/** As one from before invitations ended with a sign-in. */
const insertInvitation = (email: string) =>
  service.app.db.run(
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     select $1, a.id, $2, 'admin', '\\x01', a.id, clock_now(), clock_now() + interval '7 days'
     from accounts a where a.email = $3`,
    [service.app.random.uuid(), email, alice.email],
  );

test('an invitation from before the removal does not bring a member back', async () => {
  const email = `bob@${domain}`;
  await service.call(createInvitation, { bearer: alice.access, body: { email, role: 'admin' } });
  const open = () => service.app.db.rows('select 1 from invitations where email = $1', [email]);
  expect(await open()).toHaveLength(1);
  // A sign-in does not leave it for later, either.
  await bearerBySso(stage, user('bob'));
  expect(await open()).toEqual([]);
  const person_id = await idOf(email);
  await insertInvitation(email);
  await service.call(removeMember, { bearer: alice.access, params: { person_id } });
  expect(await open()).toEqual([]);
});

test('a member’s earlier address does not join as another person', async () => {
  const bob = await personOfDomain('Bob');
  const { link_token = '' } = (await signInBySso(stage, user('bob'))).body;
  expect((await service.call(linkSso, { bearer: bob.access, body: { link_token } })).status).toBe(200);
  const olivia = await testOperator(service);
  const params = { id: await accountOf(bob) };
  const body = { email: `moved@${domain}.test`, reason: 'Moved' };
  const { session_token } = (await olivia.call(requestEmailChange, { params, body })).body;
  const entry = { session_token, code: await codeFor(service, body.email) };
  expect((await olivia.call(confirmEmailChange, { params, body: entry })).status).toBe(200);
  expect(await signInBySso(stage, user('bob', { subject: `another subject at ${domain}` }))).toMatchObject(
    refused,
  );
  expect((await signInBySso(stage, user('bob'))).status).toBe(200);
});

test('identities that end with single sign-on do not join as other people when it is set up again', async () => {
  await bearerBySso(stage, user('bob'));
  await service.call(removeSso, { bearer: alice.access });
  const { issuer, client_id, client_secret } = provider;
  const body = { issuer, client_id, client_secret, domain, default_role: 'admin' as const };
  await service.call(updateSso, { bearer: alice.access, body });
  await proveDomain(stage, alice.access);
  expect(await signInBySso(stage, user('bob', { email: `robert@${domain}` }))).toMatchObject(refused);
  expect((await signInBySso(stage, user('bob'))).body).toMatchObject({ link_token: expect.any(String) });
  expect((await signInBySso(stage, user('carol'))).status).toBe(200);
});

test('an account remembers neither addresses nor identities as text', async () => {
  const bearer = await bearerBySso(stage, user('bob'));
  await service.call(leaveAccount, { bearer });
  await deletesProfile(`bob@${domain}`);
  const rows = await service.app.db.rows<{ row: string }>(
    'select to_jsonb(f)::text as row from former_member_hashes f',
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { row } of rows) expect(row).not.toMatch(/bob|example/);
});
