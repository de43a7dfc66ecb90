import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { changeRole, leaveAccount, removeMember } from '@sixdigit/contract/accounts/members.ts';
import {
  checkSso,
  finishSso,
  getSso,
  linkSso,
  removeSso,
  type SsoBody,
  startSso,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { GRACE_DAYS, PROOF_DAYS } from '@sixdigit/contract/message-links.ts';
import { beforeEach, expect, test } from 'vitest';
import { anotherSession, type Person, person } from '../../../test/person.ts';
import {
  bearerBySso,
  callbackOf,
  proveDomain,
  SSO_ORIGIN,
  signInBySso,
  ssoStage,
  withSso,
} from '../../../test/single-sign-on.ts';

const DAY = 86_400_000;
const stage = ssoStage();
const { service, names, provider, user, personOfDomain } = stage;

let alice: Person;
let domain: string;

beforeEach(async () => {
  provider.faults.clear();
  provider.describe = undefined;
  names.mode = 'answers';
  names.records.clear();
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
});

const settings = (more: Partial<SsoBody> = {}) => ({
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: provider.client_secret,
  domain,
  default_role: 'viewer' as const,
  ...more,
});
const put = (more: Record<string, unknown> = {}, bearer = alice.access) =>
  service.call(updateSso, { bearer, body: { ...settings(), ...more } });
const get = async (bearer = alice.access) => (await service.call(getSso, { bearer })).body;
test('single sign-on is off until it is set up, and shows the redirect URL to register', async () => {
  const { id } = (await service.call(getMe, { bearer: alice.access })).body;
  expect(await get()).toEqual({
    redirect_url: `${SSO_ORIGIN}/sso/callback/${id}`,
    start_url: `${SSO_ORIGIN}/sso/start`,
    settings: null,
  });
  for (const route of [checkSso, removeSso])
    expect(await service.call(route, { bearer: alice.access })).toMatchObject({
      status: 404,
      body: { reason: 'not_found' },
    });
});

test('the settings show the record of the domain and never the secret', async () => {
  const { status, body } = await put();
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      settings: {
        issuer: provider.issuer,
        domain,
        domain_status: 'pending',
        record_name: `_otp-sign-in.${domain}`,
        record_value: expect.stringMatching(/^domain-verification=\S{20,}$/),
        default_role: 'viewer',
        required: false,
        exempt_person_id: null,
        signed_in_at: null,
        last_failure: null,
      },
    },
  });
  expect(JSON.stringify([body, await get()])).not.toContain(provider.client_secret);
  const stored = await service.app.db.rows(
    'select client_secret, record from audit_entries, account_sso, lateral (select audit_entries::text as record) r',
  );
  expect(JSON.stringify(stored)).not.toContain(provider.client_secret);
  await service.deliver();
  expect((await service.inbox(alice.email))[0]).toMatchObject({ subject: 'Single sign-on was changed' });
});

test.each<[string, Record<string, unknown>, string]>([
  ['issuer', { issuer: 'id.example.com' }, 'The issuer must begin with https://.'],
  ['issuer', { issuer: 'https://10.0.0.1' }, 'The issuer must lead to a public address on the internet.'],
  ['issuer', { issuer: 'https://id.internal' }, 'The issuer must lead to a public address on the internet.'],
  [
    'issuer',
    { issuer: 'https://id.example.com/?x=1' },
    'The issuer is a URL without a query, such as https://id.example.com.',
  ],
  [
    'client_id',
    { client_id: 'a\u0000b' },
    'The client ID must be a single line without invisible characters',
  ],
  ['client_secret', { client_secret: '' }, 'Enter the secret of this client.'],
  ['domain', { domain: 'co.uk' }, 'The suffix co.uk belongs to many owners.'],
  ['default_role', { default_role: 'owner' }, 'Choose admin, developer, support or viewer'],
  ['default_role', { default_role: 'emperor' }, 'Choose admin, developer, support or viewer'],
  ['required', { required: true }, 'Verify the domain first.'],
  [
    'exempt_person_id',
    { exempt_person_id: '00000000-0000-4000-8000-000000000000' },
    'Choose an owner who has a password or passkey.',
  ],
])('a wrong %s is a field error, and nothing changes', async (field, wrong, message) => {
  expect(await put(wrong)).toMatchObject({ status: 400, body: { [field]: [message] } });
  expect((await get()).settings).toBeNull();
});

test('the address of the discovery document counts as the issuer', async () => {
  const { body } = await put({ issuer: `${provider.issuer}/.well-known/openid-configuration` });
  expect(body.settings?.issuer).toBe(provider.issuer);
});

