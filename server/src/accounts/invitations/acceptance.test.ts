import {
  deleteMe,
  getMe,
  getProfile,
  PHONE_REQUIRED_FOR_SMS,
  updateProfile,
  updateTwoFactor,
} from '@sixdigit/contract/accounts/accounts.ts';
import {
  acceptInvitation,
  createInvitation,
  revokeInvitation,
  showInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { listMembers } from '@sixdigit/contract/accounts/members.ts';
import { createAccount, listAccounts } from '@sixdigit/contract/accounts/own-accounts.ts';
import { signIn, signUp } from '@sixdigit/contract/accounts/sign-in.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnotherProcess, anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilWaiting } from '../../../test/held-lock.ts';
import {
  crowd,
  invitationTokenFor,
  type Member,
  rolesIn,
  signedInTo,
  subjectsTo,
} from '../../../test/members.ts';
import { codeFor, person } from '../../../test/person.ts';
import { type Customer, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

const DAY = 86_400_000;
const service = fixture(testService);
let other: AnotherProcess;
let names = 0;
beforeAll(async () => {
  other = await anotherProcess(service);
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
});

interface Invited {
  account: Customer;
  owner: Member;
  /** whose address is invited */
  dana: Customer;
  bearer: string;
  id: string;
  token: string;
}

/** An account, and a person with an account of their own who is invited to it. */
async function invited(role: Role = 'developer'): Promise<Invited> {
  names += 1;
  const account = await service.customer(`Founder${names}`);
  const dana = await service.customer(`Dana${names}`);
  return {
    dana,
    bearer: await signedIn(service, dana),
    ...(await invitedTo(account, dana.email, role)),
    account,
  };
}

async function invitedTo(
  account: Customer,
  email: string,
  role: Role = 'developer',
): Promise<{ owner: Member; id: string; token: string }> {
  const owner = await signedInTo(service, account, account);
  const { status, body } = await owner.call(createInvitation, { body: { email, role } });
  expect(status).toBe(201);
  return { owner, id: body.id, token: await invitationTokenFor(service, email) };
}

const accept = (bearer: string, token: string, process: Pick<AnotherProcess, 'call'> = service) =>
  process.call(acceptInvitation, { bearer, body: { token } });
const NOT_FOUND = { status: 404, body: { error: 'Not found', reason: 'not_found' } };
const roleOf = async ({ account, dana }: Pick<Invited, 'account' | 'dana'>): Promise<Role | undefined> =>
  (await rolesIn(service, account.account_id))[dana.email.split('@')[0] ?? ''];

test('an invited person joins with the role of the invitation, which is recorded and told to the owners', async () => {
  const { account, owner, dana, bearer, token } = await invited('support');
  expect(await accept(bearer, token)).toMatchObject({
    status: 200,
    body: { account_id: account.account_id, role: 'support' },
  });
  const headers = { 'x-account': account.account_id };
  expect((await service.call(getMe, { bearer, headers })).body).toMatchObject({
    id: dana.account_id,
    account_id: account.account_id,
    role: 'support',
  });
  expect((await owner.call(listAuditEntries, { query: { search: dana.email } })).body.results).toMatchObject([
    { action: 'member.join', person: { id: dana.account_id }, after: { role: 'support' } },
    { action: 'member.invite', person: { id: owner.person_id } },
  ]);
  expect(await subjectsTo(service, account.email)).toContain('Your Sixdigit account has a new member');
});

test('a person with several accounts finds both in addresses, and the first stays the default', async () => {
  const { account, dana, bearer, token } = await invited();
  const before = (await service.call(listAccounts, { bearer })).body.results;
  expect(before).toMatchObject([{ id: dana.account_id, slug: '' }]);
  await accept(bearer, token);
  const { results } = (await service.call(listAccounts, { bearer })).body;
  expect(results).toMatchObject([{ id: dana.account_id }, { id: account.account_id, role: 'developer' }]);
  for (const { slug } of results) expect(slug).toMatch(/^[a-z0-9-]+$/);
  expect((await service.call(getMe, { bearer })).body.account_id).toBe(dana.account_id);
});

describe('an invitation that does not work', () => {
  test('an invitation accepted by a person with another address is unknown to them and still works', async () => {
    const { bearer, token, ...its } = await invited();
    const mallory = await signedIn(service, await service.customer('Mallory'));
    expect(await accept(mallory, token)).toMatchObject(NOT_FOUND);
    expect(await accept(its.owner.bearer, token)).toMatchObject(NOT_FOUND);
    expect(await roleOf(its)).toBeUndefined();
    expect((await accept(bearer, token)).status).toBe(200);
  });

  test('an invitation that is used, revoked, expired, replaced or made up is unknown', async () => {
    const used = await invited();
    await accept(used.bearer, used.token);
    const revoked = await invited();
    await revoked.owner.call(revokeInvitation, { params: { id: revoked.id } });
    for (const { bearer, token } of [used, revoked]) {
      expect(await accept(bearer, token)).toMatchObject(NOT_FOUND);
      expect(await service.call(showInvitation, { body: { token } })).toMatchObject(NOT_FOUND);
    }
    for (const token of ['x', 'x'.repeat(200), "' or true --", '\u{1F600}', used.token.toUpperCase()])
      expect(await accept(used.bearer, token)).toMatchObject(NOT_FOUND);
    for (const token of ['', 'x'.repeat(201)])
      expect((await accept(used.bearer, token)).status, token).toBe(400);
    const expired = await invited();
    await service.clock.advance(7 * DAY);
    expect(await accept(await signedIn(service, expired.dana), expired.token)).toMatchObject(NOT_FOUND);
  });

  test('an invitation of a deleted account is unknown', async () => {
    const founder = await person(service, 'Fred');
    const me = (await service.call(getMe, { bearer: founder.access })).body;
    const account = { account_id: me.account_id, email: founder.email } as Customer;
    const dana = await service.customer('Dana.Deleted');
    const { token } = await invitedTo(account, dana.email);
    const { status } = await service.call(deleteMe, {
      bearer: founder.access,
      body: { password: founder.password },
    });
    expect(status).toBe(204);
    expect(await accept(await signedIn(service, dana), token)).toMatchObject(NOT_FOUND);
    expect(await service.call(showInvitation, { body: { token } })).toMatchObject(NOT_FOUND);
    expect(
      await service.app.db.rows('select from invitations where account_id = $1', [account.account_id]),
    ).toEqual([]);
  });

  test('an invitation to a suspended account says so, and works once the account is resumed', async () => {
    const { bearer, token, ...its } = await invited();
    const suspended = (at: string | null) =>
      service.app.db.run('update accounts set suspended_at = $2 where id = $1', [its.account.account_id, at]);
    await suspended('2026-01-01');
    expect(await accept(bearer, token)).toMatchObject({ status: 400, body: { reason: 'account_suspended' } });
    expect(await roleOf(its)).toBeUndefined();
    await suspended(null);
    expect((await accept(bearer, token)).status).toBe(200);
  });

  test('accepting needs a session', async () => {
    const { token } = await invited();
    const { status } = await service.call(acceptInvitation, { body: { token } });
    expect(status).toBe(401);
  });
});

test('an invitation accepted by a person who has joined in another way meanwhile leaves their role', async () => {
  const { bearer, token, ...its } = await invited('viewer');
  await service.app.db.run(
    `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'admin', clock_now())`,
    [its.account.account_id, its.dana.account_id],
  );
  expect((await accept(bearer, token)).body).toMatchObject({ role: 'admin' });
  expect(await accept(bearer, token)).toMatchObject(NOT_FOUND);
  expect(await roleOf(its)).toBe('admin');
});

describe('at the same moment', () => {
  test('an invitation accepted twice makes one membership and has one success', async () => {
    const { bearer, token, ...its } = await invited();
    await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
      its.account.account_id,
    ]);
    const answers = [accept(bearer, token), accept(bearer, token, other), accept(bearer, token)];
    await untilWaiting(service, 3);
    await held.commit();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 404, 404]);
    expect(await roleOf(its)).toBe('developer');
    const joined = (await its.owner.call(listAuditEntries, { query: { search: its.dana.email } })).body
      .results;
    expect(joined.filter(({ action }) => action === 'member.join')).toHaveLength(1);
  });

  test.each([0, 1])(
    'of an acceptance and a revocation, one wins and the other finds nothing (order %i)',
    async (first) => {
      const { bearer, token, id, ...its } = await invited();
      await using held = await holdLock(service, 'select from accounts where id = $1 for no key update', [
        its.account.account_id,
      ]);
      const starts = [
        () => accept(bearer, token),
        () => its.owner.callOn(other, revokeInvitation, { params: { id } }),
      ];
      const answers: (undefined | Promise<{ status: number }>)[] = [];
      answers[first] = starts[first]?.();
      await untilWaiting(service, 1);
      answers[1 - first] = starts[1 - first]?.();
      await untilWaiting(service, 2);
      await held.commit();
      const statuses = (await Promise.all(answers)).map((answer) => answer?.status);
      expect(['200,404', '404,204']).toContain(statuses.join());
      expect(await roleOf(its)).toBe(statuses[0] === 200 ? 'developer' : undefined);
    },
  );

  test('a person with 49 accounts joins only one of two more', async () => {
    const one = await invited();
    const two = await invitedTo(await service.customer('Founder.Two'), one.dana.email);
    await service.app.db.run(
      `with a as (insert into accounts (id, created_at) select new_uuid(), clock_now() from generate_series(1, 48) returning id)
       insert into memberships (account_id, person_id, role, joined_at) select id, $1, 'viewer', clock_now() from a`,
      [one.dana.account_id],
    );
    await using held = await holdLock(service, 'select from accounts for no key update', []);
    const answers = [accept(one.bearer, one.token), accept(one.bearer, two.token, other)];
    await untilWaiting(service, 2);
    await held.commit();
    const done = await Promise.all(answers);
    expect(done.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(done.find(({ status }) => status === 400)?.body).toMatchObject({
      reason: 'account_limit_reached',
      error: 'You can be a member of at most 50 accounts.',
    });
    expect((await service.call(listAccounts, { bearer: one.bearer })).body.results).toHaveLength(50);
    expect(
      (await service.call(createAccount, { bearer: one.bearer, body: { name: 'More' } })).body,
    ).toMatchObject({ reason: 'account_limit_reached' });
  });

  test('an account with 499 members takes in only one of two more', async () => {
    const one = await invited();
    const erin = await service.customer('Erin');
    const two = await invitedTo(one.account, erin.email);
    await crowd(service, one.account, 498);
    const bearer = await signedIn(service, erin);
    await using held = await holdLock(service, 'select from invitations for no key update', []);
    const answers = [accept(one.bearer, one.token), accept(bearer, two.token, other)];
    await untilWaiting(service, 2);
    await held.commit();
    const done = await Promise.all(answers);
    expect(done.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(done.find(({ status }) => status === 400)?.body).toMatchObject({ reason: 'member_limit_reached' });
    expect((await one.owner.call(listMembers)).body.results).toHaveLength(500);
  });

  test('two people who join each other’s accounts do not wait for each other', async () => {
    const [alice, bob] = [await service.customer('Cross.Alice'), await service.customer('Cross.Bob')];
    const [toAlice, toBob] = [await invitedTo(alice, bob.email), await invitedTo(bob, alice.email)];
    await using held = await holdLock(service, 'select from accounts for no key update', []);
    const answers = [
      accept(toBob.owner.bearer, toAlice.token),
      accept(toAlice.owner.bearer, toBob.token, other),
    ];
    await untilWaiting(service, 2);
    await held.commit();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a sign-up with an invitation', () => {
  const PASSWORD = 'long walks along the river';
  const sign = (email: string, invitation: string, more: object = {}) =>
    service.call(signUp, {
      body: {
        email,
        phone_number: '4155550123',
        password: PASSWORD,
        confirm_password: PASSWORD,
        invitation,
        ...more,
      },
    });

  test('the link proves the address: the person is signed in at once, in the account only', async () => {
    const account = await service.customer('Founder.Up');
    const { token } = await invitedTo(account, 'new.person@example.com', 'admin');
    const { status, body } = await sign('New.Person@example.com', token);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { requires_2fa: false, access: expect.any(String), refresh: expect.any(String) },
    });
    const bearer = body.access ?? '';
    const { results } = (await service.call(listAccounts, { bearer })).body;
    expect(results).toMatchObject([{ id: account.account_id, role: 'admin', slug: '' }]);
    expect((await service.call(getMe, { bearer })).body).toMatchObject({
      email: 'new.person@example.com',
      account_id: account.account_id,
      role: 'admin',
    });
    expect((await service.call(getProfile, { bearer })).body.email).toBe('new.person@example.com');
    expect(
      (await service.call(signIn, { body: { email: 'new.person@example.com', password: PASSWORD } })).body,
    ).toMatchObject({ requires_2fa: false });
    const made = await service.call(createAccount, { bearer, body: { name: 'My own' } });
    expect(made.status).toBe(201);
    expect((await service.call(getMe, { bearer })).body.account_id).toBe(account.account_id);
    expect(await sign('another@example.com', token)).toMatchObject(NOT_FOUND);
  });

  test('an invited person needs no phone number, and adds one with the password and a code', async () => {
    const email = 'without.phone@example.com';
    const { token } = await invitedTo(await service.customer('Founder.Phoneless'), email);
    const { access: bearer = '' } = (await sign(email, token, { phone_number: undefined })).body;
    const two = { two_factor_enabled: true, two_factor_method: 'sms' } as const;
    const set = async (more: object) =>
      (await service.call(updateTwoFactor, { bearer, body: { ...two, ...more } })).body;
    const change = { phone_number: '+14155558123' };
    expect((await service.call(getProfile, { bearer })).body.phone_number).toBe('');
    expect(await set({ current_password: PASSWORD })).toHaveProperty('phone_number', [
      PHONE_REQUIRED_FOR_SMS,
    ]);
    expect((await service.call(updateProfile, { bearer, body: change })).status).toBe(400);
    const wanted = { ...change, current_password: PASSWORD };
    const { session_token, requires_code } = await set(wanted);
    expect(requires_code).toBe(true);
    expect((await service.call(getProfile, { bearer })).body.phone_number).toBe('');
    const code = await codeFor(service, change.phone_number);
    expect(await set({ ...wanted, session_token, code })).toEqual({ ...two, ...change });
  });

  test('another address, a weak password or a wrong phone number is refused, and the invitation stays', async () => {
    const account = await service.customer('Founder.Bad');
    const { token } = await invitedTo(account, 'right@example.com');
    for (const [answer, field] of [
      [await sign('wrong@example.com', token), 'email'],
      [await sign('right@example.com', token, { phone_number: 'none' }), 'phone_number'],
      [
        await sign('right@example.com', token, { password: 'password1', confirm_password: 'password1' }),
        'password',
      ],
      [await sign('right@example.com', token, { confirm_password: 'something else' }), 'confirm_password'],
    ] as const)
      expect({ field, ...answer }).toMatchObject({
        status: 400,
        body: { [field]: [expect.any(String)] },
      });
    expect(await sign('right@example.com', 'made up')).toMatchObject(NOT_FOUND);
    expect((await sign('right@example.com', token)).status).toBe(200);
  });

  test('an address that belongs to a person cannot sign up again, and its invitation stays', async () => {
    const { dana, bearer, token } = await invited();
    expect(await sign(dana.email, token)).toMatchObject({
      status: 400,
      body: { email: ['This address is already registered. Sign in, then open the invitation again.'] },
    });
    expect((await accept(bearer, token)).status).toBe(200);
  });

  test('a sign-up for a suspended account, or for one with 500 members, is refused and makes no person', async () => {
    const account = await service.customer('Founder.Full');
    const { token } = await invitedTo(account, 'late@example.com');
    const set = (column: string) =>
      service.app.db.run(`update accounts set suspended_at = ${column} where id = $1`, [account.account_id]);
    await set('clock_now()');
    expect((await sign('late@example.com', token)).body).toMatchObject({ reason: 'account_suspended' });
    await set('null');
    await crowd(service, account, 499);
    expect((await sign('late@example.com', token)).body).toMatchObject({ reason: 'member_limit_reached' });
    expect(await service.app.db.rows(`select from people where email = 'late@example.com'`)).toEqual([]);
  });

  test('two sign-ups with one invitation make one person', async () => {
    const account = await service.customer('Founder.Twice');
    const { owner, token } = await invitedTo(account, 'twice@example.com');
    const statuses = (
      await Promise.all([sign('twice@example.com', token), sign('twice@example.com', token)])
    ).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const { results } = (await owner.call(listMembers)).body;
    expect(results.filter(({ email }) => email === 'twice@example.com')).toHaveLength(1);
  });
});