test('a stored secret is kept for the same client and never sent to another one', async () => {
  await put();
  expect((await put({ client_secret: '', default_role: 'support' })).status).toBe(200);
  for (const other of [{ issuer: 'https://evil.example.com' }, { client_id: 'other' }])
    expect(await put({ client_secret: '', ...other })).toMatchObject({
      status: 400,
      body: { client_secret: ['Enter the secret of this client.'] },
    });
  expect((await get()).settings).toMatchObject({ issuer: provider.issuer, default_role: 'support' });
});

test('a check looks up the record and the provider, once in five seconds', async () => {
  await put();
  const check = () => service.call(checkSso, { bearer: alice.access });
  expect((await check()).body).toMatchObject({
    settings: { domain_status: 'pending', domain_problem: 'record_missing' },
    issuer_problem: null,
  });
  expect(await check()).toMatchObject({
    status: 429,
    body: {
      reason: 'too_many_requests',
      error: 'Too many requests. Try again in 5 seconds.',
      retry_after: 5,
    },
  });
  provider.faults.set('*', 'sends HTML');
  const { body } = await proveDomain(stage, alice.access);
  expect(body).toMatchObject({
    settings: { domain_status: 'verified', domain_problem: null },
    issuer_problem: expect.stringContaining("The provider's response cannot be used"),
  });
});

test('a domain belongs to the account that verifies it first, until that account gives it up', async () => {
  await withSso(stage, alice.access, { domain });
  const bob = await person(service, 'Bob');
  expect((await put({}, bob.access)).status).toBe(200);
  const taken = { status: 400, body: { reason: 'sso_domain_taken' } };
  expect(await proveDomain(stage, bob.access)).toMatchObject(taken);
  expect((await get(bob.access)).settings?.domain_status).toBe('pending');
  await put({ domain: `other-${domain}` }, (await anotherSession(service, alice)).access);
  const bearer = (await anotherSession(service, bob)).access;
  expect((await proveDomain(stage, bearer)).body.settings?.domain_status).toBe('verified');
});

test('if two accounts verify a domain at the same moment, one gets it', async () => {
  const bob = await person(service, 'Bob');
  for (const bearer of [alice.access, bob.access]) await put({}, bearer);
  const values = await Promise.all(
    [alice.access, bob.access].map(async (bearer) => (await get(bearer)).settings?.record_value ?? ''),
  );
  names.records.set(`_otp-sign-in.${domain}`, values);
  const replies = await Promise.all(
    [alice.access, bob.access].map((bearer) => service.call(checkSso, { bearer })),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  expect(replies.find(({ status }) => status === 400)?.body).toMatchObject({ reason: 'sso_domain_taken' });
});

test('a missing record ends the proof after the grace period, with a mail at the start and the end', async () => {
  await withSso(stage, alice.access, { domain });
  const newest = async () => {
    await service.deliver();
    return (await service.inbox(alice.email))[0]?.subject;
  };
  names.records.clear();
  await service.clock.advance((PROOF_DAYS + 1) * DAY);
  await service.drain({ keepHouse: true });
  expect(await newest()).toBe(`The DNS record of ${domain} is missing`);
  let bearer = (await anotherSession(service, alice)).access;
  expect((await get(bearer)).settings).toMatchObject({ domain_status: 'lapsing' });
  expect((await service.call(startSso, { body: { email: `bob@${domain}` } })).status).toBe(200);
  await service.clock.advance((GRACE_DAYS + 1) * DAY);
  await service.drain({ keepHouse: true });
  expect(await newest()).toBe(`Single sign-on for ${domain} has stopped`);
  bearer = (await anotherSession(service, alice)).access;
  expect((await get(bearer)).settings).toMatchObject({ domain_status: 'pending' });
  expect(await service.call(startSso, { body: { email: `bob@${domain}` } })).toMatchObject({
    body: { reason: 'no_sso' },
  });
  const actions = (await service.call(listAuditEntries, { bearer })).body.results.map(({ action }) => action);
  expect(actions).toContain('sso.lapse_domain');
});

test('single sign-on can be required after a sign-in with the same client, and the caller becomes the exempt owner', async () => {
  await withSso(stage, alice.access, { domain });
  expect(await put({ required: true })).toMatchObject({
    status: 400,
    body: { required: ['Sign in with SSO once first.'] },
  });
  await bearerBySso(stage, user('bob'));
  expect(await put({ required: true, client_id: 'another' })).toMatchObject({
    body: { required: ['Sign in with SSO once first.'] },
  });
  expect(await put({ required: true, domain: `other-${domain}` })).toMatchObject({
    body: { required: ['Verify the domain first.'] },
  });
  expect(await put({ required: true, exempt_person_id: null })).toMatchObject({
    body: { exempt_person_id: ['Choose an owner who has a password or passkey.'] },
  });
  const { status, body } = await put({ required: true });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { settings: { required: true, exempt_person_id: expect.any(String) } },
  });
});

test('a member who is not an owner or has no password or passkey cannot be exempt', async () => {
  await withSso(stage, alice.access, { domain });
  await bearerBySso(stage, user('bob'));
  const idOf = async (email: string) =>
    (await service.app.db.one<{ id: string }>('select id from people where email = $1', [email])).id;
  const bob = await idOf(`bob@${domain}`);
  const refused = { body: { exempt_person_id: ['Choose an owner who has a password or passkey.'] } };
  expect(await put({ required: true, exempt_person_id: bob })).toMatchObject(refused);
  await service.app.db.run(`update memberships set role = 'owner' where person_id = $1`, [bob]);
  expect(await put({ required: true, exempt_person_id: bob })).toMatchObject(refused);
  const eve = await person(service, 'Eve');
  expect(await put({ required: true, exempt_person_id: await idOf(eve.email) })).toMatchObject(refused);
});

test('a new client ends the sessions and sign-ins of the old one', async () => {
  await withSso(stage, alice.access, { domain });
  const bearer = await bearerBySso(stage, user('bob'));
  const callback = await callbackOf(stage, user('carol'));
  const dana = await personOfDomain('Dana');
  const { link_token = '' } = (await signInBySso(stage, user('dana'))).body;
  expect((await put({ client_id: 'another' })).status).toBe(200);
  expect((await service.call(listApiKeys, { bearer })).status).toBe(401);
  // Nor do they work when the old client is back.
  expect((await put()).status).toBe(200);
  expect(await service.call(linkSso, { bearer: dana.access, body: { link_token } })).toMatchObject({
    body: { reason: 'invalid_sso_link' },
  });
  expect(await service.call(finishSso, { body: callback })).toMatchObject({
    body: { reason: 'invalid_sso_login' },
  });
  expect((await service.call(listApiKeys, { bearer: alice.access })).status).toBe(200);
  expect((await get()).settings?.signed_in_at).toBeNull();
});

test('turning off single sign-on ends its sessions, keeps the members and deletes their identities', async () => {
  await withSso(stage, alice.access, { domain });
  const bearer = await bearerBySso(stage, user('bob'));
  expect((await service.call(removeSso, { bearer: alice.access })).status).toBe(204);
  expect((await service.call(listApiKeys, { bearer })).status).toBe(401);
  expect((await get()).settings).toBeNull();
  const left = await service.app.db.one<{ members: number; identities: number }>(
    `select (select count(*) from memberships m join people p on p.id = m.person_id where p.email = $1)::int as members,
       (select count(*) from identities i join people p on p.id = i.person_id where p.email = $1)::int as identities`,
    [`bob@${domain}`],
  );
  expect(left).toEqual({ members: 1, identities: 0 });
  // A member without a password is a person who exists, so a new provider must not take their place.
  await withSso(stage, alice.access, { domain });
  expect((await signInBySso(stage, user('bob'))).body).toMatchObject({ link_token: expect.any(String) });
});

test('while single sign-on is required, the exempt owner stays an owner', async () => {
  const { account_id, id: person_id } = (await service.call(getMe, { bearer: alice.access })).body;
  await withSso(stage, alice.access, { domain });
  const bearer = await bearerBySso(stage, user('bob'));
  await service.app.db.run(`update memberships set role = 'owner' where account_id = $1`, [account_id]);
  expect((await put({ exempt_person_id: person_id, required: true })).status).toBe(200);
  const params = { person_id };
  const refused = { status: 400, body: { reason: 'sso_exempt_owner' } };
  expect(await service.call(leaveAccount, { bearer: alice.access })).toMatchObject(refused);
  expect(await service.call(removeMember, { bearer, params })).toMatchObject(refused);
  expect(await service.call(changeRole, { bearer, params, body: { role: 'admin' } })).toMatchObject(refused);
  expect((await put({ exempt_person_id: person_id, required: false })).status).toBe(200);
  expect((await service.call(leaveAccount, { bearer: alice.access })).status).toBe(204);
});
